"""Advisory locks on files, and write-ahead logging of SQLite files."""

from __future__ import annotations

import sqlite3
import time
from typing import IO

_RETRY_SECONDS = 0.01


def try_lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; return False if another process holds the lock.

    The lock ends with the process. Always return True on systems without ``flock``.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def enable_wal(database: sqlite3.Connection | sqlite3.Cursor, patience: float) -> None:
    """Switch a database to WAL mode; wait up to ``patience`` seconds for other connections.

    SQLite's own busy timeout does not apply to this statement.
    """
    latest = time.monotonic() + patience
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > latest:
                raise
        time.sleep(_RETRY_SECONDS)
