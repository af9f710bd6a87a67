"""patmark human backup, forget and migrate: look after the database of campaigns."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.output import say
from patmark.errors import UsageError

_Database: TypeAlias = Annotated[
    str, typer.Option("--db", help="A file (SQLite), or a URL: postgresql://user@host/name.")
]
_DEFAULT = "campaigns.db"


def backup(
    out: Annotated[str, typer.Argument(metavar="OUT", help="The new file.")],
    db: _Database = _DEFAULT,
    quiet: given.Quiet = False,
) -> None:
    """Copy all campaigns to a file, also while they are running.

    Of SQLite, the copy is a database that can be used at once. Of PostgreSQL, it is a dump that
    pg_restore reads.

    Examples:

      patmark human backup monday.db

      patmark human backup monday.dump --db postgresql://patmark@localhost/campaigns
    """
    from patmark.human.store import Store

    with Store.open(db) as store:
        store.backup(out)
    if not quiet:
        say(f"wrote {out}")


def forget(
    campaign: Annotated[str, typer.Argument(metavar="CAMPAIGN", help="The id of the campaign.")],
    evaluator: Annotated[str, typer.Argument(metavar="EVALUATOR", help="Who is forgotten.")],
    db: _Database = _DEFAULT,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; it cannot be undone.")] = False,
    quiet: given.Quiet = False,
) -> None:
    """Delete everything about an evaluator: name, link, pages, answers and remarks.

    Backups and exports that were made before still hold them.

    Example:

      patmark human forget Xk2vT9wq ann --yes
    """
    from patmark.human.store import Store

    with Store.open(db) as store:
        known = [one.name for one in store.evaluators(campaign)]
        if evaluator not in known:
            raise UsageError(f"campaign {campaign!r} has no evaluator {evaluator!r}")
        count = len(store.answers(campaign, evaluator))
        if not yes:
            raise UsageError(
                f"this would delete {evaluator!r} with {count} answers for ever; add --yes to do it"
            )
        store.forget(campaign, evaluator)
    if not quiet:
        say(f"deleted one evaluator with {count} answers; earlier backups still hold them")


def migrate(db: _Database = _DEFAULT, quiet: given.Quiet = False) -> None:
    """Bring the database of an older patmark to the form that this one uses.

    Make a backup with the older patmark before.

    Example:

      patmark human migrate --db campaigns.db
    """
    from patmark.human.store import Store

    with Store.migrate(db) as store:
        count = len(store.campaigns())
    if not quiet:
        say(f"up to date: {count} campaigns")
