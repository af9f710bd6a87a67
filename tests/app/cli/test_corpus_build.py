"""patmark corpus demo, build, split and stats on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import patmark, patmark_json


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an invented collection, built with the aligner that learns words."""
    folder = tmp_path_factory.mktemp("corpus")
    assert patmark(folder, "corpus", "demo", "--out", "demo", "--families", "10").returncode == 0
    done = patmark(folder, "corpus", "build", "demo/pipeline.toml", "--out", "built",
                   "--workers", "1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    (folder / "build.txt").write_text(done.stdout, encoding="utf-8")
    return folder


def test_demo_and_build_tell_people_what_they_made(folder: Path) -> None:
    told = (folder / "build.txt").read_text(encoding="utf-8")
    assert "Data card: demo zh-en" in told
    assert "No family, document or text is in two splits" in told
    names = sorted(path.name for path in (folder / "built").iterdir())
    assert names == [
        "README.md", "broken.jsonl", "context", "croissant.json", "data_card.html", "data_card.md",
        "dev.jsonl", "manifest.json", "pairs.parquet", "sample.csv", "similar.jsonl", "steps",
        "summary.json", "test.jsonl", "train.jsonl",
    ]  # fmt: skip
    assert "## Splits" in (folder / "built" / "data_card.md").read_text(encoding="utf-8")
    assert patmark(folder, "corpus", "demo", "--out", "demo").returncode == 2


def test_a_second_build_has_nothing_to_do(folder: Path) -> None:
    result = patmark_json(folder, "corpus", "build", "demo/pipeline.toml", "--out", "built")
    assert result["steps"]["done"] == []
    assert "aligned" in result["steps"]["skipped"]
    assert result["settings"]["align"]["passes"] == 2
    assert result["pairs"]["splits"]["train"]["pairs"] > 30


def test_test_sets_go_straight_into_score(folder: Path) -> None:
    text = (folder / "built" / "test.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    lines = [json.dumps({"id": row["id"], "hypothesis": row["references"][0]}) for row in rows]
    (folder / "run.jsonl").write_text("\n".join(lines), encoding="utf-8")
    result = patmark_json(
        folder, "score", "--testset", "built/test.jsonl", "--hyp", "run.jsonl", "--lang", "zh-en",
        "--measures", "BLEU", "--resamples", "0",
    )  # fmt: skip
    assert result["systems"]["run"]["BLEU"]["value"] == pytest.approx(100)


def test_stats_of_a_build_and_of_its_pairs(folder: Path) -> None:
    whole = patmark_json(folder, "corpus", "stats", "built")
    pairs = patmark_json(folder, "corpus", "stats", "built/pairs.parquet")
    assert whole["pairs"] == pairs
    done = patmark(folder, "corpus", "stats", "built/test.jsonl")
    assert "Sentence pairs: built/test.jsonl" in done.stdout


def test_pairs_can_be_split_in_another_way(folder: Path) -> None:
    result = patmark_json(
        folder, "corpus", "split", "built/pairs.parquet", "--out", "other", "--dev", "3",
        "--test", "5", "--per-patent", "2", "--workers", "1",
    )  # fmt: skip
    assert {name: each["pairs"] for name, each in result["splits"].items()}.items() >= {
        ("dev", 3), ("test", 5),
    }  # fmt: skip
    assert len((folder / "other" / "test.jsonl").read_text(encoding="utf-8").splitlines()) == 5


def test_sample_reads_the_pairs_of_a_build(folder: Path) -> None:
    done = patmark(folder, "corpus", "sample", "built/pairs.parquet", "--n", "20", "--out", "s.csv")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("demo", "--out", "d", "--lang", "de-en"), "choose from zh, ja"),
        (("demo", "--out", "d", "--lang", "en"), "the demo is zh-en or ja-en"),
        (("build", "no.toml", "--out", "x"), "no such file"),
        (("build", "demo/pipeline.toml", "--out", "no/x"), "its folder does not exist"),
        (("build", "demo/pipeline.toml", "--out", "run.txt"), "is a file"),
        (("build", "demo/pipeline.toml", "--out", "x", "--engine", "flink"), "no engine 'flink'"),
        (("build", "demo/pipeline.toml", "--out", "built", "--from", "top"), "the steps are"),
        (("split", "no.parquet", "--out", "x"), "cannot be read"),
        (("split", "no.parquet", "--out", "x", "--side", "left"), "side is one of"),
        (("stats", "demo"), "holds no summary.json"),
    ],
)
def test_wrong_requests_end_with_a_message(
    arguments: tuple[str, ...], message: str, folder: Path
) -> None:
    (folder / "run.txt").touch()
    done = patmark(folder, "corpus", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
