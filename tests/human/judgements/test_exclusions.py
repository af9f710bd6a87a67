"""Who judged how much, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest

from patmark.data import is_warning
from patmark.data.model import Segment, TestSet
from patmark.errors import UsageError
from patmark.human.judgements.checks import check_judgements, check_preferences
from patmark.human.judgements.exclusions import (
    Exclusion,
    Workload,
    complete,
    fewer_segments,
    finished_grades,
    notices,
    preference_workloads,
    shortened,
    unfinished_choices,
    workloads,
)
from patmark.human.judgements.model import Judgement, Judgements, Preference, Preferences
from patmark.human.judgements.scores import human_scores
from patmark.report import message_texts


def _judgements() -> Judgements:
    rows = [
        Judgement(evaluator, system, segment, "adequacy", "3")
        for evaluator in ("e1", "e2")
        for segment in ("1", "2", "3", "4", "5", "6")
        for system in ("A", "B")
        if not (evaluator == "e2" and segment > "2")
    ]
    rows.remove(Judgement("e1", "B", "2", "adequacy", "3"))
    rows += [
        Judgement("e1", "C", "1", "acceptability", "AA"),
        Judgement("e1", "A", "9", "adequacy", "1", phase="training"),
    ]
    return check_judgements(rows)


def test_an_unfinished_segment_is_left_out_and_reported() -> None:
    data = _judgements()
    kept, exclusions = complete(data, "adequacy")
    assert exclusions == (Exclusion("adequacy", "e1", "2", ("B",), 1),)
    assert str(exclusions[0]) == (
        "adequacy: e1 did not finish segment 2 (no grade for B); 1 judgement left out"
    )
    assert set(data.rows) - set(kept.rows) == {Judgement("e1", "A", "2", "adequacy", "3")}
    assert complete(kept, "adequacy") == (kept, ())


def test_a_system_that_nobody_graded_on_the_criterion_does_not_count_as_lacking() -> None:
    _, exclusions = complete(_judgements(), "acceptability")
    assert exclusions == ()


def test_grades_of_unfinished_segments_are_nan_on_the_same_axes() -> None:
    data = _judgements()
    grades, _ = finished_grades(data, "adequacy")
    changed = ~np.isnan(data.grades("adequacy")) & np.isnan(grades)
    place = (data.evaluators.index("e1"), data.systems.index("A"), data.segments.index("2"))
    assert np.argwhere(changed).tolist() == [list(place)]


def test_other_phases_and_everyone_with_fewer_segments_are_said() -> None:
    data = _judgements()
    assert notices(data, "acceptability") == ()
    assert notices(data, "adequacy") == (
        "adequacy: not everyone judged as many segments as e1 (6): e2 2",
        "adequacy: 1 judgement of phase training does not enter results",
    )
    third = [
        Judgement("e3", system, segment, "adequacy", "2")
        for system in ("A", "B")
        for segment in ("1", "2", "3", "4", "5")
    ]
    assert notices(check_judgements([*data.rows, *third]), "adequacy") == (
        "adequacy: not everyone judged as many segments as e1 (6): e2 2, e3 5",
        "adequacy: 1 judgement of phase training does not enter results",
    )


def _graded(evaluator: str, systems: str, segments: range) -> list[Judgement]:
    return [
        Judgement(evaluator, system, str(segment), "adequacy", "3")
        for segment in segments
        for system in systems
    ]


def test_a_late_system_that_costs_an_evaluator_is_a_warning() -> None:
    """e1 graded D as well, so that nothing of e2 is whole."""
    data = check_judgements(_graded("e1", "ABCD", range(50)) + _graded("e2", "ABC", range(50)))
    [warning] = message_texts(filter(is_warning, human_scores(data).notices))
    assert warning.startswith(
        "Warning: adequacy: 150 of 350 judgements are left out, all of e2 among them,"
    )
    assert "without a grade for a system: D 50." in warning and "keep_unfinished=" in warning
    kept = human_scores(data, whole_segments=False)
    assert not any(map(is_warning, kept.notices))


def test_little_that_is_left_out_is_no_warning() -> None:
    data = check_judgements(_graded("e1", "AB", range(40)) + _graded("e1", "A", range(40, 42)))
    result = human_scores(data)
    assert len(result.exclusions) == 2
    assert not any(map(is_warning, result.notices))


def test_a_misspelt_system_is_named() -> None:
    """In the first segment atlas is called altas; the other segments lack altas."""
    rows = [
        Judgement("e1", system, str(segment), "adequacy", "3")
        for segment in range(60)
        for system in ("altas" if segment == 0 else "atlas", "borealis")
    ]
    with pytest.raises(UsageError, match=r"of which most have 59: altas 1\. .*keep_unfinished="):
        human_scores(check_judgements(rows))


_PAIRS = (("A", "B"), ("A", "C"), ("B", "C"))


def _choices(*done: tuple[str, int, tuple[tuple[str, str], ...]]) -> Preferences:
    """From (evaluator, segment, pairs): the first always wins."""
    return check_preferences(
        [
            Preference(evaluator, f"s{segment}", first, second, first)
            for evaluator, segment, pairs in done
            for first, second in pairs
        ]
    )


def test_segments_finished_and_begun() -> None:
    rows = [
        Judgement(evaluator, system, str(segment), "adequacy", "3")
        for evaluator, segments in (("e10", 4), ("e2", 2))
        for segment in range(segments)
        for system in ("A", "B")
    ]
    data = check_judgements(rows[:-1])
    assert workloads(data, "adequacy") == (
        Workload("adequacy", "e2", 2, 1, 3),
        Workload("adequacy", "e10", 4, 4, 8),
    )


def test_everyone_below_the_maximum_is_named() -> None:
    work = [Workload("m", f"e{n}", segments, 0, 0) for n, segments in enumerate((100, 60, 100, 99))]
    assert fewer_segments(work) == [
        "m: not everyone judged as many segments as e0 (100): e1 60, e3 99"
    ]
    assert fewer_segments(work[:1]) == [] and fewer_segments([]) == []


def test_segments_of_the_test_set_that_nobody_judged_are_counted() -> None:
    tests = TestSet(tuple(Segment(str(n)) for n in range(5)), "en")
    rows = [Judgement("e", system, "3", "adequacy", "2") for system in ("A", "B")]
    assert notices(check_judgements(rows, test_set=tests), "adequacy") == (
        "adequacy: nobody judged 4 of 5 segments of the test set",
    )


def test_choices_that_were_not_made_are_listed() -> None:
    done = [("e1", n, _PAIRS) for n in range(40)]
    data = _choices(*done, ("e2", 0, _PAIRS), ("e2", 1, _PAIRS), ("e2", 2, _PAIRS[:1]))
    assert preference_workloads(data, "preference") == (
        Workload("preference", "e1", 40, 40, 120),
        Workload("preference", "e2", 3, 2, 7),
    )
    assert unfinished_choices(data, "preference") == [
        "preference: e2 did not finish 1 segment (s2: no choice between A and C or B and C); "
        "the choices that were made there count"
    ]


def test_pairs_that_were_dealt_out_are_not_unfinished() -> None:
    """Each segment has one pair, and one has another pair of another evaluator too."""
    done = [("e1", n, _PAIRS[n % 3 : n % 3 + 1]) for n in range(30)]
    data = _choices(*done)
    assert unfinished_choices(data, "preference") == []
    assert preference_workloads(data, "preference")[0].finished == 30
    more = _choices(*done, ("e2", 0, _PAIRS[:2]))
    assert unfinished_choices(more, "preference") == [
        "preference: e1 did not finish 1 segment (s0: no choice between A and C); "
        "the choices that were made there count"
    ]


def test_long_lists_are_shortened() -> None:
    assert shortened(list("abc")) == "a, b, c"
    assert shortened([str(n) for n in range(13)]).endswith("8, 9, and 3 more")
