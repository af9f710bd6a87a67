"""Campaigns: the form that is filled in, the plan of who judges what, and the answers.

`read_campaign` reads the campaign file, `plan_campaign` decides every page; answers are checked by
`answer_problem` before they are stored, and `campaign_results` turns them into judgements.
"""

from patmark.campaign.answers import (
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
from patmark.campaign.checks import CheckResult, Consistency, check_results, self_agreement
from patmark.campaign.form import (
    LANGUAGES,
    Choice,
    ComputedScore,
    Form,
    Question,
    Step,
    Words,
    form_names,
    read_form,
)
from patmark.campaign.plan import Answer, Candidate, Page, Plan
from patmark.campaign.planning import plan_campaign, random_id
from patmark.campaign.results import (
    CampaignResults,
    MarkedSpan,
    answer_records,
    campaign_results,
    campaign_spans,
    declared_scales,
    form_scales,
)
from patmark.campaign.settings import CampaignSettings, read_campaign
from patmark.campaign.size import Size, Spread, observed_spread, plan_size, sizes
from patmark.campaign.training import (
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
    "form_names",
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
