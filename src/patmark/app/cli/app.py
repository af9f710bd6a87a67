"""Command tree and entry point. A new command is a line here and a function."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import cleandoc
from itertools import takewhile
from typing import NoReturn, TypeAlias

from patmark.errors import ExitCode, PatmarkError, PatmarkWarning, UsageError, near
from patmark.options import Command
from patmark.wording import as_option, settings_worded

ROOT = "patmark"
ISSUES = "https://github.com/patmark/patmark/issues"
_Tree: TypeAlias = "Mapping[str, str | _Tree]"
COMMANDS: _Tree = {
    "run": "run",
    "score": "score",
    "compare": "compare",
    "check": "check",
    "judge": "judge",
    "calibrate": "meta",
    "task": "task",
    "meta": "meta",
    "measures": "measures",
    "reproduce": "reproduce",
    "bench": {"evaluate": "bench", "build": "bench", "overview": "bench", "accept": "bench"},
    "human": {
        "validate": "human.campaign",
        "new": "human.campaign",
        "extend": "human.campaign",
        "serve": "human.campaign",
        "status": "human.campaign",
        "remind": "human.campaign",
        "mail": "human.campaign",
        "codes": "human.campaign",
        "export": "human.campaign",
        "report": "human.judgements",
        "convert": "human.judgements",
        "add-evaluator": "human.access",
        "replace": "human.access",
        "link": "human.access",
        "close": "human.access",
        "reopen": "human.access",
        "backup": "human.access",
        "forget": "human.access",
        "migrate": "human.access",
        "list": "human.campaigns",
        "clone": "human.campaigns",
        "archive": "human.campaigns",
        "delete": "human.campaigns",
        "add-organiser": "human.campaigns",
        "demo": "human.campaigns",
    },
    "claims": dict.fromkeys(
        ("check", "compare", "judge", "lint", "meta", "pairs", "parse", "score", "train"), "claims"
    ),
    "corpus": dict.fromkeys(
        (
            "demo",
            "build",
            "estimate",
            "parse",
            "families",
            "align",
            "tmx",
            "split",
            "stats",
            "changes",
            "sample",
            "judged",
        ),
        "corpus",
    ),
    "retrieve": dict.fromkeys(
        ("topics", "index", "translate", "search", "run", "demo", "evaluate", "compare"), "retrieve"
    ),
    "open": "open",
    "demo": "demo",
    "examples": "demo",
    "doctor": "doctor",
    "completion": "completion",
}
"""Command to module of this package; the function has the command's name, with _ for hyphens."""

_ALIASES: Mapping[tuple[str, ...], str] = {("judge", "calibrate"): "calibrate"}
"""Two-word aliases of commands."""

ABOUT = {
    ROOT: """Evaluate patent translations (zh, ja, en) and generated claims.

    patmark demo runs on bundled examples; patmark examples writes them into a folder.
    Commands that show results take --json. All take --help, and exit with 0 (done), 1 (a gate such
    as --fail-under failed), 2 (bad usage or data) or 3 (an error in patmark itself). patmark
    --version prints the version.
    """,
    "bench": "Score or show a PatSnap bench, or build one from your own patents.",
    "human": "Run human evaluation campaigns in the browser, and rank systems by judgements.",
    "claims": "Lint, compare, score and judge generated claims; meta-evaluate claim measures.",
    "corpus": "Build a test collection from patent documents.",
    "retrieve": "Measure the effect of translation on patent retrieval: topics, index, search.",
}
_START = """patmark measures patent translations (zh, ja, en) and generated claims.

Check a whole document against its translation
    patmark check patent.zh.txt patent.en.txt
Check claims
    patmark claims lint draft.txt
Score a translation
    patmark score mine.txt reference.txt source.txt --html report.html
Compare systems
    patmark compare a.txt b.txt reference.txt --html report.html
Run a shared task
    patmark task task.yaml --out results

patmark demo runs on bundled examples; patmark examples writes them into a folder. patmark open is a
page instead of a terminal. patmark --help lists the commands, patmark COMMAND --help shows
examples, patmark doctor lists what is installed."""
EVERYWHERE = "--help shows this page; --debug shows where an error came from."
_WIDTH = 100
_COLUMN = 26
_python_format = warnings.formatwarning


def main() -> NoReturn:
    """Run the command line and exit; a failure ends in one message, and exit code 2 or 3."""
    # BLAS threads take longer to start than a score, and sums must not depend on their number.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Results are plain data without cycles; by default they are searched for them all the time.
    gc.set_threshold(100_000, 20, 20)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")
    tokens = [token for token in sys.argv[1:] if token != "--debug"]
    debug = len(tokens) < len(sys.argv) - 1
    if not debug:
        warnings.formatwarning = _warning_line
    try:
        with settings_worded(as_option):
            run(tokens)
        sys.exit(ExitCode.DONE)
    except PatmarkError as error:
        _fail(str(error), debug)
    except KeyboardInterrupt:
        print("patmark: stopped", file=sys.stderr)
        sys.exit(ExitCode.STOPPED)
    except BrokenPipeError:  # the reader of our output has closed the pipe
        _drop_output()
        sys.exit(ExitCode.DONE)
    except OSError as error:
        _drop_output()
        _fail(f"cannot write the output: {error.strerror or error}", debug)
    except Exception as error:
        _crash(error, debug)


def _warning_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """Format a warning of patmark without its place in the code, and others as usual."""
    if issubclass(category, PatmarkWarning):
        return f"patmark: {message}\n"
    return _python_format(message, category, filename, lineno, line)


def _drop_output() -> None:
    """Keep the interpreter from flushing a broken stdout again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, debug: bool) -> NoReturn:
    if debug:
        import traceback

        traceback.print_exc()
    print(f"patmark: {message}", file=sys.stderr)
    sys.exit(ExitCode.MISUSED)


def _crash(error: Exception, debug: bool) -> NoReturn:
    """Report an error in patmark itself: print the traceback, or write it to a file."""
    import traceback

    from patmark._version import __version__

    what = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    message = f"an error in patmark itself: {what}; please report it at {ISSUES}"
    if debug:
        traceback.print_exception(error)
    else:
        command = " ".join(takewhile(lambda word: not word.startswith("-"), sys.argv[1:]))
        about = f"patmark {__version__}, Python {sys.version}, {sys.platform}\npatmark {command}"
        place = write_trace("\n\n".join([about, *traceback.format_exception(error)]))
        message += f", with the traceback in {place}"
    print(f"patmark: {message}", file=sys.stderr)
    sys.exit(ExitCode.CRASHED)


def write_trace(text: str) -> str:
    """Write the traceback of a crash to a new temporary file, and return its path."""
    import tempfile

    with tempfile.NamedTemporaryFile(
        "w", prefix="patmark-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(text)
    return file.name


def run(tokens: Sequence[str]) -> None:
    """Run the command of a line."""
    if (alias := _ALIASES.get(tuple(tokens[:2]))) is not None:
        tokens = [alias, *tokens[2:]]
    path, place = ROOT, 0
    while not isinstance(known := _found(path), str):
        word = tokens[place] if place < len(tokens) else None
        if word == "--version" and path == ROOT:
            from patmark._version import __version__

            return print(__version__)
        if word is None and path == ROOT:
            return print(_START)
        if word in (None, "--help", "-h"):
            return _show_commands(path, known, asked=word is not None)
        if word not in known:
            raise UsageError(f"there is no command {path} {word}{near(word, known)}")
        path, place = f"{path} {word}", place + 1
    command = load(path)
    line = tokens[place:]
    if "--help" in line or "-h" in line:
        from patmark.app.cli.help import show_help

        return show_help(path, command)
    from patmark.app.cli.parser import run_line

    return run_line(path, command, line)


def load(path: str) -> Command:
    """Return the function of a command, such as ``patmark human serve``."""
    module = import_module(f"patmark.app.cli.{_found(path)}")
    return getattr(module, path.split()[-1].replace("-", "_"))  # type: ignore[no-any-return]


def _found(path: str) -> str | _Tree:
    """Return the module of a command, or the commands of a group."""
    found: str | _Tree = COMMANDS
    for name in path.split()[1:]:
        found = found[name]  # type: ignore[index]
    return found


def _show_commands(path: str, known: _Tree, *, asked: bool) -> None:
    """Print the help page of a group of commands; without a command it is a usage error."""
    from contextlib import redirect_stdout

    with redirect_stdout(sys.stdout if asked else sys.stderr):
        print(f"Usage: {path} COMMAND …\n\n{cleandoc(ABOUT[path.split()[-1]])}\n\nCommands:")
        for name, what in known.items():
            about = load(f"{path} {name}").__doc__ if isinstance(what, str) else ABOUT[name]
            print_entry(name, cleandoc(about or "").split("\n\n")[0])
        print(f"\n{EVERYWHERE}")
    if not asked:
        sys.exit(ExitCode.MISUSED)


def print_entry(name: str, text: str) -> None:
    """Print a name and its meaning in two columns."""
    import shutil
    import textwrap

    width = min(shutil.get_terminal_size((_WIDTH, 24)).columns, _WIDTH)
    lines = textwrap.wrap(" ".join(text.split()), max(width - _COLUMN - 2, 20)) or [""]
    first = f"  {name:<{_COLUMN - 2}}"
    if len(name) > _COLUMN - 4:
        print(first.rstrip())
        first = " " * _COLUMN
    print(f"{first}{lines[0]}".rstrip())
    for line in lines[1:]:
        print(f"{'':<{_COLUMN}}{line}")
