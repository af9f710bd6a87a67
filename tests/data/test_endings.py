"""An ending means one format, whoever reads or writes the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patmark.app.page.files import guess
from patmark.data import (
    Run,
    TestSet,
    endings_of,
    file_format,
    is_jsonl,
    is_score_table,
    read_claim_pairs,
    read_line_test_set,
    read_run,
    read_run_folder,
    read_score_table,
    read_test_set,
    system_name,
)
from patmark.data.claim_pairs import write_claim_pairs
from patmark.errors import InputError
from patmark.evaluation.file_roles import _role

_TEST_SET = TestSet.of(["The valve opens.", "It closes."])
_RUN_ROWS = '{"id": "1", "hypothesis": "A valve"}\n{"id": "2", "hypothesis": "closes"}\n'
_PAIR = {
    "gold_claim": "1. A cup.",
    "A": "1. A mug.",
    "B": "1. A jar.",
    "human_eval": {"Quality": 1},
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_table() -> None:
    names = ("a.NDJSON.gz", "a.jsonl", "a.json", "a.tsv", "a.pq")
    assert list(map(file_format, names)) == ["jsonl", "jsonl", "json", "tsv", "parquet"]
    assert file_format("a.en") == file_format("a.gz") == ""
    assert endings_of("jsonl") == (".jsonl", ".ndjson")


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.ndjson", "mine.ndjson.gz", "mine.json"])
def test_json_lines_are_a_run_whatever_their_ending(place: Path, name: str) -> None:
    from patmark.data.files import write_atomically

    write_atomically(name, _RUN_ROWS)
    assert read_run(name, _TEST_SET) == Run("mine", ("A valve", "closes"))
    assert is_jsonl(name)
    assert _role(name).role == "hyp"
    assert guess(Path(name)).kind == "hypothesis"


@pytest.mark.parametrize("name", ["set.jsonl", "set.ndjson"])
def test_json_lines_are_a_test_set_whatever_their_ending(place: Path, name: str) -> None:
    Path(name).write_text('{"id": "1", "references": ["a"]}\n', encoding="utf-8")
    assert read_test_set(name, "en")[0].flat_references == ("a",)
    assert _role(name).role == "testset"
    assert guess(Path(name)).kind == "testset"


@pytest.mark.parametrize(("name", "between"), [("mine.tsv", "\t"), ("mine.csv", ",")])
def test_a_table_without_references_is_a_run_whatever_its_ending(
    place: Path, name: str, between: str
) -> None:
    rows = [("id", "hypothesis"), ("2", "closes"), ("1", "A valve")]
    Path(name).write_text("\n".join(map(between.join, rows)) + "\n", encoding="utf-8")
    assert read_run(name, _TEST_SET) == Run("mine", ("A valve", "closes"))
    assert _role(name).role == "hyp"
    assert guess(Path(name)).kind == "hypothesis"


@pytest.mark.parametrize("name", ["mine.tsv", "mine.csv", "mine.xlsx", "mine.jsonl", "mine.json"])
def test_rows_with_ids_are_no_lines_of_a_test_set(place: Path, name: str) -> None:
    Path(name).write_text("1\tThe valve opens.\n2\tIt closes.\n", encoding="utf-8")
    Path("lines.txt").write_text("a\nb\n", encoding="utf-8")
    for about in (
        {"references": [name]},
        {"references": ["lines.txt"], "source": name},
        {"references": ["lines.txt"], "documents": name},
    ):
        with pytest.raises(InputError, match=rf"{name}: its ending stands for rows with ids"):
            read_line_test_set(**about, target_language="en")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["mine.tsv", "mine.txt", "mine.en"])
def test_ids_without_a_header_are_not_scored_as_text(place: Path, name: str) -> None:
    Path(name).write_text("1\tThe valve opens.\n2\tIt closes.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"header line with the columns 'id'|holds ids before"):
        read_run(name, _TEST_SET)


@pytest.mark.parametrize("text", ["a\tb\nc\td\n", "1\n2\n", "1\tb\nThe 2\td\n", "\t\n2\t\n"])
def test_texts_with_tabs_and_numbers_are_texts(place: Path, text: str) -> None:
    Path("mine.txt").write_text(text, encoding="utf-8")
    assert read_run("mine.txt", _TEST_SET).hypotheses == tuple(text.splitlines())


@pytest.mark.parametrize("name", ["mine.tmx", "mine.parquet"])
def test_other_formats_are_refused_for_runs_and_test_sets_alike(place: Path, name: str) -> None:
    Path(name).write_text("a\nb\n", encoding="utf-8")
    message = (
        r"expected lines of text, or rows with ids \(.jsonl, .ndjson, .json, .tsv, .csv, .xlsx"
    )
    for read in (
        lambda: read_run(name, _TEST_SET),
        lambda: read_test_set(name, "en"),
        lambda: read_line_test_set([name], target_language="en"),
    ):
        with pytest.raises(InputError, match=message):
            read()


def test_a_system_is_called_like_its_file_whatever_the_ending() -> None:
    assert {system_name(f"runs/mine{one}") for one in (".ndjson", ".jsonl.gz", ".tsv", ".txt")} == {
        "mine"
    }


@pytest.mark.parametrize("name", ["s.jsonl", "s.ndjson"])
def test_scores_in_json_lines_whatever_their_ending(place: Path, name: str) -> None:
    row = {"system": "a", "segment": "1", "measure": "m", "value": 0.5}
    Path(name).write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert is_score_table(name)
    assert read_score_table(name).of_segments["m"].tolist() == [[0.5]]


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.ndjson", "pairs.json"])
def test_claim_pairs_are_read_and_written_whatever_the_ending(place: Path, name: str) -> None:
    is_list = file_format(name) == "json"
    Path(name).write_text(json.dumps([_PAIR] if is_list else _PAIR) + "\n", encoding="utf-8")
    pairs = read_claim_pairs(name).pairs
    write_claim_pairs(name, pairs)
    assert read_claim_pairs(name).pairs == pairs


def test_a_folder_of_runs_takes_every_ending_of_json_lines(place: Path) -> None:
    Path("set.jsonl").write_text('{"id": "1", "references": ["a"]}\n', encoding="utf-8")
    Path("runs").mkdir()
    rows = '{"system": "us-1", "kind": "SMT"}\n{"id": "1", "hypothesis": "a"}\n'
    Path("runs/us-1.ndjson").write_text(rows, encoding="utf-8")
    Path("runs/us-1.failed.ndjson").write_text("{}\n", encoding="utf-8")
    task = read_run_folder("runs", read_test_set("set.jsonl", "en")[0])
    assert [one.run.system for one in task.submissions] == ["us-1"]
