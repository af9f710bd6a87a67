"""Scores of whole documents: outputs aligned with the lines of a reference."""

from __future__ import annotations

from pathlib import Path

import pytest

import patmark
from patmark.alignment import Hybrid
from patmark.documents import WholeDocument, reference_segments, segment_like

REFERENCE = [
    "Pump with a seal",
    "The pump has a housing 1. A rotor 2 turns in the housing 1.",
    "The seal 3 lies between the housing 1 and the shaft 4.",
    "A motor drives the shaft 4 at 3000 rpm.",
]
OUTPUT = [
    "A pump having a seal",
    "The pump has a casing 1. A rotor 2 rotates inside the casing 1.",
    "The seal 3 is between the casing 1 and the shaft 4.",
    "The shaft 4 is driven by a motor at 3000 rpm.",
]


def write(folder: Path, name: str, lines: list[str], between: str = "\n") -> str:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "a.txt").write_text(between.join(lines) + "\n", encoding="utf-8")
    return str(folder / name)


def bleu(result: patmark.Evaluation, system: str) -> float:
    return result.estimates["BLEU"][system].value


def test_lines_that_correspond_score_as_line_by_line(tmp_path: Path) -> None:
    ref, hyp = write(tmp_path, "ref", REFERENCE), write(tmp_path, "hyp", OUTPUT)
    whole = patmark.score(ref, {"mine": hyp}, "BLEU", lang="en", documents=True)
    lines = patmark.score(OUTPUT, REFERENCE, "BLEU", lang="en")
    assert bleu(whole, "mine") == bleu(lines, "system")
    assert whole.scores["BLEU"].signature.endswith("|segments:aligned/1")
    assert whole.to_json()["alignment"] == {
        "segments": 4, "without_counterpart": {"mine": []},
    }  # fmt: skip


@pytest.mark.parametrize("between", ["\n\n", " "], ids=["blank lines", "all in one paragraph"])
def test_another_layout_of_the_output_changes_no_segment(between: str) -> None:
    reference = reference_segments(WholeDocument("", "\n".join(REFERENCE)))
    lines = [f"{OUTPUT[0]}.", *OUTPUT[1:]]
    output = segment_like(reference, WholeDocument("", between.join(lines)), Hybrid("en", "en"))
    assert list(output.texts) == lines


def test_a_sentence_over_two_segments_is_cut_between_them() -> None:
    reference = reference_segments(WholeDocument("", "\n".join(REFERENCE[1:])))
    text = (
        "The pump has a housing 1. A rotor 2 turns in the housing 1, "
        "and the seal 3 lies between the housing 1 and the shaft 4. "
        "A motor drives the shaft 4 at 3000 rpm."
    )
    output = segment_like(reference, WholeDocument("", text), Hybrid("en", "en"))
    assert output.texts[1].endswith("between the housing 1 and the shaft 4.")
    assert " ".join(output.texts).replace(" ,", ",") == text


def test_segments_without_counterpart_are_listed_and_score_as_empty(tmp_path: Path) -> None:
    ref = write(tmp_path, "ref", REFERENCE)
    hyp = write(tmp_path, "hyp", [OUTPUT[0], OUTPUT[1], OUTPUT[3]])
    result = patmark.score(ref, {"mine": hyp}, "BLEU", lang="en", documents=True)
    assert result.to_json()["alignment"]["without_counterpart"] == {"mine": ["a.txt:3"]}
    assert any(getattr(note, "code", "") == "no-counterpart" for note in result.notes)


def test_systems_are_compared_by_whole_documents(tmp_path: Path) -> None:
    ref, hyp = write(tmp_path, "ref", REFERENCE), write(tmp_path, "hyp", OUTPUT)
    result = patmark.compare(ref, {"mine": hyp, "copy": ref}, "BLEU", lang="en", documents=True)
    assert result.to_json()["measures"]["BLEU"]["pairs"]


def test_whole_documents_need_references_and_translations(tmp_path: Path) -> None:
    ref = write(tmp_path, "ref", REFERENCE)
    with pytest.raises(patmark.UsageError, match="documents= needs references"):
        patmark.score(ref, None, "BLEU", lang="en", documents=True)


def test_files_of_no_reference_and_files_that_are_not_read_are_refused(tmp_path: Path) -> None:
    ref, hyp = write(tmp_path, "ref", REFERENCE), write(tmp_path, "hyp", OUTPUT)
    (tmp_path / "hyp" / "b.txt").write_text("More text.\n", encoding="utf-8")
    with pytest.raises(patmark.InputError, match=r"b\.txt: no reference has this name"):
        patmark.score(ref, {"mine": hyp}, "BLEU", lang="en", documents=True)
    (tmp_path / "hyp" / "b.txt").unlink()
    (tmp_path / "ref" / "c.doc").write_bytes(b"old")
    with pytest.raises(patmark.InputError, match=r"c\.doc"):
        patmark.score(ref, {"mine": hyp}, "BLEU", lang="en", documents=True)
