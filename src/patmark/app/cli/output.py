"""Output options, and delivery of results: terminal, files, JSON on stdout, progress on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from patmark.errors import ExitCode, UsageError
from patmark.options import Options, Parameter, group
from patmark.report import REPORT_FORMATS
from patmark.wording import (
    DEFAULT_LANGUAGE,
    LANGUAGES,
    InterfaceLanguage,
    speaker,
    translated,
)

if TYPE_CHECKING:
    from patmark.data import Notice
    from patmark.evaluation import Evaluation, GatePlan, GateResult
    from patmark.llm import ChatClient
    from patmark.report import Report, Result

Advance: TypeAlias = Callable[[str, int, int], None]
_QUIET_SECONDS = 1.0


@group
class Quiet(Options, heading="Output"):
    """The quiet option."""

    quiet: bool = False
    """Print only errors and warnings of gates."""

    @property
    def talks(self) -> bool:
        """True if messages for people are printed."""
        return not self.quiet

    def say(self, *messages: str) -> None:
        """Print messages for people on stderr, unless quiet."""
        for message in messages if self.talks else ():
            say(message)


@group
class Json(Options, heading="Output"):
    """The option for programs, and the files that a command writes."""

    json: bool = False
    """Print JSON on stdout and nothing else."""

    @property
    def reports(self) -> dict[str, str]:
        """Paths of report files by format."""
        return {}

    @property
    def paths(self) -> list[str]:
        """All files to write."""
        return list(self.reports.values())

    def check(self, read: Iterable[object], *more: object) -> None:
        """Refuse outputs that cannot be written or would overwrite inputs."""
        written = [*self.paths, *(None if one is None else str(one) for one in more)]
        check_files(written, read, json=self.json)


@group
class Ui(Options, heading="Output"):
    """The language of results."""

    ui: InterfaceLanguage | None = None
    """The language of reports and printed results (default: PATMARK_UI, else en)."""

    @property
    def language(self) -> str:
        """The language of the option, else of the environment, else English."""
        language = self.ui or os.environ.get("PATMARK_UI") or DEFAULT_LANGUAGE
        if language not in LANGUAGES:
            raise UsageError(f"PATMARK_UI is {language!r}; choose from {', '.join(LANGUAGES)}")
        return language


@group
class Full(Ui):
    """The option for full reports."""

    full: bool = False
    """Print the whole report instead of one screen."""


@group
class Html(Ui):
    """The HTML output."""

    html: str | None = None
    """Write a self-contained HTML report."""

    @property
    def reports(self) -> dict[str, str]:
        """Paths of report files by format."""
        return {"html": self.html} if self.html else {}


@group
class Talk(Quiet, Json):
    """Messages for people, or JSON; subclasses add other outputs."""

    @property
    def talks(self) -> bool:
        """True if messages for people are printed."""
        return not (self.quiet or self.json)

    @property
    def language(self) -> str:
        """The language of reports."""
        return DEFAULT_LANGUAGE

    @property
    def full(self) -> bool:
        """True if all of a report is printed."""
        return True

    @property
    def segments(self) -> str | None:
        """Path of the segment scores."""
        return None

    @property
    def save(self) -> str | None:
        """Path of the saved statistics."""
        return None

    def tell(self, found: Mapping[str, Any], *messages: str) -> None:
        """Print JSON for programs, or messages for people."""
        if self.json:
            print_json(found)
        self.say(*messages)


def _with_report_files(cls: type[Files]) -> type[Files]:
    """Declare an option for each report format that the class lacks."""
    for one in REPORT_FORMATS:
        if not hasattr(cls, one.option):
            cls.__annotations__[one.option] = Annotated[str | None, Parameter(help=one.help)]
            setattr(cls, one.option, None)
    return cls


@group
@_with_report_files
class Files(Html, Talk):
    """A report in files, one option for each format."""

    @property
    def reports(self) -> dict[str, str]:
        """Paths of report files by format."""
        given = {one.option: getattr(self, one.option) for one in REPORT_FORMATS}
        return {option: path for option, path in given.items() if path is not None}


@group
class Tables(Full, Files):
    """Tables in files and on the terminal."""

    @property
    def wants_everything(self) -> bool:
        """True if an output shows more than the main tables of a comparison."""
        return self.full or any(
            one.is_full and one.option in self.reports for one in REPORT_FORMATS
        )


@group
class SegmentTables(Tables):
    """Tables, and the scores of single segments."""

    segments: str | None = None
    """Write system,segment,measure,value to this CSV; rows without a segment are system scores."""

    @property
    def paths(self) -> list[str]:
        """All files to write."""
        return [path for path in (*super().paths, self.segments, self.save) if path is not None]


@group
class Output(SegmentTables):
    """Tables, and the scores behind them."""

    save: str | None = None
    """Save all statistics for later comparison: .json (.gz, .zst) or .parquet."""


def check_files(
    written: Iterable[str | None], read: Iterable[object], *, json: bool = False
) -> None:
    """Refuse outputs that cannot be written or would overwrite inputs, before any work is done."""
    from patmark.data import check_stdin_once, file_format

    files = [str(one) for one in read if one is not None]
    check_stdin_once(files)
    inputs = {os.path.realpath(path) for path in files if path != "-"}
    seen: set[str] = set()
    for path in written:
        if path is None:
            continue
        place = path if path == "-" else os.path.realpath(path)
        if file_format(path) == "parquet":
            from patmark.evaluation import check_library

            check_library()
        if place in seen:
            raise UsageError(f"{path} is given twice as an output")
        if place in inputs:
            raise UsageError(f"{path} is an input; it would be overwritten")
        if path == "-" and json:
            raise UsageError("--json takes standard output; write the other file elsewhere")
        if path != "-" and not Path(path).absolute().parent.is_dir():
            raise UsageError(f"{path} cannot be written: its folder does not exist")
        seen.add(place)


def deliver(
    result: Result, output: Talk, *, plan: GatePlan | None = None, junit: str | None = None
) -> None:
    """Render everything, write files, check gates, print; exit with 1 if a gate or a row failed.

    A result based on scores has ``scored``: they are saved, and gates use them. Files are written
    first, so that a failing gate does not lose the work.
    """
    paths = [*output.paths, *filter(None, [junit])]
    shown = output.talks and "-" not in paths
    found = result.to_json() if output.json else {}
    language, segments, save = output.language, output.segments, output.save
    report = spoken(result, language) if shown or output.reports else None
    formats = {one.option: one for one in REPORT_FORMATS}
    rendered = [
        (path, formats[option].render(report))
        for option, path in output.reports.items()
        if report is not None
    ]
    scored: Evaluation | None = getattr(result, "scored", None) if segments or save else None
    if scored and segments:
        rendered.append((segments, scored.segment_csv()))
    _write(rendered)
    if scored and save:
        scored.save(save)
    verdicts = cast("Any", result).check(plan, _warn_of_gates) if plan else ()
    if junit:
        from patmark.report import to_junit

        _write([(junit, to_junit(verdicts))])
    if output.json:
        gates = {"gates": [verdict.to_json() for verdict in verdicts]} if verdicts else {}
        print_json({**found, **gates})
    elif shown and report is not None:
        show(report, full=output.full)
        tr = speaker(language)
        output.say(*(tr("wrote {file}", file=path) for path in paths))
    _close(verdicts, result.incomplete, language)


def spoken(result: Result, language: str) -> Report:
    """Return the report of a result in a language of the interface."""
    from patmark.report import in_language

    return in_language(result.to_report(), language)


def print_json(result: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print JSON on stdout."""
    from patmark.report import to_json_text

    print(to_json_text(result))


def _write(rendered: Iterable[tuple[str, str | bytes]]) -> None:
    from patmark.data import write_atomically

    for path, content in rendered:
        write_atomically(path, content)


def _warn_of_gates(message: str) -> None:
    say(f"patmark: warning: {message}")


def _close(verdicts: Sequence[GateResult], incomplete: str, language: str) -> None:
    """Report failed gates and rows without a result; exit with 1 if something failed."""
    if incomplete:
        say(f"patmark: {translated(incomplete, language)}")
    for verdict in verdicts:
        if not verdict.passed:
            say(f"patmark: {translated(verdict.message, language)}")
        elif verdict.doubtful:
            from patmark.data import Notice
            from patmark.report import message_text

            doubt = Notice("warning", "doubtful-gate", verdict.message)
            message = message_text(doubt, language)
            say(f"patmark: {message[:1].lower()}{message[1:]}")
    exit_if(bool(incomplete) or not all(verdict.passed for verdict in verdicts))


def exit_if(failed: bool) -> None:
    """Exit with 1 if a gate failed or a row has no result."""
    if failed:
        sys.exit(ExitCode.FAILED)


def show(report: Report, *, full: bool) -> None:
    """Print a report on the terminal: all of it, or as much as fits one screen."""
    from patmark.report import one_screen, pipe_width, print_report, to_text

    console, rest = None, ""
    if sys.stdout.isatty() or "FORCE_COLOR" in os.environ:
        from rich.console import Console

        console = Console() if sys.stdout.isatty() else Console(width=pipe_width())
    width = pipe_width() if console is None else console.width
    if not full:
        report, rest = one_screen(report, width)
    if console is None:
        sys.stdout.write(to_text(report, width))
    else:
        print_report(report, console)
    if rest:
        tr = speaker(report.language)
        say(tr("also with --full, and in every file that is written: {rest}", rest=rest))


def say(message: str) -> None:
    """Print messages to stderr, so that stdout holds data only."""
    print(message, file=sys.stderr)


def teller(quiet: bool) -> Callable[[Notice], None]:
    """Return a function that prints notices; inferred roles only for interactive users."""

    def tell(notice: Notice) -> None:
        from patmark.app.commands import GUESSED
        from patmark.report import message_text

        if notice.code != GUESSED:
            say(message_text(notice))
        elif not quiet:
            say(f"patmark: {notice.text}")

    return tell


def warn_of_endpoint(client: ChatClient | None, texts: str) -> None:
    """Warn about API keys and unencrypted connections."""
    from patmark.app.commands import endpoint_notices

    for notice in () if client is None else endpoint_notices(client.endpoint, texts):
        say(f"patmark: {notice.text}")


def wrote(path: object, language: str = "") -> str:
    """Return the message on a written file, in the language of the interface."""
    return speaker(language or Ui().language)("wrote {file}", file=str(path))


def asking(client: ChatClient | None) -> AbstractContextManager[None]:
    """Return the message on interruption while a client asks."""
    if client is None:
        return nullcontext()
    from patmark.llm import MemoryCache

    return report_when_stopped(kept=not isinstance(client.cache, MemoryCache))


@contextmanager
def report_when_stopped(*, kept: bool = True, work: str = "answered") -> Iterator[None]:
    """On Ctrl-C, say if ``work`` is ``kept``, and exit with 130."""
    try:
        yield
    except KeyboardInterrupt:
        left = (
            f"what was {work} is kept, and the same command goes on from there"
            if kept
            else "with --no-cache nothing was kept, and the same command asks for everything again"
        )
        say(f"patmark: stopped; {left}")
        sys.exit(ExitCode.STOPPED)


def tell_beside(lines: Iterable[str], found: Mapping[str, Any], out: str, output: Talk) -> None:
    """Report a written file: counts go to stdout, unless the data do."""
    if output.json:
        print_json({**found, "out": out})
    elif not output.quiet:
        for line in lines:
            (say if out == "-" else print)(line)
        say(wrote(out))


@contextmanager
def progress_bar(quiet: bool, prefix: str = "") -> Iterator[Advance]:
    """Show a progress bar on stderr if a person is watching and work takes more than a second.

    It takes the name of the step, the amount done, and the total; 0 if unknown. A watching program
    sets PATMARK_PROGRESS=lines, and reads the same separated by tabs.
    """
    if os.environ.get("PATMARK_PROGRESS") == "lines":
        yield lambda name, done, total: say(f"progress\t{done}\t{total}\t{prefix}{name}")
        return
    if quiet or not sys.stderr.isatty():
        yield lambda name, done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(prefix)
    begin = time.monotonic()

    def advance(name: str, done: int, total: int) -> None:
        bar.update(task, description=f"{prefix}{name}", completed=done, total=total or None)
        if not bar.live.is_started and time.monotonic() - begin > _QUIET_SECONDS:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()


@contextmanager
def counting(quiet: bool, what: str) -> Iterator[Callable[[int], None]]:
    """Show a running count of work with an unknown end."""
    with progress_bar(quiet) as advance:
        yield lambda done: advance(f"{done:,} {what}", done, 0)
