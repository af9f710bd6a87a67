"""patmark retrieve: Python and the command line have the same defaults and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import invoke
from patmark import commands
from patmark.app.commands.retrieve import SearchOptions
from patmark.collections.retrieval import Bm25, IndexManifest, SearchSettings, Selection
from patmark.errors import InputError, PatmarkError, UsageError

pytest.importorskip("ir_measures")
_QRELS = {"t1": {"d1": 1}, "t2": {"d2": 1}}
_RUN = {"t1": ["d1"], "t2": ["d9", "d2"]}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Judgements and two runs."""
    (tmp_path / "qrels.txt").write_text("t1 0 d1 1\nt2 0 d2 1\n", encoding="utf-8")
    for name in ("a", "b"):
        lines = "t1 Q0 d1 1 7.0 x\nt2 Q0 d9 1 7.0 x\nt2 Q0 d2 2 6.0 x\n"
        (tmp_path / f"{name}.run").write_text(lines, encoding="utf-8")
    return tmp_path


def test_bm25_has_its_defaults_once() -> None:
    assert SearchOptions().search == SearchSettings()
    assert (SearchOptions().k1, SearchOptions().b) == (Bm25().k1, Bm25().b)
    manifest = IndexManifest("en-stem", "", "", Bm25.k1, Bm25.b, False)
    assert Bm25(manifest.k1, manifest.b) == Bm25()


def test_a_comparison_needs_two_runs(files: Path) -> None:
    """Python failed in the comparison of scores, with another message."""
    message = "a comparison needs at least two runs, and 1 are given"
    with pytest.raises(UsageError, match=message):
        commands.retrieve.compare(_QRELS, {"a": _RUN})
    with pytest.raises(UsageError, match=message):
        invoke("retrieve", "compare", "--qrels", "qrels.txt", "--run", "a.run", folder=files)


def test_runs_must_be_given(files: Path) -> None:
    with pytest.raises(UsageError, match="give the runs to evaluate: run='NAME=FILE'"):
        commands.retrieve.evaluate(_QRELS, {})
    with pytest.raises(UsageError, match="give the runs to evaluate: --run NAME=FILE"):
        invoke("retrieve", "evaluate", "--qrels", "qrels.txt", folder=files)


def test_unknown_measures_are_refused_before_files_are_read() -> None:
    with pytest.raises(PatmarkError, match="NoSuchMeasure"):
        commands.retrieve.evaluate("absent.txt", ["absent.run"], "NoSuchMeasure")


def test_two_runs_of_one_name_are_refused_alike(files: Path) -> None:
    runs = [str(files / "a.run")] * 2
    with pytest.raises(InputError) as of_python:
        commands.retrieve.evaluate(str(files / "qrels.txt"), runs)
    with pytest.raises(InputError) as of_command:
        invoke("retrieve", "evaluate", *runs, "--qrels", str(files / "qrels.txt"))
    assert str(of_python.value) == str(of_command.value)


def test_python_prepares_runs_as_the_command_does(files: Path) -> None:
    """Python had no kind codes, topics, collections and selections."""
    chosen = Selection("a.run", 0.9)
    runs = {"a": _RUN, "b": _RUN}
    found = commands.retrieve.evaluate(
        _QRELS, runs, "AP(rel=1)", strip_kind=True, selection=Selection(str(files / "a.run"), 0.9)
    )
    assert found.to_json()["topics"] == 1
    assert found.to_json()["strip_kind"]
    assert Selection.of("a.run", 0.9, None) == chosen
    with pytest.raises(UsageError, match="ap_below= has no effect without select_by="):
        Selection.of(None, None, 0.5)
    with pytest.raises(UsageError, match="--ap-below has no effect without --select-by"):
        invoke("retrieve", "evaluate", "a.run", "--qrels", "qrels.txt", "--ap-below", "0.5",
               folder=files)  # fmt: skip
