"""Human evaluation: scales, judgements and preferences, their files, and the way to scores."""

from patmark.human.campaign_jsonl import write_campaign_jsonl
from patmark.human.checks import check_judgements, check_preferences
from patmark.human.exclusions import Exclusion, complete, finished_grades, notices
from patmark.human.judgement_csv import write_judgement_csv, write_preference_csv
from patmark.human.judgements import PHASES, Judgement, Judgements
from patmark.human.mt_metrics_eval import MetricsEvalSet, read_metrics_eval, write_metrics_eval
from patmark.human.pearmut_campaign import (
    PearmutCampaign,
    read_pearmut_campaign,
    write_pearmut_campaign,
)
from patmark.human.preferences import Preference, Preferences
from patmark.human.read import FORMATS, read_judgements
from patmark.human.reading import Reading
from patmark.human.scales import BUILT_IN_SCALES, PREFERENCE, Scale, known_scales, parse_scale
from patmark.human.scores import (
    HumanScores,
    criterion_scores,
    human_scores,
    judged_systems,
    preference_scores,
    rate_scores,
    sum_scores,
)
from patmark.human.workload import (
    Workload,
    fewer_segments,
    preference_workloads,
    shortened,
    unfinished_choices,
    unjudged_segments,
    workloads,
)

__all__ = [
    "BUILT_IN_SCALES",
    "FORMATS",
    "PHASES",
    "PREFERENCE",
    "Exclusion",
    "HumanScores",
    "Judgement",
    "Judgements",
    "MetricsEvalSet",
    "PearmutCampaign",
    "Preference",
    "Preferences",
    "Reading",
    "Scale",
    "Workload",
    "check_judgements",
    "check_preferences",
    "complete",
    "criterion_scores",
    "fewer_segments",
    "finished_grades",
    "human_scores",
    "judged_systems",
    "known_scales",
    "notices",
    "parse_scale",
    "preference_scores",
    "preference_workloads",
    "rate_scores",
    "read_judgements",
    "read_metrics_eval",
    "read_pearmut_campaign",
    "shortened",
    "sum_scores",
    "unfinished_choices",
    "unjudged_segments",
    "workloads",
    "write_campaign_jsonl",
    "write_judgement_csv",
    "write_metrics_eval",
    "write_pearmut_campaign",
    "write_preference_csv",
]
