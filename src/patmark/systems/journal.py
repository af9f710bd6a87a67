"""The journal of a run, one line per row, and the rows left when a run was interrupted.

    {"format": "patmark-run-1", "settings": {…}, "begun": "2026-01-31T09:30:00+00:00"}
    {"id": "17", "hypothesis": "…", "raw": "…", "cleaned": ["preamble"], "usage": {…}}
    {"id": "18", "failed": "refused: …"}

A row is written as soon as there is an answer, so that a killed run loses only the requests in
flight, and is synced to disk within a second. The last line of a row counts. Nothing is written
before the first row: a run that cannot start leaves an older journal unchanged.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from patmark.data import json_object, json_text, try_lock, write_json_lines
from patmark.errors import InputError, UsageError
from patmark.llm import Usage
from patmark.systems.kinds import SystemInput
from patmark.wording import setting

FORMAT = "patmark-run-1"
_SYNC_SECONDS = 1.0
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class RunRow:
    """The result of an input: a hypothesis, or a failure with its reason.

    ``raw`` is the answer of the system if the hypothesis differs from it, and ``cleaned`` names the
    steps that changed it; ``chatter`` names the kinds that are still in it. ``cached_at`` is the
    time of the answer, if that was before the run.
    """

    id: str
    hypothesis: str | None
    failure: str | None = None
    raw: str | None = None
    cleaned: tuple[str, ...] = ()
    chatter: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cached_at: datetime | None = None

    def to_json(self) -> dict[str, Any]:
        """Return a line of the journal, without empty fields."""
        result = {"failed": self.failure} if self.failure else {"hypothesis": self.hypothesis}
        more = {
            "raw": self.raw,
            "cleaned": list(self.cleaned),
            "chatter": list(self.chatter),
            "usage": self.usage.to_json() if self.usage.answers else {},
            "kept": self.cached_at and self.cached_at.isoformat(),
        }
        return {"id": self.id, **result, **{name: one for name, one in more.items() if one}}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> RunRow:
        """Read the result of :meth:`to_json`; raise ValueError for anything else."""
        failure, raw = fields.get("failed"), fields.get("raw")
        hypothesis = None if failure else fields.get("hypothesis")
        texts = [fields.get("id"), failure or hypothesis, *([] if raw is None else [raw])]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("is no row of a run")
        try:
            usage, cached_at = Usage(**fields.get("usage", {})), fields.get("kept")
            return cls(
                fields["id"],
                hypothesis,
                failure,
                raw,
                tuple(fields.get("cleaned", ())),
                tuple(fields.get("chatter", ())),
                usage,
                None if cached_at is None else datetime.fromisoformat(cached_at),
            )
        except TypeError:
            raise ValueError("is no row of a run") from None


class Journal:
    """The journal of one run, open and locked from the first line to the last.

    ``begun`` is the start of the run, also if it was stopped and resumed, so that answers it cached
    itself are its own. The journal of a finished run does not have it.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any], *, fresh: bool = False):
        self.path = Path(path)
        self._settings = settings
        self._file = self._open()
        self._synced = time.monotonic()
        try:
            content = b"" if fresh else self._whole_lines()
            self.rows = _read_rows(content, settings, self.path)
            self.begun = _begun(content) if self.rows else datetime.now(UTC)
            self._has_rows = bool(self.rows)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        is_empty = os.fstat(self._file.fileno()).st_size == 0
        with suppress(OSError):  # writing a line has reported disk errors
            os.fsync(self._file.fileno())
        self._file.close()
        if is_empty and kind is not None:
            self.path.unlink(missing_ok=True)

    def add(self, row: RunRow) -> None:
        """Write a row."""
        if not self._has_rows:
            self._file.truncate(0)
            self._write(
                {"format": FORMAT, "settings": self._settings, "begun": self.begun.isoformat()}
            )
            self._has_rows = True
        self._write(row.to_json())

    def tidy(self, rows: Iterable[RunRow]) -> None:
        """Rewrite the journal with one line per row, in the order given."""
        lines = [{"format": FORMAT, "settings": self._settings}, *(row.to_json() for row in rows)]
        write_json_lines(self.path, lines)

    def _open(self) -> IO[bytes]:
        try:
            file = open(self.path, "a+b", buffering=0)  # noqa: SIM115 it outlives this method
        except OSError as error:
            raise self._unwritable(error) from None
        if not try_lock(file):
            file.close()
            raise UsageError(f"another run is writing to {self.path}; wait for it to end")
        return file

    def _write(self, record: Mapping[str, Any]) -> None:
        """Write a whole line or nothing: half a line would corrupt the next one."""
        size = os.fstat(self._file.fileno()).st_size
        left = f"{json_text(record)}\n".encode()
        try:
            while left:
                left = left[self._file.write(left) :]
            if time.monotonic() - self._synced > _SYNC_SECONDS:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(size)
            raise self._unwritable(error) from None

    def _whole_lines(self) -> bytes:
        """Return the content, without a last line that was being written when a run died."""
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            self._file.truncate(len(whole))
        return whole

    def _unwritable(self, error: OSError) -> InputError:
        return InputError.at(f"cannot be written: {error.strerror or error}", str(self.path))


def rows_left(
    inputs: Sequence[SystemInput], rows: Mapping[str, RunRow]
) -> tuple[dict[str, RunRow], list[SystemInput]]:
    """Return the finished rows of a resumed run, and the remaining inputs.

    Failed rows are tried again.
    """
    known = ((one.id, rows.get(one.id)) for one in inputs)
    done = {id_: row for id_, row in known if row is not None and row.failure is None}
    return done, [one for one in inputs if one.id not in done]


def journalled_rows(path: Path, settings: Mapping[str, Any]) -> dict[str, RunRow]:
    """Read the rows of a run so far, without changing its journal; refuse other settings."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError.at(f"cannot be read: {error.strerror or error}", str(path)) from None
    return _read_rows(content[: content.rfind(b"\n") + 1], settings, path)


def _read_rows(content: bytes, settings: Mapping[str, Any], path: Path) -> dict[str, RunRow]:
    """Read the rows of whole lines; before the first row, other settings are harmless."""
    if content.count(b"\n") < 2 and (not content or FORMAT.encode() in content):
        return {}
    first, *lines = content.decode("utf-8", errors="replace").removesuffix("\n").split("\n")
    _check(_parsed(first, path, 1), settings, path)
    rows = {}
    for number, line in enumerate(lines, 2):
        try:
            row = RunRow.from_json(_parsed(line, path, number))
        except ValueError as error:
            raise _broken(str(error), path, number) from None
        rows[row.id] = row
    return rows


def _begun(content: bytes) -> datetime:
    """Return the start time of a run; the current time if an ended run is tried again."""
    text = json_object(content.partition(b"\n")[0].decode("utf-8")).get("begun")
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) else datetime.now(UTC)
    except ValueError:
        return datetime.now(UTC)


def _parsed(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        return json_object(line)
    except ValueError as error:
        raise _broken(str(error), path, number) from None


def _broken(message: str, path: Path, line: int) -> InputError:
    cure = f"{setting('fresh')} begins anew, or give another {setting('out')}"
    return InputError.at(f"{message}; {cure}", str(path), line)


def _check(header: Mapping[str, Any], settings: Mapping[str, Any], path: Path) -> None:
    if header.get("format") != FORMAT:
        raise _broken(f"is no journal of a run (expected the format {FORMAT})", path, 1)
    then, now = _flat(header.get("settings")), _flat(_as_read(settings))
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if names:
        found = "; ".join(
            f"{name}: {_short(then.get(name))} then, {_short(now.get(name))} now" for name in names
        )
        raise UsageError(
            f"{path} was begun with other settings ({found}). Give the same ones to go "
            f"on, {setting('fresh')} to begin anew, or another {setting('out')}"
        )


def _as_read(settings: Mapping[str, Any]) -> Any:
    """Return settings as a file gives them back: lists for tuples."""
    return json.loads(json.dumps(settings))


def _flat(value: object, name: str = "") -> dict[str, object]:
    """Return the leaves of nested objects by their dotted names."""
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
