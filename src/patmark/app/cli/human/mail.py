"""patmark human mail: links and reminders to evaluators."""

from __future__ import annotations

from typing import Annotated

from patmark.app.cli.human.campaign_options import CampaignOptions
from patmark.app.cli.output import Tables, deliver
from patmark.options import Options, Parameter, group


@group
class MailOptions(Options, heading="Mail"):
    """Kind, text and server of mails."""

    remind: bool = False
    """Write to evaluators who have not begun, are late or have stopped."""
    sender: Annotated[str | None, Parameter(metavar="ADDRESS")] = None
    """Sender address (default: the contact of the campaign file)."""
    text: Annotated[str | None, Parameter(metavar="FILE")] = None
    """Custom text with {name}, {campaign}, {link}, {pages}, {done}, {deadline} and {contact}."""
    smtp: Annotated[str | None, Parameter(metavar="URL")] = None
    """Mail server, such as smtps://user:password@host or smtp://localhost:25 (default: the variable
    PATMARK_SMTP, which keeps the password out of the process list)."""
    send: Annotated[str | None, Parameter(metavar="CODE")] = None
    """Send the mails of the preview with this code."""


def mail(
    links: Annotated[
        str | None, Parameter(help="The table of links (CSV) that patmark human new wrote.")
    ] = None,
    /,
    *,
    mails: MailOptions = MailOptions(),
    campaign: CampaignOptions = CampaignOptions(),
    output: Tables = Tables(),
) -> None:
    """Write links or reminders to the addresses of evaluators, and send them after a preview.

    Without --send nothing is sent: all mails are shown with a code, and --send CODE sends exactly
    these mails. If anything has changed since, nothing is sent. Links are not stored: without their
    table, reminders ask people to open the link they have. The log records who was mailed.

    Examples:

      patmark human mail links.csv --sender ann@example.org

      patmark human mail links.csv --sender ann@example.org --send 1f2e3d4c

      patmark human mail --remind --full
    """
    import sys

    from patmark.app.commands import human

    output.check([links] if links else [])
    made = human.mail(human.MailRequest(links=links, **campaign.changed(), **mails.changed()))
    deliver(made, output)
    if made.failures is None:
        output.say(f"nothing was sent; send these mails with: --send {made.code}")
    elif made.failures:
        sys.exit(1)
