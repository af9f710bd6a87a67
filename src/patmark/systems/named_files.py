"""The files that a command line names: when one of them changes, its answers may change too."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

_LARGEST = 64 * 2**20
_HASH_DIGITS = 16


def named_files(words: Sequence[str]) -> dict[str, str]:
    """What is in every regular file that a command line names, by the name it has there.

    A name may follow an equals sign, as in ``--config=mine.toml``. A program that is looked for on
    the PATH is none of them.
    """
    program, *arguments = words
    names = [program] if os.path.dirname(program) else []
    for argument in arguments:
        names += [argument, argument.partition("=")[2]]
    return {name: _content(Path(name)) for name in names if _is_file(name)}


def _is_file(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_file()
    except OSError:  # too long for a name, or in a folder that is closed to us
        return False


def _content(path: Path) -> str:
    """A hash; of files that take long to read, such as models, only the size."""
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            return f"{size} bytes"
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()[:_HASH_DIGITS]
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
