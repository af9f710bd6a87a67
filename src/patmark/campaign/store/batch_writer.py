"""Writes in batches: small writes of many people share one transaction and one wait for the disk.

SQLite takes one writer at a time. If fifty threads took turns, each would wait for fifty commits;
so one thread writes all that came while it was busy.
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
    """A write that waits, and the future that will tell its result."""

    job: Callable[[Connection], _T]
    locks: tuple[str, ...]
    future: Future[_T] = field(default_factory=Future)


class BatchWriter:
    """Does many writes in one transaction of ``begin``, in a thread of its own."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._begin = begin
        self._waiting: deque[_Write[Any]] = deque()
        self._thread = ThreadPoolExecutor(1, "patmark-writer")

    def submit(self, job: Callable[[Connection], _T], locks: tuple[str, ...] = ()) -> Future[_T]:
        """Do a job soon; its future has the result once it is durable.

        A job that raises a ``PatmarkError`` must not have written anything: the others go on.
        After any other error they are rolled back and repeated, so a job does nothing but write.
        ``locks`` names what the job locks. Jobs are done in the order of these names, so that the
        transactions of two processes never wait for each other.
        """
        write = _Write(job, locks)
        self._waiting.append(write)
        self._thread.submit(self._write_batch)
        return write.future

    def close(self) -> None:
        """Do what is still waiting, and end the thread."""
        self._thread.shutdown()

    def _write_batch(self) -> None:
        """Do all writes that wait. Called once for each, so most calls find nothing left to do."""
        taken = [self._waiting.popleft() for _ in range(min(_LARGEST_BATCH, len(self._waiting)))]
        batch = [write for write in taken if write.future.set_running_or_notify_cancel()]
        batch.sort(key=lambda write: write.locks)
        while batch:
            batch = self._try(batch)

    def _try(self, batch: list[_Write[Any]]) -> list[_Write[Any]]:
        """Do writes in one transaction, tell their results, and give those to be repeated.

        A write that fails rolls back all of them, so the others are repeated without it. If the
        transaction cannot begin or end, nobody may take a write for durable.
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
