"""patmark retrieve index and search, from files to a TREC run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")
pytest.importorskip("duckdb", reason="duckdb is absent: pip install 'patmark[retrieval]'")

from command_line import Done, invoke
from patmark.collections.retrieval.demo_collection import DemoCollection, write_demo
from patmark.collections.retrieval.rankings import read_ranking
from patmark.errors import InputError, PatmarkError, UsageError

_INDEX = ["index", "documents.jsonl", "--out", "i", "--lang", "en"]
_SEARCH = ["search", "i", "--topics", "topics.jsonl"]


def _run(folder: Path, *arguments: str) -> Done:
    return invoke("retrieve", *arguments, folder=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo collection with its index."""
    place = tmp_path_factory.mktemp("retrieve")
    write_demo(place, DemoCollection(300, words=40), 8)
    _run(place, *_INDEX, "--exact")
    return place


def test_index_tells_what_it_holds(folder: Path, tmp_path: Path) -> None:
    done = _run(folder, *_INDEX[:2], "--out", str(tmp_path / "j"), "--terms", "en-word", "--json")
    manifest = json.loads(done.stdout)
    assert (manifest["documents"], manifest["terms"]) == (300, "en-word")
    assert (manifest["sources"], manifest["state"]) == (["documents.jsonl"], "complete")
    assert manifest["undated"] > 0


def test_index_prints_lines_for_people(folder: Path, tmp_path: Path) -> None:
    done = _run(folder, *_INDEX[:2], "--out", str(tmp_path / "j"), "--lang", "en")
    assert "300 documents" in done.stdout
    assert "en-stem/1(snowballstemmer-" in done.stdout
    assert "have no date; a search by date leaves them out" in done.stdout


def test_documents_can_be_added(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "documents.jsonl").read_text().splitlines(keepends=True)
    for name, part in (("one.jsonl", lines[:200]), ("two.jsonl", lines[200:])):
        (tmp_path / name).write_text("".join(part))
    _run(tmp_path, "index", "one.jsonl", "--out", "j", "--lang", "en")
    done = _run(tmp_path, "index", "two.jsonl", "--out", "j", "--lang", "en", "--add", "--json")
    whole = json.loads((folder / "i" / "manifest.json").read_text())
    assert json.loads(done.stdout)["ids_sha256"] == whole["ids_sha256"]


def test_a_failed_addition_does_no_harm(folder: Path, tmp_path: Path) -> None:
    _run(folder, *_INDEX[:2], "--out", str(tmp_path / "j"), "--lang", "en")
    with pytest.raises(InputError, match="300 documents are already in the index"):
        _run(folder, *_INDEX[:2], "--out", str(tmp_path / "j"), "--lang", "en", "--add")
    _run(folder, "search", str(tmp_path / "j"), *_SEARCH[2:], "--out", str(tmp_path / "x.run"))


def test_patent_files_are_indexed_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    pytest.importorskip("lxml", reason="lxml is absent: pip install 'patmark[corpus]'")
    samples = Path(__file__).parents[2] / "collections/patents/data"
    sample = samples / "synthetic_us_green_book.txt"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(sample.read_bytes())
    (tmp_path / "in" / "b.xml").write_text("<nothing/>")
    arguments = ["index", "in", "--lang", "en", "--out"]
    shown = _run(tmp_path, *arguments, "i")
    assert "1 records could not be read:" in shown.stderr
    assert "b.xml: record 1: no known patent format" in shown.stderr
    found = json.loads(_run(tmp_path, *arguments, "j", "--json").stdout)
    assert (found["documents"], len(found["left_out"]["broken"])) == (1, 1)


@pytest.mark.parametrize("engine", ["tantivy", "duckdb"])
def test_search_writes_a_run(folder: Path, engine: str) -> None:
    done = _run(
        folder, *_SEARCH, "--out", f"{engine}.run", "--ipc", "section", "--k", "20",
        "--engine", engine, "--qrels", "qrels.txt", "--json",
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert result["topics"] == 8
    assert 0 < result["ceiling"]["ipc"] <= 1
    assert result["signature"].startswith(f"{engine}-")
    run = read_ranking(folder / f"{engine}.run")
    assert run.name == engine
    assert len(run) == result["rows"] <= 160


def test_search_prints_the_ceiling(folder: Path) -> None:
    done = _run(folder, *_SEARCH, "--out", "x.run", "--ipc", "subclass", "--qrels", "qrels.txt")
    assert "recall ceiling over 8 topics: IPC 0." in done.stderr
    assert "documents without a date were left out" in done.stderr
    assert done.stdout == ""


def test_parameters_of_the_exact_engine_reach_it(folder: Path) -> None:
    done = _run(
        folder, *_SEARCH, "--out", "y.run", "--engine", "duckdb", "--k1", "0.9", "--b", "0.4",
        "--no-date", "--keep-own-family", "--json",
    )  # fmt: skip
    signature = json.loads(done.stdout)["signature"]
    assert "BM25(k1=0.9,b=0.4)" in signature
    assert "ipc=off,date=off,family=off" in signature


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*_INDEX], "exact tables"),
        ([*_INDEX, "--exact"], "finished index"),
        ([*_INDEX[:4]], "language is missing"),
        ([*_INDEX, "--terms", "ja-word"], "for ja, not for en"),
        ([*_SEARCH, "--out", "i/x.run"], "is in the index"),
        ([*_SEARCH, "--out", "topics.jsonl"], "would be overwritten"),
        ([*_SEARCH, "--out", "-", "--json"], "--json takes standard output"),
        ([*_SEARCH, "--out", "x.run", "--ipc", "subgroup"], "choose from section"),
        ([*_SEARCH, "--out", "x.run", "--engine", "lucene"], "choose from tantivy"),
        ([*_SEARCH, "--out", "x.run", "--k1", "2"], "fixed"),
        ([*_SEARCH, "--out", "x.run", "--master", "local"], "no sense"),
        ([*_SEARCH, "--out", "x.run", "--terms", "en-word"], "built with the terms en-stem"),
        (["search", "none", *_SEARCH[2:], "--out", "x.run"], "holds no index"),
    ],
)
def test_wrong_requests(folder: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _run(folder, *arguments)


def test_nothing_is_written_when_a_topic_is_wrong(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"id": "1", "text": "gate"}\n')
    with pytest.raises(PatmarkError, match="has no date"):
        _run(folder, "search", "i", "--topics", str(tmp_path / "t.jsonl"), "--out", "z.run")
    assert not (folder / "z.run").exists()
