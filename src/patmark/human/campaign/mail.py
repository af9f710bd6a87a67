"""Mails to evaluators: links and reminders, previewed and then sent."""

from __future__ import annotations

import csv
import hashlib
import json
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from patmark.data import raise_if_any
from patmark.errors import Problem, UsageError
from patmark.human.campaign.reminders import reminders
from patmark.human.campaign.state import CampaignState
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import DEFAULT_LANGUAGE, setting, tr, translated

MailKind: TypeAlias = Literal["links", "reminders"]
_CODE_LENGTH = 8
_PLACEHOLDERS = ("name", "campaign", "link", "pages", "done", "deadline", "contact")


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A mail to one evaluator."""

    evaluator: str
    address: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Mailing(Result):
    """All mails of one kind, before or after sending.

    ``without_address`` are evaluators without an address. ``failures`` are by evaluator, each with
    the reason; None before sending.
    """

    campaign: str
    kind: MailKind
    sender: str
    messages: tuple[MailMessage, ...]
    without_address: tuple[str, ...] = ()
    failures: Mapping[str, str] | None = field(default=None, hash=False)

    @property
    def code(self) -> str:
        """A digest of all mails; the sender must have seen it."""
        parts = json.dumps([self.sender, [asdict(one) for one in self.messages]])
        return hashlib.sha256(parts.encode()).hexdigest()[:_CODE_LENGTH]

    @property
    def reached(self) -> tuple[str, ...]:
        """The evaluators to whom a mail was sent."""
        if self.failures is None:
            return ()
        return tuple(one.evaluator for one in self.messages if one.evaluator not in self.failures)

    def state_of(self, evaluator: str) -> str:
        """Return the state of a mail: previewed, sent, or the reason of a failure."""
        if self.failures is None:
            return tr("not sent yet")
        return self.failures.get(evaluator) or tr("sent")

    def to_json(self) -> dict[str, Any]:
        """Return all mails with their texts as JSON values."""
        return {
            "campaign": self.campaign,
            "kind": self.kind,
            "from": self.sender,
            "code": self.code,
            "sent": self.failures is not None,
            "messages": [
                {**asdict(one), "state": str(self.state_of(one.evaluator))} for one in self.messages
            ],
            "without_address": list(self.without_address),
        }

    def to_report(self) -> Report:
        """Return a table of the mails, and the whole text of the first with each subject."""
        columns: dict[Column, str | Callable[[MailMessage], Cell]] = {
            Column(tr("evaluator")): "evaluator",
            Column(tr("address")): "address",
            Column(tr("subject")): "subject",
            Column(tr("state")): lambda one: self.state_of(one.evaluator),
        }
        title = tr("Links by mail") if self.kind == "links" else tr("Reminders by mail")
        table = Table.of_records(title, self.messages, columns)
        shown = {one.subject: one for one in reversed(self.messages)}
        notes = [f"{one.address}:\n{one.text}" for one in shown.values() if self.failures is None]
        if self.without_address:
            names = self.without_address
            notes.append(tr("No address is known of {names}; they get no mail.", names=names))
        sender = tr("from {sender}", sender=self.sender)
        return Report(self.campaign, sender, (), (table,), {}, tuple(notes))


def read_links(lines: Sequence[str], path: str) -> dict[str, str]:
    """Read the links of evaluators from the lines of a mail-merge table."""
    rows = csv.DictReader(lines)
    if rows.fieldnames is None or not {"evaluator", "link"} <= set(rows.fieldnames):
        found = ", ".join(rows.fieldnames or ()) or "nothing"
        expected = "the columns evaluator and link, as the table of links has them"
        raise_if_any([Problem(f"expected {expected}; found {found}", path, 1)])
    return {row["evaluator"]: row["link"] for row in rows if "/e/" in (row["link"] or "")}


def mail_links(
    state: CampaignState, links: Mapping[str, str], sender: str, text: str | None = None
) -> Mailing:
    """Write mails with private links to everybody who has one and an address.

    ``text`` is written instead of ours, with the evaluator's values in place of {name} and others.
    """
    if text is not None and "link" not in _names(text):
        raise UsageError("the text of a mail with a link needs {link}")
    return _mailing(state, "links", links, links, sender, text)


def mail_reminders(
    state: CampaignState,
    at: str,
    sender: str,
    links: Mapping[str, str] | None = None,
    text: str | None = None,
) -> Mailing:
    """Write reminders to evaluators who have not begun, are late or have stopped.

    Links are not stored, so that only known ``links`` can be included.
    """
    late = [one.evaluator for one in reminders(state, at).rows]
    return _mailing(state, "reminders", late, links or {}, sender, text)


def _mailing(
    state: CampaignState,
    kind: MailKind,
    names: Sequence[str] | Mapping[str, str],
    links: Mapping[str, str],
    sender: str,
    text: str | None,
) -> Mailing:
    addresses = {name: state.address_of(name) for name in names}
    messages = []
    for name, address in addresses.items():
        if address is not None:
            language = state.language_of(name) or DEFAULT_LANGUAGE
            values = _values(state, name, links.get(name, ""))
            mail_text = _written(kind, values, language)
            if text is not None:
                mail_text = mail_text[0], text.format_map(values)
            messages.append(MailMessage(name, address, *mail_text))
    without = tuple(name for name, address in addresses.items() if address is None)
    return Mailing(state.info.name, kind, sender, tuple(messages), without)


def _values(state: CampaignState, name: str, link: str) -> dict[str, str]:
    """Return the values of placeholders for an evaluator."""
    person = next(one for one in state.people if one.name == name)
    return {
        "name": name,
        "campaign": state.info.name,
        "link": link,
        "pages": str(person.total),
        "done": str(person.done),
        "deadline": state.deadline_of(name) or "",
        "contact": str(state.settings.get("contact") or ""),
    }


def _written(kind: MailKind, values: Mapping[str, str], language: str) -> tuple[str, str]:
    """Return subject and text of a mail in the language of its reader."""
    subject = tr("{campaign}: your private link", **values)
    lines: list[str] = [tr("Hello {name},", **values)]
    if kind == "links":
        lines += [
            tr("thank you for taking part in “{campaign}”.", **values),
            tr("This is your private link; please give it to nobody else:"),
            values["link"],
        ]
        if values["pages"] != "0":
            lines.append(tr("Pages: {pages}.", **values))
        lines.append(tr("You can stop at any time and go on later; every answer is saved at once."))
    else:
        subject = tr("{campaign}: a reminder", **values)
        lines.append(tr("in “{campaign}” you have done {done} of {pages} pages.", **values))
        if values["link"]:
            link = tr("This is your private link; please give it to nobody else:")
            lines += [link, values["link"]]
        else:
            lines.append(
                tr("Please open the link that you were sent. If it is lost, ask for another.")
            )
    if values["deadline"]:
        lines.append(tr("Please finish by {deadline}.", **values))
    if values["contact"]:
        lines.append(tr("Questions: {contact}", **values))
    text = "\n\n".join(translated(line, language) for line in lines)
    return translated(subject, language), text + "\n"


def _names(text: str) -> set[str]:
    """Return the placeholders of a text; refuse unknown ones."""
    try:
        found = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise UsageError(f"{setting('text')}: {error}; write a brace twice") from None
    known = ", ".join(f"{{{name}}}" for name in _PLACEHOLDERS)
    for name in sorted(found - set(_PLACEHOLDERS)):
        raise UsageError(f"{setting('text')}: {{{name}}} is unknown; there are {known}")
    return found
