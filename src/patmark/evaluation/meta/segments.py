"""Segment-level meta-evaluation: correlation with gold within groups of outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.data import Estimate, FloatArray
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation.meta.agreement import MetaSettings, MetricRow
from patmark.evaluation.meta.panel import Panel, Series
from patmark.stats import (
    Coefficient,
    CorrelationInterval,
    Sampling,
    Units,
    acc_eq,
    calibrate,
    constant_accuracy,
    cross_validated,
    group_coefficients,
    interval_of,
    item_intervals,
    kendall_b,
    kendall_c,
    mean_of_groups,
    pearson,
    resampled_calibration,
    segment_intervals,
    spearman,
)
from patmark.wording import setting

_FOLDS = 10
_CALIBRATED = "acc_eq calibrated"
_SEGMENT_COEFFICIENTS: Mapping[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall_b,
    "acc_eq": acc_eq,
}
_RESAMPLED_WHOLE = ("pearson", "spearman")  # others take too long over all cells or by system


def segment_rows(panel: Panel, settings: MetaSettings, units: Units | None) -> list[MetricRow]:
    """Return every metric at segment level; all need a score wherever there is gold."""
    gold = panel.gold.of_segments
    lacking = [one.name for one in (panel.gold, *panel.metrics) if one.of_segments is None]
    if gold is None or lacking or units is None:
        raise UsageError(
            f"{', '.join(lacking)} has no scores of segments; use {setting('level', 'system')}"
        )
    if not settings.allow_partial:
        _refuse_gaps(panel, gold)
    judged = [_judged(gold, metric, settings, units) for metric in panel.metrics]
    if settings.average_by == "item" and settings.sampling.resamples:
        return _with_intervals(judged, units, settings.sampling)
    return [one.row for one in judged]


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """A row, and the coefficients by item that its values average."""

    row: MetricRow
    gold: FloatArray
    scores: FloatArray
    per_item: Mapping[str, FloatArray]


def _with_intervals(judged: Sequence[_Judged], units: Units, sampling: Sampling) -> list[MetricRow]:
    """Return the rows with intervals of means over items; all use the same resamples.

    The calibrated accuracy uses a new threshold on each of them.
    """
    table = np.array([values for one in judged for values in one.per_item.values()])
    found = iter(item_intervals(table, units, sampling.resamples, sampling.seed))
    drawn = resampled_calibration(
        np.stack([one.gold for one in judged]),
        np.stack([one.scores for one in judged]),
        units,
        sampling.resamples,
        sampling.seed,
    )
    rows = []
    for one, calibrated in zip(judged, drawn, strict=True):
        agreement = {}
        for name, estimate in one.row.agreement.items():
            interval = (
                _calibrated_interval(one, estimate.value, calibrated, units)
                if name == _CALIBRATED
                else next(found)
            )
            ci = None if np.isnan(interval.ci).any() else interval.ci
            agreement[name] = replace(estimate, ci=ci)
        rows.append(replace(one.row, agreement=agreement))
    return rows


def _calibrated_interval(
    one: _Judged, value: float, drawn: FloatArray, units: Units
) -> CorrelationInterval:
    return interval_of(value, drawn, units.sizes(np.asarray(~np.isnan(one.gold).all(axis=0))))


def _refuse_gaps(panel: Panel, gold: FloatArray) -> None:
    """Refuse metrics without a score for some gold; name a place for each."""
    problems = []
    for metric in panel.metrics:
        if metric.of_segments is None:
            continue
        needed = np.array([system not in metric.optional for system in panel.systems])
        gaps = np.argwhere(np.isnan(metric.of_segments) & ~np.isnan(gold) & needed[:, None])
        if len(gaps):
            system, segment = panel.systems[gaps[0][0]], panel.segments[gaps[0][1]]
            problems.append(
                Problem(
                    f"{metric.name} lacks {len(gaps)} scores where there is {panel.gold.name}, the "
                    f"first for {system}, segment {segment}; "
                    f"{setting('allow_partial')} leaves them out"
                )
            )
    if problems:
        raise InputError(problems)


def _judged(gold: FloatArray, metric: Series, settings: MetaSettings, units: Units) -> _Judged:
    scores = metric.of_segments
    if scores is None:  # pragma: no cover - refused before
        raise UsageError(f"{metric.name} has no scores of segments")
    gold = np.where(np.isnan(scores), np.nan, gold)
    cells = int(np.count_nonzero(~np.isnan(gold)))
    if not cells and not np.isnan(scores).all():
        raise InputError.at(f"{metric.name} and gold have no segment of a system in common")
    by = settings.average_by
    estimates: dict[str, Estimate] = {}
    details: dict[str, float] = {}
    coefficients = {
        name: group_coefficients(gold, scores, coefficient, by)
        for name, coefficient in _SEGMENT_COEFFICIENTS.items()
    }
    stuart = group_coefficients(gold, scores, kendall_c, by)
    details["kendall_c"] = mean_of_groups(gold, stuart, by).value
    for name, values in coefficients.items():
        found = mean_of_groups(gold, values, by)
        ci = _whole_interval(gold, scores, name, settings, units)
        estimates[name] = Estimate(found.value, ci, cells)
        details[f"undefined_groups_{name}"] = float(found.undefined)
        details |= {"groups": float(found.groups), "skipped_groups": float(found.skipped)}
    if by != "item":
        return _Judged(MetricRow(metric.name, cells, estimates, details), gold, scores, {})
    best = calibrate(gold, scores)
    estimates[_CALIBRATED] = Estimate(best.accuracy, None, cells)
    details |= _calibration_details(gold, scores, best.epsilon, units)
    return _Judged(MetricRow(metric.name, cells, estimates, details), gold, scores, coefficients)


def _whole_interval(
    gold: FloatArray, scores: FloatArray, name: str, settings: MetaSettings, units: Units
) -> tuple[float, float] | None:
    """Return the interval over all cells or by system; by item, all are drawn together."""
    by, sampling = settings.average_by, settings.sampling
    if by == "item" or name not in _RESAMPLED_WHOLE or not sampling.resamples:
        return None
    [one] = segment_intervals(
        gold,
        scores[None],
        units,
        _SEGMENT_COEFFICIENTS[name],
        by,
        sampling.resamples,
        sampling.seed,
    )
    return None if np.isnan(one.ci).any() else one.ci


def _calibration_details(
    gold: FloatArray, scores: FloatArray, epsilon: float, units: Units
) -> dict[str, float]:
    """Return the best tie threshold, and its accuracy on new documents."""
    folds = min(_FOLDS, units.count)
    fresh = cross_validated(gold, scores, units.of_segment, folds).accuracy if folds > 1 else np.nan
    constant = constant_accuracy(gold)
    return {
        "epsilon": epsilon,
        "acc_eq_cross_validated": fresh,
        "acc_eq_constant_metric": constant,
        "acc_eq_random_metric": (1 - constant) / 2,
    }
