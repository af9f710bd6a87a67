"""Connections, transactions, row locks and the event log, which every part of the store uses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from sqlalchemy import Connection, Engine, Table, select, text, update

from patmark.errors import UsageError
from patmark.human.campaign.records import NoCampaign
from patmark.human.campaign.store.database import is_sqlite
from patmark.human.campaign.store.tables import campaigns, evaluators, events, metadata, now

_CAMPAIGN_NAMES_LOCK = 0x7061746E  # any number, the same in every process


class Transactions:
    """Connections to the database of a store, and the log of the decisions made with them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_sqlite = is_sqlite(engine.url)
        # SQLite takes one writer at a time, and would let the others poll.
        self._write_lock = threading.Lock() if self._is_sqlite else nullcontext()
        self._organiser: str | None = None

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Open a connection for single statements, without a transaction around them."""
        with self._engine.connect() as connection:
            if not self._is_sqlite:
                connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            yield connection

    @contextmanager
    def _snapshot(self) -> Iterator[Connection]:
        """Open a connection whose statements all see the same state."""
        with self._engine.connect() as connection:
            if self._is_sqlite:
                connection.exec_driver_sql("BEGIN")
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Begin a transaction that is durable when the block ends, or undone if it fails."""
        with self._write_lock, self._engine.begin() as connection:
            if self._is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    def _log(
        self,
        connection: Connection,
        campaign: int | None,
        action: str,
        evaluator: int | None = None,
        detail: str = "",
    ) -> None:
        """Log a decision of the organiser on whose behalf the store acts."""
        organiser = self._organiser
        add_event(connection, campaign, action, evaluator, detail, organiser=organiser)

    def _wipe(self) -> None:
        """Remove deleted rows from the files that the database would reuse later."""
        if self._is_sqlite:
            with self._reading() as connection:
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
            return
        with self._engine.connect() as connection:
            vacuum = connection.execution_options(isolation_level="AUTOCOMMIT")
            vacuum.execute(text(f"VACUUM {', '.join(metadata.tables)}"))


def add_event(
    connection: Connection,
    campaign: int | None,
    action: str,
    evaluator: int | None = None,
    detail: str = "",
    *,
    by: str = "organiser",
    organiser: str | None = None,
) -> None:
    """Add an event to the log of a campaign, or of the database."""
    connection.execute(
        events.insert().values(
            campaign=campaign,
            evaluator=evaluator,
            at=now(),
            actor=by,
            organiser=organiser,
            action=action,
            detail=detail,
        )
    )


def change_row(connection: Connection, table: Table, number: int, **values: Any) -> None:
    """Change columns of the row with this key."""
    connection.execute(update(table).where(table.c.number == number).values(**values))


def number_of(connection: Connection, campaign: str) -> int:
    """Return the key of a campaign that must exist."""
    found = connection.scalar(select(campaigns.c.number).where(campaigns.c.id == campaign))
    if found is None:
        raise NoCampaign(campaign)
    return int(found)


def lock_evaluator(connection: Connection, campaign: str, evaluator: str) -> int:
    """Lock an evaluator who must exist, so that no save runs meanwhile, and return the key."""
    number = number_of(connection, campaign)
    found = connection.scalar(
        select(evaluators.c.number)
        .where(evaluators.c.campaign == number, evaluators.c.name == evaluator)
        .with_for_update(key_share=True)
    )
    if found is None:
        raise UsageError(f"campaign {campaign!r} has no evaluator {evaluator!r}")
    return int(found)


def lock_everybody(connection: Connection, campaign: str) -> None:
    """Wait for all running saves of a campaign, and block new ones until the transaction ends.

    Locks are taken in the order of names, as saves do. A write to SQLite locks the whole database.
    """
    if connection.dialect.name == "sqlite":
        return
    connection.execute(
        select(evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .where(campaigns.c.id == campaign)
        .order_by(evaluators.c.name.collate("C"))
        .with_for_update(key_share=True, of=evaluators)
    ).all()


def lock_campaign(connection: Connection, campaign: int) -> None:
    """Block every other decision that locks the campaign until the transaction ends."""
    chosen = select(campaigns.c.number).where(campaigns.c.number == campaign)
    connection.execute(chosen.with_for_update(key_share=True))


def lock_campaign_names(connection: Connection) -> None:
    """Let no other transaction that locks campaign names begin a campaign meanwhile."""
    if connection.dialect.name == "postgresql":
        lock = text("SELECT pg_advisory_xact_lock(:key)")
        connection.execute(lock, {"key": _CAMPAIGN_NAMES_LOCK})
