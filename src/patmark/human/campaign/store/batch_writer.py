"""Many writes in one transaction, carried out by one thread.

SQLite takes one writer at a time. If fifty threads took turns, each would wait for fifty commits;
so one thread writes everything that came while it was busy.
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
_LARGEST_BATCH = 64


@dataclass(slots=True, eq=False)
class _Write(Generic[_T]):
    """A pending write, and the future of its result."""

    job: Callable[[Connection], _T]
    locks: tuple[str, ...]
    future: Future[_T] = field(default_factory=Future)


class BatchWriter:
    """A thread that carries out many writes in one transaction of ``begin``."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._begin = begin
        self._waiting: deque[_Write[Any]] = deque()
        self._thread = ThreadPoolExecutor(1, "patmark-writer")

    def submit(self, job: Callable[[Connection], _T], locks: tuple[str, ...] = ()) -> Future[_T]:
        """Schedule a job; its future has the result once it is durable.

        A job that raises a ``PatmarkError`` must not have written anything: the others go on.
        After any other error they are rolled back and repeated, so a job does nothing but write.
        ``locks`` names the rows that the job locks. Jobs run in the order of these names, so that
        the transactions of two processes never deadlock.
        """
        write = _Write(job, locks)
        self._waiting.append(write)
        self._thread.submit(self._write_batch)
        return write.future

    def close(self) -> None:
        """Carry out all pending writes, and end the thread."""
        self._thread.shutdown()

    def _write_batch(self) -> None:
        """Carry out all pending writes. Most calls, one for each write, find nothing left to do."""
        taken = [self._waiting.popleft() for _ in range(min(_LARGEST_BATCH, len(self._waiting)))]
        batch = [write for write in taken if write.future.set_running_or_notify_cancel()]
        batch.sort(key=lambda write: write.locks)
        while batch:
            batch = self._try(batch)

    def _try(self, batch: list[_Write[Any]]) -> list[_Write[Any]]:
        """Carry out writes in one transaction, and return those to be repeated.

        A write that fails rolls back all of them, so the others are repeated without it. If the
        transaction cannot begin or end, no write counts as durable.
        """
        results: list[tuple[_Write[Any], Any, BaseException | None]] = []
        current: _Write[Any] | None = None
        again: list[_Write[Any]] = []
        try:
            with self._begin() as connection:
                for current in batch:
                    results.append((current, *_outcome(current, connection)))
                current = None
        except BaseException as error:
            failed = batch if current is None else [current]
            results = [(write, None, error) for write in failed]
            again = [write for write in batch if write not in failed]
        for write, result, refusal in results:
            if refusal is None:
                write.future.set_result(result)
            else:
                write.future.set_exception(refusal)
        return again


def _outcome(write: _Write[Any], connection: Connection) -> tuple[Any, PatmarkError | None]:
    try:
        return write.job(connection), None
    except PatmarkError as error:
        return None, error
