"""How metrics judge single outputs: correlation with gold within groups of outputs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from patmark.data import Estimate, FloatArray
from patmark.errors import InputError, Problem, UsageError
from patmark.protocols.meta_panel import Panel, Series
from patmark.protocols.meta_rows import MetaSettings, MetricRow
from patmark.stats import Units
from patmark.stats.correlation import Coefficient, grouped, pearson, spearman
from patmark.stats.correlation_intervals import segment_intervals
from patmark.stats.pair_counts import acc_eq, kendall_b
from patmark.stats.tie_calibration import calibrate, constant_accuracy, cross_validated

_FOLDS = 10
_SEGMENT_COEFFICIENTS: Mapping[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall_b,
    "acc_eq": acc_eq,
}
_RESAMPLED_WHOLE = ("pearson", "spearman")  # over all cells or by system, others take too long


def segment_rows(panel: Panel, settings: MetaSettings, units: Units | None) -> list[MetricRow]:
    """Every metric at segment level; all need a score wherever there is gold."""
    gold = panel.gold.of_segments
    lacking = [one.name for one in (panel.gold, *panel.metrics) if one.of_segments is None]
    if gold is None or lacking or units is None:
        raise UsageError(f"{', '.join(lacking)} has no scores of segments; use --level system")
    if not settings.allow_partial:
        _refuse_gaps(panel, gold)
    return [_segment_row(gold, metric, settings, units) for metric in panel.metrics]


def _refuse_gaps(panel: Panel, gold: FloatArray) -> None:
    """Refuse metrics without a score where there is gold; name a place for each."""
    problems = []
    for metric in panel.metrics:
        if metric.of_segments is None:
            continue
        gaps = np.argwhere(np.isnan(metric.of_segments) & ~np.isnan(gold))
        if len(gaps):
            system, segment = panel.systems[gaps[0][0]], panel.segments[gaps[0][1]]
            problems.append(
                Problem(
                    f"{metric.name} lacks {len(gaps)} scores where there is {panel.gold.name}, the "
                    f"first for {system}, segment {segment}; --allow-partial leaves them out"
                )
            )
    if problems:
        raise InputError(problems)


def _segment_row(
    gold: FloatArray, metric: Series, settings: MetaSettings, units: Units
) -> MetricRow:
    scores = metric.of_segments
    if scores is None:  # pragma: no cover - refused before
        raise UsageError(f"{metric.name} has no scores of segments")
    gold = np.where(np.isnan(scores), np.nan, gold)
    cells = int(np.count_nonzero(~np.isnan(gold)))
    by, sampling = settings.average_by, settings.sampling
    estimates: dict[str, Estimate] = {}
    details: dict[str, float] = {}
    for name, coefficient in _SEGMENT_COEFFICIENTS.items():
        found = grouped(gold, scores, coefficient, by)
        ci = None
        if sampling.resamples and (by == "item" or name in _RESAMPLED_WHOLE):
            [one] = segment_intervals(
                gold, scores[None], units, coefficient, by, sampling.resamples, sampling.seed
            )
            ci = one.ci
        estimates[name] = Estimate(found.value, ci, cells)
        details[f"undefined_groups_{name}"] = float(found.undefined)
        details |= {"groups": float(found.groups), "skipped_groups": float(found.skipped)}
    if by == "item":
        estimates["acc_eq calibrated"], found_details = _calibrated(gold, scores, units, settings)
        details |= found_details
    return MetricRow(metric.name, cells, estimates, details)


def _calibrated(
    gold: FloatArray, scores: FloatArray, units: Units, settings: MetaSettings
) -> tuple[Estimate, dict[str, float]]:
    """Accuracy with the best threshold for ties, the threshold, and what it is on new documents."""
    best = calibrate(gold, scores)
    sampling, ci = settings.sampling, None
    if sampling.resamples:

        def with_ties(x: FloatArray, y: FloatArray) -> FloatArray:
            return acc_eq(x, y, best.epsilon)

        [one] = segment_intervals(
            gold, scores[None], units, with_ties, "item", sampling.resamples, sampling.seed
        )
        ci = one.ci
    folds = min(_FOLDS, units.count)
    fresh = cross_validated(gold, scores, units.of_segment, folds).accuracy if folds > 1 else np.nan
    details = {
        "epsilon": best.epsilon,
        "acc_eq_cross_validated": fresh,
        "acc_eq_constant_metric": constant_accuracy(gold),
        "acc_eq_random_metric": (1 - constant_accuracy(gold)) / 2,
    }
    return Estimate(best.accuracy, ci, int(np.count_nonzero(~np.isnan(gold)))), details
