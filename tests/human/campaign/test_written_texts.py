"""Forms that ask for a text: references written and revised, and the test set made of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from campaigns import campaign, numbered_ids, post_edit_form
from command_line import patmark, patmark_json
from patmark.data import read_test_set
from patmark.errors import InputError, UsageError
from patmark.human.campaign import (
    Answer,
    Page,
    Plan,
    Store,
    answer_problem,
    campaign_results,
    declared_scales,
    missing,
    plan_campaign,
    read_form,
)
from patmark.human.campaign.attention_checks import check_results, self_agreement
from patmark.human.campaign.export import campaign_export, write_export
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.form import LONGEST_WRITTEN
from patmark.human.campaign.page_completion import counts_for_done
from patmark.human.campaign.results import edit_distance
from patmark.human.campaign.settings import Assignment, read_campaign
from patmark.human.campaign.status import campaign_status
from patmark.human.judgements import read_judgements

_ONLY = "only a text or marks that are not finished are kept as unfinished"
_DRAFT = "搅拌𠮷田式混合物8小时。"


def _plan(evaluators: tuple[str, ...] = ("e1", "e2"), segments: int = 3, **others: Any) -> Plan:
    settings = campaign(
        "write-reference",
        segments=segments,
        systems=("atlas",),
        evaluators=evaluators,
        texts=lambda *_: _DRAFT,
        assignment=Assignment("same"),
        **others,
    )
    return plan_campaign(settings, new_id=numbered_ids())


def _problem(value: str | None, detail: dict[str, Any] | None = None) -> str | None:
    plan = _plan()
    page = plan.pages[0]
    return answer_problem(plan.form, page, Answer(page.id, "A", "reference", value, detail or {}))


@pytest.mark.parametrize(
    ("value", "detail", "message"),
    [
        ("混合", {}, None),
        ("𠮷" * 10_000, {}, None),
        (None, {"unfinished": "x" * LONGEST_WRITTEN}, None),
        (None, {"unfinished": ""}, None),
        ("", {}, "reference: expected a text, found none"),
        (" \n　", {}, "reference: expected a text, found none"),
        ("𠮷" * 10_001, {}, "reference: at most 10000 characters, found 10001"),
        (None, {"unfinished": 3}, "expected a text as unfinished"),
        (None, {"unfinished": "x" * 20_001}, "unfinished: at most 20000 characters, found 20001"),
        ("x", {"unfinished": "x"}, _ONLY),
    ],
)
def test_a_text_has_limits_in_characters(
    value: str | None, detail: dict[str, Any], message: str | None
) -> None:
    assert _problem(value, detail) == message


def test_only_a_question_for_a_text_keeps_unfinished_ones() -> None:
    plan = plan_campaign(campaign("adequacy"), new_id=numbered_ids())
    page = plan.pages[0]
    answer = Answer(page.id, "A", "adequacy", None, {"unfinished": "x"})
    assert answer_problem(plan.form, page, answer) == _ONLY


def test_a_text_that_is_not_finished_leaves_its_page_open() -> None:
    plan = _plan()
    page = plan.pages[0]
    begun = Answer(page.id, "A", "reference", None, {"unfinished": "搅"})
    assert missing(plan.form, page, [begun]) == (("A", "reference"),)
    assert not counts_for_done(plan.form, begun)
    assert missing(plan.form, page, [Answer(page.id, "A", "reference", "搅")]) == ()


@given(st.text("ab𠮷", max_size=12), st.text("ab𠮷c", max_size=12))
def test_the_edit_distance_is_that_of_the_matrix(draft: str, text: str) -> None:
    row = list(range(len(text) + 1))
    for place, sign in enumerate(draft, 1):
        above, row = row, [place]
        for column, other in enumerate(text):
            row.append(min(above[column + 1] + 1, row[-1] + 1, above[column] + (sign != other)))
    assert edit_distance(draft, text) == row[-1]


def _answered(folder: Path, plan: Plan, texts: dict[tuple[str, str], str]) -> Any:
    def text_of(page: Page) -> str | None:
        return texts.get((page.evaluator, page.segment))

    with Store.open(str(folder / "campaign.db"), create=True) as store:
        made = store.create_campaign(plan).campaign
        for page in plan.pages:
            if (text := text_of(page)) is not None:
                store.save(made, page.evaluator, Answer(page.id, "A", "reference", text))
        return store.state(made)


_WRITTEN = {
    ("e1", "s1"): "Stir for 8 hours 𠮷.",
    ("e2", "s1"): _DRAFT,
    ("e2", "s3"): _DRAFT.replace("8", "八") + "\n",
}


def test_the_export_is_a_test_set_with_all_references(tmp_path: Path) -> None:
    state = _answered(tmp_path, _plan(), _WRITTEN)
    target = tmp_path / "references.jsonl"
    notes = write_export(campaign_export(state), "testset", target)
    assert "1 segment is left out, for which no text is finished yet" in notes
    assert "2 segments with 1 to 2 references each" in notes
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    first = edit_distance(_DRAFT, _WRITTEN["e1", "s1"])
    assert rows[0] == {
        "id": "s1",
        "document": "D0",
        "source": "原文1",
        "references": [_WRITTEN["e1", "s1"], _DRAFT],
        "meta": {
            "ipc": "A",
            "written": [
                {"evaluator": "e1", "draft": ["atlas"], "distance": first},
                {"evaluator": "e2", "draft": ["atlas"], "distance": 0},
            ],
        },
    }
    assert rows[1]["references"] == [_WRITTEN["e2", "s3"]]
    assert rows[1]["meta"]["written"][0]["distance"] == 2
    read, _ = read_test_set(target, "zh", "en")
    assert [one.references for one in read] == [tuple(row["references"]) for row in rows]


def test_the_status_says_how_far_texts_are_from_their_drafts(tmp_path: Path) -> None:
    state = _answered(tmp_path, _plan(), _WRITTEN)
    status = campaign_status(state)
    found = {one["evaluator"]: one for one in status.to_json()["written"]}
    assert found["e2"] == {
        "evaluator": "e2", "texts": 2, "characters": 2 * len(_DRAFT) + 1, "with_draft": 2,
        "unchanged": 1, "edit_distance": 2, "edit_rate": 100 * 2 / (2 * len(_DRAFT) + 1),
    }  # fmt: skip
    tables = {table.title: table for table in status.to_report().tables}
    assert [row[:2] for row in tables["Written texts"].rows] == [("e1", 1), ("e2", 2)]
    assert "no segment of the main phase is finished yet" not in status.notes


def test_texts_without_a_draft_have_no_distance(tmp_path: Path) -> None:
    file = _campaign_file(tmp_path, runs=None)
    plan = plan_campaign(read_campaign(file), new_id=numbered_ids())
    assert {one.text for page in plan.pages for one in page.candidates} == {""}
    assert plan.notes == ()
    state = _answered(tmp_path, plan, {("e1", "1"): "混合。"})
    write_export(campaign_export(state), "testset", tmp_path / "out.jsonl")
    [row] = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert row["meta"]["written"] == [{"evaluator": "e1", "draft": None, "distance": None}]
    assert campaign_status(state).to_json()["written"][0]["edit_rate"] is None


def _campaign_file(folder: Path, **changes: Any) -> Path:
    rows = [{"id": "1", "source": "Mix.", "references": ["搅拌。"]}, {"id": "2", "source": "Heat."}]
    (folder / "testset.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "atlas.txt").write_text("混。\n热。\n", encoding="utf-8")
    content = {
        "name": "References", "form": "write-reference", "languages": "en-zh",
        "testset": "testset.jsonl", "runs": ["atlas.txt"], "evaluators": ["e1", "e2"],
        "assignment": {"mode": "same"},
    } | changes  # fmt: skip
    file = folder / "campaign.json"
    file.write_text(json.dumps({name: one for name, one in content.items() if one is not None}))
    return file


def test_the_reference_of_the_test_set_can_be_the_draft(tmp_path: Path) -> None:
    plan = plan_campaign(read_campaign(_campaign_file(tmp_path, runs=None, draft="reference")))
    drafts = {page.segment: page.candidates[0] for page in plan.pages}
    assert (drafts["1"].text, drafts["1"].systems) == ("搅拌。", ("reference",))
    assert drafts["2"].text == ""
    assert plan.notes == ("reference: 1 draft without text",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"draft": "reference"}, "the outputs of the runs are drafts already; name either"),
        ({"checks": {"share": 0.5}}, "field 'checks': the form write-reference asks for texts"),
        ({"repeats": {"share": 0.5}}, "field 'repeats': the form write-reference asks for texts"),
        ({"form": "adequacy", "draft": "reference"}, "an effect only where texts are written"),
        ({"draft": "last"}, "field 'draft'"),
    ],
)
def test_what_makes_no_sense_with_texts_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_campaign(_campaign_file(tmp_path, **changes))
    assert any(message in problem.message for problem in caught.value.problems)


def test_post_edits_and_free_texts_of_an_own_form_are_exported(tmp_path: Path) -> None:
    """Two systems on a page: each output is mended; the edits since then are counted."""
    drafts = {"atlas": "搅拌混合物8小时。\r\n", "borealis": "混合物。"}
    settings = campaign(
        segments=2, systems=("atlas", "borealis"), evaluators=("e1",),
        texts=lambda system, place: f"{drafts[system]}{place}",
        assignment=Assignment("same"),
    )  # fmt: skip
    plan = plan_campaign(replace(settings, form=post_edit_form(0)), new_id=numbered_ids())
    page = next(one for one in plan.pages if one.segment == "s1")
    label = {one.systems[0]: one.label for one in page.candidates}
    given = [
        Answer(page.id, label["atlas"], "mended", "搅拌混合物9小时。\n0"),
        Answer(page.id, label["borealis"], "mended", "混合物。0"),
        Answer(page.id, label["atlas"], "why", "0"),
        Answer(page.id, label["borealis"], "why", None, {"unfinished": "太"}),
        Answer(page.id, "", "page", "二者相近。"),
    ]
    with Store.open(str(tmp_path / "campaign.db"), create=True) as store:
        made = store.create_campaign(plan).campaign
        store.save_many(made, "e1", given)
        assert page.id not in store.state(made).done
        store.save_many(made, "e1", [Answer(page.id, one, "usable", "2") for one in "AB"])
        state = store.state(made)
    assert state.done == {page.id}
    export = campaign_export(state)
    assert "in the form jsonl only: 2 written texts" in write_export(
        export, "jsonl", tmp_path / "all.jsonl"
    )
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    told = {(row["criterion"], row.get("candidate", "")): row for row in rows if row.get("kind")}
    assert told["mended", label["atlas"]]["edit_distance"] == 1
    assert told["mended", label["borealis"]]["edit_distance"] == 0
    assert told["why", label["borealis"]]["unfinished"] == "太"
    assert told["page", ""]["value"] == "二者相近。" and "edit_distance" not in told["page", ""]
    assert {row["kind"] for row in told.values()} == {"text"}
    reading = read_judgements(tmp_path / "all.jsonl", scales=declared_scales(plan.form))
    assert reading.annotations is None and "5 written texts left aside" in reading.notes
    write_export(export, "testset", tmp_path / "set.jsonl")
    [segment] = read_test_set(tmp_path / "set.jsonl", "en")[0]
    assert sorted(segment.references) == ["搅拌混合物9小时。\n0", "混合物。0"]
    assert sorted(one["draft"][0] for one in segment.meta["written"]) == ["atlas", "borealis"]
    [effort] = campaign_status(state).to_json()["written"]
    assert (effort["texts"], effort["unchanged"], effort["edit_distance"]) == (2, 1, 1)


def test_texts_of_own_forms_leave_checks_and_choices_alone(tmp_path: Path) -> None:
    """A text about the page is no choice between systems; where only texts are asked, no checks."""
    why = replace(post_edit_form().question("page"), required=True)
    form = read_form("pairwise")
    form = replace(form, id="own", questions=(*form.questions, why))
    settings = campaign(
        segments=6, evaluators=("e1",), checks=Extras(0.5, 1, EDITS), repeats=Extras(0.5, 1)
    )
    plan = plan_campaign(replace(settings, form=form), new_id=numbered_ids())
    given = [
        Answer(page.id, "", question, value)
        for page in plan.pages
        for question, value in (("preference", "first"), ("page", "方便"))
    ]
    results = campaign_results(plan, given)
    assert results.preferences is not None
    assert results.preferences.criteria == ("preference",)
    assert {one.question for one in check_results(plan, given)} == {"preference"}
    assert {one.question for one in self_agreement(plan, given)} == {"preference"}
    only = {"id": "o", "kind": "post-edit", "title": "Mend"}
    (tmp_path / "form.json").write_text(json.dumps(
        {"id": "own", "material": "outputs", "title": "Own", "guideline": {"en": "# Mend"},
         "candidates": 1, "questions": [only]}))  # fmt: skip
    with pytest.raises(InputError, match="the form own asks for texts, which cannot be compared"):
        read_campaign(_campaign_file(tmp_path, form="form.json", checks={"share": 0.5}))


def test_a_forgotten_name_leaves_free_texts(tmp_path: Path) -> None:
    settings = campaign(segments=1, systems=("A",), evaluators=("Ann", "e2"))
    settings = replace(settings, form=post_edit_form(), assignment=Assignment("same"))
    with Store.open(str(tmp_path / "campaign.db"), create=True) as store:
        made = store.create_campaign(plan_campaign(settings)).campaign
        [page] = store.plan(made).pages_of("e2")
        store.save(made, "e2", Answer(page.id, "A", "why", "Ann said so"))
        store.save(made, "e2", Answer(page.id, "A", "mended", "Ann is a name"))
        store.forget(made, "Ann")
        values = {one.answer.question: one.answer.value for one in store.answers(made)}
    assert values == {"why": "(forgotten) said so", "mended": "Ann is a name"}


def test_a_test_set_needs_finished_texts(tmp_path: Path) -> None:
    state = _answered(tmp_path, _plan(), {})
    with pytest.raises(UsageError, match="no finished texts to export yet"):
        write_export(campaign_export(state), "testset", tmp_path / "out.jsonl")


def test_a_test_set_needs_a_form_that_asks_for_texts(tmp_path: Path) -> None:
    plan = plan_campaign(campaign("adequacy"), new_id=numbered_ids())
    state = _answered(tmp_path, plan, {})
    with pytest.raises(UsageError, match="asks for no translations"):
        write_export(campaign_export(state), "testset", tmp_path / "out.jsonl")


def test_score_takes_the_test_set(tmp_path: Path) -> None:
    """From the campaign file over the export to a score against two references."""
    file = _campaign_file(tmp_path)
    patmark_json(tmp_path, "human", "new", file)
    with Store.open(str(tmp_path / "campaign.db")) as store:
        [info] = store.campaigns()
        for page in store.plan(info.id).pages:
            text = {"e1": page.candidates[0].text, "e2": f"请{page.candidates[0].text}"}
            answer = Answer(page.id, "A", "reference", text[page.evaluator])
            store.save(info.id, page.evaluator, answer)
    done = patmark(tmp_path, "human", "export", "--out", "refs.jsonl", "--format", "testset")
    assert done.returncode == 0 and "2 segments with 2 references each" in done.stderr
    found = patmark_json(
        tmp_path, "score", "--lang", "en-zh", "--testset", "refs.jsonl", "--measures", "chrF",
        "--hyp", "atlas.txt",
    )  # fmt: skip
    assert found["systems"]["atlas"]["chrF"]["value"] == 100
    status = patmark_json(tmp_path, "human", "status")
    assert [one["unchanged"] for one in status["written"]] == [2, 0]
