"""Files in object stores and elsewhere behind a URL: ``s3://``, ``gs://``, ``abfs://``, ``hdfs://``.

pyarrow knows where credentials and settings are (those of the environment, or of the machine);
``file://`` works, too. Datasets are folders: only what goes in and what comes out may be a URL.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlsplit

from patmark.engine.datasets import arrow
from patmark.errors import InputError


def is_url(name: str) -> bool:
    """Whether a name is a URL, and no path."""
    return "://" in name


def shown_url(url: str) -> str:
    """A URL without keys and settings; a path as it is."""
    if not is_url(url):
        return url
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl().rstrip("/")


def open_store(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it; an InputError if pyarrow knows none."""
    with _reached(url):
        system, path = arrow("pyarrow.fs").FileSystem.from_uri(url)
        return system, path.rstrip("/")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file behind a URL; ``inside`` is its path below the URL that was asked for."""

    url: str
    inside: str
    size: int
    changed: int


def stored_files(url: str) -> Iterator[StoredFile]:
    """The file of a URL, or all files below it in the order of their names; hidden ones are not."""
    with _reached(url):
        system, path = open_store(url)
        found = system.get_file_info(path)
        if found.is_file:
            yield StoredFile(url, "", found.size, found.mtime_ns or 0)
            return
        below = arrow("pyarrow.fs").FileSelector(path, recursive=True, allow_not_found=True)
        files = [each for each in system.get_file_info(below) if each.is_file]
    if not files:
        raise InputError.at("no such file or folder", shown_url(url))
    parts = urlsplit(url)
    for each in sorted(files, key=lambda info: str(info.path)):
        inside = each.path.removeprefix(path).lstrip("/")
        if not each.base_name.startswith("."):
            place = f"{parts.path.rstrip('/')}/{quote(inside)}"
            yield StoredFile(
                parts._replace(path=place).geturl(), inside, each.size, each.mtime_ns or 0
            )


@contextmanager
def local_file(path: str, base: Path) -> Iterator[Path]:
    """A file below ``base``, or a copy of a file behind a URL, for as long as it is needed."""
    if not is_url(path):
        yield base / path
        return
    with TemporaryDirectory() as folder:
        with _reached(path):
            system, place = open_store(path)
            copy = Path(folder, os.path.basename(place))
            _copy(system, place, arrow("pyarrow.fs").LocalFileSystem(), str(copy))
        yield copy


def publish(folder: Path, files: Iterable[Path], url: str) -> None:
    """Copy files of a folder to a URL, one after the other."""
    with _reached(url):
        system, place = open_store(url)
        for path in files:
            target = f"{place}/{path.relative_to(folder).as_posix()}"
            if system.type_name == "local":
                Path(target).parent.mkdir(parents=True, exist_ok=True)
            _copy(arrow("pyarrow.fs").LocalFileSystem(), str(path), system, target)


def _copy(source: Any, path: str, target: Any, place: str) -> None:
    arrow("pyarrow.fs").copy_files(
        path, place, source_filesystem=source, destination_filesystem=target
    )


@contextmanager
def _reached(url: str) -> Iterator[None]:
    """Errors of pyarrow, which has its own for URLs that it does not know, as those of input."""
    try:
        yield
    except (arrow().ArrowException, OSError) as error:
        raise InputError.at(f"cannot be reached: {error}", shown_url(url)) from None
