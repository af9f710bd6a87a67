"""The entry point of the command line; ``patmark.app.cli`` implements it."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from typing import NoReturn

_STOPPED = 130


def main() -> NoReturn:
    """Run the command line and exit; Ctrl-C ends it with code 130, from its start to its end."""
    is_stoppable = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_stoppable:  # first registered, last called: nothing is left that could be stopped
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    try:
        try:
            from patmark.app import main as run

            run()
        finally:
            if is_stoppable:
                signal.signal(signal.SIGINT, lambda *_: os._exit(_STOPPED))
    except KeyboardInterrupt:
        print("patmark: stopped", file=sys.stderr)
        sys.exit(_STOPPED)
    finally:
        # Python ends by the signal if Ctrl-C met a string that was executed, as dataclasses do,
        # although the exception was caught later; the next such string forgets it.
        exec("")
