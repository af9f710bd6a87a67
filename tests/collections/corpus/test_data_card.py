"""The data card says what was made, what was lost and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.collections.corpus.build.data_card import data_card, pairs_card
from patmark.collections.corpus.build.facts import read_facts
from patmark.errors import InputError
from patmark.report.html import to_html
from patmark.report.markdown import to_markdown

_PAIRS: dict[str, Any] = {
    "total": 10,
    "splits": {"train": {"pairs": 4, "families": 2, "document_pairs": 2},
               "test": {"pairs": 2, "families": 1, "document_pairs": 1}},
    "lengths": [{"split": split, "side": side,
                 "characters": {"min": 11, "max": 193, "mean": 64.8},
                 "words": {"min": 5, "max": 109, "mean": 31.4}}
                for split in ("test", "train") for side in ("source", "target")],
    "left_out": {"filter": 1, "leak": 3},
    "filters": {"numbers": 1, "short": 1},
    "by": {"section": {"claims": {"train": 4, "test": 2}}, "bead": {"1-1": {"train": 4, "test": 2}},
           "ipc": {"": {"train": 1}, "H": {"train": 3, "test": 2}},
           "year": {"2005": {"train": 4}, "2006": {"test": 2}},
           "offices": {"CN-US": {"train": 4, "test": 2}}},
    "scores": [{"from": 0.1, "to": 0.2, "pairs": 7, "used": 3},
               {"from": 0.2, "to": 0.3, "pairs": 3, "used": 3}],
}  # fmt: skip
_FACTS: dict[str, Any] = {
    "name": "trial", "languages": ["zh", "en"], "signature": "patmark:1|aligner:x|seed:0",
    "ranked_by": "SIM with the dictionary x",
    "settings": {"name": "trial", "inputs": ["a"], "seed": 0, "pairs": {"kinds": ["family"]},
                 "split": {"dev": 2, "test": 2, "test_from": None}, "align": {"sections": []}},
    "parse": {"records": 9, "documents": 8, "broken": 1, "skipped_files": {".tif": 3},
              "by_office": {"CN": 4, "US": 5}, "by_year": {"": 1, "2005": 8},
              "broken_files": [{"file": "a.xml", "records": 1,
                               "first": "record 2: not well-formed"}]},
    "families": {"documents": 8, "by_offices": {"1": {"families": 2, "documents": 2},
                                                "2": {"families": 3, "documents": 6}},
                 "documents_with_unknown_numbers": 1, "families_that_share_numbers": 2},
    "document_pairs": {"family CN-US": 3},
    "align": {"beads": {"1-1": 10, "2-1": 1}, "by_section": {"claims": 11},
              "lost": {"no abstract in the target": {"sections": 2, "source": 4, "target": 0}}},
    "pairs": _PAIRS,
    "leakage": {"held_out": 9, "training_pairs": 4},
}  # fmt: skip


def test_the_card_holds_every_count() -> None:
    text = to_markdown(data_card(_FACTS))
    for part in (
        "# Data card: trial",
        "zh → en · 6 pairs",
        "4 training pairs were checked against all of dev and test",
        "dev has 0 pairs, not 2: there were no more.",
        "| train | 4 | 2 | 2 |",
        "| records | 10 | 1 | broken |",
        "| documents | 8 | 1 | other records of a publication |",
        "| families | 5 |",
        "| document pairs (family) | 3 | 2 | families without documents in both languages |",
        "| pairs | 10 | 1 | beads of other kinds |",
        "| pairs in a split | 6 | 4 | pairs left out |",
        "S is the SIM with the dictionary x.",
        "| leak | nearly the same as a pair of dev or test | 3 |",
        "| filter: numbers |  | 1 |",
        "| train | source (zh) | characters | 11 | 64.8 | 193 |",
        "| test | target (en) | words | 5 | 31.4 | 109 |",
        "| unknown | 1 | 0 | 0 |",
        "| 0.100 | 0.200 | 7 | 3 |",
        "| no abstract in the target | 2 | 4 | 0 |",
        "| published unknown | 1 |",
        "| align.sections | all |",
        "| split.test_from | none |",
        "a.xml: 1 broken records; record 2: not well-formed",
        "3 files were not opened: .tif",
        "1 documents have a number that is not understood",
        "2 families share a priority",
        "`patmark:1|aligner:x|seed:0`",
    ):
        assert part in text, part
    assert "test has" not in text


def test_a_crowd_of_broken_files_is_cut_short_and_says_so() -> None:
    files = [{"file": f"{n}.xml", "records": 2, "first": "record 1: cut off"} for n in range(30)]
    notes = data_card({**_FACTS, "parse": {**_FACTS["parse"], "broken_files": files}}).notes
    assert sum("xml: 2 broken records;" in note for note in notes) == 10
    assert "More files have broken records; all are listed in broken.jsonl." in notes


def test_the_page_draws_the_scores() -> None:
    page = to_html(data_card(_FACTS))
    assert "Data card: trial" in page
    assert "0.100" in page


def test_pairs_alone_have_a_shorter_card() -> None:
    text = to_markdown(pairs_card("mine.parquet", _PAIRS))
    assert "10 pairs, 6 of them in a split" in text
    assert "## Settings" not in text
    for unit in ("characters | 11 | 64.8 | 193", "words | 5 | 31.4 | 109"):
        assert f"| test | source | {unit} |" in text
    without = {name: facts for name, facts in _PAIRS.items() if name != "lengths"}
    assert "Lengths" not in to_markdown(pairs_card("of an earlier version", without))


def test_facts_are_read_from_the_folder_of_a_build(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no summary\.json"):
        read_facts(tmp_path)
    for wrong in ("{", "[]", '{"name": "x"}'):
        (tmp_path / "summary.json").write_text(wrong)
        with pytest.raises(InputError, match="is not the summary of a build"):
            read_facts(tmp_path)
    (tmp_path / "summary.json").write_text(json.dumps(_FACTS), encoding="utf-8")
    assert read_facts(tmp_path) == _FACTS
