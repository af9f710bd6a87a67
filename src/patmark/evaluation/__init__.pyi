from .analysis import (
    analysed_report as analysed_report,
)
from .analysis import (
    in_section as in_section,
)
from .compared import (
    compare_loaded as compare_loaded,
)
from .compared import (
    compare_result as compare_result,
)
from .compared import (
    load_scores as load_scores,
)
from .comparison import (
    LIKELY as LIKELY,
)
from .comparison import (
    SURE as SURE,
)
from .comparison import (
    CompareSettings as CompareSettings,
)
from .comparison import (
    Comparison as Comparison,
)
from .comparison import (
    LeftOut as LeftOut,
)
from .comparison import (
    MeasureComparison as MeasureComparison,
)
from .comparison import (
    Pair as Pair,
)
from .comparison import (
    TestName as TestName,
)
from .comparison import (
    compare as compare,
)
from .comparison_tables import (
    comparison_findings as comparison_findings,
)
from .comparison_tables import (
    comparison_notes as comparison_notes,
)
from .comparison_tables import (
    comparison_report as comparison_report,
)
from .evaluation import (
    DEFAULT_RESAMPLES as DEFAULT_RESAMPLES,
)
from .evaluation import (
    WITH_SOURCE as WITH_SOURCE,
)
from .evaluation import (
    Evaluation as Evaluation,
)
from .evaluation import (
    Progress as Progress,
)
from .evaluation import (
    Settings as Settings,
)
from .evaluation import (
    check_runs as check_runs,
)
from .evaluation import (
    choose_measures as choose_measures,
)
from .evaluation import (
    default_measures as default_measures,
)
from .evaluation import (
    estimate_json as estimate_json,
)
from .evaluation import (
    evaluate as evaluate,
)
from .evaluation import (
    interval_note as interval_note,
)
from .evaluation import (
    measure_column as measure_column,
)
from .evaluation import (
    missing_notes as missing_notes,
)
from .evaluation import (
    parse_given as parse_given,
)
from .evaluation import (
    refuse_descriptive as refuse_descriptive,
)
from .evaluation import (
    resampling_json as resampling_json,
)
from .gates import (
    BASELINE_NAMES as BASELINE_NAMES,
)
from .gates import (
    DropTest as DropTest,
)
from .gates import (
    GatePlan as GatePlan,
)
from .gates import (
    GateResult as GateResult,
)
from .gates import (
    Threshold as Threshold,
)
from .gates import (
    check_drops as check_drops,
)
from .gates import (
    check_fail_under as check_fail_under,
)
from .gates import (
    check_known as check_known,
)
from .gates import (
    check_max_drop as check_max_drop,
)
from .gates import (
    matched_systems as matched_systems,
)
from .gates import (
    parse_thresholds as parse_thresholds,
)
from .gates import (
    scale_warnings as scale_warnings,
)
from .meta.evaluation import (
    evaluate_metrics as evaluate_metrics,
)
from .meta.panel import (
    MetaSettings as MetaSettings,
)
from .meta.panel import (
    Series as Series,
)
from .meta.panel import (
    Source as Source,
)
from .meta.panel import (
    build_panel as build_panel,
)
from .meta.panel import (
    scores_source as scores_source,
)
from .meta.panel import (
    table_source as table_source,
)
from .meta.panel import (
    turned_round as turned_round,
)
from .meta.panel import (
    whole_series as whole_series,
)
from .meta.report import (
    meta_report as meta_report,
)
from .meta.systems import (
    SystemCorrelations as SystemCorrelations,
)
from .meta.systems import (
    correlate_systems as correlate_systems,
)
from .meta.systems import (
    sampling_signature as sampling_signature,
)
from .protocol import (
    Inputs as Inputs,
)
from .protocol import (
    Protocol as Protocol,
)
from .protocol import (
    ProtocolResult as ProtocolResult,
)
from .protocol import (
    protocol_called as protocol_called,
)
from .saved import (
    COUNTED_AS_WRONG as COUNTED_AS_WRONG,
)
from .saved import (
    FORMAT as FORMAT,
)
from .saved import (
    LEFT_OUT as LEFT_OUT,
)
from .saved import (
    SavedScores as SavedScores,
)
from .saved import (
    Scored as Scored,
)
from .saved import (
    ScoreFacts as ScoreFacts,
)
from .saved import (
    check_library as check_library,
)
from .saved import (
    check_same_counting as check_same_counting,
)
from .saved import (
    check_same_segments as check_same_segments,
)
from .saved import (
    check_same_texts as check_same_texts,
)
from .saved import (
    is_parquet as is_parquet,
)
from .saved import (
    join_scores as join_scores,
)
from .saved import (
    joining_notes as joining_notes,
)
from .saved import (
    read_scores as read_scores,
)
from .saved import (
    save_scores as save_scores,
)
from .saved import (
    subset_scores as subset_scores,
)
from .saved import (
    unchecked as unchecked,
)
