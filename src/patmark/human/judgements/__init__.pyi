from .checks import (
    Known as Known,
    check_judgements as check_judgements,
    check_preferences as check_preferences,
)
from .exclusions import (
    Exclusion as Exclusion,
    Workload as Workload,
    complete as complete,
    counted_grades as counted_grades,
    finished_grades as finished_grades,
    notices as notices,
    shortened as shortened,
    workloads as workloads,
)
from .files import (
    ANNOTATION_TARGETS as ANNOTATION_TARGETS,
    HumanData as HumanData,
    check_target as check_target,
    convert_annotations as convert_annotations,
    convert_rows as convert_rows,
    convert_with_texts as convert_with_texts,
    read_human_files as read_human_files,
    read_judgements as read_judgements,
    write_marks as write_marks,
)
from .formats.campaign_jsonl import (
    grade_text as grade_text,
    row_record as row_record,
)
from .formats.label_studio import (
    write_label_studio as write_label_studio,
)
from .formats.mt_metrics_eval import (
    MetricsEvalSet as MetricsEvalSet,
    read_metrics_eval as read_metrics_eval,
    write_metrics_eval as write_metrics_eval,
)
from .formats.pearmut import (
    write_pearmut_annotations as write_pearmut_annotations,
    write_pearmut_campaign as write_pearmut_campaign,
)
from .formats.reading import (
    Reading as Reading,
)
from .formats.wmt_mqm import (
    write_wmt_mqm as write_wmt_mqm,
)
from .metric_sources import (
    files_by_pair as files_by_pair,
    read_sources as read_sources,
)
from .model import (
    BUILT_IN_SCALES as BUILT_IN_SCALES,
    PHASES as PHASES,
    Judgement as Judgement,
    Judgements as Judgements,
    Kind as Kind,
    Phase as Phase,
    Preference as Preference,
    Preferences as Preferences,
    Scale as Scale,
    criterion_problem as criterion_problem,
    parse_number as parse_number,
    parse_scale as parse_scale,
)
from .ranking import (
    CriterionRanking as CriterionRanking,
    HumanRanking as HumanRanking,
    judged_part as judged_part,
    rank_humans as rank_humans,
)
from .report import (
    HumanEvaluation as HumanEvaluation,
    evaluate_judgements as evaluate_judgements,
)
from .scores import (
    NTCIR7_CRITERIA as NTCIR7_CRITERIA,
    HumanScores as HumanScores,
    human_scores as human_scores,
    mean_over as mean_over,
    preference_scores as preference_scores,
)
from .validation import (
    CriterionValidation as CriterionValidation,
    validate_evaluators as validate_evaluators,
    validate_preferences as validate_preferences,
)
from .validation_tables import (
    evaluator_tables as evaluator_tables,
)
