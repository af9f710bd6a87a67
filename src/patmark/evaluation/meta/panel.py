"""Metrics and a gold measure over the same systems: the input of a meta-evaluation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from patmark.data import AnnotatedTexts, FloatArray, IntArray, Notice, Scores, ScoreTable, same_text
from patmark.errors import InputError, Problem, UsageError
from patmark.measures import find_measure
from patmark.stats import rounded, segment_ranks
from patmark.wording import setting, tr

_SHOWN = 8
_LEAST_WORDS = {1: "one is", 2: "two are"}


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One measure over systems: (systems,), over segments (systems, segments), both or one.

    ``scores`` are present if sums can be resampled. Higher is always better: other measures have
    their sign changed, and ``turned`` is True. ``optional`` systems, such as references that were
    judged too, need no score. ``by_evaluator`` are the grades of each evaluator (evaluators,
    systems, segments), if people gave the scores.
    """

    name: str
    of_systems: FloatArray
    of_segments: FloatArray | None = None
    scores: Scores | None = None
    turned: bool = False
    optional: frozenset[str] = frozenset()
    by_evaluator: FloatArray | None = None

    def lacking(self, rows: Sequence[int]) -> Series:
        """Return the scores without those of some systems."""
        of_systems, of_segments, scores = self.of_systems.copy(), self.of_segments, self.scores
        of_systems[rows] = np.nan
        if of_segments is not None:
            of_segments = of_segments.copy()
            of_segments[rows] = np.nan
        if scores is not None:
            statistics = scores.statistics.copy()
            statistics[rows] = 0.0
            scores = replace(scores, statistics=statistics)
        return replace(self, of_systems=of_systems, of_segments=of_segments, scores=scores)

    def taken(
        self, rows: Sequence[int] | slice = slice(None), columns: IntArray | slice = slice(None)
    ) -> Series:
        """Return the scores of some systems and segments, in this order."""
        scores, values, grades = self.scores, self.of_segments, self.by_evaluator
        if scores is not None:
            scores = replace(
                scores,
                systems=tuple(np.array(scores.systems, object)[rows]),
                segments=tuple(np.array(scores.segments, object)[columns]),
                statistics=scores.statistics[rows][:, columns],
            )
        return replace(
            self,
            scores=scores,
            of_systems=self.of_systems[rows],
            of_segments=None if values is None else values[rows][:, columns],
            by_evaluator=None if grades is None else grades[:, rows][:, :, columns],
        )

    def is_constant(self, level: str = "system") -> bool:
        """Return True if all systems, or at segment level all outputs, have the same score."""
        segments = self.of_segments if level == "segment" else None
        scores = self.of_systems if segments is None else segments
        known = rounded(scores[~np.isnan(scores)])
        return not len(known) or not np.ptp(known)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Scores from one source, with the names of their axes.

    Human scores (``human``) are not evaluated as metrics unless they are named. ``texts`` are the
    scored ones, if known.
    """

    name: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    documents: tuple[str | None, ...]
    series: Mapping[str, Series]
    kinds: Mapping[str, str]
    notes: tuple[str, ...] = ()
    human: bool = False
    texts: AnnotatedTexts | None = None


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
    warnings: tuple[Notice, ...] = ()

    @property
    def by_id(self) -> Panel:
        """The panel with segments in the order of their ids."""
        order = np.argsort(segment_ranks(self.segments, len(self.segments)))
        return replace(
            self,
            segments=tuple(self.segments[place] for place in order),
            documents=tuple(self.documents[place] for place in order),
            gold=self.gold.taken(columns=order),
            metrics=tuple(one.taken(columns=order) for one in self.metrics),
        )

    def without(self, names: str) -> Panel:
        """Return the panel without the named systems and types, separated by commas.

        Refuse a type that no system has, or that a system of unknown type may have.
        """
        named = set(filter(None, map(str.strip, names.split(","))))
        kinds = sorted(named - set(self.systems))
        unknown = [system for system in self.systems if system not in self.kinds]
        if kinds and unknown:
            raise UsageError(
                f"no system is called {kinds[0]!r}, and the type of {some(unknown)} is not known; "
                f"give it in the column 'type' of the scores or with {setting('manifest')}"
            )
        known = {self.kinds.get(system, "") for system in self.systems}
        if wrong := [kind for kind in kinds if kind not in known]:
            raise UsageError(
                f"no system is of the type {wrong[0]!r}; there are {', '.join(sorted(known))}; "
                "and none is called so"
            )
        return self._taking([one for one in self.systems if not named & {one, self.kinds.get(one)}])

    def scored_by(self, metrics: Iterable[Series]) -> Panel:
        """Return the panel without optional systems that some of these metrics do not score."""
        left_out = {system for metric in metrics for system in _unscored(self.systems, metric)}
        return self._taking([system for system in self.systems if system not in left_out])

    def _taking(self, systems: Collection[str]) -> Panel:
        kept = [place for place, system in enumerate(self.systems) if system in systems]
        if len(kept) == len(self.systems):
            return self
        return replace(
            self,
            systems=tuple(self.systems[place] for place in kept),
            gold=self.gold.taken(kept),
            metrics=tuple(metric.taken(kept) for metric in self.metrics),
        )


def table_source(table: ScoreTable, lower_is_better: Collection[str] = ()) -> Source:
    """Return the scores of a CSV file.

    A measure without system rows is the mean of its segments.
    """
    series = {}
    for name in dict.fromkeys([*table.of_systems, *table.of_segments]):
        of_segments = table.of_segments.get(name)
        of_systems = table.of_systems.get(name)
        scores = None
        if of_systems is None and of_segments is not None:
            about = f"{name}|mean of segments"
            scores = Scores.of_values(name, about, table.systems, table.segments, of_segments)
            of_systems = scores.system_scores
        if of_systems is None:  # pragma: no cover - a name comes from one of the two tables
            continue
        one = Series(name, of_systems, of_segments, scores)
        known = find_measure(name)
        lower = name in lower_is_better or (known is not None and not known.higher_is_better)
        series[name] = turned_round(one) if lower else one
    return Source(table.name, table.systems, table.segments, table.documents, series, table.kinds)


def scores_source(
    name: str,
    scores: Mapping[str, Scores],
    documents: Sequence[str | None],
    kinds: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    human: bool = False,
    texts: AnnotatedTexts | None = None,
    by_evaluator: Mapping[str, FloatArray] | None = None,
) -> Source:
    """Return scores with statistics: from an evaluation, a saved file, or judgements."""
    series = {}
    for measure, of in scores.items():
        one = replace(whole_series(of), by_evaluator=(by_evaluator or {}).get(measure))
        series[measure] = one if of.higher_is_better else turned_round(one)
    first = next(iter(scores.values()))
    return Source(
        name, first.systems, first.segments, tuple(documents), series, kinds or {}, tuple(notes),
        human, texts,
    )  # fmt: skip


def whole_series(scores: Scores) -> Series:
    """Return scores with statistics, of systems and of segments."""
    return Series(scores.measure, scores.system_scores, scores.segment_scores, scores)


def turned_round(series: Series) -> Series:
    """Return the scores with the sign changed, so that higher is better."""
    of_segments = None if series.of_segments is None else -series.of_segments
    grades = None if series.by_evaluator is None else -series.by_evaluator
    return replace(
        series,
        of_systems=-series.of_systems,
        of_segments=of_segments,
        by_evaluator=grades,
        turned=True,
    )


def some(names: Sequence[str]) -> str:
    """Return the first few names, and the number of others."""
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
    least_systems: int = 2,
) -> Panel:
    """Align the measures of all sources on the systems with gold.

    ``metrics`` names the ones to evaluate, by default all but the gold measure. ``allow_partial``
    lets a metric lack systems or segments; it is then evaluated on those that it has, with a note
    or a warning. Other texts under the same ids are refused.
    """
    owner = _owners(sources, gold, metrics)
    judged = {name: source for source in sources if source.human for name in source.series}
    if gold not in owner:
        known = ", ".join(name for source in sources for name in source.series)
        hint = "; files of human judgements may be given beside the scores"
        lacks_people = not any(source.human for source in sources)
        raise UsageError(f"there is no measure {gold!r}; there are {known}{hint * lacks_people}")
    standard = judged.get(gold, owner[gold])
    if owner[gold] is standard:
        del owner[gold]
    names = [name for name in owner if not owner[name].human] if metrics is None else list(metrics)
    unknown = [name for name in names if name not in owner]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no metric here; there are {', '.join(owner)}")
    if not names:
        raise UsageError(f"there is no metric beside {gold!r}")
    systems = _judged_systems(standard, gold, least_systems)
    documents: dict[str, str | None] = {}
    for source in sources:
        for segment, document in zip(source.segments, source.documents, strict=True):
            documents[segment] = documents.get(segment) or document
    segments = tuple(documents)
    metric_series = (_aligned(owner[name], name, systems, segments) for name in names)
    panel = Panel(
        systems,
        segments,
        tuple(documents.values()),
        {system: kind for one in sources for system, kind in one.kinds.items()} | dict(kinds or {}),
        _aligned(standard, gold, systems, segments),
        tuple(metric_series),
    )
    if kinds and not set(kinds) & set(systems):
        raise UsageError(f"the manifest describes {some(list(kinds))}, and none of {some(systems)}")
    gaps = [
        *_missing_systems(panel),
        *_missing_segments(panel, standard, [owner[name] for name in names]),
        *_uneven_segments(panel),
        *_other_texts(sources),
        *_other_documents(sources),
    ]
    refused = [one for one in gaps if one.is_refused(allow_partial)]
    if refused:
        raise InputError(Problem(one.refusal(allow_partial)) for one in refused)
    others = [name for name in judged if name != gold and owner[name].human and name not in names]
    known_systems = {one for source in sources for one in source.systems}
    unjudged = [one for one in standard.systems if one not in systems]
    unjudged += sorted(known_systems - {*systems, *unjudged})
    turned = tuple(series.name for series in (panel.gold, *panel.metrics) if series.turned)
    not_judged = tr(
        "Human measures that were not judged: {names} ({measures}).",
        names=tuple(others),
        measures=setting("measures"),
    )
    left_out = tr("Without {gold} and left out: {some}.", gold=gold, some=some(unjudged))
    sign = tr("Lower is better for {names}; taken with the sign changed.", names=turned)
    notes = (
        *(note for source in sources for note in source.notes),
        *(one.text for one in gaps if one.level == "note"),
        *_optional_notes(panel),
        *([not_judged] if others else []),
        *([left_out] if unjudged else []),
        *([sign] if turned else []),
    )
    warnings = tuple(Notice("warning", one.code, one.text) for one in gaps if one.level != "note")
    return replace(panel, notes=notes, warnings=warnings)


def _owners(
    sources: Sequence[Source], gold: str, metrics: Sequence[str] | None
) -> dict[str, Source]:
    """Return the source of each measure; a metric precedes a human criterion of the same name.

    Gold and the metrics to evaluate, by default all, may not be in two places.
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


def _judged_systems(source: Source, gold: str, least: int) -> tuple[str, ...]:
    values = source.series[gold].of_systems
    judged = [name for name, value in zip(source.systems, values, strict=True) if value == value]
    if len(judged) < least:
        raise InputError.at(
            f"{gold} judges {len(judged)} systems; at least {_LEAST_WORDS[least]} needed",
            source.name,
        )
    return tuple(judged)


def _aligned(source: Source, name: str, systems: Sequence[str], segments: Sequence[str]) -> Series:
    """Return a series on other lists of names, with NaN or zero statistics for missing ones."""
    series = source.series[name]
    own = {system: place for place, system in enumerate(source.systems)}
    rows = [own.get(system, -1) for system in systems]
    place = {segment: position for position, segment in enumerate(segments)}
    columns = [place[segment] for segment in source.segments]

    def spread(table: FloatArray, empty: float = np.nan) -> FloatArray:
        result = np.full((len(rows), len(segments), *table.shape[2:]), empty)
        for target, row in enumerate(rows):
            if row >= 0:
                result[target, columns] = table[row]
        return result

    values, grades, scores = series.of_segments, series.by_evaluator, series.scores
    if scores is not None:
        statistics, names = spread(scores.statistics, 0.0), tuple(segments)
        scores = replace(scores, systems=tuple(systems), segments=names, statistics=statistics)
    return replace(
        series,
        of_systems=np.append(series.of_systems, np.nan)[rows],
        of_segments=None if values is None else spread(values),
        by_evaluator=None if grades is None else np.array([spread(table) for table in grades]),
        scores=scores,
    )


@dataclass(frozen=True, slots=True)
class _Gap:
    """A gap or difference of sources; ``remedy`` describes the effect of allowing it.

    It is refused unless partial data are allowed, ``always`` or, without a remedy, never.
    """

    code: str
    message: str
    remedy: str = ""
    level: Literal["note", "warning"] = "note"
    always: bool = False
    sentence: str = ""

    def is_refused(self, allow_partial: bool) -> bool:
        return self.always or (bool(self.remedy) and not allow_partial)

    def refusal(self, allow_partial: bool) -> str:
        if self.always:
            return self.message
        return f"{self.message}; {setting('allow_partial')} {self.remedy}"

    @property
    def text(self) -> str:
        return self.sentence or tr("{note}.", note=self.message)


def _unscored(systems: Sequence[str], metric: Series) -> list[str]:
    """Return the optional systems that a metric does not score."""
    rows = zip(systems, np.isnan(metric.of_systems).tolist(), strict=True)
    return [system for system, unscored in rows if unscored and system in metric.optional]


def _missing_systems(panel: Panel) -> Iterator[_Gap]:
    for metric in panel.metrics:
        rows = zip(panel.systems, np.isnan(metric.of_systems).tolist(), strict=True)
        lacking = [name for name, unscored in rows if unscored and name not in metric.optional]
        if lacking:
            message = tr(
                "{metric} has no score for {systems}", metric=metric.name, systems=some(lacking)
            )
            sentence = tr("{message}; judged on the others.", message=message)
            yield _Gap("missing-systems", message, "judges it on the others", sentence=sentence)


def _optional_notes(panel: Panel) -> list[str]:
    unscored = {metric.name: _unscored(panel.systems, metric) for metric in panel.metrics}
    systems = tuple(
        one for one in panel.systems if any(one in found for found in unscored.values())
    )
    if not systems:
        return []
    return [
        tr(
            "References that were judged too, and that not all metrics score: {systems}. Each "
            "metric is judged on the systems that it scores; tests leave these references out.",
            systems=systems,
        )
    ]


def _missing_segments(panel: Panel, standard: Source, owners: Sequence[Source]) -> Iterator[_Gap]:
    """Yield the segments with gold that metrics lack, grouped by metrics with the same gaps.

    Between files, this may mean that segments are numbered differently.
    """
    if panel.gold.of_segments is None:
        return
    judged = _scored_segments(panel.gold.of_segments)
    alike: dict[tuple[str, bytes], list[str]] = {}
    for metric, source in zip(panel.metrics, owners, strict=True):
        if metric.of_segments is not None:
            scored = _scored_segments(metric.of_segments)
            if (judged & ~scored).any():
                alike.setdefault((source.name, scored.tobytes()), []).append(metric.name)
    for (name, scored_bytes), metrics in alike.items():
        scored = np.frombuffer(scored_bytes, np.bool_)
        lacking, more = _ids(panel, judged & ~scored), _ids(panel, scored & ~judged)
        message = tr(
            "{metrics}: no score for {n} of {all} segments that have {gold}: {segments}",
            metrics=some(metrics),
            n=len(lacking),
            all=int(judged.sum()),
            gold=panel.gold.name,
            segments=some(lacking),
        )
        if name == standard.name:
            yield _Gap("missing-segments", message)
            continue
        if more:
            message = tr(
                "{message}; scores of others: {n} ({segments}). {file} and {gold_file} may number "
                "segments differently",
                message=message,
                n=len(more),
                segments=some(more),
                file=name,
                gold_file=standard.name,
            )
        yield _Gap("missing-segments", message, "judges the others", "warning")


def _scored_segments(of_segments: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(~np.isnan(of_segments).all(axis=0))


def _ids(panel: Panel, chosen: NDArray[np.bool_]) -> list[str]:
    return [panel.segments[place] for place in np.flatnonzero(chosen).tolist()]


def _uneven_segments(panel: Panel) -> Iterator[_Gap]:
    """Yield measures whose system scores are means over different segments."""
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
        yield _Gap("uneven-segments", message, "accepts that")


def _other_texts(sources: Sequence[Source]) -> Iterator[_Gap]:
    """Yield pairs of sources that have different texts under the same ids.

    If most texts differ, segments are numbered differently, which is never allowed.
    """
    known = [
        (
            one.name,
            {(name,): text for name, text in one.texts.sources.items()} | {**one.texts.targets},
        )
        for one in sources
        if one.texts
    ]
    for (name, mine), (other, theirs) in combinations(known, 2):
        shared = [] if name == other else [place for place in mine if place in theirs]
        differ = [place for place in shared if not same_text(mine[place], theirs[place])]
        if differ:
            message = tr(
                "{one} and {other} have other texts for {n} of {all} that both name, such as "
                "{place}; they number segments differently, or hold other outputs",
                one=name,
                other=other,
                n=len(differ),
                all=len(shared),
                place=" ".join(differ[0]),
            )
            most = 2 * len(differ) > len(shared)
            yield _Gap("other-texts", message, "accepts that", "warning", always=most)


def _other_documents(sources: Sequence[Source]) -> Iterator[_Gap]:
    """Yield pairs of sources with inconsistent documents, regardless of document names."""
    known = [
        (one.name, dict(zip(one.segments, one.documents, strict=True)))
        for one in sources
        if any(one.documents)
    ]
    for (name, mine), (other, theirs) in combinations(known, 2):
        shared = [segment for segment in mine if mine[segment] and theirs.get(segment)]
        pairs = {(mine[segment], theirs[segment]) for segment in shared}
        if len(pairs) > max((len(set(side)) for side in zip(*pairs, strict=True)), default=0):
            message = tr(
                "{one} and {other} put the same segments into different documents; they may "
                "number segments differently",
                one=name,
                other=other,
            )
            yield _Gap("other-documents", message, "accepts that", "warning")
