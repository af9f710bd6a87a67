from .analysis import (
    analysed_report as analysed_report,
    in_section as in_section,
)
from .comparison import (
    CompareSettings as CompareSettings,
    Comparison as Comparison,
    MeasureComparison as MeasureComparison,
    Pair as Pair,
    TestName as TestName,
    check_comparable as check_comparable,
    compare as compare,
    comparison_json as comparison_json,
    corrected_together as corrected_together,
    verdict_json as verdict_json,
)
from .comparison_tables import (
    better_and_worse as better_and_worse,
    comparison_findings as comparison_findings,
    comparison_notes as comparison_notes,
    comparison_report as comparison_report,
    found_together as found_together,
    pair_p as pair_p,
    ungrouped as ungrouped,
    verdict_text as verdict_text,
)
from .data_quality import (
    language_warnings as language_warnings,
    pair_language_warnings as pair_language_warnings,
    repeated_warnings as repeated_warnings,
)
from .error_marks import (
    ESA as ESA,
    MQM as MQM,
    WEIGHTS as WEIGHTS,
    Weights as Weights,
    error_counts as error_counts,
    esa_scores as esa_scores,
    fitting_weights as fitting_weights,
    mqm_scores as mqm_scores,
    part_scores as part_scores,
    points_lost as points_lost,
    source_lengths as source_lengths,
    weights_called as weights_called,
    z_by_evaluator as z_by_evaluator,
)
from .error_tables import (
    ErrorAnalysis as ErrorAnalysis,
)
from .evaluation import (
    INTERVAL_METHOD as INTERVAL_METHOD,
    RATE_METHOD as RATE_METHOD,
    Evaluation as Evaluation,
    difference_method as difference_method,
    estimate_json as estimate_json,
    interval_note as interval_note,
    measure_column as measure_column,
    resampling_json as resampling_json,
    score_column as score_column,
    unknown_documents as unknown_documents,
)
from .file_roles import (
    GuessedInputs as GuessedInputs,
    bench_protocol as bench_protocol,
    guess_inputs as guess_inputs,
    role_by_name as role_by_name,
)
from .gates import (
    GatePlan as GatePlan,
    GateResult as GateResult,
    Gates as Gates,
    parse_margins as parse_margins,
    parse_thresholds as parse_thresholds,
)
from .grade_uncertainty import (
    GradeModel as GradeModel,
    component_table as component_table,
    mean_table as mean_table,
    model_grades as model_grades,
)
from .joined_scores import (
    check_same_texts as check_same_texts,
    imported_paths as imported_paths,
    join_scores as join_scores,
    joining_notes as joining_notes,
    load as load,
    measure_name as measure_name,
    names_import as names_import,
    read_imported as read_imported,
    subset_scores as subset_scores,
    unchecked as unchecked,
)
from .judge_calibration import (
    CalibrationRecord as CalibrationRecord,
    JudgeCalibration as JudgeCalibration,
    calibrate_judge as calibrate_judge,
    read_calibration as read_calibration,
)
from .meta.agreement import (
    Level as Level,
    MetaSettings as MetaSettings,
    MetricRow as MetricRow,
    SystemCorrelations as SystemCorrelations,
    SystemSampling as SystemSampling,
    correlate_systems as correlate_systems,
)
from .meta.panel import (
    Series as Series,
    Source as Source,
    build_panel as build_panel,
    scores_source as scores_source,
    table_source as table_source,
    turned_round as turned_round,
    whole_series as whole_series,
)
from .meta.report import (
    AverageResult as AverageResult,
    MetaResult as MetaResult,
    evaluate_metrics as evaluate_metrics,
    meta_evaluate as meta_evaluate,
    meta_evaluate_pairs as meta_evaluate_pairs,
)
from .protocol import (
    PLAIN as PLAIN,
    BenchRows as BenchRows,
    Hypothesis as Hypothesis,
    Inputs as Inputs,
    NamedRun as NamedRun,
    Plain as Plain,
    Protocol as Protocol,
    SharedOptions as SharedOptions,
    protocol_called as protocol_called,
    refuse_foreign as refuse_foreign,
)
from .score_files import (
    check_library as check_library,
    is_saved as is_saved,
    read_scores as read_scores,
    save_scores as save_scores,
)
from .scoring import (
    MeasureNames as MeasureNames,
    Progress as Progress,
    Runs as Runs,
    Sampling as Sampling,
    TextEvaluation as TextEvaluation,
    choose_measures as choose_measures,
    default_checks as default_checks,
    default_measures as default_measures,
    evaluate as evaluate,
    given_runs as given_runs,
    missing_notes as missing_notes,
    parse_given as parse_given,
    refuse_descriptive as refuse_descriptive,
)
from .span_agreement import (
    evidence_annotations as evidence_annotations,
    span_agreement as span_agreement,
)
