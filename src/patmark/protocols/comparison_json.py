"""A comparison for machines. What the fields mean stands in docs/compare.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from patmark.protocols.evaluation import estimate_json, resampling_json
from patmark.stats import ALPHA

if TYPE_CHECKING:
    from patmark.protocols.comparison import Comparison, MeasureComparison, Pair


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """Everything that was found, with null for numbers that have no value or no bound."""
    settings = comparison.settings
    left_out = comparison.left_out
    return {
        "systems": list(comparison.systems),
        "segments": comparison.segments,
        "left_out": {"segments": len(left_out.rows), "ids": list(left_out.rows),
                     "unanswered": dict(left_out.unanswered)},
        "measures": {name: _measure(measure) for name, measure in comparison.measures.items()},
        "descriptive": list(comparison.descriptive),
        "test": {
            "name": settings.test,
            "trials": settings.draws,
            "seed": settings.sampling.seed,
            "tail": "hoeffding" if comparison.bounds_tail else "trials",
            "correction": "holm" if comparison.corrected else "none",
            "alpha": ALPHA,
        },
        "detect": dict(settings.detect or {}),
        "resampling": resampling_json(settings.sampling, comparison.units),
        "signatures": {name: m.signature for name, m in comparison.measures.items()},
    }  # fmt: skip


def _measure(measure: MeasureComparison) -> dict[str, Any]:
    return {
        "higher_is_better": measure.higher_is_better,
        "ranking": list(measure.ranking),
        "scores": {name: estimate_json(value) for name, value in measure.estimates.items()},
        "rank_ranges": {name: list(pair) for name, pair in measure.rank_ranges.items()},
        "clusters": [list(members) for members in measure.clusters],
        "unscored": list(measure.unscored),
        "units": measure.units,
        "counted": dict(measure.counted),
        "testable": measure.testable,
        "smallest_p": measure.smallest_p,
        "pairs": [_pair(pair) for pair in measure.pairs],
    }


def _pair(pair: Pair) -> dict[str, Any]:
    numbers = {
        "delta": pair.delta, "p": pair.p, "p_holm": pair.p_holm,
        "p_sign": pair.sign.p, "p_t": pair.p_t, "p_wilcoxon": pair.p_wilcoxon,
        "cohen_d": pair.effect.cohen_d, "cliff_delta": pair.effect.cliff_delta,
        "win_rate": pair.effect.win_rate, "detectable": pair.detectable,
        "units_needed": pair.units_needed,
    }  # fmt: skip
    if pair.units_for_detect is not None:
        numbers["units_for_detect"] = pair.units_for_detect
    return {
        "a": pair.first, "b": pair.second,
        **{key: value if np.isfinite(value) else None for key, value in numbers.items()},
        "infinite": [key for key, value in numbers.items() if np.isinf(value)],
        "ci": [bound if np.isfinite(bound) else None for bound in pair.ci],
        "common": pair.common,
        "wins": pair.sign.wins, "losses": pair.sign.losses, "ties": pair.sign.ties,
        "significant": pair.significant,
    }  # fmt: skip
