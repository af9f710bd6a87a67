"""Advisory locks on files."""

from __future__ import annotations

from typing import IO


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
