"""Licences, Croissant, the card of Hugging Face, and the changelog between two builds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from command_line import patmark, patmark_json
from demo_builds import demo_pipeline
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.errors import InputError

_QUICK = 'method = "gale-church"\ndictionary = "none"'
_SOURCES = """
[[sources]]
input = "documents"
name = "Invented: families"
licence = 'CC0-1.0 "no rights"'
terms = "https://example.org/terms"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build with licences, and one with other splits."""
    folder = tmp_path_factory.mktemp("metadata")
    pipeline = demo_pipeline(folder / "demo", 12, align=_QUICK)
    pipeline.write_text(pipeline.read_text(encoding="utf-8") + _SOURCES, encoding="utf-8")
    done = patmark(folder, "corpus", "build", "demo/pipeline.toml", "--out", "old", "--workers", 1)
    assert done.returncode == 0, done.stderr
    text = pipeline.read_text(encoding="utf-8").replace("seed = 0", "seed = 3")
    (folder / "demo/other.toml").write_text(text, encoding="utf-8")
    done = patmark(folder, "corpus", "build", "demo/other.toml", "--out", "new", "--workers", 1)
    assert done.returncode == 0, done.stderr
    return folder


def _json(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def test_licences_are_in_the_card_and_in_all_descriptions(folder: Path) -> None:
    assert _json(folder / "old/summary.json")["sources"] == [
        {
            "input": "documents",
            "name": "Invented: families",
            "licence": 'CC0-1.0 "no rights"',
            "terms": "https://example.org/terms",
        }
    ]
    assert "https://example.org/terms" in (folder / "old/data_card.md").read_text(encoding="utf-8")
    described = _json(folder / "old/croissant.json")
    assert described["license"] == ['CC0-1.0 "no rights"']
    assert described["isBasedOn"] == ["Invented: families"]


def test_croissant_is_valid_and_its_hashes_are_true(folder: Path) -> None:
    import hashlib

    described = _json(folder / "old/croissant.json")
    splits = _json(folder / "old/summary.json")["pairs"]["splits"]
    assert {each["name"] for each in described["recordSet"]} == set(splits)
    for file in described["distribution"]:
        content = (folder / "old" / file["contentUrl"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"]


@pytest.mark.filterwarnings("ignore")  # of its own libraries
def test_mlcroissant_reads_the_records(folder: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=str(folder / "old/croissant.json"))
    rows = list(dataset.records(record_set="train"))
    lines = (folder / "old/train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows) == len(lines)
    assert rows[0]["train/source"].decode() == json.loads(lines[0])["source"]


@pytest.mark.filterwarnings("ignore")
def test_datasets_loads_it_without_code(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    found = datasets.load_dataset(str(folder / "old"), cache_dir=str(folder / "cache"))
    sizes = _json(folder / "old/summary.json")["pairs"]["splits"]
    names = {"train": "train", "dev": "validation", "test": "test"}
    assert {names[split]: each["pairs"] for split, each in sizes.items()} == {
        split: len(rows) for split, rows in found.items()
    }
    assert found["train"][0]["references"]


def test_changes_of_two_builds_add_up(folder: Path) -> None:
    found = patmark_json(folder, "corpus", "changes", "old", "new")
    assert found["settings"]["seed"] == [0, 3]
    for split, moves in found["splits"].items():
        for build, others in (("old", "to_other_splits"), ("new", "from_other_splits")):
            total = _json(folder / build / "summary.json")["pairs"]["splits"][split]["pairs"]
            gone = moves["removed"] if build == "old" else moves["added"]
            # equal texts of one document pair count once
            assert moves["same"] + gone + moves[others] <= total
    same = patmark_json(folder, "corpus", "changes", "old", "old")
    assert same["settings"] == {}
    assert all(each["added"] + each["removed"] == 0 for each in same["splits"].values())
    done = patmark(folder, "corpus", "changes", "old", "new", "--md", "CHANGES.md")
    assert done.returncode == 0 and "seed" in (folder / "CHANGES.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[sources]]\ninput = "other"\nlicence = "x"', "other: not among the inputs"),
        ('[[sources]]\ninput = "documents"', "neither a licence nor terms"),
        ('[[sources]]\nlicence = "x"', "input"),
    ],
)
def test_wrong_sources_are_refused(text: str, message: str, tmp_path: Path) -> None:
    os.mkdir(tmp_path / "documents")
    path = tmp_path / "pipeline.toml"
    path.write_text(f'lang = "zh-en"\ninputs = "documents"\n{text}\n', encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_pipeline(path)
