"""WAL mode of SQLite files."""

from __future__ import annotations

import sqlite3
from unittest.mock import Mock

import pytest

from patmark.data import enable_wal


def test_the_change_to_wal_waits_for_others() -> None:
    """SQLite refuses that statement at once where another connection makes the same change."""
    busy = sqlite3.OperationalError("database is locked")
    busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
    broken = sqlite3.OperationalError("disk I/O error")
    broken.sqlite_errorcode = sqlite3.SQLITE_IOERR
    cursor = Mock()
    cursor.execute.side_effect = [busy, busy, None]
    enable_wal(cursor, 20.0)
    assert cursor.execute.call_count == 3
    cursor.execute.side_effect = [broken]
    with pytest.raises(sqlite3.OperationalError, match="disk"):
        enable_wal(cursor, 20.0)
    cursor.execute.side_effect = [busy]
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        enable_wal(cursor, -1.0)
