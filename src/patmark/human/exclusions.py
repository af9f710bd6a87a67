"""Which judgements cannot count, and which evaluators to look at; nothing goes without a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, counted
from patmark.errors import UsageError
from patmark.human.judgements import Judgements
from patmark.human.workload import fewer_segments, shortened, unjudged_segments, workloads

KEEPING = "--keep-unfinished (in Python whole_segments=False) counts single outputs"
_MUCH = 0.05  # of the judgements; more left out than this is a warning
_ODD = 0.5  # of the grades that most systems have; one with fewer is looked at first


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
            f"(no grade for {', '.join(self.lacking)}); "
            f"{counted(self.judgements, 'judgement')} left out"
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

    Evaluators who judged fewer segments than another, segments of the test set that nobody judged,
    and how many judgements of other phases do not enter results.
    """
    found = fewer_segments(workloads(judgements, criterion))
    found += unjudged_segments(judgements, criterion)
    others: dict[str, int] = {}
    for row in judgements.rows:
        if row.criterion == criterion and row.phase != "main":
            others[row.phase] = others.get(row.phase, 0) + 1
    found += [
        f"{criterion}: {counted(count, 'judgement')} of phase {phase} "
        f"{'does' if count == 1 else 'do'} not enter results"
        for phase, count in others.items()
    ]
    return tuple(found)


def loss_warning(
    judgements: Judgements, criterion: str, exclusions: Sequence[Exclusion]
) -> tuple[str, ...]:
    """A warning where much is left out, or all of an evaluator; it names the systems at fault."""
    given = {one.evaluator: one.judgements for one in workloads(judgements, criterion)}
    lost: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    for one in exclusions:
        lost[one.evaluator] += one.judgements
        lacking.update(one.lacking)
    whole = [name for name, number in lost.items() if number == given[name]]
    total, gone = sum(given.values()), sum(lost.values())
    if not whole and gone <= _MUCH * total:
        return ()
    everyone = f", all of {shortened(whole)} among them" if whole else ""
    gaps = [f"{system} {number}" for system, number in lacking.most_common()]
    return (
        f"Warning: {criterion}: {gone} of {total} judgements are left out{everyone}, because an "
        "evaluator's segment counts only with a grade for every system. Segments without a grade "
        f"for a system: {shortened(gaps)}. If a system came late or its name is misspelt, all that "
        f"lacks it is lost; {KEEPING}.",
    )


def nothing_finished(judgements: Judgements, criterion: str) -> UsageError:
    """No segment has grades for all systems: says which systems have few."""
    numbers = (~np.isnan(judgements.grades(criterion))).sum(axis=(0, 2))
    graded = {name: int(n) for name, n in zip(judgements.systems, numbers, strict=True) if n}
    usual = float(np.median(list(graded.values())))
    odd = [name for name, number in graded.items() if number < _ODD * usual] or list(graded)
    grades = [f"{name} {graded[name]}" for name in odd]
    return UsageError(
        f"{criterion}: no evaluator graded all {len(graded)} systems for any segment, so no grade "
        f"is left. Grades of a system, of which most have {usual:g}: {shortened(grades)}. Is a "
        f"name misspelt, or did a system come late? {KEEPING}"
    )
