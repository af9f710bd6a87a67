"""Sending mails by SMTP."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from patmark.errors import UsageError
from patmark.human.campaign.mail import Mailing, MailMessage
from patmark.wording import setting

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
    """Send mails, and yield the evaluators whom none reached, with the reason."""
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
