"""The front door: one file per command. Parses, calls, prints; no logic."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; failures that can be expected end in one message and exit code 2."""
    from patmark.cli.app import app
    from patmark.errors import PatmarkError

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")
    try:
        app()
    except PatmarkError as error:
        _fail(str(error))
    except BrokenPipeError:  # the reader of our output has seen enough
        _drop_output()
    except OSError as error:
        _drop_output()
        _fail(f"cannot write the output: {error.strerror or error}")


def _drop_output() -> None:
    """Keep the interpreter from trying once more to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    print(f"patmark: {message}", file=sys.stderr)
    sys.exit(2)
