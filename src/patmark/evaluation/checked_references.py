"""The references themselves under checks: what a human translation scores where systems are judged.

A check is made of rules, and rules blame good translations now and then. The score of the
references, made as if they were a system, shows how much of a system's score that may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from patmark.data import Scores, TestSet, counted
from patmark.measures import Check, Measure

REFERENCE = "(reference)"
_SHOWN = 5
_PARALLEL = 0.5  # of what a long segment holds


def needs_no_reference(measure: Measure) -> bool:
    """Whether a measure looks for faults in an output without holding it against a reference."""
    return isinstance(measure, Check) and "references" not in measure.needs


def reference_scores(test_set: TestSet, measures: Sequence[Measure]) -> dict[str, Scores]:
    """Scores of the references under every check that needs none, all references together.

    Nothing where there are no references; an empty reference is none.
    """
    checks = [one for one in measures if isinstance(one, Check) and needs_no_reference(one)]
    columns = list(_columns(test_set)) if checks else []
    if not columns:
        return {}
    found = {}
    for check in checks:
        statistics = np.zeros((1, len(test_set), 2))
        for places, part, texts in columns:
            statistics[0, places] += check.count(check.inspect(part, texts))
        found[check.name] = check.to_scores(test_set, [REFERENCE], statistics)
    return found


def _columns(test_set: TestSet) -> Iterator[tuple[list[int], TestSet, list[str]]]:
    """The first references of all segments that have one, then the second ones, and so on."""
    most = max(map(len, test_set.reference_lists), default=0)
    for column in range(most):
        places = [
            place
            for place, references in enumerate(test_set.reference_lists)
            if len(references) > column and references[column].strip()
        ]
        if places:
            whole = len(places) == len(test_set)
            segments = tuple(test_set[place] for place in places)
            part = test_set if whole else replace(test_set, segments=segments)
            yield places, part, [segment.references[column] for segment in segments]


def parallel_warnings(
    measures: Sequence[Measure], scores: Mapping[str, Scores], references: Mapping[str, Scores]
) -> tuple[str, ...]:
    """Long segments in which a source and a text have less than half in common.

    Long means: so much is expected that the segment weighs as much as any can.
    """
    who: dict[str, dict[str, str]] = {}
    for check in measures:
        if not isinstance(check, Check) or not np.isfinite(check.most):
            continue
        for one in (scores.get(check.name), references.get(check.name)):
            for system, segment, share in _broken(one, check.most) if one is not None else ():
                who.setdefault(system, {}).setdefault(segment, f"{check.name} {share:.2f}")
    return tuple(_warning(system, segments) for system, segments in who.items())


def _broken(scores: Scores, most: float) -> Iterator[tuple[str, str, float]]:
    shares = scores.segment_scores
    full = scores.statistics[..., 1] >= most - 1e-9
    for system, segment in zip(*np.nonzero(full & (shares < _PARALLEL)), strict=True):
        share = float(shares[system, segment])
        yield scores.systems[system], scores.segments[segment], share


def _warning(system: str, segments: Mapping[str, str]) -> str:
    shown = [f"{segment} ({why})" for segment, why in list(segments.items())[:_SHOWN]]
    more = len(segments) - len(shown)
    text = "reference" if system == REFERENCE else f"output of {system}"
    return (
        f"Warning: source and {text} do not seem parallel in "
        f"{counted(len(segments), 'segment')}: {', '.join(shown)}"
        f"{f' and {more} more' if more else ''}."
    )
