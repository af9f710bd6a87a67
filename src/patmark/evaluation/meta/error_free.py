"""Detection of error-free outputs by metrics.

An output counts as error-free if its gold reaches a value, such as 0 points of MQM. All systems and
segments count together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, Notice
from patmark.evaluation.meta.agreement import MetaSettings, MetricRow
from patmark.evaluation.meta.panel import Panel, Series
from patmark.report import Column, Table, Way, entry, fields_json
from patmark.stats import (
    Sampling,
    Units,
    area_draws,
    area_under_curve,
    best_threshold,
    confusion,
    detection_scores,
    held_out_decisions,
    interval_of,
    resample_totals,
    rounded,
)
from patmark.wording import tr

_FOLDS = 10


@dataclass(frozen=True, slots=True, eq=False)
class ErrorFreeDetection:
    """Every metric as a detector of error-free outputs.

    ``value`` is the gold from which an output counts as error-free, ``base_rate`` the share of
    outputs that are.
    """

    gold: str
    value: float
    outputs: int
    base_rate: float
    rows: tuple[MetricRow, ...]

    @property
    def call_all_f1(self) -> float:
        """F1 of a metric that calls every output error-free."""
        return 2 * self.base_rate / (1 + self.base_rate)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """A warning if all outputs are error-free, or none is."""
        if 0 < self.base_rate < 1:
            return ()
        message = tr(
            "{share:.0%} of the outputs count as error-free by {gold} {value:g}; no metric can be "
            "judged by that.",
            share=self.base_rate,
            gold=self.gold,
            value=self.value,
        )
        return (Notice("warning", "one-class", message),)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        calling = "f1_of_calling_all_error_free=call_all_f1"
        return fields_json(self, "value", "outputs", "base_rate", calling, "rows")

    def table(self, where: str) -> Table:
        """Return one row for each metric."""
        columns: list[tuple[Column, Way]] = [
            (Column(tr("metric")), "metric"),
            (Column("n", 0), "n"),
            *((Column(name, 3), entry("agreement", name)) for name in self.rows[0].agreement),
            (Column(tr("threshold"), 3), entry("details", "threshold")),
        ]
        return Table.of_records(
            tr("Error-free outputs by {gold}, {where}", gold=self.gold, where=where),
            self.rows,
            columns,
            tr(
                "Error-free: {gold} of {value:g} or better, {share:.1%} of the outputs. AUC: "
                "probability that an error-free output has the higher score. The others are at the "
                "threshold with the best F1 in other documents or segments; the one of all data is "
                "shown. Calling every output error-free has F1 {f1:.3f}.",
                gold=self.gold,
                value=self.value,
                share=self.base_rate,
                f1=self.call_all_f1,
            ),
        )


def detect_error_free(panel: Panel, settings: MetaSettings, units: Units) -> ErrorFreeDetection:
    """Judge each metric as a detector of outputs whose gold reaches ``settings.error_free``."""
    gold, value = panel.gold.of_segments, settings.error_free
    if gold is None or value is None:  # pragma: no cover - refused before
        raise ValueError("error-free outputs need gold of segments")
    reached = rounded(gold) >= (-value if panel.gold.turned else value)
    judged = ~np.isnan(gold)
    rows = [_detected(one, reached, judged, units, settings.sampling) for one in panel.metrics]
    ordered = sorted(rows, key=lambda row: -np.nan_to_num(row.agreement["AUC"].value, nan=-1.0))
    share = float(reached[judged].mean())
    return ErrorFreeDetection(panel.gold.name, value, int(judged.sum()), share, tuple(ordered))


def _detected(
    metric: Series,
    reached: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    units: Units,
    sampling: Sampling,
) -> MetricRow:
    table = metric.of_segments
    if table is None:  # pragma: no cover - refused before
        raise ValueError(f"{metric.name} has no scores of segments")
    known = judged & ~np.isnan(table)
    segment = np.nonzero(known)[1]
    scores, positive, unit = rounded(table[known]), reached[known], units.of_segment[segment]
    counts = np.zeros((1, table.shape[1], 4))
    if len(np.unique(unit)) > 1:
        called = held_out_decisions(scores, positive, unit, _FOLDS)
        np.add.at(counts[0], segment, confusion(called, positive))
    values = detection_scores(counts[0].sum(axis=0))
    found = {"AUC": Estimate(area_under_curve(scores, positive), None, len(scores))}
    found |= {name: Estimate(float(each), None, len(scores)) for name, each in values.items()}
    resamples, seed = sampling.resamples, sampling.seed
    if resamples:  # with fixed thresholds
        sums = resample_totals(counts, units, resamples, seed)[:, 0]
        area = area_draws(scores, positive, unit, units.count, resamples, seed)
        sizes = units.sizes(np.asarray(known.any(axis=0)))
        for name, drawn in {"AUC": area, **detection_scores(sums)}.items():
            one = found[name]
            if not np.isnan(one.value) and not np.isnan(drawn).all():
                found[name] = replace(one, ci=interval_of(one.value, drawn, sizes).ci)
    limit = best_threshold(scores, positive)
    threshold = {"threshold": -limit if metric.turned else limit}
    return MetricRow(metric.name, len(scores), found, threshold)
