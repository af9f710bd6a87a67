"""The version of the tables: which one a database has, and how it gets the newest."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Literal, TypeAlias

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from patmark.errors import UsageError
from patmark.human.store.tables import metadata

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
