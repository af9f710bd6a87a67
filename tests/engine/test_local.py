"""The local engine: the same rows however the work is cut, and after any interruption."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import engine_functions as functions
from patmark.engine import engine as engine_local
from patmark.engine.datasets import (
    count_rows,
    iter_rows,
    parts_of,
    write_rows,
)
from patmark.engine.engine import LocalEngine, open_engine
from patmark.errors import InputError, PatmarkError, UsageError

_ROWS = [{"number": n, "text": f"Text {n} 文"} for n in range(120)]
_DOUBLED = sorted(
    (row["number"] * 2 + more, "more" if more else row["text"])
    for row in _ROWS
    for more in ((0, 1) if row["number"] % 3 == 0 else (0,))
)


def _dataset(folder: Path, shard_rows: int = 10) -> Path:
    write_rows(folder, _ROWS, functions.SCHEMA, shard_rows)
    return folder


def _pairs(dataset: Path) -> list[tuple[Any, ...]]:
    return sorted((row["number"], row["text"]) for row in iter_rows(dataset))


@pytest.mark.parametrize(
    ("workers", "shard_rows", "batch_rows"), [(1, 10, 1000), (1, 120, 7), (3, 25, 4)]
)
def test_workers_shards_and_batches_do_not_change_the_rows(
    workers: int, shard_rows: int, batch_rows: int, tmp_path: Path
) -> None:
    inputs = _dataset(tmp_path / "in", shard_rows)
    engine = LocalEngine(workers)
    told: list[tuple[int, int]] = []
    engine.map_batches(
        functions.doubled, inputs, tmp_path / "out", functions.SCHEMA,
        batch_rows=batch_rows, progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    shards = len(parts_of(inputs))
    assert told == [(done, shards) for done in range(shards + 1)]
    assert _pairs(tmp_path / "out") == _DOUBLED


def test_a_part_that_no_shard_makes_does_not_count(tmp_path: Path) -> None:
    inputs, output = _dataset(tmp_path / "in"), tmp_path / "out"
    write_rows(output, _ROWS, functions.SCHEMA, 3)  # 40 parts, as of an input cut otherwise
    for kept in parts_of(inputs):
        (output / kept.name).unlink()
    LocalEngine(1).map_batches(functions.doubled, inputs, output, functions.SCHEMA)
    assert _pairs(output) == _DOUBLED


def test_sql_keeps_its_order_over_shards(tmp_path: Path) -> None:
    engine = LocalEngine(2, memory="200MB")
    inputs = _dataset(tmp_path / "in")
    statement = "SELECT number, text FROM rows_in WHERE number % 2 = 0 ORDER BY number DESC"
    engine.sql(statement, {"rows_in": inputs}, tmp_path / "out", shard_rows=7)
    assert [row["number"] for row in iter_rows(tmp_path / "out")] == list(range(118, -1, -2))
    assert [count_rows(tmp_path / "out"), len(parts_of(tmp_path / "out"))] == [60, 9]
    engine.sql("SELECT * FROM rows_in WHERE 1 = 0", {"rows_in": inputs}, tmp_path / "none")
    assert list(iter_rows(tmp_path / "none")) == []
    engine.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "none", "out"]


def test_the_shard_of_a_killed_worker_is_done_again(tmp_path: Path) -> None:
    inputs = _dataset(tmp_path / "in")
    work = partial(functions.killed_once, str(tmp_path / "marker"), 55)
    LocalEngine(2).map_batches(work, inputs, tmp_path / "out", functions.SCHEMA, batch_rows=4)
    assert (tmp_path / "marker").exists()
    assert list(iter_rows(tmp_path / "out")) == _ROWS
    assert all(not path.name.startswith(".") for path in (tmp_path / "out").glob("part*"))


def test_a_shard_that_kills_every_worker_is_named_and_the_others_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_local, "_ATTEMPTS", 2)  # each one starts processes anew
    inputs = _dataset(tmp_path / "in", 30)
    work = partial(functions.killed_always, 95)
    with pytest.raises(PatmarkError, match=r"part-000003.parquet: .* alone was ended 2 times"):
        LocalEngine(2).map_batches(work, inputs, tmp_path / "out", functions.SCHEMA)
    kept = [f"part-{number:06}.parquet" for number in range(3)]
    assert [part.name for part in parts_of(tmp_path / "out")] == kept


def test_a_single_shard_that_is_left_cannot_end_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_local, "_ATTEMPTS", 1)
    inputs, output = _dataset(tmp_path / "in", 60), tmp_path / "out"
    LocalEngine(1).map_batches(functions.doubled, inputs, output, functions.SCHEMA)
    (output / "part-000001.parquet").unlink()
    work = partial(functions.killed_always, 95)
    with pytest.raises(PatmarkError, match=r"part-000001.parquet: .* alone was ended 1 times"):
        LocalEngine(2).map_batches(work, inputs, output, functions.SCHEMA)


@pytest.mark.parametrize("workers", [1, 2])
def test_problems_of_the_data_arrive_whole(workers: int, tmp_path: Path) -> None:
    inputs = _dataset(tmp_path / "in", 60)
    with pytest.raises(InputError) as caught:
        LocalEngine(workers).map_batches(
            functions.refused, inputs, tmp_path / "out", functions.SCHEMA
        )
    assert [str(problem) for problem in caught.value.problems] == [
        "a.xml:1: is wrong",
        "b.xml:2: is wrong too",
    ]
    assert not multiprocessing.active_children()


_PARENT = """
import sys
from functools import partial
from pathlib import Path
import engine_functions as functions
from patmark.engine.engine import LocalEngine
if __name__ == "__main__":
    folder = Path(sys.argv[1])
    work = partial(functions.slow, str(folder / "pids"))
    LocalEngine(2).map_batches(work, folder / "in", folder / "out", functions.SCHEMA)
"""


def test_after_a_killed_parent_the_rest_is_done_and_nothing_twice(tmp_path: Path) -> None:
    inputs = _dataset(tmp_path / "in")
    (tmp_path / "pids").mkdir()
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    parent = subprocess.Popen([sys.executable, script, tmp_path], env=_environment())
    _wait_for(lambda: len(list((tmp_path / "out").glob("part-*"))) >= 2)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    _wait_for(lambda: not any(map(_is_alive, (tmp_path / "pids").iterdir())))
    kept = {part: part.stat().st_mtime_ns for part in (tmp_path / "out").glob("part-*")}
    assert 2 <= len(kept) < 12
    work = partial(functions.slow, str(tmp_path / "pids"))
    LocalEngine(1).map_batches(work, inputs, tmp_path / "out", functions.SCHEMA)
    assert list(iter_rows(tmp_path / "out")) == _ROWS
    assert all(part.stat().st_mtime_ns == before for part, before in kept.items())


def test_a_script_that_its_workers_would_run_again_is_told_so(tmp_path: Path) -> None:
    _dataset(tmp_path / "in", 60)
    script = tmp_path / "parent.py"
    script.write_text(_PARENT.replace('if __name__ == "__main__":', "if True:"))
    ended = subprocess.run(
        [sys.executable, script, tmp_path], env=_environment(), capture_output=True, text=True
    )
    assert ended.returncode == 1
    said = ended.stderr.splitlines()[-1]
    assert "UsageError: the worker processes ended while they started." in said
    assert 'below `if __name__ == "__main__":`' in said


def _environment() -> dict[str, str]:
    """Where a script finds the functions of the tests."""
    places = [str(Path(functions.__file__).parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}


def _wait_for(condition: Any) -> None:
    for _ in range(2400):
        if condition():
            return
        time.sleep(0.05)
    raise TimeoutError


def _is_alive(marker: Path) -> bool:
    """Whether the process of a marker runs; one that nobody waits for any more does not."""
    try:
        state = Path("/proc", marker.name, "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def test_wrong_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no engine 'hadoop'; choose from local, spark"):
        open_engine("hadoop")
    with pytest.raises(UsageError, match="needs engine='spark'"):
        open_engine("local", master="local[2]")
    with pytest.raises(UsageError, match="workers= is for engine='local'"):
        open_engine("spark", workers=2)
    with pytest.raises(InputError, match="is no dataset"):
        LocalEngine().sql("SELECT 1", {"t": tmp_path}, tmp_path / "out")
    (tmp_path / "part-000000.parquet").write_text("no Parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(iter_rows(tmp_path))
