"""System-level meta-evaluation: coefficients with gold, with intervals over systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, FloatArray
from patmark.evaluation.meta.agreement import MetaSettings, MetricRow
from patmark.evaluation.meta.panel import Panel, Series
from patmark.stats import (
    Coefficient,
    Sampling,
    Units,
    acc_eq,
    correlation_interval,
    drawn_systems,
    interval_of,
    kendall_b,
    kendall_c,
    mean_distance_interval,
    pearson,
    resampled_scores,
    soft_pair_distances,
    spearman,
)

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
