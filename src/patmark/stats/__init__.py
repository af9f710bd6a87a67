"""Statistics on arrays: resampling, paired tests, rankings, power. Knows scores, not texts."""

from patmark.stats.paired import (
    PairedTest,
    bootstrap_pairs,
    randomise_pairs,
    system_pairs,
)
from patmark.stats.power import ALPHA, POWER, smallest_difference, units_needed
from patmark.stats.ranking import clusters, holm, rank_ranges
from patmark.stats.resampling import (
    MIN_DOCUMENTS,
    Units,
    draw_weights,
    estimate_all,
    estimates_of,
    percentile_interval,
    resample_totals,
    resampled_scores,
)
from patmark.stats.segment_tests import (
    EffectSizes,
    SignTest,
    effect_sizes,
    paired_differences,
    sign_test,
    t_test,
    wilcoxon_test,
)

__all__ = [
    "ALPHA",
    "MIN_DOCUMENTS",
    "POWER",
    "EffectSizes",
    "PairedTest",
    "SignTest",
    "Units",
    "bootstrap_pairs",
    "clusters",
    "draw_weights",
    "effect_sizes",
    "estimate_all",
    "estimates_of",
    "holm",
    "paired_differences",
    "percentile_interval",
    "randomise_pairs",
    "rank_ranges",
    "resample_totals",
    "resampled_scores",
    "sign_test",
    "smallest_difference",
    "system_pairs",
    "t_test",
    "units_needed",
    "wilcoxon_test",
]
