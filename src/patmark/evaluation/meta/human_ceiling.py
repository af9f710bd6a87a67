"""The human ceiling: people evaluated by the same statistic as metrics, one evaluator at a time.

Gold is the mean of the other evaluators' standardised grades on the outputs that the evaluator
judged too. The evaluator and every metric are compared with it on the same outputs, and the results
are averaged over evaluators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import Estimate, FloatArray, ratio
from patmark.evaluation.meta.agreement import (
    COEFFICIENTS,
    FEWEST_SYSTEMS,
    MetaSettings,
    calibrated_per_item,
    values_json,
)
from patmark.evaluation.meta.panel import Panel
from patmark.report import Column, Table, Way, entry, fields_json
from patmark.stats import (
    Coefficient,
    Units,
    draw_weights,
    group_coefficients,
    interval_of,
    kendall_b,
    pearson,
    spearman,
)
from patmark.wording import tr

PEOPLE = tr("people")
_CALIBRATED = "acc_eq calibrated"
_MOST_DRAWS = 1000  # each computes every coefficient of every metric with every evaluator
_BY_ITEM: Mapping[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall_b,
}


@dataclass(frozen=True, slots=True)
class CeilingRow:
    """People, or one metric, against the other evaluators; ``less_people`` is the difference."""

    name: str
    agreement: Mapping[str, Estimate]
    less_people: Mapping[str, Estimate]

    def to_json(self) -> dict[str, Any]:
        """Return values with their intervals beside them."""
        less = values_json(self.less_people, "less_people_ci")
        intervals = less.pop("less_people_ci")
        return fields_json(
            self, "metric=name", **values_json(self.agreement), less_people=less,
            less_people_ci=intervals,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PeopleCeiling:
    """Correlations of people, then of metrics, on ``outputs`` with at least two evaluators."""

    evaluators: int
    outputs: int
    rows: tuple[CeilingRow, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return fields_json(self)

    def table(self, gold: str, where: str) -> Table:
        """Return people and metrics by every statistic, each with its difference to people."""
        columns: list[tuple[Column, Way]] = [(Column(tr("metric")), "name")]
        for name in self.rows[0].agreement:
            columns += [
                (Column(name, 3), entry("agreement", name)),
                (Column(tr("less people"), 3), entry("less_people", name)),
            ]
        return Table.of_records(
            tr("Human ceiling by {gold}, {where}", gold=gold, where=where),
            self.rows,
            columns,
            tr(
                "Each of {evaluators} evaluators, and every metric, against the mean of the other "
                "evaluators (standardised grades) on the same {outputs} outputs; means over "
                "evaluators. Intervals draw documents or segments, and evaluators. Few evaluators "
                "are no strict bound: a metric may exceed them.",
                evaluators=self.evaluators,
                outputs=self.outputs,
            ),
        )


def human_ceiling_of(panel: Panel, settings: MetaSettings, units: Units) -> PeopleCeiling | None:
    """Return people and metrics against the other evaluators; None without common outputs."""
    grades = panel.gold.by_evaluator
    if grades is None:
        return None
    scored = [one.of_segments for one in panel.metrics]
    tables = [one for one in scored if one is not None]
    if len(tables) < len(scored):
        return None
    known = np.asarray(~np.isnan(np.array(tables)).any(axis=0))
    active = (~np.isnan(grades)).any(axis=(1, 2))
    grades = grades[active]
    held = []
    for place, own in enumerate(grades):  # the mean of the others' grades on the own outputs
        others = np.delete(grades, place, axis=0)
        centre = np.nanmean(others, axis=(1, 2), keepdims=True)
        spread = np.nanstd(others, axis=(1, 2), keepdims=True)
        standard = (others - centre) / np.where(spread > 0, spread, 1.0)
        given = ~np.isnan(standard)
        mean = ratio(np.where(given, standard, 0.0).sum(axis=0), given.sum(axis=0))
        held.append(np.where(known & ~np.isnan(own), mean, np.nan))
    kept = [(place, gold) for place, gold in enumerate(held) if not np.isnan(gold).all()]
    if len(kept) < 2:
        return None
    compared = [(gold, np.array([grades[place], *tables])) for place, gold in kept]
    by_system = settings.level == "system"
    if by_system and len(panel.systems) < FEWEST_SYSTEMS:
        return None
    found = (_of_systems if by_system else _of_items)(compared, units, settings)
    outputs = int((np.array([~np.isnan(gold) for gold, _ in compared]).any(axis=0)).sum())
    names = [PEOPLE, *(one.name for one in panel.metrics)]
    sizes = units.sizes(np.asarray(known.any(axis=0)))
    return PeopleCeiling(len(kept), outputs, _rows(names, found, sizes, outputs))


_Compared = Sequence[tuple[FloatArray, FloatArray]]
_Drawn = Mapping[str, tuple[FloatArray, FloatArray]]
"""By statistic: values (rows,) and draws (resamples, rows)."""


def _rows(names: Sequence[str], found: _Drawn, sizes: FloatArray, n: int) -> tuple[CeilingRow, ...]:
    rows = []
    for place, name in enumerate(names):
        agreement, less = {}, {}
        for statistic, (values, draws) in found.items():
            agreement[statistic] = _estimate(values[place], draws[:, place], sizes, n)
            if place:
                gap = draws[:, place] - draws[:, 0]
                less[statistic] = _estimate(values[place] - values[0], gap, sizes, n)
        rows.append(CeilingRow(name, agreement, less))
    people, *metrics = rows
    first = next(iter(found))
    order = sorted(metrics, key=lambda row: -np.nan_to_num(row.agreement[first].value, nan=-2.0))
    return (people, *order)


def _estimate(value: float, drawn: FloatArray, sizes: FloatArray, n: int) -> Estimate:
    if np.isnan(value) or not drawn.size or np.isnan(drawn).all():
        return Estimate(float(value), None, n)
    return Estimate(float(value), interval_of(float(value), drawn, sizes).ci, n)


def _of_items(compared: _Compared, units: Units, settings: MetaSettings) -> _Drawn:
    """Return means over items of each coefficient, of items where all have one."""
    found = {}
    for name in (*_BY_ITEM, _CALIBRATED):
        tables = []
        for gold, scores in compared:
            masked = (np.where(np.isnan(gold), np.nan, row) for row in scores)
            values = np.array(
                [
                    calibrated_per_item(gold, row)
                    if name == _CALIBRATED
                    else group_coefficients(gold, row, _BY_ITEM[name], "item")
                    for row in masked
                ]
            )
            values[:, np.isnan(values).any(axis=0)] = np.nan
            tables.append(values)
        table = np.array(tables)  # (evaluators, rows, items)
        defined = ~np.isnan(table)
        sums = np.stack([np.where(defined, table, 0.0), defined], axis=-1)
        whole = sums.sum(axis=2)
        values = _mean_known(ratio(whole[..., 0], whole[..., 1]))
        found[name] = (values, _mean_draws(sums, units, settings))
    return found


def _mean_draws(sums: FloatArray, units: Units, settings: MetaSettings) -> FloatArray:
    """Return means of drawn items and evaluators, (resamples, rows)."""
    evaluators, rows = sums.shape[:2]
    per_unit = units.totals(sums.reshape(evaluators * rows, -1, 2))
    drawn = []
    for block, chosen in _draws(units, evaluators, settings):
        totals = np.einsum("ru,mus->rms", block, per_unit)
        means = ratio(totals[..., 0], totals[..., 1]).reshape(len(block), evaluators, rows)
        drawn.append(_weighted_mean(means, chosen))
    return np.concatenate(drawn) if drawn else np.empty((0, rows))


def _of_systems(compared: _Compared, units: Units, settings: MetaSettings) -> _Drawn:
    """Return each coefficient over systems, of means of the judged outputs."""
    statistics = []
    for gold, scores in compared:
        judged = ~np.isnan(gold)
        table = np.where(judged, np.concatenate([gold[None], scores]), 0.0)
        statistics.append(np.stack([table, np.broadcast_to(judged, table.shape)], axis=-1))
    sums = np.array(statistics)  # (evaluators, gold and rows, systems, segments, 2)
    whole = sums.sum(axis=3)
    means = ratio(whole[..., 0], whole[..., 1])
    evaluators, rows, systems = means.shape
    values = {name: _mean_known(_coefficients(means, each)) for name, each in COEFFICIENTS.items()}
    drawn: dict[str, list[FloatArray]] = {name: [] for name in COEFFICIENTS}
    per_unit = units.totals(sums.reshape(evaluators * rows * systems, -1, 2))
    for block, chosen in _draws(units, evaluators, settings):
        totals = np.einsum("ru,mus->rms", block, per_unit)
        shape = (len(block), evaluators, rows, systems)
        resampled = ratio(totals[..., 0], totals[..., 1]).reshape(shape)
        for name, each in COEFFICIENTS.items():
            drawn[name].append(_weighted_mean(_coefficients(resampled, each), chosen))
    none = np.empty((0, rows - 1))
    return {
        name: (values[name], np.concatenate(found) if found else none)
        for name, found in drawn.items()
    }


def _coefficients(means: FloatArray, coefficient: Coefficient) -> FloatArray:
    """Return the coefficient of each row with gold, which comes first, over systems that have both.

    NaN where a system has no mean.
    """
    gold, rows = means[..., :1, :], means[..., 1:, :]
    gold = np.broadcast_to(gold, rows.shape).reshape(-1, rows.shape[-1])
    flat = rows.reshape(gold.shape)
    whole = ~(np.isnan(gold) | np.isnan(flat)).any(axis=1)
    found = np.full(len(flat), np.nan)
    found[whole] = coefficient(gold[whole], flat[whole])
    for place in np.flatnonzero(~whole).tolist():
        both = ~(np.isnan(gold[place]) | np.isnan(flat[place]))
        if both.sum() >= FEWEST_SYSTEMS:
            found[place] = coefficient(gold[place][both], flat[place][both])
    return found.reshape(rows.shape[:-1])


def _draws(
    units: Units, evaluators: int, settings: MetaSettings
) -> Sequence[tuple[FloatArray, FloatArray]]:
    """Return weights of units and of evaluators, drawn together."""
    sampling = settings.sampling
    resamples = min(sampling.resamples, _MOST_DRAWS)
    blocks = list(draw_weights(units.count, resamples, sampling.seed))
    rng = np.random.default_rng([sampling.seed, 1])
    shares = np.full(evaluators, 1 / evaluators)
    return [
        (block, rng.multinomial(evaluators, shares, len(block)).astype(np.float64))
        for block in blocks
    ]


def _mean_known(values: FloatArray) -> FloatArray:
    """Return means over evaluators, the first axis, of values that are defined."""
    return np.asarray(_weighted_mean(values[None], np.ones((1, len(values))))[0])


def _weighted_mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return means over evaluators of values (resamples, evaluators, rows) that are defined."""
    known = ~np.isnan(values)
    shares = weights[:, :, None] * known
    return ratio((np.where(known, values, 0.0) * shares).sum(axis=1), shares.sum(axis=1))
