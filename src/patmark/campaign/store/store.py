"""The store: campaigns, access, answers and decisions in one database."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError, OperationalError

from patmark.campaign.store.access import Access
from patmark.campaign.store.backup import copy_postgresql, copy_sqlite
from patmark.campaign.store.database import (
    BEGIN_WRITING,
    database_url,
    is_sqlite,
    make_engine,
    make_private_file,
    shown,
    state_of,
    upgrade,
)
from patmark.campaign.store.forgetting import Forgetting
from patmark.campaign.store.organising import Organising
from patmark.campaign.store.progress import Watching
from patmark.errors import UsageError


class Store(Access, Watching, Organising, Forgetting):
    """Campaigns in SQLite or PostgreSQL. May be used by several threads at once.

    An unknown campaign or evaluator is a ``UsageError``; a write that an evaluator may not do is
    ``Refused``.
    """

    @classmethod
    def open(cls, url: str, create: bool = False) -> Self:
        """Open the database at a path (SQLite) or URL; ``create`` makes the tables if need be."""
        return cls(_connect(url, create, migrate=False))

    @classmethod
    def migrate(cls, url: str) -> Self:
        """Open a database, and bring its tables to the newest version first."""
        return cls(_connect(url, create=False, migrate=True))

    def close(self, campaign: str | None = None) -> None:
        """Close a campaign (no more answers), or without a name the database."""
        if campaign is not None:
            self.close_campaign(campaign)
        else:
            self._together.close()
            self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def backup(self, path: str | Path) -> None:
        """Copy everything to a new file while the store is in use: a SQLite file, or a pg_dump."""
        target = Path(path)
        if target.exists():
            raise UsageError(f"{target} exists; name a new file for the backup")
        if self._is_sqlite:
            copy_sqlite(self._engine, target)
        else:
            copy_postgresql(self._engine.url, target)


def _connect(place: str, create: bool, migrate: bool) -> Engine:
    """An engine on a database with the newest tables."""
    url = database_url(place)
    if is_sqlite(url):
        _check_file(Path(url.database or ""), create)
    engine = make_engine(url)
    try:
        _prepare(engine, create, migrate)
    except OperationalError as error:
        engine.dispose()
        raise UsageError(f"cannot open {shown(url)}: {error.orig}") from None
    except DatabaseError as error:
        engine.dispose()
        raise UsageError(f"{shown(url)} cannot be used for campaigns: {error.orig}") from None
    except BaseException:
        engine.dispose()
        raise
    return engine


def _check_file(path: Path, create: bool) -> None:
    if path.is_file():
        return
    if not create:
        raise UsageError(f"{path} does not exist; campaigns are begun with: patmark human new")
    try:
        make_private_file(path)
    except OSError as error:
        if not path.is_file():  # else another process was faster
            raise UsageError(f"cannot make {path}: {error.strerror}") from None


def _prepare(engine: Engine, create: bool, migrate: bool) -> None:
    """Make or renew the tables where that was asked for."""
    with engine.connect() as connection:
        state = state_of(connection)
    if state == "current":
        return
    place = shown(engine.url)
    if state == "newer":
        raise UsageError(f"{place} is of a newer patmark; install that one to use it")
    if state == "older" and not migrate:
        raise UsageError(f"{place} is of an older patmark; run patmark human migrate")
    if state == "empty" and not create:
        raise UsageError(f"{place} holds no campaigns; they are begun with: patmark human new")
    with engine.connect().execution_options(**BEGIN_WRITING) as connection, connection.begin():
        upgrade(connection)
