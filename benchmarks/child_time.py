"""The time that a command takes from its start to its end, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_NO_COMPILED_MODULES = "PYTHONDONTWRITEBYTECODE"


def program(name: str) -> str:
    """Return the path of the script of an installed package."""
    found = Path(sys.executable).with_name(name)
    if not found.exists():
        raise SystemExit(f"{found} is not there; install it first")
    return str(found)


def child_seconds(command: Sequence[str], folder: Path) -> float:
    """Seconds of the processor that a command used, its own and those of the system for it."""
    return child_usage(command, folder)[0]


def child_usage(
    command: Sequence[str], folder: Path, accepted: Sequence[int] = (0,)
) -> tuple[float, float]:
    """Seconds of the processor and the largest megabytes that a command and its processes used.

    Others at work on the machine make a command end later, but hardly let it use more of the
    processor. Compiled modules are kept for the next time, as for everybody who installs patmark.
    """
    kept = {name: value for name, value in os.environ.items() if name != _NO_COMPILED_MODULES}
    process = subprocess.Popen(
        command, cwd=folder, env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    with process.stderr:
        said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accepted:
        shown = " ".join(command)[:200]
        raise SystemExit(f"{shown} ended with {process.returncode}:\n{said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best_of(repeats: int, *commands: tuple[Sequence[str], Path]) -> list[float]:
    """Measure the shortest time of each command, run in turns."""
    times: list[list[float]] = [[] for _ in commands]
    for _ in range(repeats):
        for spent, (command, folder) in zip(times, commands, strict=True):
            spent.append(child_seconds(command, folder))
    return [min(spent) for spent in times]
