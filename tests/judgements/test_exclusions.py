from __future__ import annotations

import numpy as np
import pytest

from patmark.errors import UsageError
from patmark.judgements.checks import check_judgements
from patmark.judgements.exclusions import Exclusion, complete, finished_grades, notices
from patmark.judgements.model import Judgement, Judgements
from patmark.judgements.scores import human_scores


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
    assert exclusions == (Exclusion("e1", "2", "adequacy", ("B",), 1),)
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
    [warning] = [text for text in human_scores(data).notices if text.startswith("Warning:")]
    assert warning.startswith(
        "Warning: adequacy: 150 of 350 judgements are left out, all of e2 among them,"
    )
    assert "without a grade for a system: D 50." in warning and "--keep-unfinished" in warning
    kept = human_scores(data, whole_segments=False)
    assert not any(text.startswith("Warning:") for text in kept.notices)


def test_little_that_is_left_out_is_no_warning() -> None:
    data = check_judgements(_graded("e1", "AB", range(40)) + _graded("e1", "A", range(40, 42)))
    result = human_scores(data)
    assert len(result.exclusions) == 2
    assert not any(text.startswith("Warning:") for text in result.notices)


def test_a_misspelt_system_is_named() -> None:
    """In the first segment atlas is called altas; the other segments lack altas."""
    rows = [
        Judgement("e1", system, str(segment), "adequacy", "3")
        for segment in range(60)
        for system in ("altas" if segment == 0 else "atlas", "borealis")
    ]
    with pytest.raises(UsageError, match=r"of which most have 59: altas 1\. .*--keep-unfinished"):
        human_scores(check_judgements(rows))
