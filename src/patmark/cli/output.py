"""Where results go: terminal, files, JSON on stdout, progress on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from patmark.data import Scores
    from patmark.evaluation import GateResult, Progress, ScoreFacts
    from patmark.report import Report

_SHORT = 2
_QUIET_SECONDS = 1.0


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
    segments: str | None = None
    save: str | None = None
    junit: str | None = None

    @property
    def paths(self) -> list[str]:
        """All files to write."""
        named = (
            self.html, self.csv, self.md, self.latex, self.segments, self.save, self.junit,
        )  # fmt: skip
        return [path for path in named if path is not None]

    @property
    def wants_everything(self) -> bool:
        """Whether any output of a comparison shows more than the main tables."""
        return self.full or any((self.html, self.csv, self.md))

    def check(self, inputs: Iterable[str]) -> None:
        """Refuse, before any work is done, what could not be written or would destroy something."""
        from patmark.errors import UsageError
        from patmark.evaluation import check_library, is_parquet

        if self.save and is_parquet(self.save):
            check_library()
        read = {os.path.realpath(path) for path in inputs if path != "-"}
        seen: set[str] = set()
        for path in self.paths:
            place = path if path == "-" else os.path.realpath(path)
            if place in seen:
                raise UsageError(f"{path} is asked for twice as an output")
            if place in read:
                raise UsageError(f"{path} is an input; it would be overwritten")
            if path == "-" and self.as_json:
                raise UsageError("--json takes standard output; write the other file elsewhere")
            if path != "-" and not Path(path).absolute().parent.is_dir():
                raise UsageError(f"{path} cannot be written: its folder does not exist")
            seen.add(place)


def deliver(
    report: Report,
    result: dict[str, Any],
    scores: Mapping[str, Scores],
    documents: Sequence[str | None],
    outputs: Outputs,
    judge: Callable[[], Sequence[GateResult]] | None = None,
    segment_scores: Mapping[str, Scores] | None = None,
    facts: ScoreFacts | None = None,
) -> None:
    """Render everything, write files, judge, print; exit with 1 if a gate failed.

    Files are written first, so that a gate that cannot be judged does not cost the work.
    ``segment_scores`` are what --segments writes, where that is not ``scores`` themselves;
    ``facts`` are saved with the scores.
    """
    from patmark.data import segment_csv
    from patmark.evaluation import save_scores
    from patmark.report import to_junit

    printed = _json(result)
    rendered = _rendered(report, outputs)
    if outputs.segments:
        rows = segment_csv(list((segment_scores or scores).values()))
        rendered.append((outputs.segments, rows))
    _write(rendered)
    if outputs.save:
        save_scores(outputs.save, scores, documents, facts.to_json() if facts else None)
    verdicts = judge() if judge else ()
    if verdicts:
        printed = _json({**result, "gates": [verdict.to_json() for verdict in verdicts]})
    if outputs.junit:
        _write([(outputs.junit, to_junit(verdicts))])
    _print(report, printed, outputs)
    _close(verdicts)


def deliver_report(report: Report, result: Mapping[str, Any], outputs: Outputs) -> None:
    """The same for a result that holds no scores of segments: files, then the terminal or JSON."""
    printed = _json(result)
    _write(_rendered(report, outputs))
    _print(report, printed, outputs)


def _json(result: Mapping[str, Any]) -> str:
    from patmark.report import to_json_text

    return to_json_text(result)


def _rendered(report: Report, outputs: Outputs) -> list[tuple[str, str]]:
    """The report in every form that was asked for, with the file it goes to."""
    from patmark.report import to_csv, to_html, to_latex, to_markdown

    wanted = (
        (outputs.html, to_html), (outputs.csv, to_csv),
        (outputs.md, to_markdown), (outputs.latex, to_latex),
    )  # fmt: skip
    return [(path, render(report)) for path, render in wanted if path]


def _write(rendered: Iterable[tuple[str, str]]) -> None:
    from patmark.data import write_atomically

    for path, text in rendered:
        write_atomically(path, text)


def _print(report: Report, printed: str, outputs: Outputs) -> None:
    if outputs.as_json:
        print(printed)
    elif not outputs.quiet and "-" not in outputs.paths:
        show(report, full=outputs.full)
        for path in outputs.paths:
            say(f"wrote {path}")


def _close(verdicts: Sequence[GateResult]) -> None:
    """Say what gates found wrong or doubtful, and exit with 1 if one failed."""
    for verdict in verdicts:
        if not verdict.passed:
            say(f"patmark: {verdict.message}")
        elif verdict.doubtful:
            say(f"patmark: warning: {verdict.message}")
    if not all(verdict.passed for verdict in verdicts):
        import typer

        raise typer.Exit(1)


def show(report: Report, *, full: bool) -> None:
    """Print a report on the terminal; the short form leaves out the tables by facet."""
    from dataclasses import replace

    from rich.console import Console

    from patmark.report import print_report

    shown = report if full else replace(report, tables=report.tables[:_SHORT])
    console = Console() if sys.stdout.isatty() else Console(width=120)
    print_report(shown, console)
    if len(report.tables) > len(shown.tables):
        say("more tables are in the HTML report, and here with --full")


def say(message: str) -> None:
    """Talk goes to stderr, so that stdout holds data only."""
    print(message, file=sys.stderr)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on stderr, when a person is watching and work takes more than a second."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    bar = Bar(console=Console(stderr=True), transient=True)
    task = bar.add_task("scoring")
    begin = time.monotonic()

    def advance(name: str, done: int, total: int) -> None:
        bar.update(task, description=f"scoring {name}", completed=done, total=total)
        if not bar.live.is_started and time.monotonic() - begin > _QUIET_SECONDS:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
