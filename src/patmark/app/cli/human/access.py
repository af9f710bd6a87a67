"""patmark human: access of evaluators and organisers, and their stored data."""

from __future__ import annotations

from typing import Annotated

from patmark.app import commands
from patmark.app.cli.output import Quiet, wrote
from patmark.data import counted
from patmark.options import Parameter, option


def close(*, campaign: commands.human.CampaignRequest, output: Quiet) -> None:
    """Close a campaign. Nobody can answer any more; nothing is deleted.

    Example:

      patmark human close
    """
    output.say(f"closed: {commands.human.close(campaign).name}")


def reopen(*, campaign: commands.human.CampaignRequest, output: Quiet) -> None:
    """Reopen a closed campaign.

    Example:

      patmark human reopen
    """
    output.say(f"open again: {commands.human.reopen(campaign).name}")


def add_evaluator(
    name: Annotated[str, Parameter(help="A pseudonym.")],
    /,
    *,
    like: Annotated[
        str | None, option("Evaluator", "Judge the same as this evaluator, in another order.")
    ] = None,
    mail: Annotated[
        str | None, option("Evaluator", "The mail address, for links and reminders.")
    ] = None,
    campaign: commands.human.LinkedRequest,
    output: Quiet,
) -> None:
    """Add an evaluator to a running campaign and print the private link.

    With --like the new evaluator judges the segments of another one, in a separate order. Otherwise
    there is only the training, until the organiser's page reassigns open pages.

    Example:

      patmark human add-evaluator e4 --like e1
    """
    _tell_link(commands.human.add_evaluator(campaign, name, like, mail), output)


def _tell_link(added: commands.human.NewEvaluator, output: Quiet) -> None:
    """Print the link of a new evaluator."""
    output.say(f"{added.name} has {counted(added.pages, 'page')}; the link is shown this once")
    print(added.link)


def replace(
    leaver: Annotated[str, Parameter(help="The evaluator who leaves.")],
    name: Annotated[str, Parameter(help="Pseudonym of the new evaluator.")],
    /,
    *,
    campaign: commands.human.LinkedRequest,
    output: Quiet,
) -> None:
    """Replace an evaluator by a new one, and print the private link.

    The new evaluator gets the training and every unfinished page, in a separate order. Finished
    pages and their answers stay with the old evaluator, whose access ends.

    Example:

      patmark human replace e1 e7
    """
    _tell_link(commands.human.replace_evaluator(campaign, leaver, name), output)


def link(request: commands.human.LinkRequest, output: Quiet) -> None:
    """Create a new private link; the old link and its sessions end.

    Examples:

      patmark human link e1

      patmark human link e1 --revoke

      patmark human link --organiser

      patmark human link mei --organiser --everywhere

      patmark human link --join
    """
    changed = commands.human.link(request)
    if changed.link is not None:
        print(changed.link)
        whose = "link" if changed.name else "common link"
        output.say(f"the old {whose}{f' of {changed.name}' if changed.name else ''} has ended")
    elif changed.name is None:
        output.say("the common link has ended")
    else:
        output.say(f"{changed.name} has no access any more")


def backup(
    out: Annotated[str, Parameter(help="The new file.")],
    /,
    *,
    database: commands.human.DatabaseRequest,
    output: Quiet,
) -> None:
    """Back up all campaigns to a file, even while they run.

    For SQLite, the copy is a usable database. For PostgreSQL, it is a dump for pg_restore.

    Examples:

      patmark human backup monday.db

      patmark human backup monday.dump --db postgresql://patmark@localhost/campaigns
    """
    commands.human.backup(database, out)
    output.say(wrote(out))


def forget(
    name: Annotated[str, Parameter(help="The evaluator to forget.")],
    /,
    *,
    yes: Annotated[bool, option("Evaluator", "Do it; it cannot be undone.")] = False,
    campaign: commands.human.CampaignRequest,
    output: Quiet,
) -> None:
    """Delete all data of an evaluator: name, link, pages, answers and remarks.

    The name is also removed from texts of others: reasons, remarks, notes and the log. Earlier
    backups and exports still hold it.

    Example:

      patmark human forget e1 --yes
    """
    answers = counted(commands.human.forget(campaign, name, yes=yes), "answer")
    output.say(f"deleted one evaluator with {answers}; earlier backups still hold them")


def migrate(*, database: commands.human.DatabaseRequest, output: Quiet) -> None:
    """Migrate the database of an older version of patmark.

    First make a backup with the older version.

    Example:

      patmark human migrate
    """
    output.say(f"up to date: {counted(commands.human.migrate(database), 'campaign')}")
