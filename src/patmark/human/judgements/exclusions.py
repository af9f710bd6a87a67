"""Workloads of evaluators, and excluded judgements, with the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, Notice, criterion_name
from patmark.errors import UsageError
from patmark.human.judgements.model import Judgements, Preferences
from patmark.wording import either, setting, tr, tr_n

_Pair: TypeAlias = tuple[str, str]
_SHOWN = 10
_MUCH = 0.05  # of the judgements; patmark warns if more are excluded
_ODD = 0.5  # of the usual number of grades; systems with fewer are named first


@dataclass(frozen=True, slots=True)
class Workload:
    """Work of one evaluator on one criterion in the main phase.

    A segment is ``finished`` if all systems were graded in it, or all pairs chosen between.
    """

    criterion: str
    evaluator: str
    segments: int
    finished: int
    judgements: int


def workloads(judgements: Judgements, criterion: str) -> tuple[Workload, ...]:
    """Return the workload of everyone who graded; a finished segment has all systems."""
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
    """Return the workload by preferences; a finished segment has all expected pairs."""
    chosen = _chosen_pairs(preferences, criterion)
    expected = _expected_pairs(chosen)
    return tuple(
        Workload(
            criterion,
            name,
            len(own),
            sum(pairs >= expected[segment] for segment, pairs in own.items()),
            sum(map(len, own.values())),
        )
        for name, own in chosen.items()
        if own
    )


def fewer_segments(work: Sequence[Workload]) -> list[str]:
    """Name everyone who judged fewer segments than another evaluator of the criterion."""
    most = max(work, key=lambda one: one.segments, default=None)
    if most is None:
        return []
    fewer = [f"{one.evaluator} {one.segments}" for one in work if one.segments < most.segments]
    if not fewer:
        return []
    return [
        tr(
            "{criterion}: not everyone judged as many segments as {evaluator} "
            "({segments}): {shortened}",
            criterion=criterion_name(most.criterion),
            evaluator=most.evaluator,
            segments=most.segments,
            shortened=shortened(fewer),
        )
    ]


def unjudged_segments(data: Judgements | Preferences, criterion: str) -> list[str]:
    """Count the unjudged segments of the test set, if it is known."""
    rows = (row for row in data.rows if (row.criterion, row.phase) == (criterion, "main"))
    missing = set(data.test_segments) - {row.segment for row in rows}
    if not missing:
        return []
    total = len(data.test_segments)
    return [
        tr(
            "{criterion}: nobody judged {n} of {total} segments of the test set",
            criterion=criterion_name(criterion),
            n=len(missing),
            total=total,
        )
    ]


def unfinished_choices(preferences: Preferences, criterion: str) -> list[str]:
    """Name the segments with preferences between only some of the pairs."""
    chosen = _chosen_pairs(preferences, criterion)
    expected = _expected_pairs(chosen)
    found: list[str] = []
    for name, own in chosen.items():
        gaps = {
            segment: sorted(expected[segment] - pairs)
            for segment, pairs in own.items()
            if not pairs >= expected[segment]
        }
        if not gaps:
            continue
        lacking = [
            tr(
                "{segment}: no choice between {pairs}",
                segment=segment,
                pairs=either(
                    [tr("{first} and {second}", first=one, second=two) for one, two in pairs]
                ),
            )
            for segment, pairs in gaps.items()
        ]
        found.append(
            tr(
                "{criterion}: {name} did not finish {segments} ({gaps}); the choices that were "
                "made there count",
                criterion=criterion_name(criterion),
                name=name,
                segments=tr_n("{n} segment", "{n} segments", n=len(gaps)),
                gaps=shortened(lacking),
            )
        )
    return found


def shortened(names: Sequence[str]) -> str:
    """Return the first names, and the number of others."""
    shown, more = tuple(names[:_SHOWN]), len(names) - _SHOWN
    if more > 0:
        return tr("{shown}, and {n} more", shown=shown, n=more)
    return tr("{parts}", parts=shown)


def _chosen_pairs(
    preferences: Preferences, criterion: str
) -> dict[str, dict[str, frozenset[_Pair]]]:
    """Map evaluators and segments to the pairs of systems with a preference."""
    found: dict[str, dict[str, set[_Pair]]] = {name: {} for name in preferences.evaluators}
    for row in preferences.rows:
        if (row.criterion, row.phase) == (criterion, "main"):
            first, second = sorted((row.first, row.second))
            found[row.evaluator].setdefault(row.segment, set()).add((first, second))
    return {
        name: {
            segment: frozenset(own[segment]) for segment in preferences.segments if segment in own
        }
        for name, own in found.items()
    }


def _expected_pairs(
    chosen: Mapping[str, Mapping[str, frozenset[_Pair]]],
) -> dict[str, frozenset[_Pair]]:
    """Return the pairs that an evaluator of a segment should have judged.

    These are all that occur, if most segments have them all. Otherwise pairs were distributed, and
    only those of another evaluator of the segment are expected.
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


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A segment of an evaluator that is excluded because some systems lack a grade."""

    criterion: str
    evaluator: str
    segment: str
    lacking: tuple[str, ...]
    judgements: int

    def __str__(self) -> str:
        return tr(
            "{criterion}: {evaluator} did not finish segment {segment} (no grade for {systems}); "
            "{judgements} left out",
            criterion=criterion_name(self.criterion),
            evaluator=self.evaluator,
            segment=self.segment,
            systems=self.lacking,
            judgements=tr_n("{n} judgement", "{n} judgements", n=self.judgements),
        )


def complete(judgements: Judgements, criterion: str) -> tuple[Judgements, tuple[Exclusion, ...]]:
    """Exclude the segments that an evaluator graded for only some of the systems.

    Outputs of one source are graded in comparison, so a segment counts for an evaluator only as a
    whole. The systems are all those graded on the criterion. Other criteria and phases are
    unaffected.
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


def counted_grades(judgements: Judgements, criterion: str, *, whole_segments: bool) -> FloatArray:
    """Return grades of the main phase; with ``whole_segments`` only of finished segments."""
    if whole_segments:
        return finished_grades(judgements, criterion)[0]
    return judgements.grades(criterion)


def finished_grades(
    judgements: Judgements, criterion: str
) -> tuple[FloatArray, tuple[Exclusion, ...]]:
    """Return grades of the main phase, NaN for segments that an evaluator did not finish.

    If each output is graded by itself, all segments count.
    """
    grades = judgements.grades(criterion)
    if judgements.scale(criterion).single:
        return grades, ()
    known = ~np.isnan(grades)
    judged: NDArray[np.bool_] = np.any(known, axis=(0, 2))
    unfinished: NDArray[np.bool_] = np.any(known, axis=1) & ~np.all(known[:, judged], axis=1)
    lacking = ~known & judged[:, None]
    systems = np.array(judgements.systems, dtype=object)
    exclusions = tuple(
        Exclusion(
            criterion,
            judgements.evaluators[evaluator],
            judgements.segments[segment],
            tuple(systems[lacking[evaluator, :, segment]]),
            int(known[evaluator, :, segment].sum()),
        )
        for evaluator, segment in np.argwhere(unfinished)
    )
    return np.where(unfinished[:, None, :], np.nan, grades), exclusions


def notices(judgements: Judgements, criterion: str) -> tuple[str, ...]:
    """Return notes on the judgements of a criterion.

    They name evaluators with fewer segments than others and unjudged segments of the test set, and
    count judgements of other phases.
    """
    found = fewer_segments(workloads(judgements, criterion))
    found += unjudged_segments(judgements, criterion)
    rows = (row for row in judgements.rows if row.criterion == criterion)
    others = Counter(row.phase for row in rows if row.phase != "main")
    found += [
        tr_n(
            "{criterion}: {n} judgement of phase {phase} does not enter results",
            "{criterion}: {n} judgements of phase {phase} do not enter results",
            n=count,
            criterion=criterion_name(criterion),
            phase=phase,
        )
        for phase, count in others.items()
    ]
    return tuple(found)


def loss_warning(
    judgements: Judgements, criterion: str, exclusions: Sequence[Exclusion]
) -> tuple[Notice, ...]:
    """Warn if much is excluded, or all of an evaluator, and name the systems with few grades."""
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
    left = tr("{gone} of {total} judgements are left out", gone=gone, total=total)
    if whole:
        left = tr("{left}, all of {names} among them", left=left, names=shortened(whole))
    gaps = [f"{system} {number}" for system, number in lacking.most_common()]
    warning = tr(
        "{criterion}: {left}, because an evaluator's segment counts only with a grade for every "
        "system. Segments without a grade for a system: {gaps}. If a system came late or its name "
        "is misspelt, all that lacks it is lost; {cure}.",
        criterion=criterion_name(criterion),
        left=left,
        gaps=shortened(gaps),
        cure=_keeping(),
    )
    return (Notice("warning", "judgements-left-out", warning),)


def nothing_finished(judgements: Judgements, criterion: str) -> UsageError:
    """Build the error that no segment has grades for all systems; name systems with few."""
    numbers = (~np.isnan(judgements.grades(criterion))).sum(axis=(0, 2))
    graded = {name: int(n) for name, n in zip(judgements.systems, numbers, strict=True) if n}
    usual = float(np.median(list(graded.values())))
    odd = [name for name, number in graded.items() if number < _ODD * usual] or list(graded)
    grades = [f"{name} {graded[name]}" for name in odd]
    return UsageError(
        f"{criterion}: no evaluator graded all {len(graded)} systems for any segment, so no grade "
        f"is left. Grades of a system, of which most have {usual:g}: {shortened(grades)}. Is a "
        f"name misspelt, or did a system come late? {_keeping()}"
    )


def _keeping() -> str:
    """Name the setting that counts single outputs."""
    return tr("{setting} counts single outputs", setting=setting("keep_unfinished"))
