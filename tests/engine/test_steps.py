"""Steps: done once, taken up where they were left, over datasets and over views."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import engine_functions as functions
from patmark.engine.datasets import batch_of, iter_rows, parts_of, regrouped, write_rows
from patmark.engine.engine import LocalEngine
from patmark.engine.steps import Dataset, StepRunner, View

_ROWS = [{"number": n, "text": f"Text {n} 文"} for n in range(60)]
_EVEN = "SELECT number, text FROM numbers WHERE number % 2 = 0"


@pytest.fixture
def steps(tmp_path: Path) -> Iterator[StepRunner]:
    engine = LocalEngine(1)
    yield StepRunner(tmp_path / "steps", engine)
    engine.close()


def _numbers(steps: StepRunner, shard_rows: int = 25) -> Dataset:
    def make(output: Path) -> None:
        write_rows(output, _ROWS, functions.SCHEMA, shard_rows)

    return steps.step("numbers", make)


def test_a_view_is_used_like_a_dataset(steps: StepRunner) -> None:
    even = View(_EVEN, {"numbers": _numbers(steps)})
    large = View("SELECT number FROM even_numbers WHERE number > 50", {"even_numbers": even})
    statement = "SELECT number FROM large_numbers ORDER BY number DESC"
    tables = {"large_numbers": large}
    assert [row["number"] for row in steps.rows(statement, tables)] == [58, 56, 54, 52]
    written = steps.sql("written", statement, tables)
    assert [row["number"] for row in iter_rows(written.path)] == [58, 56, 54, 52]
    assert steps.done == ["numbers", "written"]


def test_a_function_is_mapped_over_the_rows_of_a_view_and_leaves_no_copy(
    steps: StepRunner,
) -> None:
    even = View(_EVEN, {"numbers": _numbers(steps)})
    doubled = steps.map("doubled", functions.doubled, even, functions.SCHEMA)
    found = sorted(row["number"] for row in iter_rows(doubled.path))
    assert found[:3] == [0, 1, 4]
    assert len(found) == 40
    assert not (doubled.path / "input").exists()


def test_an_interrupted_step_over_a_view_keeps_its_input_and_what_is_done(
    steps: StepRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patmark.engine.engine.write_shards", _in_small_shards)
    even = View(_EVEN, {"numbers": _numbers(steps)})

    def broken(batch: Any) -> Iterator[Any]:
        for row in batch.to_pylist():
            if row["number"] == 40:
                raise RuntimeError
            yield batch_of([row], functions.SCHEMA)

    def copied(batch: Any) -> Iterator[Any]:
        yield batch

    with pytest.raises(RuntimeError):
        steps.map("copied", broken, even, functions.SCHEMA)
    [unfinished] = steps.folder.glob("copied-*.partial")
    kept = {part: part.stat().st_mtime_ns for part in parts_of(unfinished)}
    given = {part.name: part.stat().st_mtime_ns for part in parts_of(unfinished / "input")}
    assert len(kept) == 2 < len(given)
    monkeypatch.setattr(steps.engine, "sql", None)  # the input is not made again
    finished = steps.map("copied", copied, even, functions.SCHEMA)
    assert [row["number"] for row in iter_rows(finished.path)] == list(range(0, 60, 2))
    for part, before in kept.items():
        assert (finished.path / part.name).stat().st_mtime_ns == before


def _in_small_shards(output: Path, batches: Any, schema: Any, shard_rows: int) -> None:
    from patmark.engine.datasets import write_shards

    write_shards(output, batches, schema, 10)


def test_another_statement_of_a_view_is_another_step(steps: StepRunner) -> None:
    numbers = _numbers(steps)
    views = [View(_EVEN, {"numbers": numbers}), View(f"{_EVEN} LIMIT 3", {"numbers": numbers})]
    sizes = [steps.map("kept", functions.doubled, view, functions.SCHEMA).rows for view in views]
    assert sizes == [40, 4]
    assert len(list(steps.folder.glob("kept-*"))) == 1


def test_two_tables_of_one_name_are_refused(steps: StepRunner) -> None:
    numbers = _numbers(steps)
    view = View(_EVEN, {"numbers": numbers})
    with pytest.raises(ValueError, match="two tables are called numbers"):
        list(steps.rows("SELECT * FROM numbers", {"numbers": view}))


@pytest.mark.parametrize("rows", [1, 7, 25, 60, 100])
def test_rows_are_regrouped_in_their_order(rows: int) -> None:
    batches = [batch_of(_ROWS[start : start + 11], functions.SCHEMA) for start in range(0, 60, 11)]
    found = list(regrouped(batches, rows))
    assert [row for batch in found for row in batch.to_pylist()] == _ROWS
    assert all(batch.num_rows == rows for batch in found[:-1])
    assert 0 < found[-1].num_rows <= rows
