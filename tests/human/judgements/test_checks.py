"""Checked judgements and preferences: names, orders, arrays, and all problems at once."""

from __future__ import annotations

import numpy as np
import pytest

from patmark.data.model import Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.human.judgements.checks import check_judgements, check_preferences
from patmark.human.judgements.model import Judgement, Preference, parse_scale

_ROWS = [
    Judgement("e2", "B", "s2", "adequacy", "4", line=2),
    Judgement("e1", "A", "s1", "adequacy", "2", line=3),
    Judgement("e2", "A", "s2", "acceptability", "AA", line=4),
    Judgement("e2", "A", "s2", "adequacy", "5", phase="repeat", line=5),
]


def _problems(rows: list[Judgement], **options: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        check_judgements(rows, **options)  # type: ignore[arg-type]
    return [str(problem) for problem in caught.value.problems]


def test_names_have_an_order() -> None:
    data = check_judgements(_ROWS)
    assert data.evaluators == ("e1", "e2")
    assert data.systems == ("B", "A")  # as they occur first
    assert data.segments == ("s1", "s2")
    assert data.criteria == ("adequacy", "acceptability")
    assert data.phases == {"main": 3, "repeat": 1}


def test_grades_are_an_array_with_nan_for_what_is_missing() -> None:
    data = check_judgements(_ROWS)
    expected = np.full((2, 2, 2), np.nan)
    expected[1, 0, 1] = 4
    expected[0, 1, 0] = 2
    np.testing.assert_array_equal(data.grades("adequacy"), expected)
    assert data.grades("acceptability")[1, 1, 1] == 4  # the rank of AA
    assert data.grades("adequacy", "repeat")[1, 1, 1] == 5
    assert data.in_phase("repeat").segments == ("s2",)


def test_segments_have_the_order_of_the_test_set_or_that_of_their_numbers() -> None:
    names = ("s10", "s9", "t1", "s9b", "10", "9")
    rows = [Judgement("e", "A", name, "adequacy", "3") for name in names]
    assert check_judgements(rows).segments == ("9", "10", "s9", "s9b", "s10", "t1")
    tests = TestSet(tuple(Segment(name) for name in ("new", *names)), "en")
    turned = check_judgements(rows[::-1], test_set=tests)
    assert turned.segments == names and turned.in_phase("main").segments == names


def test_asking_for_another_criterion_names_those_that_exist() -> None:
    with pytest.raises(UsageError, match=r"no judgements of 'fluency'; there are adequacy, acc"):
        check_judgements(_ROWS).grades("fluency")


def test_unknown_systems_and_segments_are_refused_when_the_known_ones_are_given() -> None:
    tests = TestSet((Segment("s1"),), "en", name="tests")
    found = _problems(_ROWS, systems=["A"], test_set=tests, name="file")
    assert found == [
        "file:2: unknown system 'B'; the known ones are A",
        "file:2: unknown segment 's2': tests has no such segment",
        "file:4: unknown segment 's2': tests has no such segment",
        "file:5: unknown segment 's2': tests has no such segment",
    ]


def test_training_items_need_not_be_part_of_the_test_set() -> None:
    tests = TestSet((Segment("s1", document="P1"),), "en")
    rows = [_ROWS[1], Judgement("e1", "training-A", "t9", "adequacy", "3", phase="training")]
    data = check_judgements(rows, systems=[_ROWS[1].system], test_set=tests)
    assert data.documents == ("P1", None)


def test_grades_outside_the_scale() -> None:
    found = _problems(
        [
            Judgement("e", "A", "1", "adequacy", "6", line=2),
            Judgement("e", "A", "1", "acceptability", "D", line=3),
            Judgement("e", "A", "1", "da", "101", line=4),
        ]
    )
    assert found == [
        "judgements:2: adequacy: expected one of 1, 2, 3, 4, 5, found '6'",
        "judgements:3: acceptability: expected one of F, C, B, A, AA, found 'D'",
        "judgements:4: da: expected a number from 0.0 to 100.0, found '101'",
    ]


def test_a_criterion_without_a_scale_needs_a_declared_one() -> None:
    rows = [Judgement("e", "A", "1", "style", "3")]
    assert "declare one with scale='style=1..5'" in _problems(rows)[0]
    assert check_judgements(rows, scales=[parse_scale("style=1..5")]).grades("style") == 3


def test_a_double_names_both_lines() -> None:
    rows = [_ROWS[0], Judgement("e2", "B", "s2", "adequacy", "5", line=9)]
    [found] = _problems(rows)
    assert found.startswith("judgements:9:")
    assert found.endswith("'e2' graded adequacy of 'B', segment 's2', already on line 2")


def test_the_same_output_may_be_graded_again_in_another_phase() -> None:
    assert len(check_judgements([_ROWS[0], Judgement("e2", "B", "s2", "adequacy", "4",
                                                     phase="repeat")]).rows) == 2  # fmt: skip


def test_empty_and_blurred_names() -> None:
    found = _problems([Judgement("", " A", "x\ny", "adequacy", " ", phase="late")])  # type: ignore[arg-type]
    assert found == [
        "judgements: field 'evaluator' is empty",
        "judgements: field 'system' has spaces around it: ' A'",
        "judgements: field 'segment' has a line break in it: 'x\\ny'",
        "judgements: field 'value' is empty",
        "judgements: phase 'late': expected one of main, training, check, repeat",
    ]


def test_one_segment_has_one_document() -> None:
    rows = [
        Judgement("e", "A", "1", "adequacy", "3", document="P1"),
        Judgement("e", "B", "1", "adequacy", "3", document="P2"),
    ]
    assert _problems(rows) == ["judgements: segment '1' is of document 'P2', elsewhere 'P1'"]
    assert check_judgements(rows[:1]).documents == ("P1",)


def test_no_rows_at_all() -> None:
    assert _problems([]) == ["judgements: has no judgements"]


_CHOICES = [
    Preference("e1", "1", "A", "B", "A", line=2),
    Preference("e2", "1", "B", "A", "A", line=3),
    Preference("e1", "2", "A", "B", None, line=4),
    Preference("e1", "2", "C", "A", "C", line=5),
    Preference("e1", "3", "C", "A", "A", phase="training", line=6),
]


def test_wins_and_ties_are_counted_per_segment() -> None:
    data = check_preferences(_CHOICES)
    assert data.systems == ("A", "B", "C")
    wins, ties = data.wins(), data.ties()
    assert wins[0].tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 0]]
    assert wins[1].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert ties[1].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert not wins[2].any() and not ties[2].any()
    assert np.array_equal(ties, ties.transpose(0, 2, 1))


def test_an_unknown_criterion_names_those_that_exist() -> None:
    with pytest.raises(UsageError, match="no preferences of 'clarity'; there are preference"):
        check_preferences(_CHOICES).wins("clarity")


def test_every_problem_is_listed() -> None:
    rows = [
        Preference("e", "1", "A", "A", None, line=2),
        Preference("e", "1", "A", "B", "C", line=3),
        Preference("e", "1", "B", "A", "A", line=4),
        Preference("e", "", "A", "D", "D", criterion="a|b", line=5),
    ]
    with pytest.raises(InputError) as caught:
        check_preferences(rows, systems=["A", "B", "C"])
    assert [str(problem) for problem in caught.value.problems] == [
        "preferences:2: 'A' is compared with itself",
        "preferences:3: winner 'C': expected first, second, equal, 'A' or 'B'",
        "preferences:4: 'e' compared 'B' and 'A', segment '1', already on line 3",
        "preferences:5: field 'segment' is empty",
        "preferences:5: unknown system 'D'; the known ones are A, B, C",
        "preferences:5: the name of a criterion must not hold any of = | > <",
    ]
    with pytest.raises(InputError, match="has no judgements"):
        check_preferences([])
