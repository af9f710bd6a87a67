"""Folders and files of object stores, used like paths.

``StorePath`` is a file or folder behind a URL (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``). It
has the methods of ``pathlib.Path`` that datasets and steps need. Stores have no folders, so
``mkdir`` does nothing; files appear when complete. Functions that remove, move or write take a
``Place``, a path of either kind.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from patmark.catalogue import load_library
from patmark.data import write_atomically
from patmark.errors import InputError


def is_url(name: str) -> bool:
    """Return True if a name is a URL, and no path."""
    return "://" in name


def shown_url(url: str) -> str:
    """Return a URL without keys and settings, or a path as it is."""
    if not is_url(url):
        return url
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl().rstrip("/")


@contextmanager
def reached(url: str) -> Iterator[None]:
    """Turn errors of pyarrow about a URL into an InputError."""
    try:
        yield
    except (load_library("pyarrow", "corpus").ArrowException, OSError) as error:
        message = str(error).replace(url, shown_url(url))
        raise InputError.at(f"cannot be reached: {message}", shown_url(url)) from None


@lru_cache(maxsize=64)
def open_store(url: str) -> tuple[Any, str]:
    """Open the file system of a URL, and return the path in it."""
    with reached(url):
        system, path = load_library("pyarrow.fs", "corpus").FileSystem.from_uri(url)
        return system, path.rstrip("/")


@dataclass(frozen=True, order=True)
class StorePath:
    """Path below the URL of an object store; its settings and keys are never shown."""

    url: str
    inner: str = ""

    @classmethod
    def of(cls, url: str) -> StorePath:
        """Return the path of a URL, which may have settings (``?endpoint_override=…``)."""
        parts = urlsplit(url)
        return cls(parts._replace(path="").geturl(), unquote(parts.path).strip("/"))

    def __str__(self) -> str:
        return shown_url(self.full_url)

    def __truediv__(self, name: str) -> StorePath:
        return replace(self, inner=posixpath.join(self.inner, name))

    @property
    def full_url(self) -> str:
        """URL with settings and keys, for use in another process."""
        return urlsplit(self.url)._replace(path=f"/{quote(self.inner)}").geturl()

    @property
    def name(self) -> str:
        """Last part of the path."""
        return posixpath.basename(self.inner)

    @property
    def parent(self) -> StorePath:
        """Folder of the path."""
        return replace(self, inner=posixpath.dirname(self.inner))

    @property
    def store(self) -> Any:
        """File system of pyarrow."""
        return open_store(self.url)[0]

    @property
    def inside(self) -> str:
        """Path within the file system: bucket and key."""
        return posixpath.join(open_store(self.url)[1] or "/", self.inner).removeprefix("//")

    def with_name(self, name: str) -> StorePath:
        """Return the sibling path with another name."""
        return self.parent / name

    def resolve(self) -> StorePath:
        """Return the path, which is absolute."""
        return self

    def exists(self) -> bool:
        """Return True if there is a file, or a folder with files."""
        return self.is_file() or self.is_dir()

    def is_file(self) -> bool:
        """Return True if there is a file."""
        with reached(str(self)):
            return bool(self.store.get_file_info(self.inside).is_file)

    def is_dir(self) -> bool:
        """Return True if files are below the path."""
        return bool(self._below())

    def _below(self) -> list[Any]:
        selector = load_library("pyarrow.fs", "corpus").FileSelector
        with reached(str(self)):
            return list(self.store.get_file_info(selector(self.inside, allow_not_found=True)))

    def iterdir(self) -> Iterator[StorePath]:
        """Yield files and folders below the path, by name."""
        return self.glob("*")

    def glob(self, pattern: str) -> Iterator[StorePath]:
        """Yield files and folders directly below whose names match a pattern, by name."""
        names = sorted(info.base_name for info in self._below())
        yield from (self / name for name in names if fnmatchcase(name, pattern))

    def mkdir(self, parents: bool = False, exist_ok: bool = False) -> None:
        """Make a folder if the file system has folders (``hdfs://``)."""
        if self.store.type_name == "hdfs":
            with reached(str(self)):
                self.store.create_dir(self.inside)

    def unlink(self, missing_ok: bool = False) -> None:
        """Delete the file."""
        if missing_ok and not self.is_file():
            return
        with reached(str(self)):
            self.store.delete_file(self.inside)

    def read_bytes(self) -> bytes:
        """Return the content."""
        with reached(str(self)), self.store.open_input_stream(self.inside) as stream:
            return bytes(stream.read())

    def read_text(self, encoding: str = "utf-8") -> str:
        """Return the content as text."""
        return self.read_bytes().decode(encoding)

    def write_bytes(self, data: bytes) -> None:
        """Write a file, which appears when it is complete."""
        with reached(str(self)), self.store.open_output_stream(self.inside) as stream:
            stream.write(data)

    def touch(self) -> None:
        """Write an empty file."""
        self.write_bytes(b"")


# a file or folder, of this machine or of an object store
Place: TypeAlias = Path | StorePath


def any_place(name: str | os.PathLike[str]) -> Place:
    """Return the path of a name, which may be a URL."""
    if not isinstance(name, str) or not is_url(name):
        return Path(name)
    parts = urlsplit(name)
    return Path(unquote(parts.path)) if parts.scheme == "file" else StorePath.of(name)


def place_name(place: Place) -> str:
    """Return the name of a place for another process: an absolute path, or a URL."""
    return place.full_url if isinstance(place, StorePath) else str(place.resolve())


def remove_tree(place: Place) -> None:
    """Delete a folder with its content, if it exists."""
    if not isinstance(place, StorePath):
        shutil.rmtree(place, ignore_errors=True)
    elif place.is_dir():
        with reached(str(place)):
            place.store.delete_dir(place.inside)


def move_file(place: Place, name: str) -> None:
    """Rename a file within its folder; a file of that name is replaced."""
    target = place.with_name(name)
    if isinstance(place, StorePath) and isinstance(target, StorePath):
        with reached(str(place)):
            place.store.move(place.inside, target.inside)
    else:
        os.replace(str(place), str(target))


def file_size(place: Place) -> int:
    """Return the number of bytes of a file; 0 for a folder."""
    if isinstance(place, StorePath):
        with reached(str(place)):
            return int(place.store.get_file_info(place.inside).size or 0)
    return place.stat().st_size if place.is_file() else 0


def write_text(place: Place, text: str) -> None:
    """Write a text file, which appears when it is complete."""
    if isinstance(place, StorePath):
        place.write_bytes(text.encode("utf-8"))
    else:
        write_atomically(place, text)


@contextmanager
def local_target(place: Place) -> Iterator[Path]:
    """Yield the file to write: the file itself, or one that is uploaded afterwards."""
    if not isinstance(place, StorePath):
        yield place
        return
    with TemporaryDirectory() as folder:
        local = Path(folder, place.name)
        yield local
        upload(local, place)


def upload(local: Path, place: StorePath) -> None:
    """Copy a file to a store."""
    filesystems = load_library("pyarrow.fs", "corpus")
    with reached(str(place)):
        filesystems.copy_files(
            str(local),
            place.inside,
            source_filesystem=filesystems.LocalFileSystem(),
            destination_filesystem=place.store,
        )


def open_to_read(place: Place) -> Any:
    """Return the input of pyarrow for a file: its path, or an open file of a store."""
    return place.store.open_input_file(place.inside) if isinstance(place, StorePath) else place
