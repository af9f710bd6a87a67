"""Agreement of evaluators on marked characters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from patmark.data.annotations import AnnotatedTexts, Annotation, Annotations, Rating
from patmark.evaluation.scoring import Sampling
from patmark.evaluation.span_agreement import span_agreement
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
