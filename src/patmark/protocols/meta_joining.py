"""Scores from several places put on one list of systems and one list of segments.

What has no gold is left out and named; a metric without a score where there is gold is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from patmark.data import FloatArray
from patmark.errors import InputError, Problem, UsageError
from patmark.protocols.meta_panel import Panel, Series, Source, some


def build_panel(
    sources: Sequence[Source],
    gold: str,
    metrics: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    *,
    allow_partial: bool = False,
) -> Panel:
    """Put the measures of all sources on the systems that have gold.

    ``metrics`` names the ones to judge, all but the gold measure by default. ``allow_partial``
    lets a metric lack systems; it is then judged on those that it has, and a note says so.
    """
    owner = _owners(sources)
    if gold not in owner:
        raise UsageError(_no_gold(sources, gold))
    names = _metric_names(owner, gold) if metrics is None else list(metrics)
    unknown = [name for name in names if name not in owner or name == gold]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no metric here; there are {', '.join(owner)}")
    if not names:
        raise UsageError(f"there is no metric beside {gold!r}")
    systems, left_out = _judged_systems(owner[gold], gold)
    segments, documents = _all_segments(sources)
    aligned = [_aligned(owner[name], name, systems, segments) for name in (gold, *names)]
    known = {system: kind for source in sources for system, kind in source.kinds.items()}
    panel = Panel(systems, segments, documents, known | dict(kinds or {}), aligned[0],
                  tuple(aligned[1:]))  # fmt: skip
    _check_manifest(kinds, systems)
    notes = [note for source in sources for note in source.notes]
    notes += [*_check_complete(panel, allow_partial), *_check_coverage(panel, allow_partial)]
    others = [name for name, source in owner.items() if source.human and name not in (gold, *names)]
    if others:
        notes.append(f"Human measures that were not judged: {', '.join(others)} (--measures).")
    unjudged = sorted({s for source in sources for s in source.systems} - set(systems))
    if left_out or unjudged:
        names_left = dict.fromkeys([*left_out, *unjudged])
        notes.append(f"Without {gold} and left out: {some(list(names_left))}.")
    turned = [series.name for series in (panel.gold, *panel.metrics) if series.turned]
    if turned:
        notes.append(f"Lower is better for {', '.join(turned)}; taken with the sign changed.")
    return replace(panel, notes=tuple(notes))


def _no_gold(sources: Sequence[Source], gold: str) -> str:
    """What there is instead, and where human measures come from if no file holds any."""
    known = ", ".join(name for source in sources for name in source.series)
    message = f"there is no measure {gold!r}; there are {known}"
    if any(source.human for source in sources):
        return message
    return f"{message}; files of human judgements may be given beside the scores"


def _owners(sources: Sequence[Source]) -> dict[str, Source]:
    owner: dict[str, Source] = {}
    problems = []
    for source in sources:
        for name in source.series:
            if owner.setdefault(name, source) is not source:
                problems.append(Problem(f"{name} is also in {owner[name].name}", source.name))
    if problems:
        raise InputError(problems)
    return owner


def _metric_names(owner: Mapping[str, Source], gold: str) -> list[str]:
    return [name for name, source in owner.items() if name != gold and not source.human]


def _judged_systems(source: Source, gold: str) -> tuple[tuple[str, ...], list[str]]:
    values = source.series[gold].of_systems
    judged = [name for name, value in zip(source.systems, values, strict=True) if value == value]
    if len(judged) < 2:
        raise InputError.at(
            f"{gold} judges {len(judged)} systems; at least two are needed", source.name
        )
    return tuple(judged), [name for name in source.systems if name not in judged]


def _all_segments(
    sources: Iterable[Source],
) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    documents: dict[str, str | None] = {}
    for source in sources:
        for segment, document in zip(source.segments, source.documents, strict=True):
            documents[segment] = documents.get(segment) or document
    return tuple(documents), tuple(documents.values())


def _aligned(source: Source, name: str, systems: Sequence[str], segments: Sequence[str]) -> Series:
    """The same series on other lists of names, NaN or zero statistics where it has nothing."""
    series = source.series[name]
    own = {system: place for place, system in enumerate(source.systems)}
    rows = [own.get(system, -1) for system in systems]
    place = {segment: position for position, segment in enumerate(segments)}
    columns = [place[segment] for segment in source.segments]
    spread = _spreader(rows, columns, len(segments))
    of_segments = series.of_segments
    scores = series.scores
    return replace(
        series,
        of_systems=np.append(series.of_systems, np.nan)[rows],
        of_segments=None if of_segments is None else spread(of_segments, np.nan),
        scores=None if scores is None else replace(
            scores, systems=tuple(systems), segments=tuple(segments),
            statistics=spread(scores.statistics, 0.0),
        ),
    )  # fmt: skip


def _spreader(
    rows: Sequence[int], columns: Sequence[int], size: int
) -> Callable[[FloatArray, float], FloatArray]:
    def spread(table: FloatArray, empty: float) -> FloatArray:
        result = np.full((len(rows), size, *table.shape[2:]), empty)
        for target, row in enumerate(rows):
            if row >= 0:
                result[target, columns] = table[row]
        return result

    return spread


def _check_complete(panel: Panel, allow_partial: bool) -> list[str]:
    notes, problems = [], []
    for metric in panel.metrics:
        lacking = [
            name
            for name, value in zip(panel.systems, metric.of_systems, strict=True)
            if np.isnan(value)
        ]
        message = f"{metric.name} has no score for {some(lacking)}"
        if lacking and allow_partial:
            notes.append(f"{message}; judged on the others.")
        elif lacking:
            problems.append(Problem(f"{message}; --allow-partial judges it on the others"))
    if problems:
        raise InputError(problems)
    return notes


def _check_coverage(panel: Panel, allow_partial: bool) -> list[str]:
    """Scores of systems are means over the same segments, or it is said that they are not."""
    notes, problems = [], []
    for series in (panel.gold, *panel.metrics):
        if series.of_segments is None:
            continue
        known = ~np.isnan(series.of_segments[~np.isnan(series.of_systems)])
        uneven = int(np.count_nonzero(known.any(axis=0) & ~known.all(axis=0)))
        if not uneven:
            continue
        few = panel.systems[int(np.argmin(known.sum(axis=1)))]
        message = (
            f"{series.name} covers {uneven} segments for some systems only (fewest for {few}), "
            "so that systems are judged on different segments"
        )
        if allow_partial:
            notes.append(f"{message}.")
        else:
            problems.append(Problem(f"{message}; --allow-partial accepts that"))
    if problems:
        raise InputError(problems)
    return notes


def _check_manifest(kinds: Mapping[str, str] | None, systems: Sequence[str]) -> None:
    if kinds and not set(kinds) & set(systems):
        raise UsageError(f"the manifest describes {some(list(kinds))}, and none of {some(systems)}")
