"""Gaps in BLEU that come with better retrieval.

Every pair of runs has a gap in BLEU and a test of its difference in an outcome such as mean average
precision (MAP). Two gaps summarise the pairs. The *necessary* gap is the smallest one with a
significant difference. The *safe* gap is the largest one without: above it, every pair differed
significantly. Both describe only these runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, read_score_table
from patmark.errors import InputError, UsageError
from patmark.report import Cell, Column, Limit, Point, Scatter, Table, clauses
from patmark.wording import percent, tr

POOLED = tr("pooled")
STRICT_LEVEL = 0.01
_TITLE = tr("Gaps and significance")
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class GapPair:
    """Two runs. ``better`` has the higher outcome; all differences are better minus worse.

    ``gaps`` maps a metric to its difference, negative if the metric prefers the other run.
    ``level`` is the significance level of the outcomes, None if they do not differ.
    """

    better: str
    worse: str
    outcome_gap: float
    gaps: Mapping[str, float]
    level: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            "better": self.better,
            "worse": self.worse,
            "level": self.level,
            "gaps": {name: round(gap, _DIGITS) for name, gap in self.gaps.items()},
            "outcome_gap": round(self.outcome_gap, _DIGITS),
        }


@dataclass(frozen=True, slots=True)
class GapLimits:
    """The necessary and the safe gap of a metric; None if no pair decides it.

    A negative necessary gap means that a run was significantly better with a lower metric.
    """

    metric: str
    necessary: float | None
    safe: float | None
    significant: int
    others: int

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            "metric": self.metric,
            "necessary": None if self.necessary is None else round(self.necessary, _DIGITS),
            "safe": None if self.safe is None else round(self.safe, _DIGITS),
            "pairs_significant": self.significant,
            "pairs_other": self.others,
        }


def gap_pairs(
    metrics: Mapping[str, Mapping[str, float]],
    outcome: Mapping[str, float],
    levels: Mapping[frozenset[str], float | None],
) -> tuple[GapPair, ...]:
    """Return all pairs of runs, best outcome first.

    ``metrics`` maps a metric to the value of each run, ``levels`` a pair of runs to the
    significance level of their outcomes.
    """
    runs = sorted(outcome, key=lambda run: -outcome[run])
    _check(metrics, runs, levels)
    return tuple(
        GapPair(
            better,
            worse,
            outcome[better] - outcome[worse],
            {name: values[better] - values[worse] for name, values in metrics.items()},
            levels[frozenset((better, worse))],
        )
        for better, worse in combinations(runs, 2)
    )


def _check(
    metrics: Mapping[str, Mapping[str, float]],
    runs: Sequence[str],
    levels: Mapping[frozenset[str], float | None],
) -> None:
    missing = [
        f"{name} of {run}" for name, values in metrics.items() for run in runs if run not in values
    ]
    missing += [
        f"the level of {first} and {second}"
        for first, second in combinations(runs, 2)
        if frozenset((first, second)) not in levels
    ]
    if missing:
        raise UsageError(f"gaps need every value of every run; missing: {', '.join(missing)}")


def gap_limits(pairs: Sequence[GapPair], level: float = STRICT_LEVEL) -> tuple[GapLimits, ...]:
    """Return the limits by each metric and, if there are several, by all their gaps pooled."""
    names = list(pairs[0].gaps) if pairs else []
    significant = np.array([pair.level is not None and pair.level <= level for pair in pairs])
    gaps = {name: np.array([pair.gaps[name] for pair in pairs]) for name in names}
    limits = [_limits(name, gaps[name], significant) for name in names]
    if len(names) > 1:
        pooled = np.concatenate([gaps[name] for name in names])
        limits.append(_limits(POOLED, pooled, np.tile(significant, len(names))))
    return tuple(limits)


def _limits(metric: str, gaps: FloatArray, significant: NDArray[np.bool_]) -> GapLimits:
    """Compute the limits; a significant pair in the wrong order counts against safety, too."""
    misleading = np.abs(gaps[~significant | (gaps < 0)])
    return GapLimits(
        metric,
        float(gaps[significant].min()) if significant.any() else None,
        float(misleading.max()) if misleading.size else None,
        int(significant.sum()),
        int((~significant).sum()),
    )


def level_text(level: float | None) -> str:
    """Return a level of significance in words, as tables and charts show it."""
    return tr("none") if level is None else percent(level)


def pair_table(pairs: Sequence[GapPair], title: str, outcome: str) -> Table:
    """Tabulate every pair with its level and its gaps, the most significant differences first."""
    names = list(pairs[0].gaps) if pairs else []
    columns = (
        Column(tr("better")),
        Column(tr("worse")),
        Column(tr("significant at")),
        *(Column(tr("Δ {measure}", measure=name)) for name in names),
        Column(tr("Δ {measure}", measure=outcome), 4),
    )
    ordered = sorted(pairs, key=lambda pair: (_rank(pair.level), -pair.outcome_gap))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            pair.better,
            pair.worse,
            level_text(pair.level),
            *(pair.gaps[name] for name in names),
            pair.outcome_gap,
        )
        for pair in ordered
    )
    return Table(title, columns, rows, tr("Better and worse by {outcome}.", outcome=outcome))


def gap_charts(pairs: Sequence[GapPair], title: str, outcome: str) -> tuple[Scatter, ...]:
    """Return a chart per metric: its gap against that of the outcome, by level, with limits.

    There are no regression lines, because significance levels are not groups of systems.
    """
    names = list(pairs[0].gaps) if pairs else []
    limits = {each.metric: each for each in gap_limits(pairs)}
    ordered = sorted(pairs, key=lambda pair: _rank(pair.level))
    return tuple(
        Scatter(
            tr("{name}: {text}", name=title, text=name),
            tr("Δ {measure}", measure=name),
            tr("Δ {measure}", measure=outcome),
            tuple(
                Point(
                    pair.gaps[name],
                    pair.outcome_gap,
                    f"{pair.better}–{pair.worse}",
                    tr("significant at {level}", level=level_text(pair.level))
                    if pair.level
                    else tr("not significant"),
                )
                for pair in ordered
            ),
            regression=False,
            limits=_limit_lines(limits[name]),
        )
        for name in names
    )


def _limit_lines(limits: GapLimits) -> tuple[Limit, ...]:
    found = ((tr("necessary gap"), limits.necessary), (tr("safe above"), limits.safe))
    return tuple(
        Limit(gap, tr("{name} {gap:.2f}", name=name, gap=gap))
        for name, gap in found
        if gap is not None
    )


def _rank(level: float | None) -> float:
    return 1.0 if level is None else level


@dataclass(frozen=True, slots=True)
class MetricGaps:
    """All pairs of runs with a value, and their summary gaps.

    ``without_value`` are runs without one, such as the search with the original topics.
    """

    measure: str
    pairs: tuple[GapPair, ...]
    limits: tuple[GapLimits, ...]
    without_value: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            "measure": self.measure,
            "pairs": [pair.to_json() for pair in self.pairs],
            "limits": [each.to_json() for each in self.limits],
            "without_value": list(self.without_value),
        }

    def tables(self) -> tuple[Table, ...]:
        """Return the summary gaps, and every pair."""
        return _limits_table(self.limits), pair_table(self.pairs, _TITLE, self.measure)

    def charts(self) -> tuple[Scatter, ...]:
        """Return one chart per metric."""
        return gap_charts(self.pairs, _TITLE, self.measure)

    def findings(self) -> list[str]:
        """State the necessary and the safe gap; a line per metric."""
        return [_finding(each, self.measure) for each in self.limits]

    def notes(self) -> list[str]:
        """Return notes on the gaps."""
        notes: list[str] = [
            tr("The gaps describe the {n} pairs of these runs, no others.", n=len(self.pairs))
        ]
        if self.without_value:
            notes.append(
                tr(
                    "In no gap, without a value: {without_value}.",
                    without_value=tuple(self.without_value),
                )
            )
        return notes


def metric_gaps(
    measure: str,
    outcome: Mapping[str, float],
    levels: Mapping[frozenset[str], float | None],
    metrics: Mapping[str, Mapping[str, float]],
) -> MetricGaps:
    """Compute the gaps of the runs that have a value under every metric."""
    valued = {run for values in metrics.values() for run in values}
    unknown = sorted(valued - outcome.keys())
    if unknown:
        known = ", ".join(outcome)
        raise UsageError(f"there is no run called {', '.join(unknown)}; there are {known}")
    if len(valued) < 2:
        raise UsageError("gaps need values of at least two runs")
    pairs = gap_pairs(metrics, {run: outcome[run] for run in outcome if run in valued}, levels)
    without = tuple(run for run in outcome if run not in valued)
    return MetricGaps(measure, pairs, gap_limits(pairs), without)


def read_metrics(arguments: Sequence[str]) -> dict[str, dict[str, float]]:
    """Read metrics by run: ``NAME=VALUE`` is BLEU; a CSV has scores of whole systems."""
    metrics: dict[str, dict[str, float]] = {}
    for argument in arguments:
        name, _, text = argument.rpartition("=")
        value = _number(text) if name.strip() else None
        found = {"BLEU": {name.strip(): value}} if value is not None else _read_table(argument)
        for metric, values in found.items():
            known = metrics.setdefault(metric, {})
            doubles = sorted(known.keys() & values.keys())
            if doubles:
                raise UsageError(f"{metric} of {', '.join(doubles)} is given twice")
            known |= values
    return metrics


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _read_table(path: str) -> dict[str, dict[str, float]]:
    table = read_score_table(path)
    found = {
        metric: {
            system: float(value)
            for system, value in zip(table.systems, values, strict=True)
            if not np.isnan(value)
        }
        for metric, values in table.of_systems.items()
    }
    if not found:
        raise InputError.at("has no score of a whole system (a row with an empty segment)", path)
    return found


def _finding(each: GapLimits, measure: str) -> str:
    if each.necessary is None:
        return tr(
            "{metric}: no pair differs at 1 % in {measure}, whatever its gap.",
            metric=each.metric,
            measure=measure,
        )
    safe = tr("every pair differs.")
    if each.safe is not None:
        safe = tr("every pair with a gap above {gap:.2f} differs.", gap=each.safe)
    return clauses(
        tr(
            "{metric}: pairs that differ at 1 % in {measure} have a gap of at least {gap:.2f}",
            metric=each.metric,
            measure=measure,
            gap=each.necessary,
        ),
        safe,
    )


def _limits_table(limits: Sequence[GapLimits]) -> Table:
    columns = (
        Column(tr("metric")),
        Column(tr("necessary")),
        Column(tr("safe above")),
        Column(tr("pairs at 1 %"), 0),
        Column(tr("others"), 0),
    )
    rows = tuple(
        (each.metric, each.necessary, each.safe, each.significant, each.others) for each in limits
    )
    return Table(
        tr("Gap needed for better retrieval"),
        columns,
        rows,
        tr(
            "Necessary: smallest gap of a pair that differs at 1 %. Safe: largest gap of any other."
        ),
    )
