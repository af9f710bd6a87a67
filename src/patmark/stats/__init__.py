"""Statistics on arrays: resampling, intervals. Knows scores, not texts."""

from patmark.stats.resampling import (
    MIN_DOCUMENTS,
    Units,
    draw_weights,
    estimate_all,
    percentile_interval,
    resample_totals,
)

__all__ = [
    "MIN_DOCUMENTS",
    "Units",
    "draw_weights",
    "estimate_all",
    "percentile_interval",
    "resample_totals",
]
