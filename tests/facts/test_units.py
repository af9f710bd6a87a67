"""Units: a rendered quantity is read as the same fact, in every unit and notation."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from patmark.facts import compare_facts, facts_of, in_base_unit
from patmark.facts.lexicon import forms_of, spellings
from patmark.facts.units import CURRENCIES, _named_units, currency_before, unit_before
from patmark.languages import split_alternatives

_CLOCK = {"calendar month", "calendar day"}
_SYMBOLS = sorted(
    {
        (name, text)
        for name, symbols, _ in _named_units()
        for form in split_alternatives(symbols)
        for text in (spellings(form) or ())
        if text and name not in CURRENCIES and not text.startswith("×")
    }
)
_WORDS = sorted(
    {
        (name, text)
        for name, forms in forms_of("unit", "en").items()
        for form in forms
        for text in (spellings(form) or ())[:1]
        if name not in _CLOCK
    }
)


def _measured(text: str, language: str) -> set[object]:
    return {in_base_unit(q.key, q.unit) for q in facts_of(text, language).quantities if q.unit}


@pytest.mark.parametrize(
    "notation",
    [
        "a value of 37 {} is set",
        "37 {} is set",
        "a value of at least 37 {} is set",
        "between 25 and 37 {}, it is set",
        "值为37{}，",
        "值为37 {}，",
        "値は37{}、",
    ],
)
def test_a_rendered_symbol_is_read_as_its_unit(notation: str) -> None:
    language = "en" if notation.isascii() else "ja" if "は" in notation else "zh"
    missed = [
        (name, text)
        for name, text in _SYMBOLS
        if in_base_unit("37", name) not in _measured(notation.format(text), language)
    ]
    assert missed == []


def test_a_rendered_word_is_read_as_its_unit() -> None:
    missed = [
        (name, text)
        for name, text in _WORDS
        if in_base_unit("37", name) not in _measured(f"a value of 37 {text}, it is set", "en")
    ]
    assert missed == []


@pytest.mark.parametrize(
    ("first", "second", "factor"),
    [
        ("km", "m", 1000), ("μm", "mm", Fraction(1, 1000)), ("MPa", "kPa", 1000),
        ("bar", "Pa", 100_000), ("atm", "Pa", 101_325), ("h", "s", 3600), ("L", "cm3", 1000),
        ("kgf", "N", Fraction("9.80665")), ("inch", "mm", Fraction("25.4")),
        ("lb", "g", Fraction("453.59237")), ("kWh", "J", 3_600_000), ("psi", "Pa", 6894.757),
        ("rpm", "Hz", Fraction(1, 60)), ("ppm", "%", Fraction(1, 10_000)), ("t", "kg", 1000),
        ("Å", "nm", Fraction(1, 10)), ("mmHg", "Torr", 1), ("gauss", "mT", Fraction(1, 10)),
        ("cal", "J", Fraction("4.184")), ("knot", "knot", 1), ("week", "d", 7), ("byte", "bit", 8),
        ("mile", "m", Fraction("1609.344")), ("hp", "W", Fraction("745.7")), ("S", "mS", 1000),
        ("M", "mM", 1000), ("km/h", "m/s", Fraction(5, 18)), ("Ci", "Bq", 37 * 10**9),
    ],
)  # fmt: skip
def test_factors_are_those_of_the_published_tables(
    first: str, second: str, factor: float | Fraction
) -> None:
    """Values of the SI brochure (BIPM 2019) and of UCUM 2.1."""
    one, other = in_base_unit("1", first), in_base_unit("1", second)
    assert one is not None
    assert other is not None
    assert one[1] == other[1]
    assert float(one[0] / other[0]) == pytest.approx(float(factor), rel=1e-9)


@pytest.mark.parametrize(
    ("text", "divisor"),
    [
        ("每分钟", "min"), ("毎秒", "s"), ("per minute ", "min"), ("时速", "h"), ("時速約", "h"),
        ("1kg当たり", "kg"), ("1日に", "d"), ("1時間に", "h"), ("每孔", "?"), ("温度为", None),
        ("per minute.", None),
    ],
)  # fmt: skip
def test_a_divisor_may_stand_before_the_number(text: str, divisor: str | None) -> None:
    assert unit_before(text, len(text)) == divisor


@pytest.mark.parametrize(
    ("text", "currency"),
    [("RMB", "CNY"), ("HK$ ", "HKD"), ("$", "dollar"), ("€", "EUR"), ("a ", None)],
)
def test_the_sign_of_a_currency_precedes_the_number(text: str, currency: str | None) -> None:
    assert currency_before(text, len(text)) == currency


def _kinds(english: str, chinese: str) -> set[tuple[str, str]]:
    found = compare_facts(facts_of(english, "en"), facts_of(chinese, "zh"))
    return {(one.kind, one.slot) for one in found}


_SENTENCES = [
    ("The pressure is not less than 5 bar and the valve is open.", "压力不小于5bar，阀门关闭。"),
    ("The shaft 3 rotates at 30 rpm, upstream of the filter.", "轴3以30rpm在过滤器下游旋转。"),
    ("The gap is 5 mm.", "间隙为6mm。"),
    ("The lid is not closed.", "盖关闭。"),
    ("The gap is 5 mm.", "间隙为5mm。"),
]
_NEUTRAL = ("The colour of the sky is of no concern here.", "此处天空颜色无关紧要。")


@pytest.mark.parametrize(("english", "chinese"), _SENTENCES)
@pytest.mark.parametrize("before", [True, False])
def test_a_neutral_sentence_on_both_sides_changes_no_kind(
    english: str, chinese: str, before: bool
) -> None:
    plain = {
        (d.kind, d.slot) for d in compare_facts(facts_of(english, "en"), facts_of(chinese, "zh"))
    }
    ours, theirs = (
        (f"{extra} {own}" if before else f"{own} {extra}")
        for own, extra in zip((english, chinese), _NEUTRAL, strict=True)
    )
    assert _kinds(ours, theirs) == plain


def test_a_neutral_clause_after_a_negated_limit_hides_no_contrast() -> None:
    source = facts_of("The pressure is not less than 5 bar, and the valve is open.", "en")
    target = facts_of("压力不小于5bar，阀门关闭。", "zh")
    [difference] = compare_facts(source, target)
    assert (difference.kind, difference.slot) == ("marker", "state")
    assert re.search("open.*关闭", difference.message)
