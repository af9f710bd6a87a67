"""Metrics and a gold measure over the same systems: what a meta-evaluation works on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.data import FloatArray, Scores, ScoreTable
from patmark.errors import InputError, PatmarkError, Problem, UsageError
from patmark.measures import parse_measure
from patmark.stats import DIGITS
from patmark.wording import setting, tr

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

    def is_constant(self, level: str = "system") -> bool:
        """Return True if all systems, or at segment level all outputs, have the same score."""
        segments = self.of_segments if level == "segment" else None
        scores = self.of_systems if segments is None else segments
        known = np.round(scores[~np.isnan(scores)], DIGITS)
        return not len(known) or not np.ptp(known)


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
        """Return the panel without the systems of one type."""
        unknown = [system for system in self.systems if system not in self.kinds]
        if unknown:
            raise UsageError(
                f"the type of {some(unknown)} is not known; give it in the column 'type' "
                f"of the scores or with {setting('manifest')}"
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
    """Return the scores of a CSV file. A measure without system rows is the mean of its
    segments."""
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
    """Return scores with statistics: from an evaluation, a saved file, or judgements."""
    first = next(iter(scores.values()))
    series = {
        measure: turned_round(whole_series(one)) if not one.higher_is_better else whole_series(one)
        for measure, one in scores.items()
    }
    return Source(
        name,
        first.systems,
        first.segments,
        tuple(documents),
        series,
        kinds or {},
        tuple(notes),
        human,
    )


def whole_series(scores: Scores) -> Series:
    """Return scores with statistics, of systems and of segments."""
    return Series(scores.measure, scores.system_scores, scores.segment_scores, scores)


def turned_round(series: Series) -> Series:
    """Return the scores with the sign changed, so that higher is better."""
    of_segments = None if series.of_segments is None else -series.of_segments
    return replace(series, of_systems=-series.of_systems, of_segments=of_segments, turned=True)


def _mean_scores(name: str, table: ScoreTable, values: FloatArray) -> Scores:
    about = f"{name}|mean of segments"
    return Scores.of_values(name, about, table.systems, table.segments, values)


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
        scores=None
        if scores is None
        else replace(
            scores,
            systems=tuple(scores.systems[place] for place in rows),
            statistics=scores.statistics[rows],
        ),
    )


def some(names: Sequence[str]) -> str:
    """Return the first few names, and how many there are beside them."""
    shown, more = tuple(names[:_SHOWN]), len(names) - _SHOWN
    if more > 0:
        return tr("{shown} and {n} more", shown=shown, n=more)
    return tr("{parts}", parts=shown)


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
    owner = _owners(sources, gold, metrics)
    judged = {name: source for source in sources if source.human for name in source.series}
    if gold not in owner:
        raise UsageError(_no_gold(sources, gold))
    standard = judged.get(gold, owner[gold])
    if owner[gold] is standard:
        del owner[gold]
    names = _metric_names(owner) if metrics is None else list(metrics)
    unknown = [name for name in names if name not in owner]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no metric here; there are {', '.join(owner)}")
    if not names:
        raise UsageError(f"there is no metric beside {gold!r}")
    systems, left_out = _judged_systems(standard, gold)
    segments, documents = _all_segments(sources)
    aligned = [_aligned(standard, gold, systems, segments)]
    aligned += [_aligned(owner[name], name, systems, segments) for name in names]
    known = {system: kind for source in sources for system, kind in source.kinds.items()}
    panel = Panel(
        systems, segments, documents, known | dict(kinds or {}), aligned[0], tuple(aligned[1:])
    )
    _check_manifest(kinds, systems)
    notes = [note for source in sources for note in source.notes]
    notes += [*_check_complete(panel, allow_partial), *_check_coverage(panel, allow_partial)]
    others = [name for name in judged if name != gold and owner[name].human and name not in names]
    if others:
        notes.append(
            tr(
                "Human measures that were not judged: {names} ({measures}).",
                names=tuple(others),
                measures=setting("measures"),
            )
        )
    unjudged = sorted({s for source in sources for s in source.systems} - set(systems))
    if left_out or unjudged:
        names_left = dict.fromkeys([*left_out, *unjudged])
        notes.append(
            tr("Without {gold} and left out: {some}.", gold=gold, some=some(list(names_left)))
        )
    turned = [series.name for series in (panel.gold, *panel.metrics) if series.turned]
    if turned:
        notes.append(
            tr("Lower is better for {names}; taken with the sign changed.", names=tuple(turned))
        )
    return replace(panel, notes=tuple(notes))


def _no_gold(sources: Sequence[Source], gold: str) -> str:
    """Return the measures that there are, and the source of human measures if no file has any."""
    known = ", ".join(name for source in sources for name in source.series)
    message = f"there is no measure {gold!r}; there are {known}"
    if any(source.human for source in sources):
        return message
    return f"{message}; files of human judgements may be given beside the scores"


def _owners(
    sources: Sequence[Source], gold: str, metrics: Sequence[str] | None
) -> dict[str, Source]:
    """Return the source of each measure; a metric goes before a criterion of people of the same
    name.

    Gold and the metrics to judge, by default all, may not be in two places.
    """
    owner: dict[str, Source] = {}
    problems = []
    for source in sorted(sources, key=lambda one: one.human):
        for name in source.series:
            first = owner.setdefault(name, source)
            double = first is not source and first.human == source.human
            if double and (metrics is None or name in (gold, *metrics)):
                leave_out = "" if name == gold else f" leave it out ({setting('measures')}),"
                message = (
                    f"{name} is also in {first.name}; rename it in one of the files,{leave_out} "
                    "or give the files of several language pairs as PAIR=FILE"
                )
                problems.append(Problem(message, source.name))
    if problems:
        raise InputError(problems)
    return owner


def _metric_names(owner: Mapping[str, Source]) -> list[str]:
    return [name for name, source in owner.items() if not source.human]


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
    """Return a series on other lists of names, with NaN or zero statistics where it has nothing."""
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
        scores=None
        if scores is None
        else replace(
            scores,
            systems=tuple(systems),
            segments=tuple(segments),
            statistics=spread(scores.statistics, 0.0),
        ),
    )


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
    notes: list[str] = []
    problems = []
    for metric in panel.metrics:
        lacking = [
            name
            for name, value in zip(panel.systems, metric.of_systems, strict=True)
            if np.isnan(value)
        ]
        message = tr(
            "{metric} has no score for {systems}", metric=metric.name, systems=some(lacking)
        )
        if lacking and allow_partial:
            notes.append(tr("{message}; judged on the others.", message=message))
        elif lacking:
            partly = f"{setting('allow_partial')} judges it on the others"
            problems.append(Problem(f"{message}; {partly}"))
    if problems:
        raise InputError(problems)
    return notes


def _check_coverage(panel: Panel, allow_partial: bool) -> list[str]:
    """Check that scores of systems are means over the same segments, or add a note."""
    notes: list[str] = []
    problems = []
    for series in (panel.gold, *panel.metrics):
        if series.of_segments is None:
            continue
        known = ~np.isnan(series.of_segments[~np.isnan(series.of_systems)])
        uneven = int(np.count_nonzero(known.any(axis=0) & ~known.all(axis=0)))
        if not uneven:
            continue
        few = panel.systems[int(np.argmin(known.sum(axis=1)))]
        message = tr(
            "{measure} covers {n} segments for some systems only (fewest for {few}), so that "
            "systems are judged on different segments",
            measure=series.name,
            n=uneven,
            few=few,
        )
        if allow_partial:
            notes.append(tr("{note}.", note=message))
        else:
            problems.append(Problem(f"{message}; {setting('allow_partial')} accepts that"))
    if problems:
        raise InputError(problems)
    return notes


def _check_manifest(kinds: Mapping[str, str] | None, systems: Sequence[str]) -> None:
    if kinds and not set(kinds) & set(systems):
        raise UsageError(f"the manifest describes {some(list(kinds))}, and none of {some(systems)}")
