"""Builds from object storage to object storage, and collections that are divided into files."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import patmark, patmark_json
from demo_builds import built, contents, demo_pipeline
from patmark.app.commands.corpus import changes, stats
from patmark.collections.corpus.build.pipeline import build_corpus
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.engine import LocalEngine, StorePath, any_place, iter_rows, place_name
from patmark.errors import InputError, UsageError
from s3_server import bucket, download, s3_server

_QUICK = 'method = "gale-church"\ndictionary = "none"'
_LEARNING = "passes = 2\nlexicon_pairs = 50"
_FILES = "\n[export]\nrows = 100\n"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server(tmp_path_factory.mktemp("s3")) as settings:
        yield settings


def _stored(pipeline: Path, name: str, settings: str, extra: str = "") -> tuple[Path, str]:
    """Put the documents of a pipeline into a bucket; gives settings and the URL of the output."""
    root = bucket(name, settings, files=pipeline.parent / "documents")
    text = pipeline.read_text(encoding="utf-8") + extra
    source = f"{root}/in?{settings}"
    stored = pipeline.with_name("stored.toml")
    stored.write_text(text.replace('"documents"', json.dumps(source)), encoding="utf-8")
    return stored, f"{root}/out?{settings}"


def _comparable(folder: Path) -> dict[str, str]:
    """The files of pairs and texts; others name the inputs."""
    named = ("summary.json", "broken.jsonl", "data_card.md", "data_card.html", "README.md",
             "croissant.json")  # fmt: skip
    return {name: value for name, value in contents(folder).items() if name not in named}


def test_from_store_to_store_it_is_the_collection_of_folders(settings: str, tmp_path: Path) -> None:
    pipeline = demo_pipeline(tmp_path / "demo", 8, align=_LEARNING)
    stored, url = _stored(pipeline, "whole", settings)
    local = built(pipeline, tmp_path / "local", LocalEngine(1))
    command = ["corpus", "build", stored, "--out", url, "--workers", 2]
    done = patmark(tmp_path, *command)
    assert done.returncode == 0, done.stderr
    assert settings not in done.stdout
    copy = download("s3://whole/out", settings, tmp_path / "copy")
    assert _comparable(copy) == _comparable(local.folder)
    assert (copy / "data_card.html").exists()
    assert list((copy / "steps").glob("aligned-*/_step.json"))
    again = patmark_json(tmp_path, *command)
    assert again["steps"]["done"] == []
    found = stats(url).to_json()
    assert found["pairs"] == local.facts["pairs"]
    same = changes(url, str(local.folder)).to_json()["splits"]
    assert all(each["added"] + each["removed"] == 0 for each in same.values())
    no_copy = patmark(tmp_path, *command, "--publish", url)
    assert no_copy.returncode == 2 and "--publish" in no_copy.stderr


def test_after_a_kill_a_build_in_a_store_goes_on(settings: str, tmp_path: Path) -> None:
    pipeline = demo_pipeline(tmp_path / "demo", 8, align=_QUICK)
    stored, url = _stored(pipeline, "killed", settings, _FILES)
    pipeline.write_text(pipeline.read_text(encoding="utf-8") + _FILES, encoding="utf-8")
    local = built(pipeline, tmp_path / "local", LocalEngine(1))
    command = [sys.executable, "-m", "patmark", "corpus", "build", stored, "--out", url,
               "--workers", "1", "--quiet"]  # fmt: skip
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    steps = any_place(url) / "steps"
    for _ in range(6000):
        if list(steps.glob("publications-*")) or process.poll() is not None:
            break
        time.sleep(0.02)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    finished = build_corpus(read_pipeline(stored), any_place(url), LocalEngine(1))
    assert {"files", "link_keys"} <= set(finished.skipped)
    copy = download("s3://killed/out", settings, tmp_path / "copy")
    assert _comparable(copy) == _comparable(local.folder)


def test_addresses_that_cannot_be_reached_are_refused_before_work(tmp_path: Path) -> None:
    pipeline = demo_pipeline(tmp_path / "demo", 2, align=_QUICK)
    for url in ("s3://bucket/out?endpoint_override=127.0.0.1%3A1&scheme=http", "nowhere://x/y"):
        done = patmark(tmp_path, "corpus", "build", pipeline, "--out", url, "--quiet")
        assert done.returncode == 2
        assert "cannot be reached" in done.stderr and "endpoint" not in done.stderr
        assert len(done.stderr.splitlines()) <= 2


def test_paths_of_stores_keep_settings_and_keys_to_themselves() -> None:
    path = StorePath.of("s3://me:secret@bucket/a%20b/c?region=eu-west-1") / "d"
    assert (path.inner, path.name, path.parent.name) == ("a b/c/d", "d", "c")
    assert str(path) == "s3://bucket/a%20b/c/d"
    assert StorePath.of(place_name(path)) == path
    assert path.with_name("e") < path.with_name("f")
    assert any_place("file:///a/b%20c") == Path("/a/b c")


def test_many_pairs_are_divided_into_files_with_a_manifest(tmp_path: Path) -> None:
    pipeline = demo_pipeline(tmp_path / "demo", 12, align=_QUICK)
    whole = built(pipeline, tmp_path / "whole", LocalEngine(1))
    text = pipeline.read_text(encoding="utf-8")
    pipeline.write_text(text + _FILES, encoding="utf-8")
    divided = built(pipeline, tmp_path / "divided", LocalEngine(2))
    one, many = tmp_path / "whole", tmp_path / "divided"
    assert list(iter_rows(many / "pairs")) == list(iter_rows(one / "pairs.parquet"))
    assert len(list((many / "pairs").iterdir())) == -(-whole.facts["pairs"]["total"] // 100) > 2
    assert not (many / "pairs.parquet").exists() and not (many / "train.jsonl").exists()
    for name in ("train", "similar"):
        parts = b"".join(part.read_bytes() for part in sorted((many / name).iterdir()))
        assert parts == (one / f"{name}.jsonl").read_bytes()
    for name in ("dev.jsonl", "test.jsonl", "sample.csv"):
        assert (many / name).read_bytes() == (one / name).read_bytes()
    for folder in (one, many):
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
        names = {each["path"] for each in manifest}
        found = {
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.suffix in (".parquet", ".jsonl")
            and path.relative_to(folder).parts[0]
            not in ("steps", "context", "broken.jsonl", "monolingual.en.jsonl")
        }
        assert names == found
        for each in manifest:
            content = (folder / each["path"]).read_bytes()
            assert hashlib.sha256(content).hexdigest() == each["sha256"]
            assert len(content) == each["bytes"]
            if each["path"].endswith("jsonl"):
                assert content.count(b"\n") == each["rows"]
    assert divided.facts["pairs"] == whole.facts["pairs"]
    # the folder of pairs is read like the file, and the other layout leaves nothing behind
    for command in ("sample", "tmx"):
        more = ["--n", 5] if command == "sample" else ["--lang", "zh-en"]
        out = "s.csv" if command == "sample" else "m.tmx"
        done = patmark(tmp_path, "corpus", command, "divided/pairs", "--out", out, *more)
        assert done.returncode == 0, done.stderr
    pipeline.write_text(text + "\n[export]\nrows = 0\n", encoding="utf-8")
    built(pipeline, many, LocalEngine(1))
    assert _comparable(many) == _comparable(one)


@pytest.mark.filterwarnings("ignore")  # of their own libraries
def test_catalogues_read_divided_splits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets, mlcroissant = (pytest.importorskip(name) for name in ("datasets", "mlcroissant"))
    pipeline = demo_pipeline(tmp_path / "demo", 12, align=_QUICK)
    pipeline.write_text(pipeline.read_text(encoding="utf-8") + _FILES, encoding="utf-8")
    done = patmark(tmp_path, "corpus", "build", pipeline, "--out", "built", "--workers", 1)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "built"
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    wanted = summary["pairs"]["splits"]["train"]["pairs"]
    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert len(list(dataset.records(record_set="train"))) == wanted
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    found = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert len(found["train"]) == wanted


def test_wrong_settings_of_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    path = tmp_path / "pipeline.toml"
    path.write_text('lang = "zh-en"\ninputs = "documents"\n[export]\nrows = -1\n', encoding="utf-8")
    with pytest.raises((InputError, UsageError), match="rows is at least 0"):
        read_pipeline(path)
