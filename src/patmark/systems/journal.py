"""What is known of a run while it goes on: one line per settled row, written at once.

    {"format": "patmark-run-1", "settings": {…}}
    {"id": "17", "hypothesis": "…", "raw": "…", "cleaned": ["preamble"], "tokens": [210, 48, 0]}
    {"id": "18", "failed": "refused: …"}

A line is handed to the operating system before the next answer is looked at, so that a killed run
loses only what was under way, and reaches the disk within a second. The last line of a row counts.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from patmark.data import write_atomically
from patmark.data.records import json_object
from patmark.errors import InputError, UsageError
from patmark.llm import Usage

FORMAT = "patmark-run-1"
_SYNC_SECONDS = 1.0
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Row:
    """What became of an item: a hypothesis, or a failure with its reason.

    ``raw`` is what the system said where that is not the hypothesis itself, and ``cleaned`` names
    what was taken away.
    """

    id: str
    hypothesis: str | None
    failure: str | None = None
    raw: str | None = None
    cleaned: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)

    def to_json(self) -> dict[str, Any]:
        """The row as a line has it; what says nothing is left out."""
        used = self.usage
        tokens = [used.prompt_tokens, used.completion_tokens, used.estimated]
        said = {"failed": self.failure} if self.failure else {"hypothesis": self.hypothesis}
        more = {
            "raw": self.raw, "cleaned": list(self.cleaned), "tokens": tokens if used.tokens else [],
        }  # fmt: skip
        return {"id": self.id, **said, **{name: one for name, one in more.items() if one}}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Row:
        """Read what :meth:`to_json` gave; a ValueError says that it did not."""
        try:
            prompt, completion, estimated = fields.get("tokens") or (0, 0, 0)
            used = Usage(int(bool(prompt or completion)), prompt, completion, estimated)
            failure = fields.get("failed")
            hypothesis = None if failure else fields["hypothesis"]
            cleaned = tuple(fields.get("cleaned", ()))
            return cls(fields["id"], hypothesis, failure, fields.get("raw"), cleaned, used)
        except (KeyError, TypeError, ValueError):
            raise ValueError("is no row of a run") from None


class Journal:
    """The journal of one run, open and locked from the first line to the last."""

    def __init__(self, path: str | Path, settings: Mapping[str, Any], *, fresh: bool = False):
        self.path = Path(path)
        self._settings = settings
        self._file = self._open()
        self._synced = time.monotonic()
        try:
            if fresh:
                self._file.truncate(0)
            self.rows = self._read()
            self._has_rows = bool(self.rows)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        os.fsync(self._file.fileno())
        self._file.close()
        if kind is not None and not self._has_rows:
            self.path.unlink(missing_ok=True)

    def add(self, row: Row) -> None:
        """Note what became of a row."""
        self._write(row.to_json())
        self._has_rows = True
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def tidy(self, rows: Iterable[Row]) -> None:
        """Leave one line per row, in the order given."""
        lines = [{"format": FORMAT, "settings": self._settings}, *(row.to_json() for row in rows)]
        write_atomically(self.path, "".join(map(_line, lines)))

    def _open(self) -> IO[bytes]:
        try:
            file = open(self.path, "a+b", buffering=0)  # noqa: SIM115 it outlives this method
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise InputError.at(message, str(self.path)) from None
        if not _locked(file):
            file.close()
            raise UsageError(f"another run is writing to {self.path}; wait for it to end")
        return file

    def _write(self, record: Mapping[str, Any]) -> None:
        left = _line(record).encode("utf-8")
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise InputError.at(message, str(self.path)) from None

    def _read(self) -> dict[str, Row]:
        """The rows of an earlier run. A last line without an end was being written when it died."""
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            self._file.truncate(len(whole))
        if whole.count(b"\n") < 2 and not self._is_foreign(whole):
            # Nothing was answered yet, so that other settings do no harm.
            self._file.truncate(0)
            self._write({"format": FORMAT, "settings": self._settings})
            return {}
        first, *lines = whole.decode("utf-8", errors="replace").removesuffix("\n").split("\n")
        self._check(self._parsed(first, 1))
        rows = {}
        for number, line in enumerate(lines, 2):
            try:
                row = Row.from_json(self._parsed(line, number))
            except ValueError as error:
                raise self._broken(str(error), number) from None
            rows[row.id] = row
        return rows

    def _is_foreign(self, content: bytes) -> bool:
        """Whether a file without rows is no journal at all."""
        return bool(content) and FORMAT.encode() not in content

    def _parsed(self, line: str, number: int) -> dict[str, Any]:
        try:
            return json_object(line)
        except ValueError as error:
            raise self._broken(str(error), number) from None

    def _broken(self, message: str, line: int) -> InputError:
        cure = "--fresh begins anew, or give another --out"
        return InputError.at(f"{message}; {cure}", str(self.path), line)

    def _check(self, header: Mapping[str, Any]) -> None:
        """Refuse to go on with other settings than those the run was begun with."""
        if header.get("format") != FORMAT:
            raise self._broken(f"is no journal of a run (expected the format {FORMAT})", 1)
        there, here = _flat(header.get("settings")), _flat(_as_read(self._settings))
        names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
        if names:
            found = "; ".join(
                f"{name}: {_short(there.get(name))} then, {_short(here.get(name))} now"
                for name in names
            )
            raise UsageError(
                f"{self.path} was begun with other settings ({found}). Give the same ones to go "
                "on, --fresh to begin anew, or another --out"
            )


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _as_read(settings: Mapping[str, Any]) -> Any:
    """The settings as they come back from a file: lists for tuples."""
    return json.loads(json.dumps(settings))


def _flat(value: object, name: str = "") -> dict[str, object]:
    """The leaves of nested objects by their dotted names."""
    if not isinstance(value, dict):
        return {name: value}
    return {
        key: leaf
        for inner, content in value.items()
        for key, leaf in _flat(content, f"{name}.{inner}" if name else str(inner)).items()
    }


def _short(value: object) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _locked(file: IO[bytes]) -> bool:
    """Whether the file is ours alone; systems without such locks have to trust the user."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
