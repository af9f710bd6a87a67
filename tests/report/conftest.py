"""Invented reports: a small one with every awkward character, one to explore, one to stress."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from patmark.data.model import Segment, TestSet
from patmark.data.scores import Estimate, Evidence
from patmark.report.model import Column, Explorer, Headline, Report, Table

SYSTEMS = ("Alpha", "Beta-2", "Gamma")
LABELS = ("chemistry", "document", "normal_sentence", "numbers")
SENTENCES = (
    (
        "一种换热器，包括壳体和设置在所述壳体内的多个散热片。",
        "A heat exchanger comprises a housing and a plurality of fins arranged in the housing.",
        "A heat exchanger comprises a shell and several cooling fins arranged in the housing.",
    ),
    (
        "所述支架的厚度为0.5 mm至2.0 mm，优选为1.2 mm。",
        "The bracket has a thickness of 0.5 mm to 2.0 mm, preferably 1.2 mm.",
        "The thickness of the bracket is 0.5 mm to 2.0 mm, and preferably 12 mm.",
    ),
    (
        "该组合物含有10重量%的二氧化钛和余量的水。",
        "The composition contains 10% by weight of titanium dioxide, the balance being water.",
        "The composition contains 10 wt% titanium dioxide and the balance of water.",
    ),
    (
        "控制器根据传感器检测到的温度调节阀门的开度。",
        "The controller adjusts the opening of the valve according to the temperature detected "
        "by the sensor.",
        "The controller adjusts the valve opening degree based on the temperature which is "
        "detected by the sensor.",
    ),
    (
        "𠀀号部件与基板通过焊接层电连接。",
        "Part 𠀀 is electrically connected to the substrate through a solder layer.",
        "The 𠀀 part is electrically coupled with the substrate via a welding layer.",
    ),
)
SIGNATURES = {
    "BLEU": "BLEU|n:4|tok:13a|case:mixed|smooth:exp|refs:1|over:sum|patmark:0.1.0",
    "TermKept": "TermKept|lemmas:simplemma-1.1|refs:1|over:sum|patmark:0.1.0",
}


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that fails the test if anything is written to its console or fetched."""
    problems: list[str] = []
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.set_default_timeout(60_000)
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on(
        "request",
        lambda request: request.url.startswith(("file:", "blob:")) or problems.append(request.url),
    )
    yield opened
    opened.close()
    assert problems == []


def span(text: str, part: str) -> tuple[int, int]:
    """Where a part stands in a text, in code points."""
    start = text.index(part)
    return start, start + len(part)


@pytest.fixture
def small_report() -> Report:
    """A headline, a table with every kind of cell, and all that needs escaping."""
    nan = float("nan")
    return Report(
        title="Bench & co_1",
        subtitle="100% #1 {zh}~en^2 \\ $5",
        headlines=(
            Headline("sys_A", "Overall", Estimate(81.25, (80.0, 82.5), 222), "A", "ready | done"),
            Headline("B", "Overall", Estimate(49.0, None, 222)),
        ),
        tables=(
            Table(
                "By label",
                (
                    Column("label"),
                    Column("Accuracy", 1, (0.0, 100.0)),
                    Column("Errors", 2, higher_is_better=False),
                    Column("n"),
                ),
                (
                    ("normal_sentence", Estimate(53.2, (51.0, 55.4), 120), 0.125, 120),
                    ("a|b [c] *d*", Estimate(nan, None, 0), None, 0),
                ),
                note="n < 20: *unsure*",
            ),
        ),
        signatures={"BLEU": "BLEU|tok:13a|refs:1"},
        notes=("Resampled by segment.", "- 5 rows skipped"),
    )


@pytest.fixture(scope="session")
def explored_report() -> Report:
    """Forty segments, the first two of them long documents."""
    return _explorer_report(8, documents=2, length=5_000)


@pytest.fixture(scope="session")
def stress_report() -> Report:
    """2,500 segments, 10 of them documents of about 30,000 characters."""
    return _explorer_report(500, documents=10, length=30_000)


def _explorer_report(repeats: int, documents: int, length: int) -> Report:
    """Three systems on invented sentences; ``documents`` of the segments are very long."""
    chance = random.Random(0)
    segments: list[Segment] = []
    hypotheses: list[list[str | None]] = [[], [], []]
    found: list[list[tuple[Evidence, ...]]] = [[], [], []]
    labels: list[str] = []
    for position in range(len(SENTENCES) * repeats):
        source, reference, other = SENTENCES[position % len(SENTENCES)]
        labels.append(LABELS[position % len(SENTENCES) % len(LABELS)])
        if position < documents:
            labels[-1] = "document"
            rows = chance.choices(SENTENCES, k=length // 80)
            source, reference, other = (
                " ".join(f"[{number:04}] {row[side]}" for number, row in enumerate(rows))
                for side in range(3)
            )
        name = f"P{position // 5:04}-{position % 5}"
        segments.append(Segment(name, source, (reference,), f"CN{position // 5:07}A"))
        answers = (reference, other, _shuffled(other, chance))
        for system, answer in enumerate(answers):
            missing = system == 2 and position % 11 == 5
            hypotheses[system].append(None if missing else answer)
            found[system].append(() if missing else _evidence(source, answer, system))
    return _with_explorer(segments, hypotheses, found, labels)


def _shuffled(text: str, chance: random.Random) -> str:
    words = text.split(" ")
    for _ in range(max(1, len(words) // 8)):
        a, b = chance.randrange(len(words)), chance.randrange(len(words))
        words[a], words[b] = words[b], words[a]
    return " ".join(words)


def _evidence(source: str, answer: str, system: int) -> tuple[Evidence, ...]:
    wanted = (
        ("source", source, "0.5 mm至2.0 mm，优选为1.2 mm", "number 1.2 is not in the output"),
        ("hypothesis", answer, "12 mm", "number 12 is not in the source"),
        ("hypothesis", answer, "welding layer", "焊接层 should be “solder layer”"),
        ("source", source, "焊接层", "term without its translation"),
    )
    if system == 0:
        return ()
    return tuple(
        Evidence(side, *span(text, part), message)  # type: ignore[arg-type]
        for side, text, part, message in wanted
        if part in text
    )


def _with_explorer(
    segments: list[Segment],
    hypotheses: list[list[str | None]],
    found: list[list[tuple[Evidence, ...]]],
    labels: list[str],
) -> Report:
    size = len(segments)
    noise = np.random.default_rng(0)
    bleu = np.clip(noise.normal([[95.0], [55.0], [35.0]], 12.0, (3, size)), 0.0, 100.0)
    kept = np.where([[bool(item) for item in row] for row in found], 0.5, 1.0)
    kept[:, ::7] = np.nan
    explorer = Explorer(
        test_set=TestSet(tuple(segments), "en", "zh", "invented"),
        systems=SYSTEMS,
        hypotheses=tuple(tuple(row) for row in hypotheses),
        values={"BLEU": bleu, "TermKept": kept, "RIBES": bleu / 100},
        higher_is_better={"BLEU": True, "TermKept": True, "RIBES": True},
        facets={
            "label": tuple(labels),
            "ipc": tuple(None if i % 9 == 8 else "ABCGH"[i % 5] for i in range(size)),
        },
        evidence={"TermKept": tuple(tuple(row) for row in found)},
    )
    return Report(
        title="PatSnap Patent Translation Bench, zh→en",
        subtitle=f"{size:,} segments, 3 systems; 95% confidence intervals from 1,000 "
        "bootstrap samples of patents",
        headlines=(
            Headline("Alpha", "Overall", Estimate(84.6, (83.1, 86.0), size), "A", "ready to use"),
            Headline("Beta-2", "Overall", Estimate(66.2, (64.0, 68.5), size), "B", "a good aid"),
            Headline("Gamma", "Overall", Estimate(47.9, (45.2, 50.8), size), "D", "not fit"),
        ),
        tables=(_table_by_label(), _table_by_system()),
        signatures=SIGNATURES,
        notes=("Resampling draws whole patents.", "3 segments have no answer and count as zero."),
        explorer=explorer,
    )


def _table_by_label() -> Table:
    columns = (Column("label"), *(Column(name, 1, (0.0, 100.0)) for name in SYSTEMS), Column("n"))
    rows = tuple(
        (
            label,
            *(
                Estimate(value - 4 * place, (value - 4 * place - 3.1, value - 4 * place + 2.9), 50)
                for value in (84.2, 66.0, 47.5)
            ),
            500,
        )
        for place, label in enumerate(LABELS)
    )
    return Table("Accuracy by label", columns, rows, "Labels with fewer than 20 rows are unsure.")


def _table_by_system() -> Table:
    columns = (
        Column("System"),
        Column("BLEU", 1, (0.0, 100.0)),
        Column("NIST", 2, (0.0, 12.0)),
        Column("RIBES", 3, (0.0, 1.0)),
        Column("Hallucination %", 2, (0.0, 20.0), higher_is_better=False),
        Column("Kendall τ", 2, (-1.0, 1.0)),
        Column("Missing"),
    )
    rows = tuple(
        (
            name,
            Estimate(bleu, (bleu - 1.9, bleu + 2.1), 2500),
            Estimate(bleu / 6, (bleu / 6 - 0.3, bleu / 6 + 0.3), 2500),
            Estimate(0.5 + bleu / 200, (0.49 + bleu / 200, 0.51 + bleu / 200), 2500),
            Estimate(12 - bleu / 6, (11 - bleu / 6, 13 - bleu / 6), 2500),
            bleu / 50 - 1,
            missing,
        )
        for name, bleu, missing in (("Alpha", 61.5, 0), ("Beta-2", 48.2, None), ("Gamma", 30.4, 3))
    )
    return Table("Systems", columns, rows)
