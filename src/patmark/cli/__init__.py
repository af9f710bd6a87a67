"""The front door: groups of options, one file per command. Parses, calls, prints; no logic."""

from __future__ import annotations

import os
import sys
import warnings
from typing import NoReturn

_python_format = warnings.formatwarning


def main() -> NoReturn:
    """Run the command line and exit; expected failures end in one message and exit code 2."""
    # Threads of BLAS take longer to start than a score; and sums must not depend on their number.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from patmark.cli.app import run
    from patmark.errors import PatmarkError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")
    tokens = [token for token in sys.argv[1:] if token != "--debug"]
    debug = len(tokens) < len(sys.argv) - 1
    if not debug:
        warnings.formatwarning = _warning_line
    try:
        run(tokens)
        sys.exit(0)
    except PatmarkError as error:
        _fail(str(error), debug)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has seen enough
        _drop_output()
        sys.exit(0)
    except OSError as error:
        _drop_output()
        _fail(f"cannot write the output: {error.strerror or error}", debug)


def _warning_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """A warning of ours without the place in our files; others as they are."""
    from patmark.errors import PatmarkWarning

    if issubclass(category, PatmarkWarning):
        return f"patmark: {message}\n"
    return _python_format(message, category, filename, lineno, line)


def _drop_output() -> None:
    """Keep the interpreter from trying once more to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, debug: bool) -> NoReturn:
    if debug:
        import traceback

        traceback.print_exc()
    print(f"patmark: {message}", file=sys.stderr)
    sys.exit(2)
