"""Reports of every kind: texts are marked for translation, and axe-core finds nothing serious."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from axe import violations
from patmark import commands
from patmark.data import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    Notice,
    Rating,
    Run,
    TestSet,
    read_lines,
)
from patmark.evaluation import WEIGHTS, CompareSettings, ErrorAnalysis, MetaSettings, Sampling
from patmark.examples import example_path
from patmark.protocols import with_retrieval
from patmark.protocols.studies.ntcir7 import reproduce_ntcir7
from patmark.report import Explorer, Report, Result, in_language, to_html
from patmark.wording import Text, catalogue, tr

_FAST = Sampling(resamples=20)
_SETTINGS = CompareSettings(_FAST, trials=50)
_CLAIMS = "1. A pump comprising a shaft (2).\n2. The pump of claim 1, wherein the shaft is steel."
_DRAFT = "1. A pump comprising a rotor, wherein the shaft turns.\n2. The pump of claim 7, about hot"


def _texts(count: int = 24) -> tuple[TestSet, dict[str, list[str]]]:
    folder = example_path("ja_en")
    source, reference, documents, *outputs = (
        list(read_lines(folder / name))[:count]
        for name in (
            "source.ja",
            "reference.en",
            "documents.txt",
            "atlas.en",
            "borealis.en",
            "cobalt.en",
        )
    )
    test_set = TestSet.of(
        reference, sources=source, documents=documents, target_language="en", source_language="ja"
    )
    return test_set, dict(zip(("atlas", "borealis", "cobalt"), outputs, strict=True))


def _score() -> Result:
    return commands.score(*_texts(), "BLEU,numbers,reference-signs,TER", sampling=_FAST)


def _compare() -> Result:
    return commands.compare(*_texts(), "BLEU,TER", settings=_SETTINGS, everything=True)


def _bench(*systems: str) -> Any:
    files = [example_path(f"patsnap_cn2en/{name}.jsonl") for name in systems]
    return commands.score(files, protocol="patsnap", lang="zh-en", sampling=_FAST)


def _human() -> Result:
    files = [example_path(f"ja_en/{name}.csv") for name in ("judgements", "preferences")]
    return commands.human.report(*files, settings=_SETTINGS)


def _meta() -> Result:
    judgements = example_path("ja_en/judgements.csv")
    settings = MetaSettings(permutations=20, allow_partial=True, sampling=_FAST)
    scored = commands.score(*_texts(120), "BLEU,TER", sampling=_FAST)
    return commands.meta(scored, judgements, gold="adequacy", settings=settings)


def _claims() -> Result:
    return commands.claims.score(_CLAIMS, {"mine": _DRAFT}, sampling=_FAST)


def _lint() -> Result:
    return commands.claims.lint(_DRAFT)


def _retrieval() -> Result:
    topics = [str(number) for number in range(8)]
    qrels = {topic: {f"D{topic}": 2, "X": 1} for topic in topics}
    runs = {
        "good": {topic: [f"D{topic}", "X", "Y"] for topic in topics},
        "bad": {topic: ["Y", "X", f"D{topic}"] for topic in topics[:6]},
        "poor": {topic: ["Y", "Z", "X"] for topic in topics},
    }
    metrics = {"BLEU": {"good": 30.0, "bad": 20.0, "poor": 10.0}}
    return commands.retrieve.compare(qrels, runs, settings=_SETTINGS, metrics=metrics)


def _mqm() -> Result:
    """Errors that people marked, as the report of a campaign shows them."""
    segments = [f"s{number}" for number in range(4)]
    outputs = list(product(("atlas", "cobalt"), segments, ("e1", "e2")))
    kinds = (
        ("Accuracy/Omission", "neutral"),
        ("Terminology/Wrong term", "major"),
        ("Style", "minor"),
    )
    marks = tuple(
        Annotation(*output, place % 5, place % 5 + 3, "target", *kinds[place % 3])
        for place, output in enumerate(outputs)
    )
    test_set = TestSet.of(
        ["The spring is steel."] * 4, sources=["弹簧为钢。"] * 4, source_language="zh"
    )
    runs = [Run(name, ("The spring is made of steel.",) * 4) for name in ("atlas", "cobalt")]
    named = replace(
        test_set,
        segments=tuple(replace(one, id=name) for one, name in zip(test_set, segments, strict=True)),
    )
    annotations = Annotations(tuple(Rating(*output) for output in outputs), marks)
    analysis = ErrorAnalysis(annotations, WEIGHTS["wmt"], AnnotatedTexts.of(named, runs), _FAST)
    explorer = Explorer(
        named,
        ("atlas", "cobalt"),
        tuple(run.hypotheses for run in runs),
        {},
        {},
        evidence=analysis.evidence(("atlas", "cobalt"), segments),
    )
    return Report(tr("Marked errors"), "", (), tuple(analysis.tables()), {}, explorer=explorer)


def _demo() -> Result:
    bench = _bench("atlas", "borealis", "cobalt")
    return with_retrieval(bench.to_report(), _report("retrieval"))


_KINDS = {
    "score": _score,
    "compare": _compare,
    "patsnap": lambda: _bench("atlas", "cobalt"),
    "human": _human,
    "meta": _meta,
    "claims": _claims,
    "lint": _lint,
    "retrieval": _retrieval,
    "mqm": _mqm,
    "reproduce": lambda: reproduce_ntcir7(_FAST),
    "demo": _demo,
}


@cache
def _report(kind: str) -> Report:
    return _KINDS[kind]().to_report()


@pytest.mark.parametrize("kind", _KINDS)
def test_what_people_read_is_marked_for_translation(kind: str) -> None:
    """If this fails: the text is made without tr, or by an f-string or join of marked texts."""
    known = catalogue("zh")
    plain = [text for text in _texts_of(_report(kind)) if not isinstance(text, Text)]
    unmarked = {
        text
        for text in plain
        if known.get(text, text) != text or re.search(r"[a-z]{2} (?:[a-z]+ )*[a-z]{2}", text)
    }
    assert unmarked - _NAMES == set()


_NAMES = {
    "numbers", "pairwise accuracy", "mqm per 100 characters", "mqm, z by evaluator",
    "Fujii et al. 2008, NTCIR-7 dry run",
}  # fmt: skip
"""Measures, statistics and papers have the same name in all languages."""


def _texts_of(report: Report) -> Iterator[str]:
    """Every text of a report that patmark wrote, but for cells of several words."""
    explorer = report.explorer
    outputs = [] if explorer is None else [text for of in explorer.hypotheses for text in of]
    data = " ".join(filter(None, outputs)).lower()
    yield from (report.title, report.subtitle)
    for message in (*report.findings, *report.notes):
        yield from (message.text, message.remedy) if isinstance(message, Notice) else (message,)
    for headline in report.headlines:
        yield from (headline.label, headline.meaning)
    for table in report.tables:
        yield from (table.title, table.note, table.section)
        yield from (column.title for column in table.columns)
        words = (cell for row in table.rows for cell in row if isinstance(cell, str))
        yield from (word for word in words if " " not in word and word not in data)
    for chart in report.charts:
        yield from (getattr(chart, one.name) for one in fields(chart) if one.type == "str")
    if report.explorer is not None:
        yield from report.explorer.facets
        yield from (
            one.message
            for of_check in report.explorer.evidence.values()
            for of_system in of_check
            for of_segment in of_system
            for one in of_segment
        )


@pytest.mark.browser
@pytest.mark.parametrize("kind", _KINDS)
def test_axe_finds_nothing_serious(browser: Any, kind: str, tmp_path: Path) -> None:
    """In light and dark colours, in Japanese, with every section open."""
    file = tmp_path / f"{kind}.html"
    file.write_text(to_html(in_language(_report(kind), "ja")), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto(file.as_uri())
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    found = violations(page)
    page.emulate_media(color_scheme="dark")
    found += violations(page, "color-contrast")
    page.close()
    assert found == []
