"""Scores as Parquet: the same as in JSON, readable by others, and refused when broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.data.scores import Scores
from patmark.errors import InputError, MissingExtra
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.human.judgements.metric_sources import read_sources
from patmark.measures.registry import parse_measure

arrow = pytest.importorskip("pyarrow", reason="pyarrow comes with the extra corpus")
parquet = pytest.importorskip("pyarrow.parquet")

_DOCUMENTS = ("doc 1", None, "doc 1")
_FACTS = {"languages": {"source": "ja", "target": "en"}, "missing": {"アトラス": 1, "B b": 0}}


def _scores(name: str, statistics: list[list[list[float]]]) -> Scores:
    measure = parse_measure(name)
    return Scores(
        name, f"{name}|a signature", ("アトラス", "B b"), ("1", "2", "3"), np.array(statistics),
        measure, measure.higher_is_better,
    )  # fmt: skip


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    scores = {
        "TER": _scores("TER", [[[1, 4], [0, 4], [2.5, 7]], [[0, 4], [1, 4], [3, 7]]]),
        "RIBES": _scores("RIBES", [[[0.1, 1], [np.nan, 1], [0, 0]], [[1 / 3, 1], [1, 1], [0, 1]]]),
    }
    path = tmp_path / "scores.parquet"
    save_scores(path, scores, _DOCUMENTS, _FACTS)
    save_scores(tmp_path / "scores.json", scores, _DOCUMENTS, _FACTS)
    return path


def _changed(path: Path, change: Callable[[Any], Any]) -> Path:
    """The same file after another program wrote it."""
    parquet.write_table(change(parquet.read_table(path)), path)
    return path


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts the threads of Linux")
def test_reading_leaves_no_thread_that_could_abort_the_end_of_the_process(saved: Path) -> None:
    """A thread of Arrow that holds Python's bytes needs the interpreter to let go of them.

    If that is gone, as after a command that failed at once, the thread ends the process by SIGABRT.
    """
    program = (
        "import os, sys, pyarrow.parquet\n"
        "from patmark.evaluation import read_scores\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "read_scores(sys.argv[1])\n"
        "print(len(os.listdir('/proc/self/task')) - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, saved], capture_output=True, text=True, check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.stdout == "0\n"


def _equal(path: Path, other: Path) -> bool:
    one, two = read_scores(path), read_scores(other)
    assert (one.documents, one.facts, list(one.scores)) == (two.documents, two.facts, [*two.scores])
    return all(
        (scores.systems, scores.segments, scores.signature, scores.higher_is_better)
        == (same.systems, same.segments, same.signature, same.higher_is_better)
        and np.array_equal(scores.statistics, same.statistics, equal_nan=True)
        and np.array_equal(scores.system_scores, same.system_scores, equal_nan=True)
        for scores, same in zip(one.scores.values(), two.scores.values(), strict=True)
    )


def test_the_same_as_json(saved: Path) -> None:
    assert saved.read_bytes()[:4] == b"PAR1"
    assert _equal(saved, saved.with_suffix(".json"))


def test_rows_for_other_programs(saved: Path) -> None:
    rows = parquet.read_table(saved).to_pylist()
    assert len(rows) == 2 * 2 * 3
    assert rows[4] == {
        "measure": "TER", "system": "B b", "segment": "2", "document": None, "statistics": [1, 4]
    }  # fmt: skip


def test_the_order_of_measures_and_rows_has_no_meaning(saved: Path) -> None:
    mixed = _changed(saved, lambda table: table.take([0, 1, 2, 11, 4, 9, 6, 7, 8, 5, 10, 3]))
    assert _equal(mixed, saved.with_suffix(".json"))


def test_other_programs_write_other_types(saved: Path) -> None:
    def change(table: Any) -> Any:
        packed = [table.column(name).dictionary_encode() for name in ("measure", "system")]
        table = table.set_column(0, "measure", packed[0]).set_column(1, "system", packed[1])
        kind = arrow.large_list(arrow.float64())
        return table.set_column(4, "statistics", table.column("statistics").cast(kind))

    assert _equal(_changed(saved, change), saved.with_suffix(".json"))


def test_meta_evaluation_reads_it(saved: Path) -> None:
    [source] = read_sources([str(saved)])
    [as_json] = read_sources([str(saved.with_suffix(".json"))])
    assert source.series.keys() == as_json.series.keys()


def _with(table: Any, name: str, values: list[Any]) -> Any:
    return table.set_column(table.column_names.index(name), name, [values])


def _with_header(table: Any, **changed: Any) -> Any:
    header = json.loads(table.schema.metadata[b"patmark"]) | changed
    return table.replace_schema_metadata({"patmark": json.dumps(header)})


def _second_row_twice(table: Any) -> Any:
    return table.take([1, *range(1, 12)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.replace_schema_metadata(None), "no file of scores: its metadata is"),
        (lambda table: table.drop_columns(["statistics"]), "one column 'statistics', found 0"),
        (lambda table: _with(table, "system", [[1]] * 12), "expected names, and lists of numbers"),
        (lambda table: _with(table, "statistics", ["x"] * 12), "expected names, and lists of"),
        (lambda table: _with(table, "document", [*"abcdefghijkl"]), "'1' is in several documents"),
        (lambda table: _with_header(table, version=3).drop_columns(["measure"]), "has version 3"),
        (lambda table: table.slice(1), "expected 12 rows, of 2 measures, 2 systems and 3 segments"),
        (
            _second_row_twice,
            "measure 'TER': statistics of 'アトラス', segment '1': expected a list",
        ),
        (lambda table: table.replace_schema_metadata({"patmark": "[]"}), "expected a JSON object"),
        (lambda table: table.replace_schema_metadata({"patmark": "{}"}), "expected format"),
        (lambda table: _with_header(table, measures={}), "name no measures"),
    ],
)
def test_broken_files(saved: Path, change: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_scores(_changed(saved, change))
    assert message in str(raised.value) and str(saved) in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not Parquet at all"])
def test_not_parquet(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "scores.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_scores(path)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_scores(tmp_path / "scores.parquet")


def test_without_the_library(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'patmark\[corpus\]'"):
        read_scores(saved)
