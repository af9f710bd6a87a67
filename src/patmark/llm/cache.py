"""A cache of answers by server and content of their request, so that nothing is asked twice.

    DIR/3f/3fa9…c2.json    {"format": …, "server": …, "asked": …, "request": {…}, "answer": {…}}

A file appears whole or not at all, so that a killed run leaves no broken file and several runs can
share one folder. Files are not synced to disk: a power failure may lose the last ones, which the
journal of a run also holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from patmark.data import json_object, read_lines
from patmark.errors import InputError
from patmark.llm.chat import ChatAnswer, ChatRequest

_FORMAT = "patmark-answer-2"
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer, and when it was given."""

    answer: ChatAnswer
    asked: datetime


@dataclass(frozen=True, slots=True)
class KeptCount:
    """How many results stand on kept answers, and when those were given."""

    count: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None

    @classmethod
    def of(cls, times: Iterable[datetime | None]) -> KeptCount:
        """Of the times at which answers were given; None for answers that were not kept."""
        known = [time for time in times if time is not None]
        return cls(len(known), min(known), max(known)) if known else cls()

    def words(self, now: datetime | None = None) -> str:
        """How many and how old; nothing where there are none."""
        if self.oldest is None or self.newest is None:
            return ""
        newest, oldest = (_age(one, now) for one in (self.newest, self.oldest))
        old = oldest if oldest == newest else f"{newest} to {oldest}"
        return f"{self.count} with kept answers of earlier runs ({old} old)"

    def to_json(self) -> dict[str, Any]:
        """The count, and the times in UTC."""
        times = {"oldest": self.oldest, "newest": self.newest}
        return {
            "count": self.count,
            **{name: time and time.isoformat() for name, time in times.items()},
        }


class AnswerCache(Protocol):
    """A store of answers; ``server`` is the identity of an endpoint."""

    def get(self, server: str, request: ChatRequest) -> KeptAnswer | None:
        """The answer to a request, or None if it was not asked yet."""

    def put(self, server: str, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer that was given now."""


class MemoryCache:
    """Answers in memory, gone when the process ends."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], KeptAnswer] = {}

    def get(self, server: str, request: ChatRequest) -> KeptAnswer | None:
        """The answer to a request, or None if it was not asked yet."""
        return self._answers.get((server, request.key()))

    def put(self, server: str, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer that was given now."""
        self._answers[server, request.key()] = KeptAnswer(answer, datetime.now(UTC))


class DiskCache:
    """Answers in a folder that only its owner can read; it is made for the first answer."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError.at("is a file; expected a folder for answers", str(folder))

    def path(self, server: str, request: ChatRequest) -> Path:
        """The file of a request."""
        key = hashlib.sha256(f"{server}\n{request.key()}".encode()).hexdigest()
        return self.folder / key[:2] / f"{key}.json"

    def get(self, server: str, request: ChatRequest) -> KeptAnswer | None:
        """The answer to a request, or None if it was not asked yet."""
        path = self.path(server, request)
        if not path.exists():
            return None
        try:
            fields = json_object("\n".join(read_lines(path)))
            if fields.get("format") != _FORMAT:
                raise ValueError(f"expected the format {_FORMAT}")
            return KeptAnswer(
                ChatAnswer.from_json(fields.get("answer")), _time(fields.get("asked"))
            )
        except ValueError as error:
            raise InputError.at(
                f"is no kept answer ({error}); delete it, and the question is asked again",
                str(path),
            ) from None

    def put(self, server: str, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer that was given now, with its request for people who open the file."""
        path = self.path(server, request)
        content = {
            "format": _FORMAT,
            "server": server,
            "asked": datetime.now(UTC).isoformat(),
            "request": {"sample": request.sample, "attempt": request.attempt, **request.body()},
            "answer": answer.to_json(),
        }
        text = json.dumps(content, ensure_ascii=True) + "\n"
        try:
            self._write(path, text)
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise InputError.at(message, str(path)) from None

    def _write(self, path: Path, text: str) -> None:
        """Write a file, and make its folders if they are missing."""
        try:
            _replace(path, text)
        except (FileNotFoundError, NotADirectoryError):
            try:
                self.folder.parent.mkdir(parents=True, exist_ok=True)
                self.folder.mkdir(mode=0o700, exist_ok=True)
                path.parent.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                message = f"cannot be made: {error.strerror or error}"
                raise InputError.at(message, str(path.parent)) from None
            _replace(path, text)


def _time(text: object) -> datetime:
    """A time as it was written; a ValueError says that it is none."""
    time = datetime.fromisoformat(text) if isinstance(text, str) else None
    if time is None or time.tzinfo is None:
        raise ValueError("it does not say when it was given")
    return time


def _age(time: datetime, now: datetime | None) -> str:
    """A span of time in the unit that people would use."""
    seconds = max(0.0, ((now or datetime.now(UTC)) - time).total_seconds())
    units = ((_DAY, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second"))
    unit, name = next((one for one in units if seconds >= one[0]), units[-1])
    count = int(seconds / unit)
    return f"{count} {name}{'' if count == 1 else 's'}"


def _replace(path: Path, text: str) -> None:
    """Write to a temporary file beside it, and rename that."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(text.encode("ascii"))
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def default_cache_folder() -> Path:
    """The folder for caches of the user."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "patmark" / "llm"
