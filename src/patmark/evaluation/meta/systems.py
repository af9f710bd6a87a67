"""How metrics judge whole systems: coefficients with gold, with intervals over systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from patmark.data import Estimate, FloatArray
from patmark.evaluation.evaluation import Sampling
from patmark.evaluation.meta.agreement import MetaSettings, MetricRow
from patmark.evaluation.meta.panel import Panel, Series
from patmark.stats import (
    Coefficient,
    Units,
    acc_eq,
    drawn_systems_interval,
    kendall_b,
    mean_distance_interval,
    pearson,
    resampled_scores,
    soft_pair_distances,
    spearman,
)

FEWEST_SYSTEMS = 3
FEWEST_FOR_INTERVAL = 5
FEW_SYSTEMS = 10
COEFFICIENTS: Mapping[str, Coefficient] = {
    "spearman": spearman,
    "pearson": pearson,
    "kendall": kendall_b,
    "pairwise accuracy": acc_eq,
}


@dataclass(frozen=True, slots=True)
class SystemCorrelations:
    """Each of `COEFFICIENTS` with an interval; ``undefined`` resamples had no value for some."""

    estimates: Mapping[str, Estimate]
    undefined: int


def correlate_systems(
    gold: Sequence[float], metric: Sequence[float], settings: Sampling
) -> SystemCorrelations:
    """Agreement of two scores of the same systems, in the same order.

    Systems are drawn with replacement. A pair of a drawn system with itself says nothing about the
    metric and is left out of the pairwise accuracy; Kendall's tau-b ignores it anyway.
    """
    x, y = np.asarray(gold, np.float64), np.asarray(metric, np.float64)
    if not settings.resamples:
        values = {name: float(coefficient(x, y)) for name, coefficient in COEFFICIENTS.items()}
        return SystemCorrelations(
            {name: Estimate(value, None, x.size) for name, value in values.items()}, 0
        )
    intervals = {
        name: drawn_systems_interval(x, y, coefficient, settings.resamples, settings.seed)
        for name, coefficient in COEFFICIENTS.items()
    }
    return SystemCorrelations(
        {name: Estimate(one.value, one.ci, x.size) for name, one in intervals.items()},
        max(one.undefined for one in intervals.values()),
    )


@dataclass(frozen=True, slots=True)
class SystemSampling:
    """How intervals over systems were made; ``undefined`` resamples had no value for some."""

    resamples: int
    seed: int
    undefined: int

    def to_json(self) -> dict[str, Any]:
        """The machine-readable form."""
        return {"unit": "system", **asdict(self)}

    @property
    def signature(self) -> str:
        """The same in one line."""
        if not self.resamples:
            return "none (no resamples)"
        left_out = f"|resamples without a value, left out:{self.undefined}" * bool(self.undefined)
        return (
            f"percentile bootstrap, 95 %|draws:{self.resamples}|unit:system|seed:{self.seed}"
            f"{left_out}"
        )


def system_rows(panel: Panel, settings: MetaSettings, units: Units | None) -> list[MetricRow]:
    """Every metric at system level."""
    draws = _system_draws((panel.gold, *panel.metrics), units, settings.sampling)
    return [_system_row(panel, metric, draws, settings, units) for metric in panel.metrics]


def _system_row(
    panel: Panel,
    metric: Series,
    draws: Mapping[str, FloatArray],
    settings: MetaSettings,
    units: Units | None,
) -> MetricRow:
    known = ~np.isnan(metric.of_systems)
    n = int(known.sum())
    resamples, seed = settings.sampling.resamples, settings.sampling.seed
    gold, scores = panel.gold.of_systems[known], metric.of_systems[known]
    estimates, undefined = {}, 0
    for name, coefficient in COEFFICIENTS.items():
        if n < FEWEST_SYSTEMS:
            estimates[name] = Estimate(float("nan"), None, n)
            continue
        if not resamples or n < FEWEST_FOR_INTERVAL:
            estimates[name] = Estimate(float(coefficient(gold, scores)), None, n)
            continue
        one = drawn_systems_interval(
            gold,
            scores,
            coefficient,
            resamples,
            seed,
            gold_draws=_columns(draws.get(panel.gold.name), known),
            metric_draws=_columns(draws.get(metric.name), known),
        )
        estimates[name] = Estimate(one.value, one.ci, n)
        undefined = max(undefined, one.undefined)
    soft = _soft_accuracy(panel, metric, settings, units)
    if soft is not None:
        estimates["SPA"] = soft
    return MetricRow(metric.name, n, estimates, {"undefined_resamples": float(undefined)})


def _system_draws(
    series: Sequence[Series], units: Units | None, sampling: Sampling
) -> dict[str, FloatArray]:
    """Scores of resampled segments, (resamples, systems), where statistics are known."""
    known = [one for one in series if one.scores is not None]
    if units is None or not known or not sampling.resamples:
        return {}
    quantities = [(one.scores.statistics, one.scores.score) for one in known if one.scores]
    drawn = resampled_scores(quantities, units, sampling.resamples, sampling.seed)
    return {
        one.name: -scores if one.turned else scores
        for one, scores in zip(known, drawn, strict=True)
    }


def _columns(draws: FloatArray | None, known: np.ndarray[Any, np.dtype[np.bool_]]) -> Any:
    return None if draws is None else draws[:, known]


def _soft_accuracy(
    panel: Panel, metric: Series, settings: MetaSettings, units: Units | None
) -> Estimate | None:
    """SPA, where both have segment scores and every judged segment was judged for all systems."""
    gold, scores = panel.gold.of_segments, metric.of_segments
    if gold is None or scores is None or units is None or np.isnan(metric.of_systems).any():
        return None
    missing = np.isnan(gold)
    if (missing.any(axis=0) != missing.all(axis=0)).any() or np.isnan(scores[~missing]).any():
        return None
    sampling = settings.sampling
    distances = soft_pair_distances(
        gold, scores, settings.permutations, sampling.seed, units.of_segment
    )
    found = mean_distance_interval(distances, max(1, sampling.resamples), sampling.seed)
    drawn = sampling.resamples and len(gold) >= FEWEST_FOR_INTERVAL
    return Estimate(found.value, found.ci if drawn else None, len(gold))
