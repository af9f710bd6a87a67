"""patmark human close, reopen, add-evaluator and link: who may answer, and until when."""

from __future__ import annotations

from typing import Annotated

import typer

from patmark.cli import options as given
from patmark.cli.human_options import (
    ADDRESS,
    DATABASE,
    BaseUrl,
    ChosenCampaign,
    Db,
    checked_address,
    evaluator_link,
    open_store,
    organiser_link,
)
from patmark.cli.output import say
from patmark.errors import UsageError


def close(db: Db = DATABASE, campaign: ChosenCampaign = None, quiet: given.Quiet = False) -> None:
    """Close a campaign: nobody can answer any more. Nothing is deleted.

    Example:

      patmark human close
    """
    from patmark.campaign.store.store import find_campaign

    with open_store(db) as store:
        found = find_campaign(store, campaign)
        if not found.is_open:
            raise UsageError(f"{found.name} is closed already, since {found.closed}")
        store.close_campaign(found.id)
    if not quiet:
        say(f"closed: {found.name}")


def reopen(db: Db = DATABASE, campaign: ChosenCampaign = None, quiet: given.Quiet = False) -> None:
    """Open a closed campaign again.

    Example:

      patmark human reopen
    """
    from patmark.campaign.store.store import find_campaign

    with open_store(db) as store:
        found = find_campaign(store, campaign)
        if found.is_open:
            raise UsageError(f"{found.name} is open already")
        store.reopen(found.id)
    if not quiet:
        say(f"open again: {found.name}")


def add_evaluator(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A pseudonym.")],
    like: Annotated[
        str | None,
        typer.Option(help="Judge the same as this evaluator, in another order."),
    ] = None,
    db: Db = DATABASE,
    campaign: ChosenCampaign = None,
    base_url: BaseUrl = ADDRESS,
    quiet: given.Quiet = False,
) -> None:
    """Add an evaluator to a campaign that has begun, and print the private link.

    With --like the new evaluator judges what another one judges, in an order of its own. Without,
    there is only the training; the organiser's page then gives open pages of others.

    Example:

      patmark human add-evaluator e4 --like e1
    """
    from patmark.campaign.joining import pages_for_newcomer
    from patmark.campaign.store.store import find_campaign
    from patmark.data.counting import counted

    address = checked_address(base_url)
    with open_store(db) as store:
        found = find_campaign(store, campaign)
        pages = pages_for_newcomer(store.plan(found.id), name, like)
        token = store.add_evaluator(found.id, name, pages)
    if not quiet:
        say(f"{name} has {counted(len(pages), 'page')}; the link is shown this once")
    print(evaluator_link(address, token))


def link(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The evaluator who gets a new link.")
    ] = None,
    organiser: Annotated[
        bool, typer.Option("--organiser", help="A new link for the organiser instead.")
    ] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="End all access of the evaluator; no new link.")
    ] = False,
    db: Db = DATABASE,
    campaign: ChosenCampaign = None,
    base_url: BaseUrl = ADDRESS,
    quiet: given.Quiet = False,
) -> None:
    """Make a new private link; the old one and everybody logged in with it are shut out.

    Examples:

      patmark human link e1

      patmark human link e1 --revoke

      patmark human link --organiser
    """
    from patmark.campaign.store.store import find_campaign

    if (name is None) != organiser or (organiser and revoke):
        raise UsageError("name one evaluator, with --revoke if wanted; or say --organiser")
    address = checked_address(base_url)
    with open_store(db) as store:
        found = find_campaign(store, campaign)
        if name is None:
            print(organiser_link(address, store.new_organiser_secret(found.id)))
        elif revoke:
            store.revoke(found.id, name)
        else:
            print(evaluator_link(address, store.new_token(found.id, name)))
    if not quiet:
        who = name or "the organiser"
        say(f"{who} has no access any more" if revoke else f"the old link of {who} has ended")
