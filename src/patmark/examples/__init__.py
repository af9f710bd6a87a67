"""Example data for the demo, the documentation and the tests.

Invented patents and three invented systems: `atlas` (good), `borealis` (literal, inconsistent)
and `cobalt` (poor). The README beside this file describes every folder.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from patmark.errors import UsageError

__all__ = ["SYSTEMS", "example_names", "example_path"]

SYSTEMS = ("atlas", "borealis", "cobalt")


def example_names() -> tuple[str, ...]:
    """The names that `example_path` knows: each folder, then each file as `folder/file`."""
    folders = sorted(entry for entry in _root().iterdir() if _holds_data(entry))
    inside = [file for folder in folders for file in sorted(folder.iterdir())]
    return tuple(path.relative_to(_root()).as_posix() for path in [*folders, *inside])


def example_path(name: str) -> Path:
    """Where an example folder (`ja_en`) or file (`ja_en/source.ja`) lies on disk."""
    known = example_names()
    if name not in known:
        raise UsageError(f"no example named {name!r}; there are: {', '.join(known)}")
    return _root() / name


def _root() -> Path:
    return Path(str(files(__name__)))


def _holds_data(entry: Path) -> bool:
    return entry.is_dir() and not entry.name.startswith("__")
