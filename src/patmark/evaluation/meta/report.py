"""The report of a meta-evaluation: agreement of each metric, tests between metrics, charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.evaluation.meta.agreement import MetaSettings, MetricRow
from patmark.evaluation.meta.evaluation import MetaEvaluation, evaluate_metrics
from patmark.evaluation.meta.panel import Panel
from patmark.evaluation.meta.significance import MetricTest
from patmark.evaluation.meta.systems import FEW_SYSTEMS, FEWEST_FOR_INTERVAL, FEWEST_SYSTEMS
from patmark.report import Cell, Column, Point, Report, Scatter, Table
from patmark.stats import ALPHA

_LESSON = (
    "A correlation depends on the systems in the set: with systems of another type it can be "
    "quite another one."
)


@dataclass(frozen=True, slots=True, eq=False)
class MetaResult:
    """Metrics judged on all systems, and before that without a type of systems if asked for."""

    evaluations: tuple[MetaEvaluation, ...]

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        *fewer, everything = (one.to_json() for one in self.evaluations)
        return {**fewer[0], "all_systems": everything} if fewer else everything

    def to_report(self) -> Report:
        """One section per choice of systems; the last one, of all systems, is drawn."""
        first, last = self.evaluations[0], self.evaluations[-1]
        compared = [one.comparison for one in self.evaluations if one.comparison]
        notes = [note for one in compared for note in one.notes]
        warnings = dict.fromkeys(warning for one in compared for warning in one.warnings)
        systems = (f"{one.systems_name}: {len(one.panel.systems)}" for one in self.evaluations)
        return Report(
            title="Meta-evaluation",
            subtitle=f"gold: {first.panel.gold.name} · level: {first.settings.level} · "
            + ", ".join(f"{each} systems" for each in systems),
            headlines=(),
            tables=(
                *map(_agreement_table, self.evaluations),
                *(
                    _pair_table(one, test)
                    for one in self.evaluations
                    if one.comparison
                    for test in one.comparison.tests
                ),
            ),
            signatures={"intervals": _interval_signature(first), "tests": _test_signature(first)},
            notes=tuple(dict.fromkeys([*first.panel.notes, *notes, _LESSON])),
            findings=(
                *_few_systems(self.evaluations),
                *warnings,
                *_clusters(self.evaluations),
            ),
            charts=tuple(_charts(last)),
        )


def meta_evaluate(
    panel: Panel, settings: MetaSettings | None = None, without: str | None = None
) -> MetaResult:
    """Judge the metrics of a panel on all systems, and also ``without`` a type of systems."""
    chosen = [without, None] if without is not None else [None]
    return MetaResult(tuple(evaluate_metrics(panel, settings, kind) for kind in chosen))


def _agreement_table(one: MetaEvaluation) -> Table:
    names = list(dict.fromkeys(name for row in one.rows for name in row.agreement))
    details = [name for name in ("epsilon", "acc_eq_cross_validated") if _has(one.rows, name)]
    columns = (
        Column("metric"),
        Column("n", 0),
        *(Column(name, 3) for name in names),
        *(Column(name.replace("_", " "), 3) for name in details),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            row.metric,
            row.n,
            *(row.agreement.get(name) for name in names),
            *(row.details.get(name) for name in details),
        )
        for row in one.rows
    ]
    return Table(
        f"Agreement with {one.panel.gold.name}, {one.systems_name}",
        columns,
        tuple(rows),
        _groups_note(one),
    )


def _has(rows: Sequence[MetricRow], detail: str) -> bool:
    return any(detail in row.details for row in rows)


def _groups_note(one: MetaEvaluation) -> str:
    """What the numbers rest on and what they leave out, counted."""
    if one.settings.level == "system":
        return _system_note(one)
    by = one.settings.average_by
    said = [
        f"n: outputs with {one.panel.gold.name}",
        f"mean over groups (average by {by}): {_counts(one.rows, 'groups')}",
    ]
    for detail, words in (
        ("skipped_groups", "groups with fewer than two outputs left out"),
        ("undefined_groups_pearson", "groups where a side is constant left out of Pearson"),
    ):
        if any(row.details[detail] for row in one.rows):
            said.append(f"{words}: {_counts(one.rows, detail)}")
    if by == "item":
        shares = [
            (words, one.rows[0].details[detail])
            for words, detail in (
                ("ties everything", "acc_eq_constant_metric"),
                ("orders at random", "acc_eq_random_metric"),
            )
        ]
        said += [f"a metric that {words} has acc_eq {share:.3f}" for words, share in shares]
        said.append("the interval of the calibrated value takes its threshold as given")
    else:
        said.append("kendall and acc_eq have an interval only with --average-by item")
    return "; ".join(said) + "."


def _system_note(one: MetaEvaluation) -> str:
    said = ["n: systems" + (". Intervals in brackets, 95 %" if _has_intervals(one) else "")]
    undefined = _counts(one.rows, "undefined_resamples")
    if any(row.details["undefined_resamples"] for row in one.rows):
        said.append(f"resamples without a value, left out: {undefined}")
    if not all("SPA" in row.agreement for row in one.rows):
        said.append("SPA needs scores of all systems on the same segments, of gold and of metrics")
    return "; ".join(said) + "."


def _has_intervals(one: MetaEvaluation) -> bool:
    return any(found.ci is not None for row in one.rows for found in row.agreement.values())


def _counts(rows: Sequence[MetricRow], detail: str) -> str:
    """A number for all metrics, or one for each where they differ."""
    values = {row.metric: f"{row.details[detail]:.0f}" for row in rows}
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{metric} {value}" for metric, value in values.items())


def _pair_table(one: MetaEvaluation, test: MetricTest) -> Table:
    columns = (
        Column("better"),
        Column("worse"),
        Column(f"difference in {test.statistic}", 3),
        Column("p", 4, p_value=True),
        Column("p corrected", 4, p_value=True),
    )
    ordered = sorted(test.pairs, key=lambda pair: (np.isnan(pair.p), pair.p, -pair.delta))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (pair.better, pair.worse, pair.delta, pair.p, pair.p_holm) for pair in ordered
    )
    return Table(
        f"{test.name} between metrics, {one.systems_name}",
        columns,
        rows,
        f"One-sided, corrected by Holm over all pairs. {test.note}".strip(),
        section="tests between metrics",
    )


def _clusters(evaluations: Sequence[MetaEvaluation]) -> list[str]:
    sentences = []
    for one in evaluations:
        for test in one.comparison.tests if one.comparison else ():
            if not test.testable or all(pair.p != pair.p for pair in test.pairs):
                continue
            sentences.append(f"{test.name}, {one.systems_name}: {_told_apart(test)}.")
    return sentences


def _told_apart(test: MetricTest) -> str:
    clusters = test.clusters or ()
    groups = " | ".join(", ".join(members) for members in clusters)
    if len(clusters) > 1:
        return f"metrics in groups, best first: {groups}"
    return f"no metric is significantly better than another at {ALPHA:.0%}: {groups}"


def _few_systems(evaluations: Sequence[MetaEvaluation]) -> list[str]:
    warnings = []
    for one in evaluations:
        n = len(one.panel.systems)
        if one.settings.level == "system" and n < FEW_SYSTEMS:
            rule = (
                f"fewer than {FEWEST_SYSTEMS} have no correlation"
                if n < FEWEST_SYSTEMS
                else f"fewer than {FEWEST_FOR_INTERVAL} have no interval"
                if n < FEWEST_FOR_INTERVAL
                else "intervals from so few are too narrow"
            )
            warnings.append(f"Warning: only {n} systems ({one.systems_name}); {rule}.")
    return warnings


def _interval_signature(one: MetaEvaluation) -> str:
    sampling = one.settings.sampling
    if not sampling.resamples:
        return "none (no resamples)"
    if not _has_intervals(one):
        return "none (too few systems or segments)"
    drawn = str(one.units) if one.units else "none"
    level = one.settings.level
    unit = f"systems, and segments where known: {drawn}" if level == "system" else drawn
    return f"percentile bootstrap, 95 %|draws:{sampling.resamples}|unit:{unit}|seed:{sampling.seed}"


def _test_signature(one: MetaEvaluation) -> str:
    return (
        f"permutations:{one.settings.permutations}|seed:{one.settings.sampling.seed}"
        "|p:(b+1)/(k+1), one-sided|correction:Holm"
    )


def _charts(one: MetaEvaluation) -> list[Scatter]:
    """Each metric against gold, a point per system, marked by type."""
    panel = one.panel
    by_name = {row.metric: row for row in one.rows}
    charts = []
    for metric in panel.metrics:
        points = tuple(
            Point(float(x), float(y), system, panel.kinds.get(system, ""))
            for system, x, y in zip(
                panel.systems, metric.of_systems, panel.gold.of_systems, strict=True
            )
        )
        note = ""
        if one.settings.level == "system":
            found = by_name[metric.name].agreement
            note = (
                f"Pearson {found['pearson'].value:.3f}, Spearman {found['spearman'].value:.3f}, "
                f"{by_name[metric.name].n} systems."
            )
        sign = "−" if metric.turned else ""
        title = f"{panel.gold.name} against {metric.name}"
        charts.append(Scatter(title, f"{sign}{metric.name}", panel.gold.name, points, note))
    return charts
