"""Campaigns: the form that is filled in, the plan of who judges what, and the answers.

`read_campaign` reads the campaign file, `plan_campaign` decides every page; answers are checked by
`answer_problem` before they are stored, and `campaign_results` turns them into judgements.
"""

from patmark.human.campaign.answers_to_judgements import (
    CampaignResults,
    MarkedSpan,
    answer_records,
    campaign_results,
    campaign_spans,
    declared_scales,
    form_scales,
)
from patmark.human.campaign.consistency import Consistency
from patmark.human.campaign.evaluator_checks import CheckResult, check_results, self_agreement
from patmark.human.campaign.form import (
    LANGUAGES,
    Choice,
    ComputedScore,
    Form,
    Question,
    Step,
    Words,
)
from patmark.human.campaign.form_answers import (
    answer_problem,
    chart_grade,
    chart_path,
    computed_scores,
    is_settled,
    latest_answers,
    missing,
    next_step,
    parse_ranking,
)
from patmark.human.campaign.form_file import form_from_record, form_names, form_record, read_form
from patmark.human.campaign.plan import Answer, Candidate, Page, Plan
from patmark.human.campaign.planning import plan_campaign, random_id
from patmark.human.campaign.settings import CampaignSettings
from patmark.human.campaign.settings_file import read_campaign
from patmark.human.campaign.size import Size, Spread, observed_spread, plan_size, sizes
from patmark.human.campaign.training_results import (
    Correction,
    corrections,
    page_corrections,
    training_agreement,
)

__all__ = [
    "LANGUAGES",
    "Answer",
    "CampaignResults",
    "CampaignSettings",
    "Candidate",
    "CheckResult",
    "Choice",
    "ComputedScore",
    "Consistency",
    "Correction",
    "Form",
    "MarkedSpan",
    "Page",
    "Plan",
    "Question",
    "Size",
    "Spread",
    "Step",
    "Words",
    "answer_problem",
    "answer_records",
    "campaign_results",
    "campaign_spans",
    "chart_grade",
    "chart_path",
    "check_results",
    "computed_scores",
    "corrections",
    "declared_scales",
    "form_from_record",
    "form_names",
    "form_record",
    "form_scales",
    "is_settled",
    "latest_answers",
    "missing",
    "next_step",
    "observed_spread",
    "page_corrections",
    "parse_ranking",
    "plan_campaign",
    "plan_size",
    "random_id",
    "read_campaign",
    "read_form",
    "self_agreement",
    "sizes",
    "training_agreement",
]
