"""Completion codes for crowd platforms."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from patmark.human.campaign.attention_checks import check_results
from patmark.human.campaign.evaluator_progress import ReferenceAgreement
from patmark.human.campaign.state import CampaignState
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import tr


@dataclass(frozen=True, slots=True)
class Completion:
    """The completion code of an evaluator, who must have finished and passed the checks.

    Without comparable checks, finishing is enough.
    """

    evaluator: str
    code: str
    finished: bool
    checks: ReferenceAgreement
    passed: bool

    @property
    def earned(self) -> bool:
        """True if the code may be shown."""
        return self.finished and self.passed

    def to_json(self) -> dict[str, Any]:
        """Return the completion as JSON values."""
        return {
            "code": self.code,
            "finished": self.finished,
            "checks_found": self.checks.right,
            "checks": self.checks.total,
            "earned": self.earned,
        }


@dataclass(frozen=True, slots=True)
class Completions(Result):
    """The codes of all evaluators of a campaign."""

    name: str
    rows: tuple[Completion, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the codes by evaluator."""
        return {"campaign": self.name, "codes": {one.evaluator: one.to_json() for one in self.rows}}

    def to_report(self) -> Report:
        """Return a table of the evaluators to be paid."""
        columns: dict[Column, str | Callable[[Completion], Cell]] = {
            Column(tr("evaluator")): "evaluator",
            Column(tr("code")): "code",
            Column(tr("finished")): lambda one: _yes_or_no(one.finished),
            Column(tr("checks found")): lambda one: f"{one.checks.right}/{one.checks.total}",
            Column(tr("earned")): lambda one: _yes_or_no(one.earned),
        }
        table = Table.of_records(tr("Completion codes"), self.rows, columns)
        return Report(self.name, tr("who has earned a code"), (), (table,), {})


def _yes_or_no(is_so: bool) -> str:
    return tr("yes") if is_so else tr("no")


def completions(state: CampaignState) -> Completions:
    """Return the codes of a campaign; none if the campaign file asks for none."""
    asked = state.settings.get("completion")
    if not asked:
        return Completions(state.info.name, ())
    found = check_results(state.plan, state.book)
    rows = []
    for person in state.people:
        own = [one for one in found if one.evaluator == person.name]
        right = sum(one.below for one in own)
        total = right + sum(one.equal + one.above + one.open for one in own)
        checks = ReferenceAgreement(right, total)
        own_code = hashlib.sha256(f"{asked['secret']}\0{person.name}".encode()).hexdigest()
        rows.append(
            Completion(
                person.name,
                asked.get("code") or own_code[:10].upper(),
                person.state == "finished",
                checks,
                checks.share >= float(asked.get("checks") or 0),
            )
        )
    return Completions(state.info.name, tuple(rows))
