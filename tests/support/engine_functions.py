"""Functions for the tests of engines, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from patmark.engine.datasets import batch_of
from patmark.errors import InputError, Problem

SCHEMA = {"number": "int64", "text": "string"}


def doubled(batch: Any) -> Iterator[Any]:
    """Twice the number, and one row more for every third."""
    rows = []
    for row in batch.to_pylist():
        rows.append({"number": row["number"] * 2, "text": row["text"]})
        if row["number"] % 3 == 0:
            rows.append({"number": row["number"] * 2 + 1, "text": "more"})
    yield batch_of(rows, SCHEMA)


def killed_once(marker: str, number: int, batch: Any) -> Iterator[Any]:
    """Copy rows; the first process that meets the number is killed in the middle of its shard."""
    for row in batch.to_pylist():
        if row["number"] == number and not Path(marker).exists():
            Path(marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield batch_of([row], SCHEMA)


def executor_killed_once(marker: str, number: int, batch: Any) -> Iterator[Any]:
    """Copy rows; when the number is met first, the executor of Spark that does it is killed.

    This process was started by a daemon, and that by the executor.
    """
    for row in batch.to_pylist():
        if row["number"] == number and not Path(marker).exists():
            Path(marker).touch()
            daemon = Path("/proc", str(os.getppid()), "stat").read_text()
            os.kill(int(daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)
        yield batch_of([row], SCHEMA)


def killed_always(number: int, batch: Any) -> Iterator[Any]:
    """Copy rows; every process that meets the number is killed."""
    for row in batch.to_pylist():
        if row["number"] == number:
            os.kill(os.getpid(), signal.SIGKILL)
        yield batch_of([row], SCHEMA)


def slow(pids: str, batch: Any) -> Iterator[Any]:
    """Copy rows one by one and take time for it; leave the number of the process."""
    Path(pids, str(os.getpid())).touch()
    for row in batch.to_pylist():
        time.sleep(0.01)
        yield batch_of([row], SCHEMA)


def refused(batch: Any) -> Iterator[Any]:
    """Find two things wrong with the data."""
    raise InputError([Problem("is wrong", "a.xml", 1), Problem("is wrong too", "b.xml", 2)])
    yield batch
