"""Opposites: the word that is shown as evidence."""

from __future__ import annotations

import pytest

from patmark.facts import compare_markers, facts_of


def _evidence(language: str, source: str, target: str) -> list[tuple[str, str]]:
    found = compare_markers(facts_of(source, language), facts_of(target, "en")).differences
    return [
        (source[slice(*d.source)] if d.source else "", target[slice(*d.target)] if d.target else "")
        for d in found
    ]


@pytest.mark.parametrize(
    ("language", "source", "target", "evidence"),
    [
        ("en", "The valve is open.", "The valve is closed.", ("open", "closed")),
        ("zh", "过滤器位于泵的上游。", "The filter is downstream of the pump.",
         ("上游", "downstream")),
        ("zh", "压力不小于5bar，阀门关闭。",
         "The pressure is not less than 5 bar, and the valve is open.", ("关闭", "open")),
        ("ja", "フィルタはポンプの上流にある。", "The filter is downstream of the pump.",
         ("上流", "downstream")),
    ],
)  # fmt: skip
def test_both_words_of_a_contrast_are_shown(
    language: str, source: str, target: str, evidence: tuple[str, str]
) -> None:
    assert _evidence(language, source, target) == [evidence]


def test_a_word_inside_a_negated_limit_is_no_contrast() -> None:
    assert _evidence("en", "The gap is not larger than 5 mm.", "The gap is 5 mm or smaller.") == []


def test_exchanged_arguments_make_up_for_opposite_words() -> None:
    assert _evidence("en", "The lid is above the base.", "The base is below the lid.") == []
