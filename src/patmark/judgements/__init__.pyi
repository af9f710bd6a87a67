from .checks import (
    Known as Known,
)
from .checks import (
    check_judgements as check_judgements,
)
from .checks import (
    check_preferences as check_preferences,
)
from .exclusions import (
    Exclusion as Exclusion,
)
from .exclusions import (
    Workload as Workload,
)
from .exclusions import (
    complete as complete,
)
from .exclusions import (
    fewer_segments as fewer_segments,
)
from .exclusions import (
    finished_grades as finished_grades,
)
from .exclusions import (
    notices as notices,
)
from .exclusions import (
    preference_workloads as preference_workloads,
)
from .exclusions import (
    shortened as shortened,
)
from .exclusions import (
    unfinished_choices as unfinished_choices,
)
from .exclusions import (
    unjudged_segments as unjudged_segments,
)
from .exclusions import (
    workloads as workloads,
)
from .files import (
    HumanData as HumanData,
)
from .files import (
    check_target as check_target,
)
from .files import (
    convert_rows as convert_rows,
)
from .files import (
    convert_with_texts as convert_with_texts,
)
from .files import (
    read_human_files as read_human_files,
)
from .formats.campaign_jsonl import (
    grade_text as grade_text,
)
from .formats.csv import (
    winning_system as winning_system,
)
from .formats.csv import (
    write_judgement_csv as write_judgement_csv,
)
from .formats.csv import (
    write_preference_csv as write_preference_csv,
)
from .formats.detect import (
    FORMATS as FORMATS,
)
from .formats.detect import (
    read_judgements as read_judgements,
)
from .formats.mt_metrics_eval import (
    MetricsEvalSet as MetricsEvalSet,
)
from .formats.mt_metrics_eval import (
    read_metrics_eval as read_metrics_eval,
)
from .formats.mt_metrics_eval import (
    write_metrics_eval as write_metrics_eval,
)
from .formats.pearmut import (
    PearmutCampaign as PearmutCampaign,
)
from .formats.pearmut import (
    read_pearmut_campaign as read_pearmut_campaign,
)
from .formats.pearmut import (
    write_pearmut_campaign as write_pearmut_campaign,
)
from .formats.reading import (
    Collected as Collected,
)
from .formats.reading import (
    Reading as Reading,
)
from .metric_sources import (
    read_sources as read_sources,
)
from .model import (
    BUILT_IN_SCALES as BUILT_IN_SCALES,
)
from .model import (
    PHASES as PHASES,
)
from .model import (
    PREFERENCE as PREFERENCE,
)
from .model import (
    Judgement as Judgement,
)
from .model import (
    Judgements as Judgements,
)
from .model import (
    Kind as Kind,
)
from .model import (
    Phase as Phase,
)
from .model import (
    Preference as Preference,
)
from .model import (
    Preferences as Preferences,
)
from .model import (
    Scale as Scale,
)
from .model import (
    criterion_problem as criterion_problem,
)
from .model import (
    known_scales as known_scales,
)
from .model import (
    parse_number as parse_number,
)
from .model import (
    parse_scale as parse_scale,
)
from .ranking import (
    CriterionRanking as CriterionRanking,
)
from .ranking import (
    HumanRanking as HumanRanking,
)
from .ranking import (
    judged_part as judged_part,
)
from .ranking import (
    mark as mark,
)
from .ranking import (
    rank_humans as rank_humans,
)
from .report import (
    human_json as human_json,
)
from .report import (
    human_report as human_report,
)
from .scores import (
    NTCIR7_CRITERIA as NTCIR7_CRITERIA,
)
from .scores import (
    HumanScores as HumanScores,
)
from .scores import (
    criterion_scores as criterion_scores,
)
from .scores import (
    human_scores as human_scores,
)
from .scores import (
    judged_systems as judged_systems,
)
from .scores import (
    preference_scores as preference_scores,
)
from .scores import (
    rate_scores as rate_scores,
)
from .scores import (
    sum_scores as sum_scores,
)
from .validation import (
    CriterionValidation as CriterionValidation,
)
from .validation import (
    validate_judges as validate_judges,
)
from .validation import (
    validate_preferences as validate_preferences,
)
from .validation_tables import (
    judge_tables as judge_tables,
)
from .validation_tables import (
    validation_json as validation_json,
)
