from .agreement import (
    STATISTICS as STATISTICS,
)
from .agreement import (
    Alpha as Alpha,
)
from .agreement import (
    Level as Level,
)
from .agreement import (
    PairAgreement as PairAgreement,
)
from .agreement import (
    PercentAgreement as PercentAgreement,
)
from .agreement import (
    accuracy as accuracy,
)
from .agreement import (
    fleiss_kappa as fleiss_kappa,
)
from .agreement import (
    krippendorff_alpha as krippendorff_alpha,
)
from .agreement import (
    meeting_counts as meeting_counts,
)
from .agreement import (
    percent_agreement as percent_agreement,
)
from .agreement import (
    predicted_preferences as predicted_preferences,
)
from .agreement import (
    rater_pairs as rater_pairs,
)
from .agreement import (
    tau as tau,
)
from .agreement import (
    wilson_interval as wilson_interval,
)
from .bradley_terry import (
    BradleyTerry as BradleyTerry,
)
from .bradley_terry import (
    bradley_terry as bradley_terry,
)
from .correlation import (
    AverageBy as AverageBy,
)
from .correlation import (
    Calibration as Calibration,
)
from .correlation import (
    Coefficient as Coefficient,
)
from .correlation import (
    CrossValidation as CrossValidation,
)
from .correlation import (
    Grouped as Grouped,
)
from .correlation import (
    PairCounts as PairCounts,
)
from .correlation import (
    acc_eq as acc_eq,
)
from .correlation import (
    calibrate as calibrate,
)
from .correlation import (
    constant_accuracy as constant_accuracy,
)
from .correlation import (
    count_pairs as count_pairs,
)
from .correlation import (
    cross_validated as cross_validated,
)
from .correlation import (
    group_coefficients as group_coefficients,
)
from .correlation import (
    grouped as grouped,
)
from .correlation import (
    kendall_b as kendall_b,
)
from .correlation import (
    mean_of_groups as mean_of_groups,
)
from .correlation import (
    mid_ranks as mid_ranks,
)
from .correlation import (
    pearson as pearson,
)
from .correlation import (
    soft_pair_distances as soft_pair_distances,
)
from .correlation import (
    spearman as spearman,
)
from .correlation_intervals import (
    CorrelationInterval as CorrelationInterval,
)
from .correlation_intervals import (
    drawn_systems_interval as drawn_systems_interval,
)
from .correlation_intervals import (
    item_intervals as item_intervals,
)
from .correlation_intervals import (
    mean_distance_interval as mean_distance_interval,
)
from .correlation_intervals import (
    segment_intervals as segment_intervals,
)
from .evaluators import (
    EvaluatorBias as EvaluatorBias,
)
from .evaluators import (
    EvaluatorPair as EvaluatorPair,
)
from .evaluators import (
    HalfSplit as HalfSplit,
)
from .evaluators import (
    HumanCeiling as HumanCeiling,
)
from .evaluators import (
    Spread as Spread,
)
from .evaluators import (
    between_evaluators as between_evaluators,
)
from .evaluators import (
    evaluator_bias as evaluator_bias,
)
from .evaluators import (
    half_split as half_split,
)
from .evaluators import (
    human_ceiling as human_ceiling,
)
from .metric_tests import (
    JudgedPairs as JudgedPairs,
)
from .metric_tests import (
    MetricTests as MetricTests,
)
from .metric_tests import (
    PermutationPlan as PermutationPlan,
)
from .metric_tests import (
    WilliamsTest as WilliamsTest,
)
from .metric_tests import (
    judge_pairs as judge_pairs,
)
from .metric_tests import (
    perm_both_segments as perm_both_segments,
)
from .metric_tests import (
    perm_both_systems as perm_both_systems,
)
from .metric_tests import (
    permute_pairs as permute_pairs,
)
from .metric_tests import (
    williams as williams,
)
from .paired import (
    ALPHA as ALPHA,
)
from .paired import (
    POWER as POWER,
)
from .paired import (
    Convention as Convention,
)
from .paired import (
    PairedTest as PairedTest,
)
from .paired import (
    bootstrap_pairs as bootstrap_pairs,
)
from .paired import (
    fewest_units as fewest_units,
)
from .paired import (
    randomise_pairs as randomise_pairs,
)
from .paired import (
    smallest_difference as smallest_difference,
)
from .paired import (
    smallest_p as smallest_p,
)
from .paired import (
    system_pairs as system_pairs,
)
from .paired import (
    units_needed as units_needed,
)
from .ranking import (
    clusters as clusters,
)
from .ranking import (
    holm as holm,
)
from .ranking import (
    pairwise_score as pairwise_score,
)
from .ranking import (
    pairwise_statistics as pairwise_statistics,
)
from .ranking import (
    rank_ranges as rank_ranges,
)
from .ranking import (
    segment_wins as segment_wins,
)
from .ranking import (
    significance_letters as significance_letters,
)
from .ranking import (
    with_holm as with_holm,
)
from .resampling import (
    FEWEST_UNITS as FEWEST_UNITS,
)
from .resampling import (
    MIN_DOCUMENTS as MIN_DOCUMENTS,
)
from .resampling import (
    Units as Units,
)
from .resampling import (
    draw_weights as draw_weights,
)
from .resampling import (
    estimate_all as estimate_all,
)
from .resampling import (
    estimates_of as estimates_of,
)
from .resampling import (
    interval_around as interval_around,
)
from .resampling import (
    percentile_interval as percentile_interval,
)
from .resampling import (
    resample_totals as resample_totals,
)
from .resampling import (
    resampled_scores as resampled_scores,
)
from .segment_tests import (
    EffectSizes as EffectSizes,
)
from .segment_tests import (
    SignTest as SignTest,
)
from .segment_tests import (
    effect_sizes as effect_sizes,
)
from .segment_tests import (
    paired_differences as paired_differences,
)
from .segment_tests import (
    sign_test as sign_test,
)
from .segment_tests import (
    t_test as t_test,
)
from .segment_tests import (
    wilcoxon_test as wilcoxon_test,
)
