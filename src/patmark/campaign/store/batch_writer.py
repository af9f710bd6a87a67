"""Writing together: small writes of many people share one transaction, and one wait for the disk.

SQLite takes one writer at a time. If fifty threads took turns, each would wait for fifty commits
and fifty changes of thread; so one thread does all that came while it was busy. PostgreSQL takes
several, but beginning and ending a transaction costs it more than a small write.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from patmark.errors import PatmarkError

_T = TypeVar("_T")
_MOST = 64


@dataclass(slots=True, eq=False)
class _Write(Generic[_T]):
    """A write that waits to be done, and who is told what became of it."""

    job: Callable[[Connection], _T]
    locks: tuple[str, ...]
    told: Future[_T] = field(default_factory=Future)


class TogetherWriter:
    """Does the writes of many in one transaction of ``begin``, in a thread of its own."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._begin = begin
        self._line: deque[_Write[Any]] = deque()
        self._thread = ThreadPoolExecutor(1, "patmark-writer")

    def submit(self, job: Callable[[Connection], _T], locks: tuple[str, ...] = ()) -> Future[_T]:
        """The result of a job, which is told once it is durable.

        A job that raises a ``PatmarkError`` must not have written anything: the others go on.
        After any other error they are undone and done again, so a job does nothing but write.
        ``locks`` names what the job locks; jobs are done in the order of these names, so that two
        transactions never wait for each other.
        """
        write = _Write(job, locks)
        self._line.append(write)
        self._thread.submit(self._work)
        return write.told

    def close(self) -> None:
        """Do what is still waiting, and end the thread."""
        self._thread.shutdown()

    def _work(self) -> None:
        """Do all writes that wait. Called once for each, so most calls find nothing left to do."""
        taken = [self._line.popleft() for _ in range(min(_MOST, len(self._line)))]
        batch = [write for write in taken if write.told.set_running_or_notify_cancel()]
        batch.sort(key=lambda one: one.locks)
        while batch:
            batch = self._do(batch)

    def _do(self, batch: list[_Write[Any]]) -> list[_Write[Any]]:
        """Do writes in one transaction, tell what became of them, and give those to do again.

        A write that fails undoes all of them, so the others are done again without it. If the
        transaction cannot begin or end, nobody may take a write for durable.
        """
        results: list[tuple[_Write[Any], Any, BaseException | None]] = []
        doing: _Write[Any] | None = None
        again: list[_Write[Any]] = []
        try:
            with self._begin() as connection:
                for doing in batch:
                    results.append((doing, *_done(doing, connection)))
                doing = None
        except BaseException as error:
            failed = batch if doing is None else [doing]
            results = [(write, None, error) for write in failed]
            again = [write for write in batch if write not in failed]
        for write, result, refusal in results:
            if refusal is None:
                write.told.set_result(result)
            else:
                write.told.set_exception(refusal)
        return again


def _done(write: _Write[Any], connection: Connection) -> tuple[Any, PatmarkError | None]:
    try:
        return write.job(connection), None
    except PatmarkError as error:
        return None, error
