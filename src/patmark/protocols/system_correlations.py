"""How two scores of the same systems agree: coefficients with intervals over systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import Estimate
from patmark.protocols.evaluation import Settings
from patmark.stats.correlation import Coefficient, acc_eq, kendall_b, pearson, spearman
from patmark.stats.correlation_intervals import drawn_systems_interval

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
    gold: Sequence[float], metric: Sequence[float], settings: Settings
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


def resampling_json(settings: Settings, undefined: int) -> dict[str, Any]:
    """How the intervals were made; ``undefined`` resamples had no value and are left out."""
    return {
        "unit": "system", "resamples": settings.resamples, "seed": settings.seed,
        "undefined": undefined,
    }  # fmt: skip


def sampling_signature(resampling: Mapping[str, Any]) -> str:
    """The same in one line."""
    if not resampling["resamples"]:
        return "none (no resamples)"
    undefined = resampling["undefined"]
    left_out = f"|resamples without a value, left out:{undefined}" if undefined else ""
    return (
        f"percentile bootstrap, 95 %|draws:{resampling['resamples']}|unit:{resampling['unit']}"
        f"|seed:{resampling['seed']}{left_out}"
    )
