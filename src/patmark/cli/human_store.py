"""patmark human backup, forget and migrate: look after the database of campaigns."""

from __future__ import annotations

from typing import Annotated

import typer

from patmark.cli import options as given
from patmark.cli.human_options import DATABASE, ChosenCampaign, Db, open_store
from patmark.cli.output import say
from patmark.errors import UsageError


def backup(
    out: Annotated[str, typer.Argument(metavar="OUT", help="The new file.")],
    db: Db = DATABASE,
    quiet: given.Quiet = False,
) -> None:
    """Copy all campaigns to a file, also while they are running.

    Of SQLite, the copy is a database that can be used at once. Of PostgreSQL, it is a dump that
    pg_restore reads.

    Examples:

      patmark human backup monday.db

      patmark human backup monday.dump --db postgresql://patmark@localhost/campaigns
    """
    with open_store(db) as store:
        store.backup(out)
    if not quiet:
        say(f"wrote {out}")


def forget(
    evaluator: Annotated[str, typer.Argument(metavar="NAME", help="The evaluator to forget.")],
    db: Db = DATABASE,
    campaign: ChosenCampaign = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; it cannot be undone.")] = False,
    quiet: given.Quiet = False,
) -> None:
    """Delete everything about an evaluator: name, link, pages, answers and remarks.

    Backups and exports that were made before still hold them.

    Example:

      patmark human forget e1 --yes
    """
    from patmark.campaign.store.store import find_campaign
    from patmark.data.counting import counted

    with open_store(db) as store:
        found = find_campaign(store, campaign)
        known = [one.name for one in store.evaluators(found.id)]
        if evaluator not in known:
            raise UsageError(f"campaign {found.name!r} has no evaluator {evaluator!r}")
        answers = counted(len(store.answers(found.id, evaluator)), "answer")
        if not yes:
            raise UsageError(
                f"this would delete {evaluator!r} with {answers} for ever; add --yes to do it"
            )
        store.forget(found.id, evaluator)
    if not quiet:
        say(f"deleted one evaluator with {answers}; earlier backups still hold them")


def migrate(db: Db = DATABASE, quiet: given.Quiet = False) -> None:
    """Bring the database of an older patmark to the form that this one uses.

    Make a backup with the older patmark before.

    Example:

      patmark human migrate
    """
    from patmark.campaign.store import Store
    from patmark.data.counting import counted

    with Store.migrate(db) as store:
        count = len(store.campaigns())
    if not quiet:
        say(f"up to date: {counted(count, 'campaign')}")
