"""Writing together: small writes of many threads share one transaction, and one wait for the disk.

SQLite takes one writer at a time. If fifty threads took turns, each would wait for fifty commits
and fifty changes of thread; so the first does the work of all who came while it waited. PostgreSQL
takes several, but beginning and ending a transaction costs it more than a small write.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from patmark.errors import PatmarkError

_T = TypeVar("_T")
_MOST = 64


class _Write(Generic[_T]):
    """A write that waits to be done: its result or its error, and the call that ends waiting."""

    def __init__(self, job: Callable[[Connection], _T], locks: tuple[str, ...]) -> None:
        self.job = job
        self.locks = locks
        self.result: _T | None = None
        self.error: BaseException | None = None
        self.is_done = False
        self.called = threading.Event()

    def outcome(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result


class TogetherWriter:
    """Does the writes of several threads in one transaction of ``begin``."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._begin = begin
        self._line: deque[_Write[Any]] = deque()
        self._is_busy = False
        self._guard = threading.Lock()

    def run(self, job: Callable[[Connection], _T], locks: tuple[str, ...] = ()) -> _T:
        """The result of a job, once it is durable.

        A job that raises a ``PatmarkError`` must not have written anything: the others go on.
        ``locks`` names what the job locks; jobs are done in the order of these names, so that two
        transactions never wait for each other.
        """
        mine = _Write(job, locks)
        with self._guard:
            self._line.append(mine)
            leads = not self._is_busy
            self._is_busy = True
        if not leads:
            self._wait(mine)
        if not mine.is_done:
            self._lead()
        result: _T = mine.outcome()
        return result

    def _lead(self) -> None:
        """Do the writes at the head of the line, then let the next one lead.

        Whatever ends the transaction is raised in every thread that had a write in it, an
        interrupt too: none of them may take its write for durable.
        """
        with self._guard:
            batch = [self._line.popleft() for _ in range(min(_MOST, len(self._line)))]
        try:
            with self._begin() as connection:
                for write in sorted(batch, key=lambda one: one.locks):
                    _do(write, connection)
        except BaseException as error:
            for write in batch:
                write.error = error
        finally:
            with self._guard:
                self._call_next()
            for write in batch:
                write.is_done = True
                write.called.set()

    def _wait(self, mine: _Write[Any]) -> None:
        """Wait for the result or for the lead; after an interrupt, leave both to the others."""
        try:
            mine.called.wait()
        except BaseException:
            with self._guard:
                if mine in self._line:
                    self._line.remove(mine)
                    if mine.called.is_set():
                        self._call_next()
            raise

    def _call_next(self) -> None:
        self._is_busy = bool(self._line)
        if self._line:
            self._line[0].called.set()


def _do(write: _Write[Any], connection: Connection) -> None:
    try:
        write.result = write.job(connection)
    except PatmarkError as error:
        write.error = error
