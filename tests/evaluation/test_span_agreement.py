"""Agreement of evaluators on marked characters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from patmark.data.annotations import AnnotatedTexts, Annotation, Annotations, Rating
from patmark.data.model import Run, Segment, TestSet
from patmark.data.scores import Evidence
from patmark.evaluation.scoring import Sampling
from patmark.evaluation.span_agreement import (
    evidence_annotations,
    partial_credit,
    partial_f1,
    span_agreement,
)
from patmark.stats import krippendorff_alpha

NONE = Sampling(resamples=0)


def mark(evaluator: str, start: int, end: int, severity: str = "major") -> Annotation:
    return Annotation("A", "1", evaluator, start, end, "target", "Other", severity)


def rated(*marks: Annotation, evaluators: str = "ab", segments: str = "1") -> Annotations:
    ratings = (Rating("A", segment, one) for segment in segments for one in evaluators)
    return Annotations(tuple(ratings), marks)


def test_characters_that_both_marked() -> None:
    """a marks 0–4 and 6–8, b marks 2–7: 2 + 1 characters in common, 6 and 5 marked."""
    annotations = rated(mark("a", 0, 4), mark("a", 6, 8), mark("b", 2, 7, "minor"))
    found = span_agreement(annotations, sampling=NONE)
    assert found is not None and found.alpha is None
    assert found.f1.value == pytest.approx(2 * 3 / 11)
    assert found.same_severity.value == 0.0
    [pair] = found.pairs
    assert (pair.first, pair.second, pair.outputs, pair.found) == ("a", "b", 1, 1.0)


def test_overlapping_and_empty_marks_and_the_source_side() -> None:
    """Characters count once, with the worst severity; what has no place has no characters."""
    empty = mark("a", 3, 3)
    in_source = Annotation("A", "1", "b", 0, 9, "source", "Other", "major")
    annotations = rated(
        mark("a", 0, 4, "minor"), mark("a", 2, 6), empty, mark("b", 0, 6), in_source
    )
    found = span_agreement(annotations, sampling=NONE)
    assert found is not None and found.f1.value == 1.0
    assert found.same_severity.value == pytest.approx(2 * 4 / 12)


def test_alpha_is_that_of_all_characters() -> None:
    annotations = rated(mark("a", 0, 4), mark("b", 2, 6, "minor"), segments="12")
    texts = AnnotatedTexts({}, {("A", "1"): "x" * 10, ("A", "2"): "y" * 5})
    found = span_agreement(annotations, texts, NONE)
    levels = np.zeros((2, 15))
    levels[0, :4], levels[1, 2:6] = 3, 2
    assert found is not None and found.alpha is not None
    assert found.alpha.items == 15
    assert found.alpha.value == pytest.approx(krippendorff_alpha(levels, "nominal").value)
    # by hand: 6 of 15 characters differ; 22 unmarked, 4 of one and 4 of another severity
    # in 30 values: expected disagreement (30² − 22² − 4² − 4²) / (30 · 29)
    assert found.alpha.value == pytest.approx(1 - (6 / 15) / ((900 - 484 - 16 - 16) / (30 * 29)))


def test_no_errors_at_all_agree_in_the_verdict() -> None:
    found = span_agreement(rated(), sampling=NONE)
    assert found is not None and math.isnan(found.f1.value)
    assert found.pairs[0].found == 1.0


def test_outputs_of_one_evaluator_tell_nothing() -> None:
    assert span_agreement(rated(mark("a", 0, 1), evaluators="a"), sampling=NONE) is None


def test_intervals_hold_their_estimate_and_three_evaluators_give_three_pairs() -> None:
    rng = np.random.default_rng(5)
    ratings, marks = [], []
    for number in range(30):
        for evaluator in "abc":
            key = ("A", str(number), evaluator)
            ratings.append(Rating(*key, document=f"d{number % 8}"))
            start = int(rng.integers(0, 6))
            marks.append(Annotation(*key, start, start + 4, "target", "Other", "major"))
    texts = AnnotatedTexts({}, {("A", str(number)): "x" * 12 for number in range(30)})
    annotations = Annotations(tuple(ratings), tuple(marks))
    found = span_agreement(annotations, texts, Sampling(resamples=300))
    assert found is not None and found.alpha is not None and len(found.pairs) == 3
    for estimate in (found.f1, *(pair.f1 for pair in found.pairs)):
        assert estimate.ci is not None and estimate.ci[0] <= estimate.value <= estimate.ci[1]
    assert found.alpha.ci is not None and found.alpha.unit.startswith("document")
    [table] = found.tables()
    assert len(table.rows) == 4 and table.rows[0][0] == "all"


def test_partial_overlap_has_partial_credit() -> None:
    """Perrella et al. 2026: spans [0,10) and [20,24) against [5,15) and [40,50)."""
    annotations = rated(mark("a", 0, 10), mark("a", 20, 24), mark("b", 5, 15), mark("b", 40, 50))
    found = span_agreement(annotations, sampling=NONE)
    assert found is not None
    [pair] = found.pairs
    assert (pair.precision, pair.recall, pair.partial.value) == (0.25, 0.25, 0.25)
    assert found.partial.value == 0.25


def _matched_by_hand(
    mine: list[tuple[int, int]], others: list[tuple[int, int]]
) -> tuple[float, float]:
    """The definition, pair by pair: take the best overlap that is left until there is none."""
    free, left = list(range(len(mine))), list(range(len(others)))
    credit = [0.0, 0.0]
    while True:
        best = None
        for i in free:
            for j in left:
                shared = len(set(range(*mine[i])) & set(range(*others[j])))
                sizes = mine[i][1] - mine[i][0], others[j][1] - others[j][0]
                weight = 2 * shared / sum(sizes)
                if shared and (best is None or weight > best[0] + 1e-12):
                    best = (weight, i, j, shared / sizes[0], shared / sizes[1])
        if best is None:
            return credit[0], credit[1]
        free.remove(best[1])
        left.remove(best[2])
        credit[0] += best[3]
        credit[1] += best[4]


def test_credits_are_those_of_the_definition_on_random_spans() -> None:
    rng = np.random.default_rng(6)
    for _ in range(200):
        sides = []
        for _ in range(2):
            starts = rng.integers(0, 20, rng.integers(0, 5))
            spans = {(int(start), int(start + rng.integers(1, 9))) for start in starts}
            sides.append(sorted(spans))
        marks = [[mark("a", *span) for span in spans] for spans in sides]
        credit = partial_credit(*marks)
        expected = _matched_by_hand(*sides)
        assert (credit[0], credit[2]) == pytest.approx(expected)
        assert (credit[1], credit[3]) == (len(sides[0]), len(sides[1]))


def test_nobody_marked_anything_and_only_one_did() -> None:
    assert partial_f1(np.array([0.0, 0.0, 0.0, 0.0])) == 1
    assert partial_f1(np.array([0.0, 3.0, 0.0, 0.0])) == 0
    penalised = partial_credit([mark("a", 0, 4)], [mark("b", 0, 8, "minor")], penalty=0.5)
    assert penalised.tolist() == [0.5, 1, 0.25, 1]


def test_places_that_a_measure_marks_are_annotations() -> None:
    segments = (Segment("1", source="a", references=("b",)), Segment("2", source="c"))
    run = Run("A", ("the pump", None))
    places = (
        (Evidence("hypothesis", 4, 8, "major (0.9)", "major"), Evidence("source", 0, 1, "")),
        (),
    )
    found = evidence_annotations(places, TestSet(segments, "en", "zh"), run, "xCOMET")
    assert [one.key for one in found.rated] == [("A", "1", "xCOMET")]
    assert [(one.start, one.end, one.severity) for one in found.marks] == [(4, 8, "major")]
    people = Annotations((Rating("A", "1", "a"),), (mark("a", 0, 8),))
    agreed = span_agreement(people.joined(found), sampling=NONE)
    assert agreed is not None and (agreed.pairs[0].precision, agreed.pairs[0].recall) == (0.5, 1)
