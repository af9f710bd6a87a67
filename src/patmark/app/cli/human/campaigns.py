"""patmark human: all campaigns of a database, their organisers, and a demo."""

from __future__ import annotations

import sys
from typing import Annotated

from patmark.app import commands
from patmark.app.cli.human.campaign import print_links, run_until_stopped
from patmark.app.cli.output import Quiet, Talk, deliver, print_json, say
from patmark.data import counted
from patmark.human.campaign import DEFAULT_PORT
from patmark.options import Parameter, option


def list(
    *,
    database: commands.human.DatabaseRequest,
    all: Annotated[bool, option("Campaigns", "Also those of the archive.")] = False,
    output: Talk,
) -> None:
    """List the campaigns of a database with their progress, newest first.

    Examples:

      patmark human list

      patmark human list --all --json
    """
    deliver(commands.human.list_campaigns(database, archived=all), output)


def archive(
    *,
    undo: Annotated[
        bool, option("Campaigns", "Take the campaign out of the archive; it stays closed.")
    ] = False,
    campaign: commands.human.CampaignRequest,
    output: Quiet,
) -> None:
    """Close a campaign and hide it from lists. Nothing is deleted.

    Examples:

      patmark human archive --campaign "Pilot"

      patmark human archive --campaign "Pilot" --undo
    """
    found = commands.human.archive(campaign, undo=undo)
    output.say(f"{'taken out of the archive' if undo else 'in the archive'}: {found.name}")


def delete(
    *,
    confirm: Annotated[
        str | None,
        option("Campaigns", "The name of the campaign, instead of being asked for it."),
    ] = None,
    campaign: commands.human.CampaignRequest,
    output: Quiet,
) -> None:
    """Delete a campaign permanently: people, links, pages, answers and log.

    The command asks for its name. Earlier backups still hold it.

    Examples:

      patmark human delete --campaign "Pilot"

      patmark human delete --campaign "Pilot" --confirm "Pilot"
    """
    typed = confirm
    if typed is None and sys.stdin.isatty():
        found, count = commands.human.answers_to_delete(campaign)
        answers = counted(count, "answer")
        say(f"this deletes {found.name!r} with {answers} for ever; type its name to do it:")
        typed = sys.stdin.readline().rstrip("\n")
    found, count = commands.human.delete(campaign, typed)
    answers = counted(count, "answer")
    output.say(f"deleted {found.name} with {answers}; earlier backups still hold them")


def clone(
    name: Annotated[str, Parameter(help="The name of the new campaign.")],
    /,
    *,
    rename: Annotated[
        tuple[str, ...],
        option("People", "OLD=NEW: NEW gets the place of OLD; may be repeated."),
    ] = (),
    campaign: commands.human.LinkedRequest,
    output: Talk,
) -> None:
    """Start a campaign with the people and pages of another one, without answers.

    The new links are printed once. People without access, or excluded, get none; people who joined
    by the common link join again by the new one.

    Examples:

      patmark human clone "Second round" --campaign "First round"

      patmark human clone "Second round" --rename e1=mei --rename e2=ken
    """
    made = commands.human.clone(campaign, name, rename)
    if output.json:
        print_json({"campaign": made.id, "name": made.name, "links": made.links})
        return
    output.say(f"{made.name}: private links, shown this once")
    print_links(made.links)


def add_organiser(
    name: Annotated[str, Parameter(help="The name that the log shows.")],
    /,
    *,
    everywhere: Annotated[
        bool, option("Organiser", "All campaigns of the database, with a page that lists them.")
    ] = False,
    campaign: commands.human.LinkedRequest,
    output: Quiet,
) -> None:
    """Add an organiser and print the private link once.

    The log of a campaign names the organiser of each decision. With --everywhere the link opens a
    page with all campaigns of the database.

    Examples:

      patmark human add-organiser mei

      patmark human add-organiser mei --everywhere
    """
    found, link = commands.human.add_organiser(campaign, name, everywhere=everywhere)
    what = found.name if found else "all campaigns"
    output.say(f"{name.strip()} organises {what}; the link is shown this once")
    print(link)


def demo(
    *,
    port: Annotated[
        int, commands.human.port_number(), option("Server", "The port to listen on.")
    ] = DEFAULT_PORT,
    output: Quiet,
) -> None:
    """Serve two demo campaigns with invented evaluators.

    Links for every role are printed; no browser is opened. All data are in a temporary folder that
    is deleted at the end, with Ctrl-C.

    Example:

      patmark human demo
    """
    with commands.human.demo(port) as (ready, manager, campaigns):
        print(f"all campaigns   {manager}")
        for one in campaigns:
            print(f"\n{one.name}")
            print_links(one.links)
        print(flush=True)
        output.say(
            "e4 answers at random, e3 is strict, e5 is slow, e6 has not begun",
            f"serving a demo at {ready.request.address}; Ctrl-C stops and deletes it",
        )
        run_until_stopped(ready)
