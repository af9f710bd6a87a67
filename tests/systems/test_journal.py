"""The journal of a run: what was settled is found again, whatever happened meanwhile."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from patmark.errors import InputError, UsageError
from patmark.systems import Journal, RunRow


def test_two_runs_do_not_write_to_one_journal(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "j", {"a": 1}) as first,
        pytest.raises(UsageError, match="another run"),
    ):
        Journal(tmp_path / "j", {"a": 1})
    first.tidy([RunRow("1", "x")])
    with Journal(tmp_path / "j", {"a": 1}) as again:
        assert again.rows == {"1": RunRow("1", "x")}


def test_a_bad_line_in_the_middle_of_a_journal_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path, {}) as journal:
        journal.add(RunRow("1", "x"))
    path.write_bytes(path.read_bytes() + b'{"id": "2"}\n{"id": "3", "hypothesis": "y"}\n')
    with pytest.raises(InputError, match=r"j:3: is no row of a run"):
        Journal(path, {})


def test_a_journal_without_rows_binds_nobody(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", {"model": "a"}):
        pass
    with Journal(tmp_path / "j", {"model": "b"}) as journal:
        journal.add(RunRow("1", "x"))
    with pytest.raises(UsageError, match="model: 'b' then, 'c' now"):
        Journal(tmp_path / "j", {"model": "c"})


class _FullDisk:
    """A file that takes a few bytes and then no more."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, data: bytes) -> int:
        if len(data) < 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return int(self._file.write(data[: len(data) // 2]))


def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", {}) as journal:
        journal.add(RunRow("1", "x"))
        disk = journal._file
        journal._file = _FullDisk(disk)  # type: ignore[assignment]
        with pytest.raises(InputError, match="No space left"):
            journal.add(RunRow("2", "y"))
        journal._file = disk
        journal.add(RunRow("3", "z"))
    with Journal(tmp_path / "j", {}) as again:
        assert list(again.rows) == ["1", "3"]


@pytest.mark.parametrize(
    "line",
    [
        {"id": 2, "hypothesis": "x"},
        {"id": "2", "hypothesis": None},
        {"id": "2", "hypothesis": "x", "usage": {"tokens": 1}},
    ],
)
def test_a_row_of_other_types_is_no_row(line: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no row of a run"):
        RunRow.from_json(line)
