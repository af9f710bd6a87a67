"""A response cache: answers by server and content of their request.

    DIR/answers.sqlite    key, server, asked (the time), request, answer

Writes are atomic, so that a killed run corrupts nothing and several runs can share one folder. A
power failure may lose the last answers, which the journal of a run also holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol
from weakref import finalize

from patmark.data import enable_wal
from patmark.errors import InputError
from patmark.llm.chat import ChatAnswer, ChatRequest
from patmark.wording import tr, tr_n

_PATIENCE = 60.0
_PAGES_PER_CHECKPOINT = 10_000
_MAKE = """CREATE TABLE IF NOT EXISTS answers
    (key BLOB PRIMARY KEY, server TEXT, asked TEXT, request TEXT, answer TEXT)"""
_GET = "SELECT asked, answer FROM answers WHERE key = ?"
_PUT = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)"
_DAY, _HOUR, _MINUTE = 86400.0, 3600.0, 60.0


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer with its time."""

    answer: ChatAnswer
    asked: datetime


@dataclass(frozen=True, slots=True)
class CacheHits:
    """The number of cache hits, and the times of the oldest and the newest answer."""

    count: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None

    @classmethod
    def of(cls, times: Iterable[datetime | None]) -> CacheHits:
        """Count answers by age; None stands for a cache miss."""
        known = [time for time in times if time is not None]
        return cls(len(known), min(known), max(known)) if known else cls()

    def __add__(self, other: CacheHits) -> CacheHits:
        oldest = [one for one in (self.oldest, other.oldest) if one is not None]
        newest = [one for one in (self.newest, other.newest) if one is not None]
        return CacheHits(
            self.count + other.count, min(oldest, default=None), max(newest, default=None)
        )

    def words(self, now: datetime | None = None) -> str:
        """Describe number and age; empty without cache hits."""
        if self.oldest is None or self.newest is None:
            return ""
        newest, oldest = (_age(one, now) for one in (self.newest, self.oldest))
        age = oldest
        if oldest != newest:
            age = tr("{newest} to {oldest}", newest=newest, oldest=oldest)
        return tr("{n} with kept answers of earlier runs ({age} old)", n=self.count, age=age)

    def to_json(self) -> dict[str, Any]:
        """Return the count, and the times in UTC."""
        times = {"oldest": self.oldest, "newest": self.newest}
        return {
            "count": self.count,
            **{name: time and time.isoformat() for name, time in times.items()},
        }


class AnswerCache(Protocol):
    """A store of answers; ``server`` is the identity of an endpoint."""

    def get(self, server: str, request: ChatRequest) -> CachedAnswer | None:
        """Return the answer to a request, or None on a cache miss."""

    def put(self, server: str, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer with the current time."""


class MemoryCache:
    """Answers in memory, lost when the process ends."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], CachedAnswer] = {}

    def get(self, server: str, request: ChatRequest) -> CachedAnswer | None:
        """Return the answer to a request, or None on a cache miss."""
        return self._answers.get((server, request.key()))

    def put(self, server: str, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer with the current time."""
        self._answers[server, request.key()] = CachedAnswer(answer, datetime.now(UTC))


class DiskCache:
    """Response cache in a file readable by its owner only, created by the first answer."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._database: sqlite3.Connection | None = None
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError.at("is a file; expected a folder for answers", str(folder))

    @property
    def path(self) -> Path:
        """The database file."""
        return self.folder / "answers.sqlite"

    def get(self, server: str, request: ChatRequest) -> CachedAnswer | None:
        """Return the answer to a request, or None on a cache miss."""
        if self._database is None and not self.path.exists():
            return None
        with self._file_errors():
            found = self._open().execute(_GET, (_key(server, request),)).fetchone()
        if found is None:
            return None
        asked, answer = found
        try:
            return CachedAnswer(ChatAnswer.from_json(json.loads(answer)), _time(asked))
        except ValueError as error:
            raise self._broken(str(error)) from None

    def put(self, server: str, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer with the current time, and the request for people who open the file."""
        asked = {"sample": request.sample, "attempt": request.attempt, **request.body()}
        row = (
            _key(server, request),
            server,
            datetime.now(UTC).isoformat(),
            json.dumps(asked, ensure_ascii=True),
            json.dumps(answer.to_json(), ensure_ascii=True),
        )
        with self._file_errors():
            self._open().execute(_PUT, row)

    def _open(self) -> sqlite3.Connection:
        """Open the database, and create it if it is missing.

        Checkpoints are rare, since all requests wait for them.
        """
        if self._database is not None:
            return self._database
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            # an existing folder may be open to all; the WAL file gets the mode of the database
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            message = f"cannot be made: {error.strerror or error}"
            raise InputError.at(message, str(self.folder)) from None
        opened = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        finalize(self, opened.close)
        enable_wal(opened, _PATIENCE)
        opened.execute("PRAGMA synchronous = NORMAL")
        opened.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_PER_CHECKPOINT}")
        opened.execute(_MAKE)
        self._database = opened
        return opened

    @contextmanager
    def _file_errors(self) -> Iterator[None]:
        """Turn errors of SQLite into InputErrors with the path of the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise InputError.at(f"cannot be used: {error}", str(self.path)) from None
        except sqlite3.DatabaseError as error:
            raise self._broken(str(error)) from None

    def _broken(self, reason: str) -> InputError:
        cure = "delete it, and everything is asked again"
        return InputError.at(f"is no store of answers ({reason}); {cure}", str(self.path))


def _key(server: str, request: ChatRequest) -> bytes:
    return hashlib.sha256(f"{server}\n{request.key()}".encode()).digest()


def _time(text: object) -> datetime:
    time = datetime.fromisoformat(text) if isinstance(text, str) else None
    if time is None or time.tzinfo is None:
        raise ValueError("it does not say when it was given")
    return time


def _age(time: datetime, now: datetime | None) -> str:
    seconds = max(0.0, ((now or datetime.now(UTC)) - time).total_seconds())
    if seconds >= _DAY:
        return tr_n("{n} day", "{n} days", n=int(seconds / _DAY))
    if seconds >= _HOUR:
        return tr_n("{n} hour", "{n} hours", n=int(seconds / _HOUR))
    if seconds >= _MINUTE:
        return tr_n("{n} minute", "{n} minutes", n=int(seconds / _MINUTE))
    return tr_n("{n} second", "{n} seconds", n=int(seconds))


def default_cache_folder() -> Path:
    """Return the default cache directory of the user."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "patmark" / "llm"
