"""Who judged how much, and what was left unfinished."""

from __future__ import annotations

from patmark.data.model import Segment, TestSet
from patmark.judgements.checks import check_judgements, check_preferences
from patmark.judgements.exclusions import (
    Workload,
    fewer_segments,
    notices,
    preference_workloads,
    shortened,
    unfinished_choices,
    workloads,
)
from patmark.judgements.model import Judgement, Preference, Preferences

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
