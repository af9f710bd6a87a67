"""The public face of the room."""

from __future__ import annotations

import subprocess
import sys

import patmark.report


def test_exported_names_are_sorted_and_exist() -> None:
    assert patmark.report.__all__ == sorted(patmark.report.__all__)
    assert all(getattr(patmark.report, name) is not None for name in patmark.report.__all__)


def test_importing_the_room_loads_no_heavy_library() -> None:
    code = "import sys, patmark.report; print(*({'jinja2', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
