from __future__ import annotations

import numpy as np

from patmark.human import (
    Exclusion,
    Judgement,
    Judgements,
    check_judgements,
    complete,
    finished_grades,
    notices,
)


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
        "adequacy: e1 did not finish segment 2 (no grade for B); 1 judgements left out"
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


def test_other_phases_and_evaluators_with_far_fewer_segments_are_said() -> None:
    data = _judgements()
    assert notices(data, "adequacy") == (
        "adequacy: 1 judgements of phase training do not enter results",
    )
    third = [
        Judgement("e3", system, segment, "adequacy", "2")
        for system in ("A", "B")
        for segment in ("1", "2", "3", "4", "5")
    ]
    assert notices(check_judgements([*data.rows, *third]), "adequacy") == (
        "adequacy: e2 judged 2 segments, the median evaluator 5",
        "adequacy: 1 judgements of phase training do not enter results",
    )
