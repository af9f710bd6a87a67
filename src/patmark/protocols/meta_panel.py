"""Metrics and a gold measure over the same systems: what a meta-evaluation works on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.data import FloatArray, Scores
from patmark.data.score_table import ScoreTable
from patmark.errors import PatmarkError, UsageError
from patmark.measures import parse_measure

_SHOWN = 8


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One measure over systems: (systems,), over segments (systems, segments), both or one.

    ``scores`` are there where sums can be resampled. Higher is always better: what is not is held
    with the sign changed, which ``turned`` tells.
    """

    name: str
    of_systems: FloatArray
    of_segments: FloatArray | None = None
    scores: Scores | None = None
    turned: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Scores from one place, with the names that their arrays follow.

    Scores that people gave (``human``) are not judged as metrics unless they are named.
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    documents: tuple[str | None, ...]
    series: Mapping[str, Series]
    kinds: Mapping[str, str]
    notes: tuple[str, ...] = ()
    human: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """The gold measure and the metrics, on the same systems and segments."""

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    documents: tuple[str | None, ...]
    kinds: Mapping[str, str]
    gold: Series
    metrics: tuple[Series, ...]
    notes: tuple[str, ...] = ()

    def without(self, kind: str) -> Panel:
        """The same without the systems of one type."""
        unknown = [system for system in self.systems if system not in self.kinds]
        if unknown:
            raise UsageError(
                f"the type of {some(unknown)} is not known; give it in the column 'type' "
                "of the scores or with --manifest"
            )
        kept = [place for place, name in enumerate(self.systems) if self.kinds[name] != kind]
        if len(kept) == len(self.systems):
            known = ", ".join(sorted({self.kinds[system] for system in self.systems}))
            raise UsageError(f"no system is of the type {kind!r}; there are {known}")
        return self._taking(kept)

    def _taking(self, kept: Sequence[int]) -> Panel:
        return replace(
            self,
            systems=tuple(self.systems[place] for place in kept),
            gold=_taken(self.gold, kept),
            metrics=tuple(_taken(metric, kept) for metric in self.metrics),
        )


def table_source(table: ScoreTable, lower_is_better: Collection[str] = ()) -> Source:
    """The scores of a CSV file. A measure without system rows is the mean of its segments."""
    series = {}
    for name in dict.fromkeys([*table.of_systems, *table.of_segments]):
        of_segments = table.of_segments.get(name)
        of_systems = table.of_systems.get(name)
        scores = None
        if of_systems is None and of_segments is not None:
            scores = _mean_scores(name, table, of_segments)
            of_systems = scores.system_scores
        if of_systems is None:  # pragma: no cover - a name comes from one of the two tables
            continue
        one = Series(name, of_systems, of_segments, scores)
        series[name] = turned_round(one) if _lower_is_better(name, lower_is_better) else one
    return Source(table.name, table.systems, table.segments, table.documents, series, table.kinds)


def scores_source(
    name: str,
    scores: Mapping[str, Scores],
    documents: Sequence[str | None],
    kinds: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    human: bool = False,
) -> Source:
    """Scores with statistics: from an evaluation, a saved file, or judgements."""
    first = next(iter(scores.values()))
    series = {
        measure: turned_round(whole_series(one)) if not one.higher_is_better else whole_series(one)
        for measure, one in scores.items()
    }
    return Source(
        name, first.systems, first.segments, tuple(documents), series, kinds or {}, tuple(notes),
        human,
    )  # fmt: skip


def whole_series(scores: Scores) -> Series:
    """Scores with statistics, of systems and of segments."""
    return Series(scores.measure, scores.system_scores, scores.segment_scores, scores)


def turned_round(series: Series) -> Series:
    """The same with the sign changed, so that higher is better."""
    of_segments = None if series.of_segments is None else -series.of_segments
    return replace(series, of_systems=-series.of_systems, of_segments=of_segments, turned=True)


def _mean_scores(name: str, table: ScoreTable, values: FloatArray) -> Scores:
    known = ~np.isnan(values)
    statistics = np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)
    return Scores(name, f"{name}|mean of segments", table.systems, table.segments, statistics,
                  _mean)  # fmt: skip


def _mean(totals: FloatArray) -> FloatArray:
    result = np.full(totals.shape[:-1], np.nan)
    np.divide(totals[..., 0], totals[..., 1], out=result, where=totals[..., 1] > 0)
    return result


def _lower_is_better(name: str, declared: Collection[str]) -> bool:
    if name in declared:
        return True
    try:
        return not parse_measure(name).higher_is_better
    except PatmarkError:
        return False


def _taken(series: Series, kept: Sequence[int]) -> Series:
    rows = list(kept)
    scores = series.scores
    return replace(
        series,
        of_systems=series.of_systems[rows],
        of_segments=None if series.of_segments is None else series.of_segments[rows],
        scores=None if scores is None else replace(
            scores, systems=tuple(scores.systems[place] for place in rows),
            statistics=scores.statistics[rows],
        ),
    )  # fmt: skip


def some(names: Sequence[str]) -> str:
    """The first few names, and how many there are beside them."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
