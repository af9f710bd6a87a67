"""Findings and coverage of beads that are stated in the tests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from patmark.documents.checking import CheckedDocument, DocumentChecker
from patmark.documents.document_sentences import DocumentSide
from patmark.documents.findings import coverage_findings, fact_findings
from patmark.documents.model import WholeDocument
from patmark.documents.review_alignment import AlignedDocuments, ReviewBead

WHOLE = "本发明的装置包括壳体，并且该装置还包括设置在壳体内的电机。"
HALVES = "The device of the invention includes a housing. It also includes a motor in the housing."


def aligned(source: str, target: str, *beads: ReviewBead) -> AlignedDocuments:
    sides = (
        DocumentSide.of(WholeDocument("a", source), "zh"),
        DocumentSide.of(WholeDocument("b", target), "en"),
    )
    return AlignedDocuments(*sides, beads)


def kinds(documents: AlignedDocuments) -> list[str]:
    return [finding.kind for finding in coverage_findings(documents)]


def test_a_sentence_twice_in_the_source_and_split_each_time_is_not_doubled() -> None:
    beads = ReviewBead((0,), (0, 1), 1.0), ReviewBead((1,), (2, 3), 1.0)
    assert kinds(aligned(f"{WHOLE}\n{WHOLE}", f"{HALVES}\n{HALVES}", *beads)) == []


@pytest.mark.parametrize(
    "beads",
    [
        [ReviewBead((0,), (0, 1, 2, 3), 1.0)],
        [ReviewBead((0,), (0, 1), 1.0), ReviewBead((), (2,), 0.0), ReviewBead((), (3,), 0.0)],
    ],
)
def test_more_equal_sentences_than_beads_of_the_source_are_doubled(beads: list[ReviewBead]) -> None:
    assert kinds(aligned(WHOLE, f"{HALVES}\n{HALVES}", *beads)) == ["doubled", "doubled"]


def weak_pair(source: str, target: str) -> AlignedDocuments:
    return aligned(source, target, ReviewBead((0,), (0,), 0.0, weak=True))


@pytest.mark.parametrize(
    ("source", "target", "found"),
    [
        ("功率是10瓦。", "The power is 70 W.", [("number", "warning")]),
        ("长度是10 mm。", "The length is 10 cm.", [("unit", "warning")]),
        ("长度至少为10 mm。", "The length is at most 10 mm.", [("limit", "warning")]),
        ("功率是10瓦。", "The power is 10 W.", []),
        ("长度至少为10 mm。", "The length is at least 10 mm.", []),
        ("密封件不与转子接触。", "The seal touches the rotor.", []),
    ],
)
def test_numbers_units_and_limits_of_weak_pairs_are_warnings_at_most(
    source: str, target: str, found: list[tuple[str, str]]
) -> None:
    pair = weak_pair(source, target)
    assert [(one.kind, one.severity) for one in fact_findings(pair)] == found


def test_a_weak_part_of_a_claim_makes_no_error_and_hides_none() -> None:
    source = "权利要求书\n1. 一种泵，功率为10瓦；其长度为20 mm。"
    target = "Claims\n1. A pump with a power of 70 W; its length is 30 mm."
    pair = aligned(source, target)
    beads = [ReviewBead((place,), (place,), 1.0) for place in range(len(pair.source.sentences))]
    beads[-1] = replace(beads[-1], weak=True)
    found = list(fact_findings(replace(pair, beads=tuple(beads))))
    assert [one.severity for one in found] == ["error", "warning"]


def test_weak_pairs_are_counted_in_json_and_notices() -> None:
    checked = DocumentChecker()._checked("a.txt", weak_pair("功率是10瓦。", "Power: 10 W."), ())
    assert checked.to_json()["coverage"]["weak_pairs"] == 1
    assert [notice.code for notice in checked.notices] == ["weak-pairs"]
    sure = DocumentChecker()._checked("a.txt", aligned("泵。", "Pump."), ())
    assert sure.to_json()["coverage"]["weak_pairs"] == 0
    assert sure.notices == ()


def test_coverage_is_of_the_document_and_not_of_its_sentences() -> None:
    pair = aligned("一种泵。\n一种阀。", "A pump.\nA valve.", ReviewBead((0,), (0,), 1.0))
    lossy = replace(pair.source, sentences=pair.source.sentences[:1])
    source, target = CheckedDocument("a", replace(pair, source=lossy), ()).coverage
    assert source.share == 0.5
    assert target.share == 5 / 11


def test_numbers_of_paragraphs_need_no_counterpart() -> None:
    pair = aligned("[0001] 一种泵。", "A pump.", ReviewBead((0,), (0,), 1.0))
    assert [side.share for side in CheckedDocument("a", pair, ()).coverage] == [1.0, 1.0]
