"""A cache of answers by the content of their request, so that nothing is asked twice.

    DIR/3f/3fa9…c2.json    {"format": …, "request": {…}, "answer": {…}}

A file appears whole or not at all, so that a killed run leaves no broken file and several runs can
share one folder. Files are not synced to disk: a power failure may lose the last ones, which the
journal of a run also holds.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from patmark.data import json_object, read_lines
from patmark.errors import InputError
from patmark.llm.chat import ChatAnswer, ChatRequest

_FORMAT = "patmark-answer-1"


class AnswerCache(Protocol):
    """A store of answers."""

    def get(self, request: ChatRequest) -> ChatAnswer | None:
        """The answer to a request, or None if it was not asked yet."""

    def put(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer."""


class MemoryCache:
    """Answers in memory, gone when the process ends."""

    def __init__(self) -> None:
        self._answers: dict[str, ChatAnswer] = {}

    def get(self, request: ChatRequest) -> ChatAnswer | None:
        """The answer to a request, or None if it was not asked yet."""
        return self._answers.get(request.key())

    def put(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer."""
        self._answers[request.key()] = answer


class DiskCache:
    """Answers in a folder that only its owner can read; it is made for the first answer."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError.at("is a file; expected a folder for answers", str(folder))

    def path(self, request: ChatRequest) -> Path:
        """The file of a request."""
        key = request.key()
        return self.folder / key[:2] / f"{key}.json"

    def get(self, request: ChatRequest) -> ChatAnswer | None:
        """The answer to a request, or None if it was not asked yet."""
        path = self.path(request)
        if not path.exists():
            return None
        try:
            fields = json_object("\n".join(read_lines(path)))
            if fields.get("format") != _FORMAT:
                raise ValueError(f"expected the format {_FORMAT}")
            return ChatAnswer.from_json(fields.get("answer"))
        except ValueError as error:
            raise InputError.at(
                f"is no kept answer ({error}); delete it, and the question is asked again",
                str(path),
            ) from None

    def put(self, request: ChatRequest, answer: ChatAnswer) -> None:
        """Store an answer, with its request for people who open the file."""
        path = self.path(request)
        asked = {"sample": request.sample, "attempt": request.attempt, **request.body()}
        content = {"format": _FORMAT, "request": asked, "answer": answer.to_json()}
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
