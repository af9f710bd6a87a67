"""The connection: SQLite or PostgreSQL, how they are set up, and how reads and writes begin."""

from __future__ import annotations

import hashlib
import math
import os
import secrets
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError

from patmark.campaign.store import tables
from patmark.campaign.store.batch_writer import TogetherWriter
from patmark.campaign.store.tables import metadata
from patmark.errors import MissingExtra, UsageError

_BEGIN = "sqlite_begin"
BEGIN_WRITING = {_BEGIN: "BEGIN IMMEDIATE"}
"""Execution options of a connection that writes; of no effect on PostgreSQL."""

_AT_ONCE: dict[str, Any] = {"isolation_level": "AUTOCOMMIT"}
_BUSY_MILLISECONDS = 20_000
_RETRY_SECONDS = 0.01
_CONNECTIONS = 10
_REST_SECONDS = 5.0
_RESTING_SINCE = "resting since"


def now(later: float = 0.0) -> str:
    """The time in UTC with milliseconds, or some seconds later."""
    moment = datetime.now(UTC) + timedelta(seconds=later)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def database_url(place: str) -> URL:
    """The address of a database: a path is a SQLite file, the rest are URLs."""
    if "://" not in place:
        url = URL.create("sqlite", database=place)
    else:
        try:
            url = make_url(place)
        except ArgumentError:
            raise UsageError("the database must be a path or a URL as postgresql://…") from None
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise UsageError(f"{url.drivername} is no known database; use SQLite or PostgreSQL")
    if url.database in (None, "", ":memory:"):
        raise UsageError("campaigns cannot be kept in memory; name a file")
    return url.set(drivername="sqlite+pysqlite")


def shown(url: URL) -> str:
    """The address for messages: the path of a file, or the URL without its password."""
    return url.database or "" if is_sqlite(url) else url.render_as_string(hide_password=True)


def is_sqlite(url: URL) -> bool:
    """Whether the database is a file."""
    return url.get_backend_name() == "sqlite"


def make_engine(url: URL) -> Engine:
    """An engine with the settings that make an acknowledged write durable."""
    if not is_sqlite(url):
        try:
            engine = create_engine(url, pool_size=_CONNECTIONS, pool_use_lifo=True)
        except ModuleNotFoundError:
            raise MissingExtra("psycopg", "human") from None
        event.listen(engine, "checkout", _ask_after_rest)
        event.listen(engine, "checkin", _note_rest)
        return engine
    engine = create_engine(url, pool_size=_CONNECTIONS, pool_use_lifo=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def make_private_file(path: Path) -> None:
    """An empty file that only its owner can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Transactions are begun by us, not by the driver; forgotten rows leave no trace."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    _keep_a_log(cursor)
    for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _keep_a_log(cursor: sqlite3.Cursor) -> None:
    """Change to write-ahead logging; here alone SQLite does not wait for other connections."""
    latest = time.monotonic() + _BUSY_MILLISECONDS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > latest:
                raise
        time.sleep(_RETRY_SECONDS)


def _ask_after_rest(connection: Any, record: Any, _fairy: Any) -> None:
    """Replace a connection that was lost while it rested; asking each time would cost too much."""
    import psycopg

    rested = time.monotonic() - record.info.get(_RESTING_SINCE, -math.inf)
    if rested < _REST_SECONDS:
        return
    try:
        connection.execute("SELECT 1")
        connection.rollback()
    except psycopg.Error as error:
        raise DisconnectionError from error


def _note_rest(_connection: Any, record: Any) -> None:
    record.info[_RESTING_SINCE] = time.monotonic()


def _begin_sqlite(connection: Connection) -> None:
    statement = connection.get_execution_options().get(_BEGIN)
    if statement is not None:
        connection.exec_driver_sql(statement)


class Database:
    """Reads and writes of a database. The parts of the store are built on it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_sqlite = is_sqlite(engine.url)
        self._places = Turns(_CONNECTIONS)
        # SQLite takes one writer at a time and would let the others poll.
        self._writers = Turns(1 if self._is_sqlite else _CONNECTIONS)
        self._together = TogetherWriter(self._writing)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """A connection for single statements; no transaction is begun and ended around them."""
        with self._places, self._engine.connect() as connection:
            yield connection if self._is_sqlite else connection.execution_options(**_AT_ONCE)

    @contextmanager
    def _snapshot(self) -> Iterator[Connection]:
        """A connection whose statements all see the same state."""
        options: dict[str, Any] = (
            {_BEGIN: "BEGIN"} if self._is_sqlite else {"isolation_level": "REPEATABLE READ"}
        )
        with self._places, self._engine.connect() as connection:
            yield connection.execution_options(**options)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that is durable when the block ends, or undone if it fails."""
        with (
            self._writers,
            self._places,
            self._engine.connect() as connection,
            connection.execution_options(**BEGIN_WRITING).begin(),
        ):
            yield connection

    def _campaign_number(self, connection: Connection, campaign: str) -> int:
        """The key of a campaign that must exist."""
        found = connection.scalar(
            select(tables.campaigns.c.number).where(tables.campaigns.c.id == campaign)
        )
        if found is None:
            raise UsageError(f"there is no campaign {campaign!r}")
        return int(found)

    def _evaluator_number(self, connection: Connection, campaign: str, evaluator: str) -> int:
        """The key of an evaluator who must exist, locked so that no save runs meanwhile."""
        mine = tables.evaluators.c
        campaign_number = self._campaign_number(connection, campaign)
        found = connection.scalar(
            select(mine.number)
            .where(mine.campaign == campaign_number, mine.name == evaluator)
            .with_for_update(key_share=True)
        )
        if found is None:
            raise UsageError(f"campaign {campaign!r} has no evaluator {evaluator!r}")
        return int(found)

    def _record(
        self, connection: Connection, campaign: int, action: str,
        evaluator: int | None = None, detail: str = "", by: str = "organiser",
    ) -> None:  # fmt: skip
        """Add to the log of the campaign."""
        connection.execute(
            tables.events.insert().values(
                campaign=campaign, evaluator=evaluator, at=now(), actor=by, action=action,
                detail=detail,
            )
        )  # fmt: skip


State: TypeAlias = Literal["empty", "older", "current", "newer"]
MIGRATIONS = Path(__file__).with_name("migrations")
VERSION_TABLE = "patmark_schema"
_ALEMBIC = threading.Lock()  # it keeps what it works on in a global name
_LOCK = 0x7061746D  # any number, the same in every process


def state_of(connection: Connection) -> State:
    """How the tables of a database compare with those that this patmark uses."""
    names = set(inspect(connection).get_table_names())
    version = _version(connection) if VERSION_TABLE in names else None
    if version is None:
        _refuse_strangers(names & set(metadata.tables))
        return "empty"
    scripts = ScriptDirectory.from_config(_config())
    if version == scripts.get_current_head():
        return "current"
    known = {script.revision for script in scripts.walk_revisions()}
    return "older" if version in known else "newer"


def upgrade(connection: Connection) -> None:
    """Bring the tables to the newest version, one process at a time, all or nothing."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    config = _config()
    config.attributes["connection"] = connection
    with _ALEMBIC:
        command.upgrade(config, "head")


def _refuse_strangers(names: set[str]) -> None:
    if names:
        raise UsageError(
            f"the database has a table {min(names)!r} that is not of patmark; use another database"
        )


def _version(connection: Connection) -> str | None:
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    return context.get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["version_table"] = VERSION_TABLE
    return config


_BYTES = 32


def new_secret() -> str:
    """256 random bits for an address or a cookie."""
    return secrets.token_urlsafe(_BYTES)


def hash_of(secret: str) -> str:
    """What is stored and looked up.

    A plain hash is enough because nobody can list 256 random bits; and the time of a lookup by
    hash tells nothing about the secret.
    """
    return _digest("secret", secret)


def csrf_of(session: str) -> str:
    """The token against forged requests: it follows from the session and is not stored."""
    return _digest("csrf", session)


def _digest(purpose: str, secret: str) -> str:
    return hashlib.sha256(f"{purpose}:{secret}".encode(errors="replace")).hexdigest()


class Turns:
    """Lets so many threads in at once.

    The locks and pools at hand let newcomers overtake: with fifty writers, one of them was seen
    to wait for six seconds while the others took a hundredth.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._line: deque[threading.Lock] = deque()
        self._guard = threading.Lock()

    def __enter__(self) -> None:
        with self._guard:
            if self._free:
                self._free -= 1
                return
            called = threading.Lock()
            called.acquire()
            self._line.append(called)
        try:
            called.acquire()
        except BaseException:
            self._give_up(called)
            raise

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._line:
                self._line.popleft().release()
            else:
                self._free += 1

    def _give_up(self, called: threading.Lock) -> None:
        """Leave the line after an interrupt, or hand on the place that came meanwhile."""
        with self._guard:
            if called in self._line:
                self._line.remove(called)
                return
        self.__exit__()
