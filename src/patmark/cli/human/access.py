"""patmark human: who may answer and until when, and what is kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from patmark.campaign import evaluator_link, join_link, organiser_link
from patmark.cli.human.database import Address, Campaign, Database
from patmark.cli.output import Quiet
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group, option

if TYPE_CHECKING:
    from patmark.campaign import Store

ORGANISER = "organiser"
"""The organiser of a new campaign."""


def close(*, campaign: Campaign = Campaign(), output: Quiet = Quiet()) -> None:
    """Close a campaign: nobody can answer any more. Nothing is deleted.

    Example:

      patmark human close
    """
    with campaign.found() as (store, found):
        if not found.is_open:
            raise UsageError(f"{found.name} is closed already, since {found.closed}")
        store.close_campaign(found.id)
    output.say(f"closed: {found.name}")


def reopen(*, campaign: Campaign = Campaign(), output: Quiet = Quiet()) -> None:
    """Open a closed campaign again.

    Example:

      patmark human reopen
    """
    with campaign.found() as (store, found):
        if found.is_open:
            raise UsageError(f"{found.name} is open already")
        store.reopen(found.id)
    output.say(f"open again: {found.name}")


def add_evaluator(
    name: Annotated[str, Parameter(help="A pseudonym.")],
    /,
    *,
    like: Annotated[
        str | None, option("Evaluator", "Judge the same as this evaluator, in another order.")
    ] = None,
    campaign: Campaign = Campaign(),
    address: Address = Address(),
    output: Quiet = Quiet(),
) -> None:
    """Add an evaluator to a campaign that has begun, and print the private link.

    With --like the new evaluator judges what another one judges, in an order of its own. Without,
    there is only the training; the organiser's page then gives open pages of others.

    Example:

      patmark human add-evaluator e4 --like e1
    """
    from patmark.data import counted

    with campaign.found() as (store, found):
        place = address.of(store, found.id)
        token, count = store.add_evaluator(found.id, name, like)
    output.say(f"{name} has {counted(count, 'page')}; the link is shown this once")
    print(evaluator_link(place, token))


def replace(
    leaver: Annotated[str, Parameter(help="Who leaves.")],
    name: Annotated[str, Parameter(help="Who comes instead; a pseudonym.")],
    /,
    *,
    campaign: Campaign = Campaign(),
    address: Address = Address(),
    output: Quiet = Quiet(),
) -> None:
    """Let a newcomer finish what somebody has left, and print the private link.

    The newcomer gets the training and every page that is not finished, in an order of their own.
    Finished pages stay with who leaves, whose answers count as before and whose access ends.

    Example:

      patmark human replace e1 e7
    """
    from patmark.data import counted

    with campaign.found() as (store, found):
        place = address.of(store, found.id)
        token, count = store.replace_evaluator(found.id, leaver, name)
    output.say(f"{name} has {counted(count, 'page')}; the link is shown this once")
    print(evaluator_link(place, token))


@group
class NewLink(Options, heading="Link"):
    """Whose link it is."""

    organiser: bool = False
    """A new link for an organiser instead."""
    everywhere: bool = False
    """An organiser of all campaigns."""
    join: bool = False
    """A new common link, for whoever comes, instead; who has come by the old one stays."""
    revoke: bool = False
    """End all access; no new link."""


def link(
    name: Annotated[
        str | None, Parameter(help="Who gets a new link (of organisers: organiser).")
    ] = None,
    /,
    *,
    wanted: NewLink = NewLink(),
    campaign: Campaign = Campaign(),
    address: Address = Address(),
    output: Quiet = Quiet(),
) -> None:
    """Make a new private link; the old one and everybody logged in with it are shut out.

    Examples:

      patmark human link e1

      patmark human link e1 --revoke

      patmark human link --organiser

      patmark human link mei --organiser --everywhere

      patmark human link --join
    """
    if wanted.join:
        if name is not None or wanted.organiser or wanted.everywhere:
            raise UsageError("--join is for whoever comes: without a name, and not for organisers")
        _common_link(campaign, address, output, revoke=wanted.revoke)
        return
    if wanted.everywhere and not wanted.organiser:
        raise UsageError("--everywhere is for organisers: add --organiser")
    if name is None and (not wanted.organiser or wanted.revoke or wanted.everywhere):
        raise UsageError("name whose link it is; without a name only --organiser alone")
    with campaign.open() as store:
        found = None if wanted.everywhere else campaign.find(store)
        place = address.of(store, found.id) if found else address.everywhere
        if wanted.organiser:
            who = name or ORGANISER
            _organisers_link(store, found.id if found else None, who, place, revoke=wanted.revoke)
        elif found is not None and name is not None:
            who = name
            if wanted.revoke:
                store.revoke(found.id, name)
            else:
                print(evaluator_link(place, store.new_token(found.id, name)))
    ended = f"{who} has no access any more"
    output.say(ended if wanted.revoke else f"the old link of {who} has ended")


def _common_link(campaign: Campaign, address: Address, output: Quiet, *, revoke: bool) -> None:
    with campaign.found() as (store, found):
        if revoke:
            store.revoke_join(found.id)
        else:
            secret = store.new_join_secret(found.id)
            print(join_link(address.of(store, found.id), secret))
    output.say("the common link has ended" if revoke else "the old common link has ended")


def _organisers_link(
    store: Store, campaign: str | None, name: str, place: str, *, revoke: bool
) -> None:
    if revoke:
        store.revoke_organiser(campaign, name)
    else:
        print(organiser_link(place, store.new_organiser_secret(campaign, name)))


def backup(
    out: Annotated[str, Parameter(help="The new file.")],
    /,
    *,
    database: Database = Database(),
    output: Quiet = Quiet(),
) -> None:
    """Copy all campaigns to a file, also while they are running.

    Of SQLite, the copy is a database that can be used at once. Of PostgreSQL, it is a dump that
    pg_restore reads.

    Examples:

      patmark human backup monday.db

      patmark human backup monday.dump --db postgresql://patmark@localhost/campaigns
    """
    with database.open() as store:
        store.backup(out)
    output.say(f"wrote {out}")


def forget(
    name: Annotated[str, Parameter(help="The evaluator to forget.")],
    /,
    *,
    yes: Annotated[bool, option("Evaluator", "Do it; it cannot be undone.")] = False,
    campaign: Campaign = Campaign(),
    output: Quiet = Quiet(),
) -> None:
    """Delete everything about an evaluator: name, link, pages, answers and remarks.

    The name is also taken out of what others wrote: reasons, remarks, notes and the log. Backups
    and exports that were made before still hold it.

    Example:

      patmark human forget e1 --yes
    """
    from patmark.data import counted

    with campaign.found() as (store, found):
        known = [one.name for one in store.evaluators(found.id)]
        if name not in known:
            raise UsageError(f"campaign {found.name!r} has no evaluator {name!r}")
        answers = counted(len(store.answers(found.id, name)), "answer")
        if not yes:
            raise UsageError(
                f"this would delete {name!r} with {answers} for ever; add --yes to do it"
            )
        store.forget(found.id, name)
    output.say(f"deleted one evaluator with {answers}; earlier backups still hold them")


def migrate(*, database: Database = Database(), output: Quiet = Quiet()) -> None:
    """Bring the database of an older patmark to the form that this one uses.

    Make a backup with the older patmark before.

    Example:

      patmark human migrate
    """
    from patmark.campaign import Store
    from patmark.data import counted

    with Store.migrate(database.db) as store:
        count = len(store.campaigns())
    output.say(f"up to date: {counted(count, 'campaign')}")
