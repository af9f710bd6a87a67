"""Ctrl-C ends the command line with one line and code 130 at any time after its start."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import atexit, os, signal, sys
import patmark.app
from patmark.cli import main

def ctrl_c(kill=os.kill, me=os.getpid(), number=signal.SIGINT):
    kill(me, number)

class Late:
    def __del__(self, stop=ctrl_c):
        stop()

def command():
    {}
    sys.exit(1)

patmark.app.main = command
main()
"""


def _ended(command: str, before: str = "") -> tuple[int, str]:
    program = [sys.executable, "-c", before + _PROGRAM.format(command)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", ["ctrl_c()", "exec('ctrl_c()')"])
def test_ctrl_c_while_a_command_runs_is_told_in_one_line(command: str) -> None:
    """Python itself would end by the signal if a string was executed, as in dataclasses."""
    assert _ended(command) == (130, "patmark: stopped\n")


def test_a_command_that_has_told_its_stop_keeps_its_code() -> None:
    told = "try: exec('ctrl_c()')\n    except KeyboardInterrupt: sys.exit(130)"
    assert _ended(told) == (130, "")


def test_ctrl_c_after_a_command_is_done_ends_at_once() -> None:
    assert _ended("atexit.register(ctrl_c)") == (130, "")


def test_ctrl_c_is_ignored_when_all_is_done_but_to_forget_it() -> None:
    assert _ended("sys.modules['late'] = Late()") == (1, "")


def test_ctrl_c_stays_ignored_if_the_caller_ignores_it() -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    assert _ended("ctrl_c()\n    atexit.register(ctrl_c)", before=ignoring) == (1, "")
