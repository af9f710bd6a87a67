"""Agreement of metrics with gold: settings, coefficients of systems and of segments, intervals.

Systems are correlated as they are, segments within groups of outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, FloatArray
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation.meta.panel import Panel, Series
from patmark.report import fields_json
from patmark.stats import (
    AverageBy,
    Coefficient,
    Sampling,
    Units,
    acc_eq,
    calibrate,
    constant_accuracy,
    correlation_interval,
    cross_validated,
    drawn_systems,
    group_coefficients,
    interval_of,
    item_intervals,
    kendall_b,
    kendall_c,
    magnitude,
    mean_distance_interval,
    mean_of_groups,
    pearson,
    resampled_calibration,
    resampled_scores,
    segment_intervals,
    soft_pair_distances,
    spearman,
)
from patmark.wording import setting

Level: TypeAlias = Literal["system", "segment"]
DEFAULT_PERMUTATIONS = 1000


@dataclass(frozen=True, slots=True)
class MetaSettings:
    """Settings of a meta-evaluation: level, groups of segments, resampling, permutations.

    With ``allow_partial`` a metric that lacks segments is evaluated on those that it has. Outputs
    with a gold of ``error_free`` or better form a class that metrics should detect.
    """

    level: Level = "system"
    average_by: AverageBy = "item"
    permutations: int = DEFAULT_PERMUTATIONS
    allow_partial: bool = False
    sampling: Sampling = field(default_factory=Sampling)
    error_free: float | None = None

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise UsageError(f"the level {self.level!r} is unknown; choose system or segment")
        if self.average_by not in get_args(AverageBy):
            raise UsageError(
                f"average by {self.average_by!r} is unknown; choose none, system or item"
            )
        if self.error_free is not None and self.level != "segment":
            raise UsageError(f"{setting('error_free')} needs {setting('level', 'segment')}")
        if self.permutations < 1:
            raise UsageError(f"at least one permutation is needed, not {self.permutations}")


@dataclass(frozen=True, slots=True)
class MetricRow:
    """Agreement of one metric with gold; ``n`` systems or, by segment, cells with gold.

    ``details`` are numbers without an interval: groups, thresholds, resamples without a value.
    """

    metric: str
    n: int
    agreement: Mapping[str, Estimate]
    details: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return the row with each coefficient as a number, and the intervals beside them."""
        return fields_json(self, "metric", "n", **values_json(self.agreement), **self.details)


def values_json(estimates: Mapping[str, Estimate], ci: str = "ci") -> dict[str, Any]:
    """Return the value of each statistic, and their intervals, if any, in an entry ``ci``."""
    found = {name.replace(" ", "_"): one for name, one in estimates.items()}
    intervals = {name: one.ci for name, one in found.items() if one.ci is not None}
    return {**{name: one.value for name, one in found.items()}, ci: intervals}


def calibrated_per_item(gold: FloatArray, metric: FloatArray) -> FloatArray:
    """Return the accuracy in each item with the best overall threshold of the metric."""
    epsilon, scale = calibrate(gold, metric).epsilon, magnitude(metric).item()
    return group_coefficients(gold, metric, partial(acc_eq, epsilon=epsilon, scale=scale), "item")


FEWEST_SYSTEMS = 3
FEWEST_FOR_INTERVAL = 5
FEW_SYSTEMS = 10
CORRELATIONS: Mapping[str, Coefficient] = {
    "spearman": spearman,
    "pearson": pearson,
    "kendall": kendall_b,
}
COEFFICIENTS: Mapping[str, Coefficient] = {**CORRELATIONS, "pairwise accuracy": acc_eq}


@dataclass(frozen=True, slots=True)
class SystemCorrelations:
    """Each of `COEFFICIENTS` with an interval; ``undefined`` resamples had no value for some."""

    estimates: Mapping[str, Estimate]
    undefined: int


def correlate_systems(
    gold: Sequence[float],
    metric: Sequence[float],
    settings: Sampling,
    *,
    gold_draws: FloatArray | None = None,
    metric_draws: FloatArray | None = None,
) -> SystemCorrelations:
    """Return agreement of two scores of the same systems, in the same order.

    Correlations have analytic intervals. For the pairwise accuracy, systems are drawn with
    replacement, together with scores of resampled segments (resamples, systems) if given. A pair of
    a drawn system with itself is left out. Without resamples there is no interval.
    """
    x, y = np.asarray(gold, np.float64), np.asarray(metric, np.float64)
    estimates, undefined = {}, 0
    for name, coefficient in COEFFICIENTS.items():
        value, ci = float(coefficient(x, y)), None
        if settings.resamples and not np.isnan(value):
            if coefficient is acc_eq:
                drawn = drawn_systems(
                    x, y, coefficient, settings.resamples, settings.seed,
                    gold_draws=gold_draws, metric_draws=metric_draws,
                )  # fmt: skip
                found = interval_of(value, drawn, np.ones(x.size))
                ci, undefined = found.ci, found.undefined
            else:
                ci = correlation_interval(coefficient, value, x.size)
        estimates[name] = Estimate(value, ci, x.size)
    return SystemCorrelations(estimates, undefined)


@dataclass(frozen=True, slots=True)
class SystemSampling:
    """Settings of intervals over systems; ``undefined`` resamples had no value for some."""

    resamples: int
    seed: int
    undefined: int

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable form."""
        return {"unit": "system", **asdict(self)}

    @property
    def signature(self) -> str:
        """Settings in one line."""
        if not self.resamples:
            return "none (no resamples)"
        left_out = f"|resamples without a value, left out:{self.undefined}" * bool(self.undefined)
        return (
            f"95 %|Pearson, Spearman:Fisher's z|Kendall:normal scores"
            f"|pairwise accuracy, SPA:expanded percentile bootstrap"
            f"|draws:{self.resamples}|unit:system|seed:{self.seed}{left_out}"
        )


def system_rows(panel: Panel, settings: MetaSettings, units: Units | None) -> list[MetricRow]:
    """Return every metric at system level."""
    draws = system_draws((panel.gold, *panel.metrics), units, settings.sampling)
    return [_system_row(panel, metric, draws, settings) for metric in panel.metrics]


def _system_row(
    panel: Panel, metric: Series, draws: Mapping[str, FloatArray], settings: MetaSettings
) -> MetricRow:
    known = ~np.isnan(metric.of_systems)
    n = int(known.sum())
    if n < FEWEST_SYSTEMS:
        nothing = {name: Estimate(float("nan"), None, n) for name in COEFFICIENTS}
        return MetricRow(metric.name, n, nothing, {"undefined_resamples": 0.0})
    found = correlate_systems(
        panel.gold.of_systems[known].tolist(),
        metric.of_systems[known].tolist(),
        settings.sampling if n >= FEWEST_FOR_INTERVAL else replace(settings.sampling, resamples=0),
        gold_draws=_columns(draws.get(panel.gold.name), known),
        metric_draws=_columns(draws.get(metric.name), known),
    )
    estimates = dict(found.estimates)
    scored = panel.scored_by([metric])
    [same] = [one for one in scored.metrics if one.name == metric.name]
    soft = _soft_accuracy(scored, same, settings)
    if soft is not None:
        estimates["SPA"] = soft
    tau_c = float(kendall_c(panel.gold.of_systems[known], metric.of_systems[known]))
    details = {"undefined_resamples": float(found.undefined), "kendall_c": tau_c}
    return MetricRow(metric.name, n, estimates, details)


def system_draws(
    series: Sequence[Series], units: Units | None, sampling: Sampling
) -> dict[str, FloatArray]:
    """Return scores of resampled segments, (resamples, systems), if statistics are known."""
    known = [one for one in series if one.scores is not None]
    if units is None or not known or not sampling.resamples:
        return {}
    quantities = [(one.scores.statistics, one.scores.score) for one in known if one.scores]
    drawn = resampled_scores(quantities, units, sampling.resamples, sampling.seed)
    return {
        one.name: -scores if one.turned else scores
        for one, scores in zip(known, drawn, strict=True)
    }


def _columns(draws: FloatArray | None, known: NDArray[np.bool_]) -> FloatArray | None:
    return None if draws is None else draws[:, known]


def complete_gold(gold: FloatArray) -> bool:
    """Return True if some segments were judged, and each of them for all systems."""
    missing = np.isnan(gold)
    whole = missing.any(axis=0) == missing.all(axis=0)
    return bool(whole.all() and not missing.all())


def _soft_accuracy(panel: Panel, metric: Series, settings: MetaSettings) -> Estimate | None:
    """Return SPA if both sides have segment scores and all systems the same judged segments.

    If all systems have the same score or the same gold, SPA is undefined.
    """
    gold, scores = panel.gold.of_segments, metric.of_segments
    if gold is None or scores is None or np.isnan(metric.of_systems).any():
        return None
    if panel.gold.is_constant() or metric.is_constant():
        return None
    if not complete_gold(gold) or np.isnan(scores[~np.isnan(gold)]).any():
        return None
    sampling = settings.sampling
    distances = soft_pair_distances(gold, scores, settings.permutations, sampling.seed)
    found = mean_distance_interval(distances, max(1, sampling.resamples), sampling.seed)
    drawn = sampling.resamples and len(gold) >= FEWEST_FOR_INTERVAL
    return Estimate(found.value, found.ci if drawn else None, len(gold))


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
            sizes = units.sizes(np.asarray(~np.isnan(one.gold).all(axis=0)))
            interval = (
                interval_of(estimate.value, calibrated, sizes)
                if name == _CALIBRATED
                else next(found)
            )
            ci = None if np.isnan(interval.ci).any() else interval.ci
            agreement[name] = replace(estimate, ci=ci)
        rows.append(replace(one.row, agreement=agreement))
    return rows


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
        ci = None  # by item, the intervals of all are drawn together
        sampling = settings.sampling
        if by != "item" and name in _RESAMPLED_WHOLE and sampling.resamples:
            [one] = segment_intervals(
                gold, scores[None], units, _SEGMENT_COEFFICIENTS[name], by, sampling.resamples,
                sampling.seed,
            )  # fmt: skip
            ci = None if np.isnan(one.ci).any() else one.ci
        estimates[name] = Estimate(found.value, ci, cells)
        details[f"undefined_groups_{name}"] = float(found.undefined)
        details |= {"groups": float(found.groups), "skipped_groups": float(found.skipped)}
    if by != "item":
        return _Judged(MetricRow(metric.name, cells, estimates, details), gold, scores, {})
    best = calibrate(gold, scores)
    estimates[_CALIBRATED] = Estimate(best.accuracy, None, cells)
    folds = min(_FOLDS, units.count)
    fresh = cross_validated(gold, scores, units.of_segment, folds).accuracy if folds > 1 else np.nan
    constant = constant_accuracy(gold)
    details |= {
        "epsilon": best.epsilon,
        "acc_eq_cross_validated": fresh,
        "acc_eq_constant_metric": constant,
        "acc_eq_random_metric": (1 - constant) / 2,
    }
    return _Judged(MetricRow(metric.name, cells, estimates, details), gold, scores, coefficients)
