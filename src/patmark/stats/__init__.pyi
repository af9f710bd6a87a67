from .agreement import (
    STATISTICS as STATISTICS,
    Alpha as Alpha,
    Level as Level,
    PairAgreement as PairAgreement,
    PercentAgreement as PercentAgreement,
    accuracy as accuracy,
    fleiss_kappa as fleiss_kappa,
    krippendorff_alpha as krippendorff_alpha,
    meeting_counts as meeting_counts,
    percent_agreement as percent_agreement,
    predicted_preferences as predicted_preferences,
    rater_pairs as rater_pairs,
    tau as tau,
)
from .bradley_terry import (
    BradleyTerry as BradleyTerry,
    bradley_terry as bradley_terry,
)
from .clusters import (
    CLUSTER_RULES as CLUSTER_RULES,
    ClusterRule as ClusterRule,
    rank_ranges as rank_ranges,
    significance_clusters as significance_clusters,
    significance_letters as significance_letters,
)
from .correlation import (
    AverageBy as AverageBy,
    Coefficient as Coefficient,
    acc_eq as acc_eq,
    group_coefficients as group_coefficients,
    grouped as grouped,
    kendall_b as kendall_b,
    kendall_c as kendall_c,
    mean_of_groups as mean_of_groups,
    pearson as pearson,
    soft_pair_distances as soft_pair_distances,
    spearman as spearman,
)
from .correlation_intervals import (
    CorrelationInterval as CorrelationInterval,
    correlation_interval as correlation_interval,
    drawn_systems as drawn_systems,
    interval_of as interval_of,
    item_intervals as item_intervals,
    mean_distance_interval as mean_distance_interval,
    segment_intervals as segment_intervals,
)
from .detection import (
    area_draws as area_draws,
    area_under_curve as area_under_curve,
    best_threshold as best_threshold,
    confusion as confusion,
    detection_scores as detection_scores,
    held_out_decisions as held_out_decisions,
)
from .distributions import (
    binomial_cdf as binomial_cdf,
    normal_cdf as normal_cdf,
)
from .equivalence import (
    MarginTest as MarginTest,
    margin_test as margin_test,
    pair_margin_test as pair_margin_test,
)
from .evaluators import (
    CorrelationSpread as CorrelationSpread,
    EvaluatorBias as EvaluatorBias,
    EvaluatorPair as EvaluatorPair,
    HalfSplit as HalfSplit,
    HumanCeiling as HumanCeiling,
    between_evaluators as between_evaluators,
    evaluator_bias as evaluator_bias,
    half_split as half_split,
    human_ceiling as human_ceiling,
    pairwise_score as pairwise_score,
    pairwise_statistics as pairwise_statistics,
    segment_wins as segment_wins,
)
from .intervals import (
    FEWEST_UNITS as FEWEST_UNITS,
    interval_holding as interval_holding,
    percentile_interval as percentile_interval,
    score_interval as score_interval,
    tail_beyond as tail_beyond,
    wilson_interval as wilson_interval,
)
from .metric_tests import (
    MetricTests as MetricTests,
    PermutationPlan as PermutationPlan,
    averaged_tests as averaged_tests,
    exchange_items as exchange_items,
    exchange_segments as exchange_segments,
    exchange_soft_accuracy as exchange_soft_accuracy,
    exchange_system_segments as exchange_system_segments,
    exchange_systems as exchange_systems,
    exchange_systems_in_items as exchange_systems_in_items,
    exchange_systems_soft_accuracy as exchange_systems_soft_accuracy,
    williams as williams,
)
from .mixed import (
    REST as REST,
    MixedModel as MixedModel,
    estimable as estimable,
    fit_mixed as fit_mixed,
    margin as margin,
    with_copies as with_copies,
)
from .resampling import (
    MIN_DOCUMENTS as MIN_DOCUMENTS,
    Sampling as Sampling,
    Units as Units,
    draw_weights as draw_weights,
    estimate_all as estimate_all,
    estimate_scores as estimate_scores,
    estimates_of as estimates_of,
    rate_difference as rate_difference,
    resample_totals as resample_totals,
    resampled_scores as resampled_scores,
    segment_ranks as segment_ranks,
)
from .rounding import (
    magnitude as magnitude,
    rounded as rounded,
)
from .sequential import (
    anytime_p as anytime_p,
    anytime_sign_p as anytime_sign_p,
    anytime_sign_units as anytime_sign_units,
    anytime_units as anytime_units,
)
from .significance import (
    ALPHA as ALPHA,
    Convention as Convention,
    EffectSizes as EffectSizes,
    PairedTest as PairedTest,
    SegmentTests as SegmentTests,
    SignTest as SignTest,
    bootstrap_pairs as bootstrap_pairs,
    fewest_units as fewest_units,
    holm as holm,
    is_significant as is_significant,
    level_reached as level_reached,
    ntcir_mark as ntcir_mark,
    paired_differences as paired_differences,
    randomise_pairs as randomise_pairs,
    segment_tests as segment_tests,
    sign_test as sign_test,
    smallest_difference as smallest_difference,
    smallest_p as smallest_p,
    system_pairs as system_pairs,
    t_test as t_test,
    units_needed as units_needed,
    wilcoxon_test as wilcoxon_test,
    with_holm as with_holm,
    without_weightiest as without_weightiest,
)
from .tie_calibration import (
    calibrate as calibrate,
    constant_accuracy as constant_accuracy,
    cross_validated as cross_validated,
    held_out_bands as held_out_bands,
    resampled_calibration as resampled_calibration,
)
