"""Text said twice."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from checking import DIRECTIONS, Inspector, bilingual_pairs
from patmark.measures.doubled import Doubled

_INSPECTOR = Inspector(Doubled())


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages"),
    [
        ("壳体", "Noted that that had had results in in vivo, layer by layer by layer.", "zh-en"),
        ("壳体", "A DC-DC unit, section A-A, 5 5 5 5 5, 1, 1, 1-trichloroethane.", "zh-en"),
        (
            "盖板。",
            "It is fixed to the rear cover plate. The rear cover plate has a hole.",
            "zh-en",
        ),
        ("housing", "目的的设定逐渐渐进，二苯基苯基。", "en-zh"),
        ("housing", "それぞれのケースはますます良い。", "en-ja"),
        ("序列为Gly Ser Gly Ser Gly Ser Gly Ser。", "Gly Ser Gly Ser Gly Ser Gly Ser", "zh-en"),
        (
            "把壳体固定在底座上把壳体固定在底座上。",
            "the housing is fixed the housing is fixed",
            "zh-en",
        ),
    ],
)
def test_good_translations_raise_no_alarm(source: str, hypothesis: str, languages: str) -> None:
    finding = _INSPECTOR.inspect(source, hypothesis, languages)
    assert finding.evidence == ()
    assert finding.kept == finding.expected > 0


@pytest.mark.parametrize(
    ("hypothesis", "languages", "again", "kept", "expected"),
    [
        ("The the rod is on on it.", "zh-en", ["the", "on"], 5, 7),
        ("The end of the of the rod.", "zh-en", ["of the"], 5, 7),
        ("The rod is fixed here, the rod is fixed here, then cut.", "ja-en",
         ["the rod is fixed here"], 7, 12),
        ("It is fixed to the rod is fixed to the rod.", "zh-en", ["is fixed to the rod"], 6, 11),
        ("Go on go on go on go on.", "ja-en", ["go on go on go on"], 2, 8),
        ("所述所述杆", "en-zh", ["所述"], 3, 5),
        ("杆被固定在底座上，杆被固定在底座上，切断。", "en-zh", ["杆被固定在底座上"], 10, 18),
        ("棒は台に固定される棒は台に固定される。", "en-ja", ["棒は台に固定される"], 9, 18),
        ("冷却冷却冷却", "en-ja", ["冷却冷却"], 2, 6),
    ],
)  # fmt: skip
def test_errors_are_shown_where_they_are(
    hypothesis: str, languages: str, again: list[str], kept: int, expected: int
) -> None:
    source = "rod" if languages.startswith("en") else "杆"
    assert _INSPECTOR.shown(source, hypothesis, languages) == [
        ("hypothesis", text) for text in again
    ]
    finding = _INSPECTOR.inspect(source, hypothesis, languages)
    assert (finding.kept, finding.expected) == (kept, expected)


@given(st.integers(2, 200), st.integers(4, 12))
def test_a_loop_keeps_its_first_round(rounds: int, length: int) -> None:
    words = [chr(ord("a") + place) * 3 for place in range(length)]
    finding = _INSPECTOR.inspect("杆", " ".join(words * rounds), "zh-en")
    assert (finding.kept, finding.expected) == (length, length * rounds)


def test_a_long_text_without_repeats() -> None:
    words = [f"w{'ab'[place % 2]}{'cdefg'[place % 5]}{place}x" for place in range(8000)]
    finding = _INSPECTOR.inspect("杆", " ".join(words), "zh-en")
    assert finding.kept == finding.expected


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_few_alarms_on_human_translations(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    """At most 1 % of rows; the one is real ("the position position")."""
    share = _INSPECTOR.alarm_share(patsnap_rows, direction)
    assert share <= 0.01


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_doubled_clauses_are_found(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    clause = re.compile(
        r"(?:[A-Za-z-]+ ){5,}[A-Za-z-]+(?=[,.;:])" if direction[1] == "en"
        else r"[\u4e00-\u9fff]{9,}(?=[，。；：])"
    )  # fmt: skip
    random_source = random.Random(11)
    languages = "-".join(direction)
    found = tried = 0
    for source, target in bilingual_pairs(patsnap_rows, direction):
        clauses = list(clause.finditer(target))
        if not clauses:
            continue
        match = random_source.choice(clauses)
        gap = random_source.choice(["", target[match.end()]]) + " " * (direction[1] == "en")
        changed = target[: match.end()] + gap + target[match.start() :]
        start = match.end() + len(gap)
        tried += 1
        found += any(
            item.start <= start + 5 and item.end >= start + (match.end() - match.start()) - 5
            for item in _INSPECTOR.inspect(source, changed, languages).evidence
        )
    assert tried >= 40
    assert found >= 0.95 * tried
