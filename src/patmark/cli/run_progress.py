"""How far a run has come: a bar with the time that is left, tokens and cost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from patmark.llm import Prices, Usage
    from patmark.systems import Progress


@contextmanager
def run_progress(quiet: bool, name: str, prices: Prices | None) -> Iterator[Progress | None]:
    """A bar on stderr when a person is watching."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress as Bar,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[spent]}"),
    )  # fmt: skip
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(name, spent="")

    def advance(done: int, total: int, used: Usage) -> None:
        bar.update(task, completed=done, total=total, spent=spent_text(used, prices))

    with bar:
        yield advance


def spent_text(used: Usage, prices: Prices | None) -> str:
    """Tokens, and money where prices are known; nothing where nothing was used."""
    if not used.tokens:
        return ""
    cost = "" if prices is None else f", cost {prices.cost(used):.4f}"
    about = "about " if used.estimated else ""
    return (
        f"{about}{used.prompt_tokens:,} prompt and {used.completion_tokens:,} answered tokens{cost}"
    )
