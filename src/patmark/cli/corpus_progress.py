"""What corpus commands say while they work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from patmark.cli.output import say

_QUIET_SECONDS = 1.0
_Steps: TypeAlias = Callable[[str, int, int], None]


def talk_beside(out: str) -> Callable[[str], None]:
    """Counts go to stdout, unless the data do."""
    return say if out == "-" else print


@contextmanager
def counting(quiet: bool, what: str) -> Iterator[Callable[[int], None]]:
    """A running count on stderr, when a person is watching and work takes more than a second."""
    if quiet or not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"),
        console=Console(stderr=True), transient=True,
    )  # fmt: skip
    task = bar.add_task(what)
    begin = time.monotonic()

    def advance(count: int) -> None:
        bar.update(task, description=f"{count:,} {what}")
        if not bar.live.is_started and time.monotonic() - begin > _QUIET_SECONDS:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()


@contextmanager
def step_bar(quiet: bool) -> Iterator[_Steps | None]:
    """A bar on stderr for the step that is under way, when a person is watching."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("")

    def advance(step: str, done: int, total: int) -> None:
        bar.update(task, description=step, completed=done, total=total or None)

    with bar:
        yield advance
