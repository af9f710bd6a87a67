"""Example data for the demo, the documentation and the tests.

Invented patents and three invented systems: `atlas` (good), `borealis` (literal, inconsistent)
and `cobalt` (poor). The README beside this file describes every folder.
"""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

from patmark.errors import UsageError

__all__ = ["SYSTEMS", "example_names", "example_path", "write_examples"]

SYSTEMS = ("atlas", "borealis", "cobalt")

_SIDE_BY_SIDE = ("ja_en", "en_zh", "patsnap_cn2en")
_IGNORED = shutil.ignore_patterns("__pycache__")


def example_names() -> tuple[str, ...]:
    """Return the names that `example_path` knows: each folder, then each file as `folder/file`."""
    folders = sorted(entry for entry in _root().iterdir() if _holds_data(entry))
    inside = [file for folder in folders for file in sorted(folder.iterdir())]
    return tuple(path.relative_to(_root()).as_posix() for path in [*folders, *inside])


def example_path(name: str) -> Path:
    """Return the path of an example folder (`ja_en`) or file (`ja_en/source.ja`)."""
    known = example_names()
    if name not in known:
        raise UsageError(f"no example named {name!r}; there are: {', '.join(known)}")
    return _root() / name


def write_examples(target: Path) -> None:
    """Copy all folders into a new one; files that the documentation names alone lie there too."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is there already; name a new folder for the examples")
    for entry in sorted(filter(_holds_data, _root().iterdir())):
        shutil.copytree(entry, target / entry.name, ignore=_IGNORED)
    for name in _SIDE_BY_SIDE:
        shutil.copytree(_root() / name, target, ignore=_IGNORED, dirs_exist_ok=True)


def _root() -> Path:
    return Path(str(files(__name__)))


def _holds_data(entry: Path) -> bool:
    return entry.is_dir() and not entry.name.startswith("__")
