"""Which judgements cannot count, and which evaluators to look at; nothing goes without a word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray
from patmark.human.judgements import Judgements

_FAR_FEWER = 0.5


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A segment of an evaluator that is left out because some systems lack a grade."""

    evaluator: str
    segment: str
    criterion: str
    lacking: tuple[str, ...]
    judgements: int

    def __str__(self) -> str:
        return (
            f"{self.criterion}: {self.evaluator} did not finish segment {self.segment} "
            f"(no grade for {', '.join(self.lacking)}); {self.judgements} judgements left out"
        )


def complete(judgements: Judgements, criterion: str) -> tuple[Judgements, tuple[Exclusion, ...]]:
    """Leave out the segments that an evaluator graded for only some of the systems.

    Outputs of one source are graded in comparison with each other, so a segment counts for an
    evaluator only as a whole. The systems are those that anyone graded on the criterion. Other
    criteria and other phases stay as they are.
    """
    _, exclusions = finished_grades(judgements, criterion)
    left_out = {(one.evaluator, one.segment) for one in exclusions}
    kept = judgements.keeping(
        row
        for row in judgements.rows
        if (row.criterion, row.phase) != (criterion, "main")
        or (row.evaluator, row.segment) not in left_out
    )
    return kept, exclusions


def finished_grades(
    judgements: Judgements, criterion: str
) -> tuple[FloatArray, tuple[Exclusion, ...]]:
    """Grades of the main phase with NaN for segments that an evaluator did not finish."""
    grades = judgements.grades(criterion)
    known = ~np.isnan(grades)
    judged: NDArray[np.bool_] = np.any(known, axis=(0, 2))
    unfinished: NDArray[np.bool_] = np.any(known, axis=1) & ~np.all(known[:, judged], axis=1)
    lacking = ~known & judged[:, None]
    systems = np.array(judgements.systems, dtype=object)
    exclusions = tuple(
        Exclusion(
            judgements.evaluators[evaluator],
            judgements.segments[segment],
            criterion,
            tuple(systems[lacking[evaluator, :, segment]]),
            int(known[evaluator, :, segment].sum()),
        )
        for evaluator, segment in np.argwhere(unfinished)
    )
    return np.where(unfinished[:, None, :], np.nan, grades), exclusions


def notices(judgements: Judgements, criterion: str) -> tuple[str, ...]:
    """What a reader should know of the judgements of a criterion.

    Evaluators who judged fewer than half as many segments as the median evaluator, and how many
    judgements of other phases do not enter results.
    """
    graded = ~np.isnan(judgements.grades(criterion))
    counts = graded.any(axis=1).sum(axis=1)
    active = counts > 0
    usual = float(np.median(counts[active])) if active.any() else 0.0
    found = [
        f"{criterion}: {name} judged {count} segments, the median evaluator {usual:g}"
        for name, count in zip(judgements.evaluators, counts, strict=True)
        if 0 < count < _FAR_FEWER * usual
    ]
    others: dict[str, int] = {}
    for row in judgements.rows:
        if row.criterion == criterion and row.phase != "main":
            others[row.phase] = others.get(row.phase, 0) + 1
    found += [
        f"{criterion}: {count} judgements of phase {phase} do not enter results"
        for phase, count in others.items()
    ]
    return tuple(found)
