"""The segments where two systems differ most."""

from __future__ import annotations

import numpy as np

from patmark.data import Cell, Column, Segment, Table
from patmark.protocols.evaluation import Evaluation
from patmark.protocols.lookup import pair_of, scores_of, system_columns

_EXCERPT = 80


def extreme_segments(
    evaluation: Evaluation, a: str, b: str, measure: str | None = None, limit: int = 10
) -> Table:
    """The segments where ``a`` beats ``b`` by most, then those where ``b`` beats ``a`` by most.

    Segments that the measure gives no value for, and those where both are equal, do not appear.
    The earlier segment comes first among equals.
    """
    scores = scores_of(evaluation, measure)
    first, second = pair_of(evaluation, a, b)
    values = scores.segment_scores
    differences = values[first] - values[second]
    gains = differences if scores.higher_is_better else -differences
    rows: list[tuple[Cell, ...]] = []
    for winner, gain in ((a, gains), (b, -gains)):
        ranked = np.argsort(-gain, kind="stable")
        for position in [int(place) for place in ranked if gain[place] > 0][:limit]:
            segment = evaluation.test_set[position]
            numbers = (values[first], values[second], differences)
            rows.append(
                (
                    winner,
                    segment.id,
                    *(float(column[position]) for column in numbers),
                    _text(segment),
                )
            )
    columns = system_columns(evaluation, scores.measure, (a, b))
    title = "reference" if any(evaluation.test_set.reference_lists) else "source"
    difference = Column("difference", columns[0].decimals)
    return Table(
        f"Where {a} and {b} differ most ({scores.measure})",
        (Column("won by"), Column("segment"), *columns, difference, Column(title)),
        tuple(rows),
        note=f"up to {limit} segments won by each, the largest difference first",
    )


def _text(segment: Segment) -> str:
    """The beginning of the first reference, or of the source where there is none."""
    text = " ".join(next(iter(segment.references), segment.source or "").split())
    return text if len(text) <= _EXCERPT else text[:_EXCERPT].rstrip() + "…"
