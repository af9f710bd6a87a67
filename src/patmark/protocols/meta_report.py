"""The report of a meta-evaluation: agreement of each metric, tests between metrics, charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patmark.data import Cell, Column, Point, Report, Scatter, Table
from patmark.protocols.meta_evaluation import MetaEvaluation, MetricRow
from patmark.protocols.meta_tests import MetricTest

_LESSON = (
    "A correlation depends on the systems in the set: with systems of another type it can be "
    "quite another one."
)


def meta_report(evaluations: Sequence[MetaEvaluation], title: str = "Meta-evaluation") -> Report:
    """One section per choice of systems, such as without a type and all; the last one is drawn."""
    first = evaluations[0]
    tables: list[Table] = []
    for one in evaluations:
        tables.append(_agreement_table(one))
        if one.comparison:
            tables += [_pair_table(one, test) for test in one.comparison.tests]
    more = [note for one in evaluations if one.comparison for note in one.comparison.notes]
    return Report(
        title=title,
        subtitle=f"gold: {first.panel.gold.name} · level: {first.settings.level} · "
        + ", ".join(f"{one.systems_name}: {len(one.panel.systems)} systems" for one in evaluations),
        headlines=(),
        tables=tuple(tables),
        signatures={"intervals": _interval_signature(first), "tests": _test_signature(first)},
        notes=tuple(dict.fromkeys([*first.panel.notes, *more, _LESSON])),
        findings=tuple(_clusters(evaluations)),
        charts=tuple(_charts(evaluations[-1])),
    )


def _agreement_table(one: MetaEvaluation) -> Table:
    names = list(dict.fromkeys(name for row in one.rows for name in row.agreement))
    details = [name for name in ("epsilon", "acc_eq_cross_validated") if _has(one.rows, name)]
    columns = (
        Column("metric"), Column("n", 0), *(Column(name, 3) for name in names),
        *(Column(name.replace("_", " "), 3) for name in details),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = [
        (
            row.metric, row.n, *(row.agreement.get(name) for name in names),
            *(row.details.get(name) for name in details),
        )
        for row in one.rows
    ]  # fmt: skip
    return Table(
        f"Agreement with {one.panel.gold.name}, {one.systems_name}", columns, tuple(rows),
        _groups_note(one),
    )  # fmt: skip


def _has(rows: Sequence[MetricRow], detail: str) -> bool:
    return any(detail in row.details for row in rows)


def _groups_note(one: MetaEvaluation) -> str:
    """What the means leave out, counted."""
    if one.settings.level == "system":
        return "n: systems. Intervals in brackets, 95 %."
    details = one.rows[0].details
    said = [
        f"n: outputs with {one.panel.gold.name}",
        f"mean over {details['groups']:.0f} groups (average by {one.settings.average_by})",
    ]
    if details["skipped_groups"]:
        said.append(f"{details['skipped_groups']:.0f} groups with fewer than two outputs left out")
    undefined = [
        f"{row.metric} {details_of:.0f}"
        for row in one.rows
        if (details_of := row.details["undefined_groups_pearson"])
    ]
    if undefined:
        said.append(f"groups where a side is constant, left out of Pearson: {', '.join(undefined)}")
    if "acc_eq_constant_metric" in details:
        share = details["acc_eq_constant_metric"]
        said.append(f"a metric that ties everything has acc_eq {share:.3f}")
    return "; ".join(said) + "."


def _pair_table(one: MetaEvaluation, test: MetricTest) -> Table:
    columns = (
        Column("better"), Column("worse"), Column(f"difference in {test.statistic}", 3),
        Column("p", 4), Column("p corrected", 4),
    )  # fmt: skip
    ordered = sorted(test.pairs, key=lambda pair: (np.isnan(pair.p), pair.p, -pair.delta))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (pair.better, pair.worse, pair.delta, pair.p, pair.p_holm) for pair in ordered
    )
    return Table(f"{test.name} between metrics, {one.systems_name}", columns, rows,
                 f"One-sided, corrected by Holm over all pairs. {test.note}".strip())  # fmt: skip


def _clusters(evaluations: Sequence[MetaEvaluation]) -> list[str]:
    sentences = []
    for one in evaluations:
        for test in one.comparison.tests if one.comparison else ():
            groups = " | ".join(", ".join(members) for members in test.clusters)
            sentences.append(f"{test.name}, {one.systems_name}, metrics in groups: {groups}.")
    return sentences


def _interval_signature(one: MetaEvaluation) -> str:
    sampling = one.settings.sampling
    if not sampling.resamples:
        return "none (no resamples)"
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
