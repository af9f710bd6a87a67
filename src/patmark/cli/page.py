"""The layout of help pages."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable
from inspect import cleandoc

EVERYWHERE = "--help shows this page; --debug shows where an error came from."
_WIDTH = 100
_COLUMN = 26


def show_commands(path: str, text: str, commands: Iterable[tuple[str, str | None]]) -> None:
    """The help page of a group of commands."""
    print(f"Usage: {path} COMMAND …\n\n{cleandoc(text)}\n\nCommands:")
    for name, doc in commands:
        print_entry(name, cleandoc(doc or "").split("\n\n")[0])
    print(f"\n{EVERYWHERE}")


def print_entry(name: str, text: str) -> None:
    """A name and what it means, in two columns."""
    width = min(shutil.get_terminal_size((_WIDTH, 24)).columns, _WIDTH)
    lines = textwrap.wrap(" ".join(text.split()), max(width - _COLUMN - 2, 20)) or [""]
    first = f"  {name:<{_COLUMN - 2}}"
    if len(name) > _COLUMN - 4:
        print(first.rstrip())
        first = " " * _COLUMN
    print(f"{first}{lines[0]}".rstrip())
    for line in lines[1:]:
        print(f"{'':<{_COLUMN}}{line}")
