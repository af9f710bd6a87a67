"""The database: SQLite or PostgreSQL, its set-up, the version of its tables, and copies of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError

from patmark.data import enable_wal
from patmark.errors import MissingExtra, UsageError
from patmark.human.campaign.store.tables import metadata

_BUSY_MILLISECONDS = 20_000
_KEPT_CONNECTIONS = 10


def database_url(place: str) -> URL:
    """Return the address of a database: a path is a SQLite file, the rest are URLs."""
    if "://" not in place:
        url = URL.create("sqlite", database=place)
    else:
        try:
            url = make_url(place)
        except ArgumentError:
            raise UsageError("the database must be a path or a URL as postgresql://…") from None
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
        # A password among the parameters counts first, and moves to its place.
        given = url.normalized_query.get("password", ())
        return url.difference_update_query(["password"]).set(password=given[-1]) if given else url
    if kind != "sqlite":
        raise UsageError(f"{url.drivername} is no known database; use SQLite or PostgreSQL")
    if url.database in (None, "", ":memory:"):
        raise UsageError("campaigns cannot be kept in memory; name a file")
    return url.set(drivername="sqlite+pysqlite")


def secret_parameters(url: URL) -> list[str]:
    """Return the parameters that nobody may see; the password is none of them."""
    return [name for name in url.query if "password" in name.lower() or "secret" in name.lower()]


def shown(url: URL) -> str:
    """Return the address for messages: the path of a file, or the URL without its secrets."""
    if is_sqlite(url):
        return url.database or ""
    masked = url.update_query_dict(dict.fromkeys(secret_parameters(url), "***"))
    return masked.render_as_string(hide_password=True)


def is_sqlite(url: URL) -> bool:
    """Return True if the database is a file."""
    return url.get_backend_name() == "sqlite"


def make_engine(url: URL) -> Engine:
    """Return an engine with the settings that make an acknowledged write durable.

    There are as many connections as threads ask for, so that nobody waits for one.
    """
    try:
        engine = create_engine(
            url,
            pool_size=_KEPT_CONNECTIONS,
            max_overflow=-1,
            pool_use_lifo=True,
            pool_pre_ping=not is_sqlite(url),  # a connection may be lost while nobody uses it
            hide_parameters=True,  # names, answers and hashes stay out of logs
        )
    except ModuleNotFoundError:
        raise MissingExtra("psycopg", "human") from None
    if is_sqlite(url):
        event.listen(engine, "connect", _prepare_sqlite)
    return engine


def open_engine(place: str, *, create: bool = False, migrate: bool = False) -> Engine:
    """Return an engine on a database with the newest tables.

    ``create`` makes the tables in an empty database, ``migrate`` renews those of an older patmark.
    """
    url = database_url(place)
    if is_sqlite(url):
        _check_file(Path(url.database or ""), create)
    engine = make_engine(url)
    try:
        _prepare_tables(engine, create, migrate)
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


def _prepare_tables(engine: Engine, create: bool, migrate: bool) -> None:
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
    with engine.connect() as connection:
        if is_sqlite(engine.url):
            # A migration that recreates a table would otherwise delete all dependent rows.
            connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        upgrade(connection)
        connection.commit()
        if is_sqlite(engine.url):
            connection.exec_driver_sql("PRAGMA foreign_keys = ON")


def make_private_file(path: Path) -> None:
    """Create an empty file that only its owner can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Prepare a connection: no transactions by the driver, no trace of deleted rows."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
    enable_wal(cursor, _BUSY_MILLISECONDS / 1000)
    for pragma in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


State: TypeAlias = Literal["empty", "older", "current", "newer"]
MIGRATIONS = Path(__file__).with_name("migrations")
VERSION_TABLE = "patmark_schema"
_ALEMBIC = threading.Lock()  # it holds its current work in a global variable
_LOCK = 0x7061746D  # any number, the same in every process


def state_of(connection: Connection) -> State:
    """Compare the tables of a database with those that this patmark uses."""
    names = set(inspect(connection).get_table_names())
    version = _version(connection) if VERSION_TABLE in names else None
    if version is None:
        if strange := names & set(metadata.tables):
            raise UsageError(
                f"the database has a table {min(strange)!r} that is not of patmark; use another "
                "database"
            )
        return "empty"
    scripts = ScriptDirectory.from_config(_config())
    if version == scripts.get_current_head():
        return "current"
    known = {script.revision for script in scripts.walk_revisions()}
    return "older" if version in known else "newer"


def upgrade(connection: Connection) -> None:
    """Make the tables, or upgrade them; one process at a time, all or nothing.

    New tables are made as ``tables.py`` says; migrations are for databases that exist already.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    config = _config()
    config.attributes["connection"] = connection
    with _ALEMBIC:
        if state_of(connection) == "empty":
            metadata.create_all(connection)
            command.stamp(config, "head")
        else:
            command.upgrade(config, "head")


def _version(connection: Connection) -> str | None:
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    return context.get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["version_table"] = VERSION_TABLE
    return config


_DEBIAN = Path("/usr/lib/postgresql")


def copy_sqlite(engine: Engine, target: Path) -> None:
    """Write everything saved so far to a file. Nobody has to wait for it."""
    with _unfinished(target) as part, engine.connect() as connection:
        try:
            connection.exec_driver_sql("VACUUM INTO ?", (str(part),))
        except OperationalError as error:
            raise UsageError(f"cannot write {target}: {error.orig}") from None


def copy_postgresql(url: URL, target: Path) -> None:
    """Write a dump for pg_restore. The password is in the environment, hidden from others."""
    program = find_program("pg_dump")
    if program is None:
        raise UsageError(
            "pg_dump is not found; install the client programs of PostgreSQL, or run it elsewhere"
        )
    if secrets := secret_parameters(url):
        raise UsageError(
            f"pg_dump would show {', '.join(secrets)} to everybody on this machine: leave it out "
            "of the address, or make the backup with pg_dump and a service file"
        )
    environment = dict(os.environ)
    if url.password is not None:
        environment["PGPASSWORD"] = str(url.password)
    address = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    ).render_as_string()
    with _unfinished(target) as part:
        command = [program, "--format=custom", "--no-password", f"--file={part}", address]
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            raise UsageError(f"pg_dump failed: {result.stderr.strip()}")


def find_program(name: str) -> str | None:
    """Find a program of PostgreSQL: on the path, or the newest one of Debian."""
    found = shutil.which(name)
    if found is not None or not _DEBIAN.is_dir():
        return found
    versions = [folder for folder in _DEBIAN.iterdir() if (folder / "bin" / name).is_file()]
    newest = max(versions, key=lambda folder: float(folder.name), default=None)
    return None if newest is None else str(newest / "bin" / name)


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Create a file beside the target that takes its name once it is complete and on disk."""
    part = target.with_name(f"{target.name}.part")
    try:
        make_private_file(part)
    except FileExistsError:
        raise UsageError(
            f"{part} exists; another backup is running, or one was broken off"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    try:
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
