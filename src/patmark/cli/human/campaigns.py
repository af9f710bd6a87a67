"""patmark human: all campaigns of a database, their organisers, and a demo."""

from __future__ import annotations

import sys
from typing import Annotated

from patmark.campaign import created_links, organiser_link
from patmark.cli.human.campaign import port_number, rows_of, run_server
from patmark.cli.human.database import PORT, Address, Campaign, Database
from patmark.cli.output import Quiet, Talk, deliver, print_json, say
from patmark.errors import UsageError
from patmark.options import Parameter, option


def list(
    *,
    database: Database = Database(),
    all: Annotated[bool, option("Campaigns", "Also those of the archive.")] = False,
    output: Talk = Talk(),
) -> None:
    """List the campaigns of a database with their progress, newest first.

    Examples:

      patmark human list

      patmark human list --all --json
    """
    from patmark.campaign import CampaignList

    with database.open() as store:
        every = store.overview()
    listed = tuple(one for one in every if all or one.info.archived is None)
    result = CampaignList(listed, len(every) - len(listed))
    deliver(result, output)


def archive(
    *,
    undo: Annotated[
        bool, option("Campaigns", "Take the campaign out of the archive; it stays closed.")
    ] = False,
    campaign: Campaign = Campaign(),
    output: Quiet = Quiet(),
) -> None:
    """Close a campaign and leave it out of lists. Nothing is deleted.

    Examples:

      patmark human archive --campaign "Pilot"

      patmark human archive --campaign "Pilot" --undo
    """
    with campaign.found() as (store, found):
        if undo:
            store.unarchive(found.id)
        else:
            store.archive(found.id)
    output.say(f"{'taken out of the archive' if undo else 'in the archive'}: {found.name}")


def delete(
    *,
    confirm: Annotated[
        str | None,
        option("Campaigns", "The name of the campaign, instead of being asked for it."),
    ] = None,
    campaign: Campaign = Campaign(),
    output: Quiet = Quiet(),
) -> None:
    """Delete a campaign for ever: people, links, pages, answers and its log.

    You are asked to type its name. Earlier backups still hold it.

    Examples:

      patmark human delete --campaign "Pilot"

      patmark human delete --campaign "Pilot" --confirm "Pilot"
    """
    from patmark.data import counted

    with campaign.found() as (store, found):
        answers = counted(len(store.answers(found.id)), "answer")
        typed = confirm
        if typed is None and sys.stdin.isatty():
            say(f"this deletes {found.name!r} with {answers} for ever; type its name to do it:")
            typed = sys.stdin.readline().rstrip("\n")
        if typed != found.name:
            raise UsageError(
                f"nothing was deleted; to delete {found.name!r} with {answers} for ever, "
                "confirm with its name: --confirm NAME"
            )
        store.delete_campaign(found.id)
    output.say(f"deleted {found.name} with {answers}; earlier backups still hold them")


def clone(
    name: Annotated[str, Parameter(help="The name of the new campaign.")],
    /,
    *,
    rename: Annotated[
        tuple[str, ...],
        option("People", "OLD=NEW: NEW gets the place of OLD; may be repeated."),
    ] = (),
    campaign: Campaign = Campaign(),
    address: Address = Address(),
    output: Talk = Talk(),
) -> None:
    """Begin a campaign with the same people and pages as another, and nobody's answers.

    The new links are printed this once. Who has no access, or was excluded, gets none; who had come
    by the common link comes again by the new one.

    Examples:

      patmark human clone "Second round" --campaign "First round"

      patmark human clone "Second round" --rename e1=mei --rename e2=ken
    """
    from patmark.campaign import parse_renaming

    renamed = parse_renaming(rename)
    with campaign.found() as (store, found):
        made = store.clone(found.id, name.strip(), renamed)
        links = created_links(address.of(store, made.campaign), made)
    if output.json:
        print_json({"campaign": made.campaign, "name": name.strip(), "links": links})
        return
    output.say(f"{name.strip()}: private links, shown this once")
    print(rows_of(links), end="")


def add_organiser(
    name: Annotated[str, Parameter(help="The name that the log shows.")],
    /,
    *,
    everywhere: Annotated[
        bool, option("Organiser", "All campaigns of the database, with a page that lists them.")
    ] = False,
    campaign: Campaign = Campaign(),
    address: Address = Address(),
    output: Quiet = Quiet(),
) -> None:
    """Add an organiser with a private link of their own, which is printed this once.

    The log of a campaign names who decided what. With --everywhere the link opens a page with all
    campaigns of the database, for which no other page needs a link.

    Examples:

      patmark human add-organiser mei

      patmark human add-organiser mei --everywhere
    """
    with campaign.open() as store:
        found = None if everywhere else campaign.find(store)
        secret = store.add_organiser(found.id if found else None, name)
        place = address.of(store, found.id) if found else address.everywhere
    what = found.name if found else "all campaigns"
    output.say(f"{name.strip()} organises {what}; the link is shown this once")
    print(organiser_link(place, secret))


def demo(
    *,
    port: Annotated[int, port_number(), option("Server", "The port to listen on.")] = PORT,
    output: Quiet = Quiet(),
) -> None:
    """Serve two campaigns with invented evaluators, to look at and to play with.

    Links for every role are printed; nothing is opened. All is kept in a temporary folder that is
    deleted at the end, with Ctrl-C.

    Example:

      patmark human demo
    """
    from tempfile import TemporaryDirectory

    address = f"http://127.0.0.1:{port}"
    with TemporaryDirectory(prefix="patmark-demo-") as folder:
        database = Database(db=f"{folder}/demo.db")
        with database.open(create=True) as store:
            from patmark.campaign import begin_demo

            secret, made = begin_demo(store, address)
            print(f"all campaigns   {organiser_link(address, secret)}")
            for name, created in made.items():
                print(f"\n{name}")
                print(rows_of(created_links(address, created)), end="")
            print(flush=True)
            output.say(
                "e4 answers at random, e3 is strict, e5 is slow, e6 has not begun",
                f"serving a demo at {address}; Ctrl-C stops and deletes it",
            )
            run_server(store, port)
