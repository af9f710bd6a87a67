"""Marked errors as annotations, marks that are proposed, and training with expected marks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from campaigns import campaign, numbered_ids
from patmark.data import Annotation, Annotations, Rating, read_annotations, write_annotations
from patmark.errors import InputError, UsageError
from patmark.human.campaign import (
    Answer,
    Plan,
    Store,
    page_corrections,
    plan_campaign,
    read_campaign,
)
from patmark.human.campaign.export import EXPORT_FORMS, campaign_export, write_export
from patmark.human.campaign.settings import Assignment
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.status import campaign_status
from patmark.human.judgements.files import read_judgements

_OUTPUT = "電池𠮷は筐体に収容される。"  # thirteen characters, the third is two in UTF-16


def _mark(start: int, end: int, **others: Any) -> dict[str, Any]:
    mark = {"start": start, "end": end, "side": "target", "severity": "major"}
    return mark | {"category": "Accuracy/Mistranslation"} | others


_BEGUN = Answer("", "A", "errors", None, {"unfinished": [_mark(0, 1, severity=None)]})


def _plan(form: str = "mqm", **others: Any) -> Plan:
    usual: dict[str, Any] = {"segments": 2, "texts": lambda *_: _OUTPUT}
    settings = campaign(
        form,
        systems=("atlas", "borealis"),
        evaluators=("e1", "e2"),
        assignment=Assignment("same"),
        **usual | others,
    )
    return plan_campaign(settings, new_id=numbered_ids())


def _answered(
    folder: Path, plan: Plan, given: dict[tuple[str, str], list[Answer]]
) -> CampaignState:
    """Answers by evaluator and segment; their page is filled in."""
    with Store.open(str(folder / "campaign.db"), create=True) as store:
        made = store.create_campaign(plan).campaign
        for page in plan.pages:
            for one in given.get((page.evaluator, page.segment), []):
                answer = Answer(page.id, one.candidate, one.question, one.value, one.detail)
                store.save(made, page.evaluator, answer)
        return store.state(made)


def _marks(*marks: dict[str, Any]) -> Answer:
    return Answer("", "A", "errors", str(len(marks)), {"spans": list(marks)})


def test_marks_leave_as_annotations_for_every_system_that_gave_the_text(tmp_path: Path) -> None:
    missing = _mark(0, 2, side="source", category="Accuracy/Omission", severity="critical")
    given = {
        ("e1", "s1"): [_marks(missing, _mark(2, 3))],
        ("e2", "s1"): [_marks()],
        ("e2", "s2"): [_BEGUN],
    }
    state = _answered(tmp_path, _plan(), given)
    target = tmp_path / "marks.jsonl"
    write_export(campaign_export(state), "annotations", target)
    found = read_annotations(target)
    systems = ("atlas", "borealis")
    assert found == Annotations(
        tuple(Rating(one, "s1", name, None, "D0") for name in ("e1", "e2") for one in systems),
        tuple(
            mark
            for one in systems
            for mark in (
                Annotation(one, "s1", "e1", 0, 2, "source", "Accuracy/Omission", "critical"),
                Annotation(one, "s1", "e1", 2, 3, "target", "Accuracy/Mistranslation", "major"),
            )
        ),
    )
    texts = {row.get("text") for row in map(json.loads, target.read_text().splitlines())}
    assert texts == {None, "原文", "𠮷"}


def test_all_answers_hold_the_same_annotations(tmp_path: Path) -> None:
    """The JSON lines of answers, which readers of judgements know, and the annotations agree."""
    lost = _mark(0, 2, side="source", category="Accuracy/Omission")
    given = {
        ("e1", "s1"): [_marks(lost, _mark(2, 3, severity="minor"))],
        ("e1", "s2"): [_BEGUN],
        ("e2", "s1"): [_marks()],
    }
    export = campaign_export(_answered(tmp_path, _plan(), given))
    write_export(export, "annotations", tmp_path / "marks.jsonl")
    write_export(export, "jsonl", tmp_path / "answers.jsonl")
    reading = read_judgements(tmp_path / "answers.jsonl", "jsonl")
    assert reading.annotations == read_annotations(tmp_path / "marks.jsonl")


def test_esa_leaves_as_annotations_with_a_score_and_as_judgements(tmp_path: Path) -> None:
    mark = _mark(0, 2, severity="minor", category="Unspecified")
    given = {("e1", "s1"): [_marks(mark), Answer("", "A", "esa", "73")]}
    export = campaign_export(_answered(tmp_path, _plan("esa"), given))
    write_export(export, "annotations", tmp_path / "marks.jsonl")
    found = read_annotations(tmp_path / "marks.jsonl")
    assert {(one.system, one.score) for one in found.rated} == {("atlas", 73), ("borealis", 73)}
    write_export(export, "csv", tmp_path / "scores.csv")
    assert "e1,atlas,s1,esa,73" in (tmp_path / "scores.csv").read_text()


def test_marks_that_are_not_complete_are_exported_as_unfinished(tmp_path: Path) -> None:
    state = _answered(tmp_path, _plan(), {("e1", "s1"): [_BEGUN]})
    write_export(campaign_export(state), "jsonl", tmp_path / "all.jsonl")
    [row] = map(json.loads, (tmp_path / "all.jsonl").read_text().splitlines())
    assert row["unfinished"] == _BEGUN.detail["unfinished"] and "spans" not in row
    with pytest.raises(UsageError, match="no outputs with complete marks"):
        write_export(campaign_export(state), "annotations", tmp_path / "marks.jsonl")


def test_a_form_without_marks_has_no_annotations(tmp_path: Path) -> None:
    plan = plan_campaign(campaign("adequacy"), new_id=numbered_ids())
    state = _answered(tmp_path, plan, {})
    with pytest.raises(UsageError, match="adequacy asks for no marks of errors"):
        write_export(campaign_export(state), "annotations", tmp_path / "marks.jsonl")


def _proposal(start: int, end: int, evaluator: str = "model", **others: str) -> Annotation:
    fields = {"side": "target", "category": "Accuracy/Mistranslation", "severity": "major"}
    fields |= others
    return Annotation("atlas", fields.pop("segment", "1"), evaluator, start, end, **fields)  # type: ignore[arg-type]


def _campaign_file(folder: Path, marks: list[Annotation], **changes: Any) -> Path:
    (folder / "testset.jsonl").write_text(
        '{"id": "1", "source": "电池装在壳体内。"}\n{"id": "2", "source": "壳体。"}\n',
        encoding="utf-8",
    )
    (folder / "atlas.txt").write_text(f"{_OUTPUT}\n筐体。\n", encoding="utf-8")
    write_annotations(folder / "marks.jsonl", Annotations((), tuple(marks)))
    content = {
        "name": "Marks", "form": "mqm", "languages": "zh-ja", "testset": "testset.jsonl",
        "runs": ["atlas.txt"], "evaluators": ["e1"], "proposals": "marks.jsonl",
    } | changes  # fmt: skip
    file = folder / "campaign.json"
    file.write_text(json.dumps(content))
    return file


def test_proposed_marks_stand_on_their_pages(tmp_path: Path) -> None:
    source = _proposal(0, 2, side="source", category="Accuracy/Omission")
    plan = plan_campaign(read_campaign(_campaign_file(tmp_path, [_proposal(2, 3), source])))
    proposed = {page.segment: page.candidates[0].proposed for page in plan.pages}
    assert proposed == {
        "1": (_mark(2, 3), _mark(0, 2, side="source", category="Accuracy/Omission")),
        "2": (),
    }


def test_marks_of_every_system_that_gave_a_text_are_proposed(tmp_path: Path) -> None:
    """None vanishes because another system gave the same text; equal ones are proposed once."""
    other = replace(_proposal(4, 6), system="borealis")
    same = replace(_proposal(2, 3), system="borealis")
    file = _campaign_file(tmp_path, [_proposal(2, 3), same, other], runs=["atlas.txt", "b.txt"])
    (tmp_path / "b.txt").write_bytes((tmp_path / "atlas.txt").read_bytes())
    content = json.loads(file.read_text())
    content["runs"] = ["atlas.txt", {"system": "borealis", "file": "b.txt"}]
    file.write_text(json.dumps(content))
    first = plan_campaign(read_campaign(file)).pages[0]
    assert first.candidates[0].systems == ("atlas", "borealis")
    assert first.candidates[0].proposed == (_mark(2, 3), _mark(4, 6))


def test_marks_are_proposed_from_files_of_other_tools(tmp_path: Path) -> None:
    row = f"atlas\td\t1\t1\tr1\t电池装在壳体内。\t{_OUTPUT.replace('𠮷', '<v>𠮷</v>')}\t"
    file = _campaign_file(tmp_path, [], proposals="mqm.tsv")
    header = "system doc doc_id seg_id rater source target category severity".replace(" ", "\t")
    (tmp_path / "mqm.tsv").write_text(f"{header}\n{row}Accuracy/Mistranslation\tMajor\n")
    [first, _] = plan_campaign(read_campaign(file)).pages
    assert first.candidates[0].proposed == (_mark(2, 3),)


def test_a_typology_is_chosen_in_the_campaign_file(tmp_path: Path) -> None:
    mark = _proposal(2, 3, category="Technical data/Number or unit", severity="critical")
    settings = read_campaign(_campaign_file(tmp_path, [mark], typology="patent"))
    [question] = settings.form.questions
    assert question.typology == "patent"
    assert [one.value for one in question.choices] == ["critical", "major", "minor"]


_OF_X = {"file": "marks.jsonl", "evaluator": "x"}


@pytest.mark.parametrize(
    ("marks", "changes", "message"),
    [
        ([_proposal(0, 14)], {}, "segment '1' of 'atlas': expected 0 <= start <= end <= 13"),
        ([_proposal(0, 1, category="Typo")], {}, "category: expected one of Terminology/"),
        ([_proposal(0, 1, segment="3")], {}, "no output of 'atlas' for segment '3'"),
        ([_proposal(0, 1), _proposal(0, 1, "other")], {}, "holds marks of model, other; choose"),
        ([_proposal(0, 1)], {"proposals": _OF_X}, "has no marks of 'x'"),
        ([_proposal(0, 1)], {"form": "adequacy"}, "the form adequacy asks for no marks"),
        ([_proposal(0, 1)], {"typology": "mqn"}, "unknown typology 'mqn'"),
        ([_proposal(0, 1)], {"form": "esa", "typology": "wmt"}, "the form esa has kinds of error"),
        ([_proposal(0, 1)], {"proposals": "none.jsonl"}, "no such file"),
    ],
)  # fmt: skip
def test_proposals_that_do_not_fit_are_refused(
    tmp_path: Path, marks: list[Annotation], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_campaign(_campaign_file(tmp_path, marks, **changes))
    assert any(message in problem.message for problem in caught.value.problems)


def test_the_status_says_what_became_of_proposals(tmp_path: Path) -> None:
    marks = [_proposal(0, 2), _proposal(2, 3), _proposal(4, 6)]
    plan = plan_campaign(read_campaign(_campaign_file(tmp_path, marks)), new_id=numbered_ids())
    decided = _marks(
        _mark(0, 2, proposal=0), _mark(2, 3, proposal=1, severity="minor"), _mark(7, 9)
    )
    state = _answered(tmp_path, plan, {("e1", "1"): [decided], ("e1", "2"): [_marks(_mark(0, 1))]})
    status = campaign_status(state)
    assert status.to_json()["proposals"] == [
        {"evaluator": "e1", "proposed": 3, "accepted": 1, "changed": 1, "deleted": 1, "added": 1}
    ]
    [table] = [one for one in status.to_report().tables if one.title == "Proposed marks"]
    assert table.rows == (("e1", 3, 1 / 3, 1 / 3, 1 / 3, 1),)


def test_exports_say_what_became_of_proposals(tmp_path: Path) -> None:
    """Deleted proposals are no errors, and stay known; Label Studio keeps the others' origin."""
    marks = [_proposal(0, 2), _proposal(2, 3), _proposal(4, 6)]
    plan = plan_campaign(read_campaign(_campaign_file(tmp_path, marks)), new_id=numbered_ids())
    decided = _marks(
        _mark(0, 2, proposal=0), _mark(2, 3, proposal=1, severity="minor"), _mark(7, 9)
    )
    export = campaign_export(_answered(tmp_path, plan, {("e1", "1"): [decided]}))
    notes = {form: write_export(export, form, tmp_path / form) for form in EXPORT_FORMS[1:6]}
    found = {form: read_judgements(tmp_path / form).annotations for form in notes}
    own = found["annotations"]
    assert own is not None
    places = [(one.start, one.proposal) for one in own.all_marks]
    assert places == [(0, "accepted"), (2, "changed"), (7, None), (4, "deleted")]
    assert [one.start for one in own.by_rating["atlas", "1", "e1"]] == [0, 2, 7]
    assert found["jsonl"] == own
    write_annotations(tmp_path / "again.jsonl", own)
    assert read_annotations(tmp_path / "again.jsonl") == own
    kept = Annotations(own.rated, own.marks)
    assert found["label-studio"] == kept
    plain = Annotations(own.rated, tuple(replace(one, proposal=None) for one in own.marks))
    assert found["wmt-mqm"] == found["pearmut-log"] == plain
    lost = "has no place for what was deleted: 1 proposed mark left out"
    told = {form for form, said in notes.items() if any(lost in one for one in said)}
    assert told == {"wmt-mqm", "label-studio", "pearmut-log"}


def test_an_unknown_decision_is_refused(tmp_path: Path) -> None:
    write_annotations(tmp_path / "marks.jsonl", Annotations((), (_proposal(0, 1),)))
    text = (tmp_path / "marks.jsonl").read_text()
    (tmp_path / "marks.jsonl").write_text(text.replace('"side"', '"proposal": "kept", "side"'))
    with pytest.raises(InputError, match="accepted, changed, deleted, found 'kept'"):
        read_annotations(tmp_path / "marks.jsonl")


_EXPECTED = [_mark(2, 3), _mark(0, 2, side="source", category="Accuracy/Omission")]


def _trained(folder: Path, tolerance: int = 0) -> Plan:
    item = {
        "id": "t1", "source": "电池装在壳体内。",
        "candidates": [
            {"text": _OUTPUT, "expected": {"errors": _EXPECTED}, "why": "吉 is a name."}
        ],
    }  # fmt: skip
    (folder / "training.jsonl").write_text(json.dumps(item, ensure_ascii=False), encoding="utf-8")
    training = {"file": "training.jsonl", "tries": 3, "tolerance": tolerance}
    file = _campaign_file(folder, [_proposal(0, 1)], training=training)
    return plan_campaign(read_campaign(file), new_id=numbered_ids())


@pytest.mark.parametrize(
    ("marks", "tolerance", "agrees"),
    [
        (_EXPECTED, 0, [True, True, True]),
        ([_mark(1, 4)], 0, [True, False, True]),
        ([_mark(0, 2)], 0, [False, False, False]),
        ([_mark(2, 3, severity="minor")], 0, [False, False, False]),
        ([_mark(2, 3, severity="minor")], 1, [True, False, True]),
        ([_mark(2, 3, category="Accuracy/Addition")], 0, [False, False, False]),
        ([*_EXPECTED, _mark(2, 3)], 0, [True, True, False]),
        ([], 0, [False, False, True]),
    ],
)
def test_training_holds_marks_against_expected_ones(
    tmp_path: Path, marks: list[dict[str, Any]], tolerance: int, agrees: list[bool]
) -> None:
    plan = _trained(tmp_path, tolerance)
    page = plan.pages[0]
    assert page.why == {"A": "吉 is a name."} and plan.settings["tries"] == 3
    given = [Answer(page.id, "A", "errors", str(len(marks)), {"spans": marks})]
    found = page_corrections(plan.form, page, given, tolerance)
    assert [one.agrees for one in found] == agrees
    assert found[0].expected == "“𠮷” (major, Accuracy/Mistranslation)"
    assert not any(one.agrees for one in page_corrections(plan.form, page, [], tolerance))


def test_expected_marks_must_fit_the_text(tmp_path: Path) -> None:
    item = {"id": "t1", "source": "电池。", "candidates": [
        {"text": "電池。", "expected": {"errors": [_mark(0, 9)]}}]}  # fmt: skip
    (tmp_path / "training.jsonl").write_text(json.dumps(item))
    file = _campaign_file(tmp_path, [_proposal(0, 1)], training={"file": "training.jsonl"})
    with pytest.raises(InputError) as caught:
        read_campaign(file)
    assert "expected 0 <= start <= end <= 3 characters" in str(caught.value)


def test_a_page_shows_a_whole_document_with_both_sides(tmp_path: Path) -> None:
    """A document and a system are a page; its marks are those of the segments."""
    plan = _plan(
        segments=4, documents=2, pages="document", texts=lambda name, place: f"{name}{place}"
    )
    pages = plan.pages_of("e1")
    assert len(pages) == 4 and {page.segment for page in pages} == {"D0", "D1"}
    [page] = [
        one for one in pages if one.segment == "D1" and one.candidates[0].systems == ("atlas",)
    ]
    assert [(one.label, one.segment, one.source, one.text) for one in page.candidates] == [
        ("A", "s2", "原文2", "atlas1"), ("B", "s4", "原文4", "atlas3"),
    ]  # fmt: skip
    lost = _mark(0, 3, side="source", category="Accuracy/Omission")
    answers = [
        Answer(page.id, "A", "errors", "0", {"spans": []}),
        Answer(page.id, "B", "errors", "1", {"spans": [lost]}),
    ]
    with Store.open(str(tmp_path / "campaign.db"), create=True) as store:
        made = store.create_campaign(plan).campaign
        store.save_many(made, "e1", answers)
        state = store.state(made)
    assert state.done == {page.id}
    write_export(campaign_export(state), "annotations", tmp_path / "marks.jsonl")
    found = read_annotations(tmp_path / "marks.jsonl")
    assert [one.segment for one in found.rated] == ["s2", "s4"]
    assert found.marks == (
        Annotation("atlas", "s4", "e1", 0, 3, "source", "Accuracy/Omission", "major"),
    )
    written = [json.loads(line) for line in (tmp_path / "marks.jsonl").read_text().splitlines()]
    assert written[-1]["text"] == "原文4"


def test_equal_documents_are_judged_once(tmp_path: Path) -> None:
    plan = _plan(segments=4, documents=2, pages="document")
    assert [page.candidates[0].systems for page in plan.pages_of("e1")] == [
        ("atlas", "borealis")
    ] * 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "field 'pages': 2 segments have no document"),
        (
            {"form": "adequacy"},
            "field 'pages': the form adequacy does not judge outputs one by one",
        ),
        ({"checks": {"share": 0.5}}, "field 'checks': whole documents are not shown again"),
        ({"show": {"reference": True}}, "whole documents are shown without references"),
    ],
)
def test_documents_that_cannot_be_shown_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    changes = {"proposals": {"file": "marks.jsonl"}, "pages": "document"} | changes
    with pytest.raises(InputError) as caught:
        read_campaign(_campaign_file(tmp_path, [_proposal(0, 1)], **changes))
    assert any(message in problem.message for problem in caught.value.problems)
