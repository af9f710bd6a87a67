"""Mails to evaluators: links and reminders, previewed and then sent."""

from __future__ import annotations

import csv
import hashlib
import json
import smtplib
import ssl
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from patmark.data import raise_if_any
from patmark.errors import Problem, UsageError
from patmark.human.campaign.evaluator_progress import Person
from patmark.human.campaign.links import merge_table
from patmark.human.campaign.records import to_the_minute
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


_SECONDS = 60.0
_PORTS = {"smtp": 25, "smtps": 465}


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """A mail server; a password is sent over TLS only."""

    host: str
    port: int
    tls: bool = False
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"SmtpServer({self.host}:{self.port})"

    @classmethod
    def parse(cls, url: str) -> SmtpServer:
        """Parse an address as smtps://user:password@mail.example.org or smtp://host:587."""
        expected = (
            f"{setting('smtp')}: expected an address as smtps://user:password@mail.example.org "
            "or smtp://localhost:25"
        )
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise UsageError(expected) from None
        if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/"):
            raise UsageError(expected)
        return cls(
            parts.hostname,
            port or _PORTS[parts.scheme],
            parts.scheme == "smtps",
            unquote(parts.username or ""),
            unquote(parts.password or ""),
        )

    @contextmanager
    def connected(self) -> Iterator[smtplib.SMTP]:
        """Connect, encrypt if the server can, and log in."""
        trusted = ssl.create_default_context()
        try:
            if self.tls:
                connection: smtplib.SMTP = smtplib.SMTP_SSL(
                    self.host, self.port, timeout=_SECONDS, context=trusted
                )
            else:
                connection = smtplib.SMTP(self.host, self.port, timeout=_SECONDS)
            with connection:
                connection.ehlo_or_helo_if_needed()
                if not self.tls and connection.has_extn("starttls"):
                    connection.starttls(context=trusted)
                elif self.user and not self.tls:
                    raise UsageError(f"{self.host} does not offer TLS; the password is not sent")
                if self.user:
                    connection.login(self.user, self.password)
                yield connection
        except (OSError, smtplib.SMTPException) as error:
            reason = _reason(error)
            raise UsageError(f"{self.host}:{self.port} takes no mail: {reason}") from None


def send_mails(mailing: Mailing, server: SmtpServer, code: str) -> Mailing:
    """Send the mails of a preview one by one; a failure does not stop the others.

    ``code`` is that of the preview: if anything has changed since, nothing is sent.
    """
    if code != mailing.code:
        raise UsageError(
            f"nothing was sent: {code!r} is not the code of these mails. Look at the preview, and "
            f"send it with {setting('send', mailing.code)}"
        )
    if not mailing.messages:
        raise UsageError("there is nobody to write to")
    with server.connected() as connection:
        failures = dict(_send_each(connection, mailing.sender, mailing.messages))
    return replace(mailing, failures=failures)


def _send_each(
    connection: smtplib.SMTP, sender: str, messages: Iterable[MailMessage]
) -> Iterator[tuple[str, str]]:
    for one in messages:
        try:
            connection.send_message(as_mail(one, sender))
        except (OSError, smtplib.SMTPException) as error:
            yield one.evaluator, _reason(error)


def as_mail(message: MailMessage, sender: str) -> EmailMessage:
    """Return a mail as it is sent."""
    mail = EmailMessage(policy=SMTP)
    try:
        mail["From"] = sender
        mail["To"] = message.address
        mail["Subject"] = message.subject
    except ValueError as error:
        raise UsageError(f"{setting('sender')}: {error}") from None
    mail["Date"] = formatdate(localtime=False)
    mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2].strip("<> ") or None)
    mail.set_content(message.text)
    return mail


def _reason(error: Exception) -> str:
    """Return the reason of a failure in one line."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        [(code, reply)] = list(error.recipients.values())[:1]
        return f"{code} {reply.decode(errors='replace')}"
    if isinstance(error, smtplib.SMTPResponseException):
        text = error.smtp_error
        text = text.decode(errors="replace") if isinstance(text, bytes) else text
        return f"{error.smtp_code} {text}"
    return " ".join(str(error).split()) or type(error).__name__


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
        return merge_table([one.name for one in fields(Reminder)], map(asdict, self.rows))

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
        if reason := _reminder_reason(person, deadline, at):
            counts = person.done, person.total
            name, last = person.name, person.last_saved
            contact = state.address_of(name), state.language_of(name)
            found.append(Reminder(name, reason, *counts, last, deadline, *contact))
    order = list(_REASONS)
    found.sort(key=lambda one: order.index(one.reason))
    return Reminders(state.info.name, tuple(found))


def _reminder_reason(person: Person, deadline: str | None, at: str) -> Reason | None:
    if deadline is not None and at[:10] > deadline:
        return "late"
    if person.last_saved is None:
        return "not begun"
    quiet = datetime.fromisoformat(at) - datetime.fromisoformat(person.last_saved)
    return "stopped" if quiet > _LEAVING else None
