"""How much each evaluator judged, and who judged less than others or left something unfinished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from patmark.data import counted
from patmark.human.judgements import Judgements
from patmark.human.preferences import Preferences

_Pair: TypeAlias = tuple[str, str]
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Workload:
    """What one evaluator judged of one criterion in the main phase.

    A segment is ``finished`` if all systems were graded in it, or all pairs chosen between.
    """

    criterion: str
    evaluator: str
    segments: int
    finished: int
    judgements: int


def workloads(judgements: Judgements, criterion: str) -> tuple[Workload, ...]:
    """Everyone who graded, with the number of segments; finished are those of all systems."""
    known = ~np.isnan(judgements.grades(criterion))
    systems = known[:, known.any(axis=(0, 2))]
    found = (
        Workload(
            criterion, name, int(own.any(axis=0).sum()), int(own.all(axis=0).sum()), int(own.sum())
        )
        for name, own in zip(judgements.evaluators, systems, strict=True)
    )
    return tuple(one for one in found if one.judgements)


def preference_workloads(preferences: Preferences, criterion: str) -> tuple[Workload, ...]:
    """Everyone who chose; finished are segments with a choice between all pairs to expect."""
    chosen = _chosen_pairs(preferences, criterion)
    expected = _expected_pairs(chosen)
    return tuple(
        Workload(
            criterion, name, len(own),
            sum(pairs >= expected[segment] for segment, pairs in own.items()),
            sum(map(len, own.values())),
        )
        for name, own in chosen.items()
        if own
    )  # fmt: skip


def fewer_segments(work: Sequence[Workload]) -> list[str]:
    """Names everyone who judged fewer segments than another evaluator of the criterion."""
    most = max(work, key=lambda one: one.segments, default=None)
    if most is None:
        return []
    fewer = [f"{one.evaluator} {one.segments}" for one in work if one.segments < most.segments]
    if not fewer:
        return []
    return [
        f"{most.criterion}: not everyone judged as many segments as {most.evaluator} "
        f"({most.segments}): {shortened(fewer)}"
    ]


def unjudged_segments(data: Judgements | Preferences, criterion: str) -> list[str]:
    """How many segments of the test set, where it is known, nobody judged."""
    rows = (row for row in data.rows if (row.criterion, row.phase) == (criterion, "main"))
    missing = set(data.test_segments) - {row.segment for row in rows}
    if not missing:
        return []
    total = len(data.test_segments)
    return [f"{criterion}: nobody judged {len(missing)} of {total} segments of the test set"]


def unfinished_choices(preferences: Preferences, criterion: str) -> list[str]:
    """Names the segments in which an evaluator chose between only some of the pairs."""
    chosen = _chosen_pairs(preferences, criterion)
    expected = _expected_pairs(chosen)
    found = []
    for name, own in chosen.items():
        gaps = {
            segment: sorted(expected[segment] - pairs)
            for segment, pairs in own.items()
            if not pairs >= expected[segment]
        }
        if not gaps:
            continue
        lacking = [
            f"{segment}: no choice between {' or '.join(' and '.join(pair) for pair in pairs)}"
            for segment, pairs in gaps.items()
        ]
        found.append(
            f"{criterion}: {name} did not finish {counted(len(gaps), 'segment')} "
            f"({shortened(lacking, '; ')}); the choices that were made there count"
        )
    return found


def shortened(names: Sequence[str], between: str = ", ") -> str:
    """The first names, and how many more there are."""
    more = f"{between}and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return between.join(names[:_SHOWN]) + more


def _chosen_pairs(
    preferences: Preferences, criterion: str
) -> dict[str, dict[str, frozenset[_Pair]]]:
    """Evaluator → segment → pairs of systems between which a choice was made."""
    found: dict[str, dict[str, set[_Pair]]] = {name: {} for name in preferences.evaluators}
    for row in preferences.rows:
        if (row.criterion, row.phase) == (criterion, "main"):
            first, second = sorted((row.first, row.second))
            found[row.evaluator].setdefault(row.segment, set()).add((first, second))
    return {
        name: {segment: frozenset(own[segment]) for segment in preferences.segments
               if segment in own}
        for name, own in found.items()
    }  # fmt: skip


def _expected_pairs(
    chosen: Mapping[str, Mapping[str, frozenset[_Pair]]],
) -> dict[str, frozenset[_Pair]]:
    """The pairs that an evaluator of a segment should have chosen between.

    All that occur, if most segments have them all. Otherwise pairs were dealt out, and only what
    another evaluator of the segment was asked can be expected.
    """
    cells = [pairs for own in chosen.values() for pairs in own.values()]
    every = _united(cells)
    if 2 * sum(pairs == every for pairs in cells) > len(cells):
        return {segment: every for own in chosen.values() for segment in own}
    segments = {segment for own in chosen.values() for segment in own}
    return {
        segment: _united(own[segment] for own in chosen.values() if segment in own)
        for segment in segments
    }


def _united(sets: Iterable[frozenset[_Pair]]) -> frozenset[_Pair]:
    return frozenset().union(*sets)
