"""Reminders: evaluators who have not begun, are late or have stopped."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from io import StringIO
from typing import Any, Literal, TypeAlias

from patmark.human.campaign.evaluator_progress import Person
from patmark.human.campaign.records import to_the_minute
from patmark.human.campaign.state import CampaignState
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import tr

Reason: TypeAlias = Literal["late", "not begun", "stopped"]
_LEAVING = timedelta(days=3)
_REASONS: Mapping[Reason, str] = {
    "late": tr("late"),
    "not begun": tr("not begun"),
    "stopped": tr("stopped"),
}
"""Reasons for a reminder, the most urgent first."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """An evaluator who should hear from the organiser, and why."""

    evaluator: str
    reason: Reason
    done: int
    total: int
    last_saved: str | None
    deadline: str | None
    address: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Reminders(Result):
    """All of them, those first who are late."""

    name: str
    rows: tuple[Reminder, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the list as JSON values."""
        return {"campaign": self.name, "reminders": [asdict(one) for one in self.rows]}

    def mail_merge(self) -> str:
        """Return the list as CSV for a mail merge, a line for each evaluator."""
        written = StringIO()
        names = [one.name for one in fields(Reminder)]
        table = csv.DictWriter(written, names, lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(one) for one in self.rows)
        return written.getvalue()

    def to_report(self) -> Report:
        """Return the list as a table."""
        columns: dict[Column, str | Callable[[Reminder], Cell]] = {
            Column(tr("evaluator")): "evaluator",
            Column(tr("why")): lambda one: _REASONS[one.reason],
            Column(tr("done")): lambda one: f"{one.done}/{one.total}",
            Column(tr("last saved (UTC)")): lambda one: to_the_minute(one.last_saved),
            Column(tr("deadline")): "deadline",
        }
        if any(one.address for one in self.rows):
            columns[Column(tr("address"))] = "address"
        note = tr("Stopped: nothing was saved for {days} days.", days=_LEAVING.days)
        table = Table.of_records(tr("Reminders"), self.rows, columns, note)
        return Report(self.name, tr("whom to remind"), (), (table,), {})


def reminders(state: CampaignState, at: str) -> Reminders:
    """List evaluators to remind: with access, unfinished pages and no failed training."""
    found = []
    for person in state.people:
        if person.state not in ("invited", "training", "working") or not person.has_work:
            continue
        deadline = state.deadline_of(person.name)
        if reason := _reason(person, deadline, at):
            counts = person.done, person.total
            name, last = person.name, person.last_saved
            contact = state.address_of(name), state.language_of(name)
            found.append(Reminder(name, reason, *counts, last, deadline, *contact))
    order = list(_REASONS)
    found.sort(key=lambda one: order.index(one.reason))
    return Reminders(state.info.name, tuple(found))


def _reason(person: Person, deadline: str | None, at: str) -> Reason | None:
    if deadline is not None and at[:10] > deadline:
        return "late"
    if person.last_saved is None:
        return "not begun"
    quiet = datetime.fromisoformat(at) - datetime.fromisoformat(person.last_saved)
    return "stopped" if quiet > _LEAVING else None
