"""Error spans matched with partial credit for partial overlap, micro-averaged.

After Perrella et al. 2026: spans of two evaluators on the same side are matched one to one, best
overlap first. A matched span earns the share of its characters that the other covers; sums over all
outputs are divided by the numbers of spans.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patmark.data import (
    NO_CATEGORY,
    Annotation,
    Annotations,
    Evidence,
    FloatArray,
    Rating,
    Run,
    TestSet,
)

_Span = tuple[str, int, int, str]


def evidence_annotations(
    evidence: Sequence[Sequence[Evidence]], test_set: TestSet, run: Run, evaluator: str
) -> Annotations:
    """Return the places that a measure such as xCOMET marks, as annotations of an evaluator.

    Segments without an output were not rated.
    """
    ratings, marks = [], []
    rows = zip(test_set, run.hypotheses, evidence, strict=True)
    for segment, output, places in rows:
        if output is None:
            continue
        key = (run.system, segment.id, evaluator)
        ratings.append(Rating(*key, document=segment.document))
        marks += [
            Annotation(*key, one.start, one.end, "target", NO_CATEGORY, one.severity or "major")
            for one in places
            if one.side == "hypothesis"
        ]
    return Annotations(tuple(ratings), tuple(marks))


def partial_credit(
    first: Sequence[Annotation], second: Sequence[Annotation], penalty: float = 0.0
) -> FloatArray:
    """Return the credit and the number of spans of both evaluators on one output.

    Equal spans count once; marks without a place have no characters and are left out. A match of
    different severities earns 1 − ``penalty`` of its overlap.
    """
    mine, others = _spans(first), _spans(second)
    pairs = []
    for here, one in enumerate(mine):
        for there, other in enumerate(others):
            overlap = min(one[2], other[2]) - max(one[1], other[1])
            if one[0] == other[0] and overlap > 0:
                share = (1.0 if one[3] == other[3] else 1 - penalty) * overlap
                own, its = one[2] - one[1], other[2] - other[1]
                pairs.append((-2 * share / (own + its), here, there, share / own, share / its))
    credit = np.array([0.0, len(mine), 0.0, len(others)])
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, here, there, of_first, of_second in sorted(pairs):
        if here not in taken[0] and there not in taken[1]:
            taken[0].add(here)
            taken[1].add(there)
            credit += (of_first, 0, of_second, 0)
    return credit


def _spans(marks: Sequence[Annotation]) -> list[_Span]:
    found = {(one.side, one.start, one.end, one.severity) for one in marks if one.has_place}
    return sorted(found)


def partial_precision(sums: FloatArray) -> FloatArray:
    """Return the credit of the first evaluator's spans; 1 without any."""
    return _share(sums[..., 0], sums[..., 1])


def partial_recall(sums: FloatArray) -> FloatArray:
    """Return the credit of the second evaluator's spans; 1 without any."""
    return _share(sums[..., 2], sums[..., 3])


def partial_f1(sums: FloatArray) -> FloatArray:
    """Return the harmonic mean of precision and recall from summed `partial_credit` (…, 4)."""
    precision, recall = partial_precision(sums), partial_recall(sums)
    both = precision + recall
    return np.asarray(np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1), 0.0))


def _share(credit: FloatArray, spans: FloatArray) -> FloatArray:
    return np.asarray(np.where(spans > 0, credit / np.where(spans > 0, spans, 1), 1.0))
