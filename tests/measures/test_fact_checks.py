"""Properties of the checks of facts: what must never be found, and what always."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from patmark.data import TestSet
from patmark.measures import parse_measure

_CHECKS = [
    "numbers", "limits", "reference-signs", "polarity", "markers", "claim-structure",
]  # fmt: skip
_SENTENCES = {
    "en": (
        "The {noun} ({sign}) is at least {value} mm long.",
        "The first {noun} {sign} is not connected to the outlet.",
        "FIG. {sign} shows only the upper {noun} before heating.",
        "{sign}. The device of claim 1, wherein the {noun} consists of steel or copper.",
    ),
    "zh": (
        "所述{noun}（{sign}）的长度为{value}mm以上。",
        "第一{noun}{sign}不与出口连接。",
        "图{sign}仅示出加热之前的上{noun}。",
        "{sign}.根据权利要求1所述的装置，其特征在于，所述{noun}由钢或铜组成。",
    ),
    "ja": (
        "前記{noun}（{sign}）の長さは{value}mm以上である。",
        "第1の{noun}{sign}は出口に接続されていない。",
        "図{sign}は加熱前の上{noun}のみを示す。",
        "【請求項{sign}】前記{noun}が鋼又は銅からなる、請求項1に記載の装置。",
    ),
}
_NOUNS = {
    "en": ["pump", "valve", "shaft"],
    "zh": ["泵体", "阀门", "转轴"],
    "ja": ["弁", "回転軸", "筐体"],
}
_UNITS = [("m", "mm"), ("kg", "g"), ("MPa", "kPa"), ("s", "ms"), ("kV", "V")]


def _found(check: str, language: str, source: str, text: str) -> int:
    """Number of things that a check misses in a translation within one language."""
    test_set = TestSet.of(
        [[]], sources=[source], source_language=language, target_language=language
    )
    [finding] = parse_measure(check).findings(test_set, [text])
    return len(finding.evidence)


@st.composite
def _texts(draw: st.DrawFn) -> tuple[str, str]:
    language = draw(st.sampled_from(sorted(_SENTENCES)))
    values = {
        "noun": draw(st.sampled_from(_NOUNS[language])),
        "sign": draw(st.integers(2, 99)),
        "value": draw(st.integers(1, 999)),
    }
    parts = draw(st.lists(st.sampled_from(_SENTENCES[language]), min_size=1, max_size=3))
    return language, " ".join(part.format(**values) for part in parts)


@settings(max_examples=40, deadline=None)
@given(_texts())
def test_a_text_has_no_finding_against_itself(written: tuple[str, str]) -> None:
    language, text = written
    for check in _CHECKS:
        assert _found(check, language, text, text) == 0


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 999), st.sampled_from(_UNITS), st.sampled_from(sorted(_SENTENCES)))
def test_the_same_quantity_in_another_unit_is_no_finding(
    value: int, units: tuple[str, str], language: str
) -> None:
    form = {
        "en": "It is at least {} {}.", "zh": "其为{}{}以上。", "ja": "それは{}{}以上である。"
    }[language]  # fmt: skip
    large, small = form.format(value, units[0]), form.format(1000 * value, units[1])
    for check in ("numbers", "limits"):
        assert _found(check, language, large, small) == 0
    assert _found("numbers", language, large, form.format(value, units[1])) > 0


_PAIRS = {
    "en": ("The {0} ({1}) is heated", "the {2} ({3}) is cooled", ", and ", "."),
    "zh": ("所述{0}（{1}）被加热", "所述{2}（{3}）被冷却", "，", "。"),
    "ja": ("{0}（{1}）が加熱され", "{2}（{3}）が冷却され", "、", "る。"),
}


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(_PAIRS)),
    st.lists(st.integers(2, 99), min_size=2, max_size=2, unique=True),
    st.data(),
)
def test_exchanged_signs_are_found_and_exchanged_clauses_are_not(
    language: str, signs: list[int], data: st.DataObject
) -> None:
    one, other = data.draw(st.permutations(_NOUNS[language]))[:2]
    first, second, link, end = _PAIRS[language]
    a, b = signs

    def text(sign: int, sign2: int, *, turned: bool = False) -> str:
        clauses = [first, second] if not turned else [second, first]
        return (link.join(clauses) + end).format(one, sign, other, sign2)

    source = text(a, b)
    assert _found("reference-signs", language, source, text(b, a)) > 0
    for check in _CHECKS:
        assert _found(check, language, source, text(a, b, turned=True)) == 0


@pytest.mark.parametrize("check", _CHECKS)
def test_an_empty_text_has_no_facts(check: str) -> None:
    assert _found(check, "en", "", "") == 0
