"""One rule in all formats: a reference that holds no text is no reference."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from patmark.data import (
    Run,
    TestSet,
    read_jsonl_test_set,
    read_line_test_set,
    read_tsv,
)
from patmark.errors import InputError
from patmark.evaluation import Sampling, evaluate
from patmark.measures import measures_by_default
from patmark.protocols import read_patsnap_bench

WITH_REFERENCES = [one.name for one in measures_by_default() if one.group != "check"]
# Three segments with two references each; an empty text stands for an empty reference.
Rows = list[tuple[str, str]]
_LEFT: Rows = [("The valve closes.", "The valve shuts."), ("A pump", ""), (" ", "The rod is long.")]
_NONE: Rows = [_LEFT[0], ("", " "), _LEFT[2]]
_KEPT = [("The valve closes.", "The valve shuts."), ("A pump",), ("The rod is long.",)]


def _lines(folder: Path, rows: Rows, allowed: bool) -> TestSet:
    paths = [folder / "a.txt", folder / "b.txt"]
    for path, texts in zip(paths, zip(*rows, strict=True), strict=True):
        path.write_text("".join(f"{text}\n" for text in texts))
    return read_line_test_set(paths, target_language="en", allow_empty_references=allowed)


def _jsonl(folder: Path, rows: Rows, allowed: bool) -> TestSet:
    records = ({"id": number, "references": row} for number, row in enumerate(rows, 1))
    (folder / "t.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return read_jsonl_test_set(folder / "t.jsonl", "en", allow_empty_references=allowed)


def _tsv(folder: Path, rows: Rows, allowed: bool) -> TestSet:
    lines = ["id\treference\treference_2", *(f"{n}\t{a}\t{b}" for n, (a, b) in enumerate(rows, 1))]
    (folder / "t.tsv").write_text("".join(f"{line}\n" for line in lines))
    return read_tsv(folder / "t.tsv", "en", allow_empty_references=allowed)[0]


Read = Callable[[Path, Rows, bool], TestSet]
_READERS: list[Read] = [_lines, _jsonl, _tsv]
_IN_ALL_FORMATS = pytest.mark.parametrize("read", _READERS)


@_IN_ALL_FORMATS
@pytest.mark.parametrize("allowed", [False, True])
def test_other_references_of_the_segment_count(tmp_path: Path, read: Read, allowed: bool) -> None:
    test_set = read(tmp_path, _LEFT, allowed)
    assert list(test_set.reference_lists) == _KEPT
    notes = evaluate(test_set, [Run("mine", ("a", "b", "c"))], ["BLEU"]).to_report().notes
    assert notes == (
        "2 segments with an empty reference, which counts as none beside the others: 2, 3.",
    )


@_IN_ALL_FORMATS
def test_a_segment_without_any_is_refused_and_the_cure_named(tmp_path: Path, read: Read) -> None:
    with pytest.raises(InputError, match="empty reference; allow_empty_refs= leaves such") as found:
        read(tmp_path, _NONE, False)
    [problem] = found.value.problems
    assert problem.line == (3 if read is _tsv else 2)  # a table has a header


@_IN_ALL_FORMATS
def test_a_segment_without_any_may_be_left_out(tmp_path: Path, read: Read) -> None:
    test_set = read(tmp_path, _NONE, True)
    texts = ("The valve closes .", "A pump runs", "A rod is long.")
    found = evaluate(test_set, [Run("mine", texts)], WITH_REFERENCES, Sampling(resamples=0))
    rest = TestSet.of([_KEPT[0], _KEPT[2]])
    kept = evaluate(rest, [Run("mine", (texts[0], texts[2]))], WITH_REFERENCES)
    for name, scores in found.scores.items():
        estimate, expected = found.estimates[name]["mine"], kept.estimates[name]["mine"]
        assert (estimate.value, estimate.n) == (expected.value, 2), name
        assert np.isnan(scores.segment_scores[0]).tolist() == [False, True, False], name
    note = "1 segment without a reference, left out of the measures that need one: 2."
    assert note in found.to_report().notes
    assert found.to_json()["without_reference"] == ["2"]


def test_a_list_without_references_is_the_same(tmp_path: Path) -> None:
    test_set = TestSet.of([["The valve closes."], []])
    wanted = "segment '2' has no reference, which BLEU needs; allow_empty_refs="
    with pytest.raises(InputError, match=wanted):
        evaluate(test_set, [Run("mine", ("a", "b"))], ["BLEU"])


def test_no_segment_has_a_reference(tmp_path: Path) -> None:
    test_set = _tsv(tmp_path, [("", "")], True)
    with pytest.raises(InputError, match="TER needs references, and there are none"):
        evaluate(test_set, [Run("mine", ("a",))], ["TER"])


@pytest.mark.parametrize("text", ["", " ", "Zero"])
def test_a_bench_row_without_text_has_no_reference(tmp_path: Path, text: str) -> None:
    row = {
        "pn": "CN1A", "ipc": "A", "content_cn": "阀门", "content_en": text, "label_1": "character",
        "label_2": "normal_character", "label_3": "Zero", "special_cn": "Zero",
        "special_en": "Zero", "domain": "Zero",
    }  # fmt: skip
    (tmp_path / "bench.jsonl").write_text(json.dumps(row) + "\n")
    bench = read_patsnap_bench(tmp_path / "bench.jsonl", "cn2en")
    assert bench.without_reference == ("1",)
