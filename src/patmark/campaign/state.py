"""All that a campaign holds at one moment: plan, answers and decisions, read from its store."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from patmark.campaign.common_order import with_agreed
from patmark.campaign.plan import Answer, Plan
from patmark.campaign.results import CampaignResults, campaign_results
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.campaign.store.records import (
        CampaignInfo,
        Consensus,
        EvaluatorInfo,
        Progress,
        Remark,
        StoredAnswer,
    )
    from patmark.campaign.store.store import Store


@dataclass(frozen=True)
class CampaignData:
    """A campaign as it stands. ``answers`` are those that count, ``saves`` all that came in."""

    info: CampaignInfo
    plan: Plan
    evaluators: tuple[EvaluatorInfo, ...]
    progress: tuple[Progress, ...]
    answers: tuple[StoredAnswer, ...]
    saves: tuple[StoredAnswer, ...]
    remarks: tuple[Remark, ...]
    consensus: tuple[Consensus, ...]

    @property
    def excluded(self) -> dict[str, str]:
        """The evaluators whose answers do not count, each with the reason."""
        return {one.name: one.excluded for one in self.evaluators if one.excluded is not None}

    @cached_property
    def given(self) -> tuple[Answer, ...]:
        """The answers that count, of everybody."""
        return tuple(one.answer for one in self.answers)

    def without(self, names: Collection[str]) -> tuple[Plan, tuple[Answer, ...]]:
        """The plan and the answers of everybody else."""
        plan = replace(
            self.plan,
            evaluators=tuple(name for name in self.plan.evaluators if name not in names),
            pages=tuple(page for page in self.plan.pages if page.evaluator not in names),
        )
        return plan, tuple(one.answer for one in self.answers if one.evaluator not in names)

    @cached_property
    def trained(self) -> Plan:
        """The plan with what was agreed on as the reference answers of the training."""
        agreed = {one.place: one.value for one in self.consensus}
        pages = tuple(with_agreed(self.plan.form, page, agreed) for page in self.plan.pages)
        return replace(self.plan, pages=pages)

    @cached_property
    def results(self) -> CampaignResults:
        """Judgements and preferences without those of excluded evaluators."""
        return campaign_results(*self.without(self.excluded))


def read_campaign_data(store: Store, campaign: str) -> CampaignData:
    """Everything about a campaign.

    The plan is read last: a page that was reassigned meanwhile is then still one of the plan, and
    pages are never deleted but with their answers.
    """
    answers, saves = tuple(store.answers(campaign)), tuple(store.history(campaign))
    progress = tuple(store.progress(campaign))
    evaluators, remarks = tuple(store.evaluators(campaign)), tuple(store.remarks(campaign))
    consensus, plan = tuple(store.consensus(campaign)), store.plan(campaign)
    known = set(plan.evaluators)
    return CampaignData(
        store.campaign(campaign), plan, evaluators, progress,
        tuple(one for one in answers if one.evaluator in known),
        tuple(one for one in saves if one.evaluator in known),
        remarks, consensus,
    )  # fmt: skip


def find_campaign(store: Store, wanted: str | None = None) -> CampaignInfo:
    """The campaign with this id or name; the only one of the database if none is named."""
    known = store.campaigns()
    listed = "; ".join(f"{one.id} ({one.name})" for one in known)
    if not known:
        raise UsageError("the database holds no campaigns; they are begun with: patmark human new")
    if wanted is None:
        if len(known) > 1:
            raise UsageError(f"the database holds several campaigns; choose one of: {listed}")
        return known[0]
    found = [one for one in known if wanted == one.id] or [
        one for one in known if wanted == one.name
    ]
    if not found:
        raise UsageError(f"there is no campaign {wanted!r}; there are: {listed}")
    if len(found) > 1:
        raise UsageError(f"several campaigns are named {wanted!r}; choose by id: {listed}")
    return found[0]
