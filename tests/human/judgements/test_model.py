from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.errors import UsageError
from patmark.human.judgements.model import BUILT_IN_SCALES, Scale, known_scales, parse_scale


@pytest.mark.parametrize(
    ("criterion", "value", "grade"),
    [
        ("adequacy", "1", 1.0),
        ("adequacy", "5", 5.0),
        ("adequacy", "4.0", 4.0),
        ("adequacy", "3.5", None),
        ("adequacy", "0", None),
        ("adequacy", "6", None),
        ("adequacy", "five", None),
        ("adequacy", "４", None),
        ("adequacy", "1_0", None),
        ("adequacy", "nan", None),
        ("acceptability", "F", 0.0),
        ("acceptability", "AA", 4.0),
        ("acceptability", "aa", None),
        ("acceptability", "1", None),
        ("quality", "7.5", 7.5),
        ("quality", "0", 0.0),
        ("quality", "10", 10.0),
        ("quality", "10.1", None),
        ("da", "87", 87.0),
        ("da", "inf", None),
        ("da", "-1", None),
    ],
)
def test_grades_of_the_built_in_scales(criterion: str, value: str, grade: float | None) -> None:
    assert BUILT_IN_SCALES[criterion].grade(value) == grade


def test_only_grades_in_letters_or_words_are_never_averaged() -> None:
    kinds = {name: scale.kind for name, scale in BUILT_IN_SCALES.items()}
    ordinal = [name for name, kind in kinds.items() if kind == "ordinal"]
    assert ordinal == ["acceptability", "examination", "correctness"]
    assert set(kinds) == {
        "adequacy", "fluency", "acceptability", "correctness", "da", "overall", "mqm", "esa",
        "completeness", "clarity", "consistency", "linkage", "quality", "jpo-adequacy",
        "examination",
    }  # fmt: skip


def test_ways_to_write_a_scale() -> None:
    whole = Scale("style", ("-1", "0", "1"), "interval")
    assert parse_scale("style=-1..1") == whole
    assert parse_scale(" style = -1..1 ") == whole
    assert parse_scale("x=0.0..1.0") == Scale("x", ("0.0", "1.0"), "interval", continuous=True)
    assert parse_scale("x=bad, fair,good") == Scale("x", ("bad", "fair", "good"), "ordinal")
    assert parse_scale("x=1,2,3").kind == "ordinal"


@given(low=st.integers(-50, 50), width=st.integers(1, 60), dotted=st.booleans())
def test_a_range_parses_back_to_itself(low: int, width: int, dotted: bool) -> None:
    end = ".0" if dotted else ""
    scale = parse_scale(f"x={low}{end}..{low + width}{end}")
    assert parse_scale(f"x={scale.form}") == scale
    assert (scale.grade(str(low + 0.5)) is not None) == dotted


@pytest.mark.parametrize("criterion", BUILT_IN_SCALES)
def test_built_in_scales_parse_back(criterion: str) -> None:
    scale = BUILT_IN_SCALES[criterion]
    assert parse_scale(f"{criterion}={scale.form}") == scale


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("style", "expected NAME=1..5"),
        ("=1..5", "expected NAME=1..5"),
        ("style=", "expected NAME=1..5"),
        ("style=5..1", "at least two different grades"),
        ("style=5.0..1.0", "must rise"),
        ("style=3..3", "at least two"),
        ("style=A,A", "at least two different grades"),
        ("style=A,,B", "a grade is empty"),
        ("style=one", "at least two"),
        ("style=0..5000", "write 0.0..5000.0"),
        ("a|b=1..5", "must not hold any of"),
        ("preference=1..5", "has no scale"),
    ],
)
def test_bad_scales_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_scale(text)


def test_the_constructor_checks_too() -> None:
    with pytest.raises(UsageError, match="must be numbers"):
        Scale("x", ("low", "high"), "interval")
    with pytest.raises(UsageError, match="only an interval scale"):
        Scale("x", ("low", "high"), "ordinal", continuous=True)


def test_a_declared_scale_replaces_a_built_in_one() -> None:
    assert known_scales([parse_scale("adequacy=0..4")])["adequacy"].values[0] == "0"
    assert BUILT_IN_SCALES["adequacy"].values[0] == "1"
    with pytest.raises(UsageError, match="declared twice"):
        known_scales([parse_scale("x=0..4"), parse_scale("x=0..5")])
