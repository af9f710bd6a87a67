"""Statistics on arrays: resampling, tests, rankings, correlation, agreement. Knows no texts."""

from patmark.stats.agreement import (
    PairAgreement,
    PercentAgreement,
    fleiss_kappa,
    percent_agreement,
    rater_pairs,
)
from patmark.stats.bradley_terry import BradleyTerry
from patmark.stats.correlation import Grouped, grouped, mid_ranks, pearson, spearman
from patmark.stats.correlation_intervals import CorrelationInterval, segment_intervals
from patmark.stats.krippendorff import Alpha, krippendorff_alpha
from patmark.stats.letters import significance_letters
from patmark.stats.metric_tests import WilliamsTest, perm_both_segments, perm_both_systems, williams
from patmark.stats.pair_counts import (
    PairCounts,
    acc_eq,
    count_pairs,
    kendall_b,
    kendall_c,
    tau_eq,
    wmt_kendall,
)
from patmark.stats.pair_permutation import JudgedPairs, judge_pairs, permute_pairs
from patmark.stats.paired import (
    PairedTest,
    bootstrap_pairs,
    randomise_pairs,
    system_pairs,
)
from patmark.stats.pairwise_score import pairwise_statistics, segment_wins
from patmark.stats.permutations import MetricTests, PermutationPlan
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
from patmark.stats.system_accuracy import (
    PairwiseAccuracy,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from patmark.stats.system_intervals import drawn_systems_interval
from patmark.stats.tie_calibration import (
    Calibration,
    CrossValidation,
    calibrate,
    constant_accuracy,
    cross_validated,
)

__all__ = [
    "ALPHA",
    "MIN_DOCUMENTS",
    "POWER",
    "Alpha",
    "BradleyTerry",
    "Calibration",
    "CorrelationInterval",
    "CrossValidation",
    "EffectSizes",
    "Grouped",
    "JudgedPairs",
    "MetricTests",
    "PairAgreement",
    "PairCounts",
    "PairedTest",
    "PairwiseAccuracy",
    "PercentAgreement",
    "PermutationPlan",
    "SignTest",
    "Units",
    "WilliamsTest",
    "acc_eq",
    "bootstrap_pairs",
    "calibrate",
    "clusters",
    "constant_accuracy",
    "count_pairs",
    "cross_validated",
    "draw_weights",
    "drawn_systems_interval",
    "effect_sizes",
    "estimate_all",
    "estimates_of",
    "fleiss_kappa",
    "grouped",
    "holm",
    "judge_pairs",
    "kendall_b",
    "kendall_c",
    "krippendorff_alpha",
    "mid_ranks",
    "paired_differences",
    "pairwise_accuracy",
    "pairwise_statistics",
    "pearson",
    "percent_agreement",
    "percentile_interval",
    "perm_both_segments",
    "perm_both_systems",
    "permute_pairs",
    "randomise_pairs",
    "rank_ranges",
    "rater_pairs",
    "resample_totals",
    "resampled_scores",
    "segment_intervals",
    "segment_wins",
    "sign_test",
    "significance_letters",
    "smallest_difference",
    "soft_pairwise_accuracy",
    "spearman",
    "system_pairs",
    "t_test",
    "tau_eq",
    "units_needed",
    "wilcoxon_test",
    "williams",
    "wmt_kendall",
]
