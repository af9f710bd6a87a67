"""Where results go: terminal, files, JSON on stdout, progress on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from patmark.data import Report
    from patmark.protocols.evaluation import Progress

_SHORT = 2


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the user asked to be written."""

    as_json: bool = False
    quiet: bool = False
    full: bool = False
    html: str | None = None
    csv: str | None = None
    md: str | None = None
    latex: str | None = None


def deliver(report: Report, result: dict[str, Any], outputs: Outputs) -> None:
    """Render everything, then write files, then print."""
    from patmark.data import write_atomically
    from patmark.report import to_csv, to_html, to_latex, to_markdown

    wanted = (
        (outputs.html, to_html), (outputs.csv, to_csv),
        (outputs.md, to_markdown), (outputs.latex, to_latex),
    )  # fmt: skip
    rendered = [(path, render(report)) for path, render in wanted if path]
    for path, text in rendered:
        write_atomically(path, text)
    if outputs.as_json:
        print(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))
    elif not outputs.quiet:
        show(report, full=outputs.full)
        for path, _text in rendered:
            if path != "-":
                say(f"wrote {path}")


def show(report: Report, *, full: bool) -> None:
    """Print a report on the terminal; the short form leaves out the tables by facet."""
    from dataclasses import replace

    from rich.console import Console

    from patmark.report import print_report

    shown = report if full else replace(report, tables=report.tables[:_SHORT])
    console = Console() if sys.stdout.isatty() else Console(width=120)
    print_report(shown, console)
    left_out = len(report.tables) - len(shown.tables)
    if left_out:
        say(f"{left_out} more tables: --full, or --html report.html")


def say(message: str) -> None:
    """Talk goes to stderr, so that stdout holds data only."""
    print(message, file=sys.stderr)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on stderr, when a person is watching."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("scoring")

        def advance(name: str, done: int, total: int) -> None:
            bar.update(task, description=f"scoring {name}", completed=done, total=total)

        yield advance
