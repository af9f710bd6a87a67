"""Exports lose nothing that was collected, and are read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.campaigns import set_consensus

from campaign_site import SYSTEMS, invented_plan
from patmark.data import counted
from patmark.errors import InputError
from patmark.human.campaign import Answer, Page, campaign_export, write_export
from patmark.human.campaign.export import RESULT_PHASES
from patmark.human.campaign.records import StoredAnswer
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.store import Store
from patmark.human.judgements import PHASES, Phase, read_judgements, read_metrics_eval

_SPAN = {"start": 0, "end": 4, "severity": "major", "category": "terminology"}
_FULL: dict[str, list[tuple[str, str | None, dict[str, Any]]]] = {
    "adequacy": [("adequacy", "4", {"comment": "=fine"}), ("adequacy", None, {"reason": "cut"})],
    "acceptability": [
        ("acceptability", "C", {"steps": {"important": "yes", "understood": "yes", "easy": "no"}}),
        ("acceptability", None, {"steps": {"important": "yes"}}),
        ("acceptability", "AA", {}),
    ],
    "error-spans": [
        ("errors", "1", {"spans": [_SPAN]}),
        ("da", "70", {}),
        ("da", None, {"reason": "無い"}),
    ],
    "pair-correctness": [("correctness", "unsure", {}), ("correctness", "correct", {})],
    "ranking": [
        ("preference", "B>A=C", {"comment": "close"}),
        ("preference", None, {"places": {"A": 1}}),
        ("preference", None, {"reason": "all the same"}),
    ],
    "claim-rating": [("clarity", "7", {}), ("linkage", None, {"reason": "no tree"})],
}
"""Every kind of answer, with every kind of detail."""


def _answers(page: Page, question: str, value: str | None, detail: dict[str, Any]) -> list[Answer]:
    labels = [""] if question == "preference" else [one.label for one in page.candidates]
    return [
        Answer(page.id, label, question, value, detail, seconds=1.5 + place)
        for place, label in enumerate(labels)
    ]


def _filled(folder: Path, form: str) -> CampaignState:
    """A campaign in which every kind of answer was given, one kind on each page."""
    kinds = _FULL[form]
    plan = invented_plan(form, len(kinds) + 1, training=1, expected={})
    with Store.open(str(folder / "c.db"), create=True) as store:
        campaign = store.create_campaign(plan).campaign
        for page in plan.pages_of("rater-1"):
            for question, value, detail in (kinds * 2)[page.position : page.position + 1]:
                for answer in _answers(page, question, value, detail):
                    store.save(campaign, "rater-1", replace(answer, value=None, detail={}))
                    store.save(campaign, "rater-1", answer)
        pages = plan.pages_of("rater-1")
        store.save_remark(campaign, "rater-1", pages[1].id, "the source is cut\noff", False)
        store.save_remark(campaign, "rater-1", pages[2].id, "", True)
        question = plan.form.questions[0].id
        set_consensus(store, campaign, "segment-1", SYSTEMS[:1], question, "3", "after a talk")
        set_consensus(store, campaign, "segment-0", SYSTEMS[:1], question, "2", "")
        return store.state(campaign)


def _records(
    state: CampaignState, folder: Path, phases: Sequence[Phase] = PHASES
) -> list[dict[str, Any]]:
    write_export(campaign_export(state, phases), "jsonl", folder / "all.jsonl")
    lines = (folder / "all.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _of(stored: StoredAnswer, records: list[dict[str, Any]], page: Page) -> list[dict[str, Any]]:
    """The records that tell of an answer."""
    answer = stored.answer
    labels = [one.label for one in page.candidates]
    found = []
    for one in records:
        asked = one.get("criterion") or next(iter(one.get("values", [""])))
        label = labels[one["position"] - 1] if "position" in one else one.get("candidate", "")
        if (one.get("page"), asked, label) == (answer.page, answer.question, answer.candidate):
            found.append(one)
    return found


@pytest.mark.parametrize("form", _FULL)
def test_everything_that_was_collected_is_exported(tmp_path: Path, form: str) -> None:
    state = _filled(tmp_path, form)
    records = _records(state, tmp_path)
    pages = {page.id: page for page in state.plan.pages}
    stored = state.saves.latest_on(pages)
    assert len(stored) == sum(
        1 if form == "ranking" else len(page.candidates) for page in pages.values()
        if page.evaluator == "rater-1"
    )  # fmt: skip
    for one in stored:
        found = _of(one, records, pages[one.answer.page])
        assert found, one
        for record in found:
            answer = one.answer
            if "winner" not in record:
                value = record.get("values", {}).get(answer.question, record.get("value"))
                assert value == answer.value
            told = {name: record[name] for name in answer.detail}
            assert told == dict(answer.detail)
            assert (record["seconds"], record["saved"]) == (answer.seconds, answer.saved)
            assert record["revision"] == answer.revision == 2
            assert record["page_seconds"] == state.saves.seconds[answer.page]
            assert record["phase"] == pages[answer.page].phase
    remarks = [one for one in records if one.get("kind") == "remark"]
    assert [(one["page"], one["text"], one["flagged"], one["saved"]) for one in remarks] == [
        (one.page, one.text, one.flagged, one.saved) for one in state.remarks
    ]
    assert [one["flagged"] for one in remarks] == [False, True]
    agreed = [one for one in records if one.get("kind") == "consensus"]
    assert [(one["item"], one["value"], one["note"], one["phase"]) for one in agreed] == [
        ("segment-1", "3", "after a talk", "main"),
        ("segment-0", "2", "", "training"),
    ]
    assert all(one["systems"] == ["SecretAlpha"] for one in agreed)


@pytest.mark.parametrize("form", _FULL)
def test_an_export_of_everything_is_read_back(tmp_path: Path, form: str) -> None:
    """Readers take the judgements, and say what they leave aside."""
    state = _filled(tmp_path, form)
    records = _records(state, tmp_path)
    reading = read_judgements(tmp_path / "all.jsonl")
    for own, read in (
        (state.results.judgements, reading.judgements),
        (state.results.preferences, reading.preferences),
    ):
        assert {row.key for row in own.rows} == {row.key for row in read.rows} if own else not read
    others = sum(one.get("kind") == "answer" and "spans" not in one for one in records)
    assert f"{counted(others, 'other answer')} left aside" in reading.notes
    assert "2 remarks left aside" in reading.notes
    assert "2 agreed values left aside" in reading.notes


def test_phases_choose_all_kinds_of_records(tmp_path: Path) -> None:
    state = _filled(tmp_path, "adequacy")
    records = _records(state, tmp_path, RESULT_PHASES)
    assert {one["phase"] for one in records} == {"main"}
    assert [one["item"] for one in records if one.get("kind") == "consensus"] == ["segment-1"]
    export = campaign_export(state, RESULT_PHASES)
    assert "in the form jsonl only: 2 remarks" in export.notes


@pytest.mark.parametrize("kind", ["wish", None, [], {"remark": 1}, 3])
def test_records_of_unknown_kinds_are_problems(tmp_path: Path, kind: object) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"kind": kind, "item": "s1"}) + "\n")
    with pytest.raises(InputError, match="one of answer, text, remark, consensus"):
        read_judgements(tmp_path / "x.jsonl", "jsonl")


def test_names_with_blanks_are_exported_for_mt_metrics_eval(tmp_path: Path) -> None:
    names = {"SecretAlpha": "our system", "SecretBeta": "our_system", "SecretGamma": "v1/b  c"}
    plan = invented_plan("adequacy", 4)
    pages = tuple(
        replace(
            page,
            document=f"JP {page.segment}",
            candidates=tuple(
                replace(one, systems=(names[one.systems[0]],)) for one in page.candidates
            ),
        )
        for page in plan.pages
    )
    question = replace(plan.form.questions[0], id="how good. really")
    form = replace(plan.form, questions=(question,))
    with Store.open(str(tmp_path / "c.db"), create=True) as store:
        campaign = store.create_campaign(replace(plan, pages=pages, form=form)).campaign
        for page in pages:
            grades = [Answer(page.id, one.label, question.id, "4") for one in page.candidates]
            store.save_many(campaign, page.evaluator, grades)
        state = store.state(campaign)
    notes = write_export(campaign_export(state), "mt-metrics-eval", tmp_path / "folder")
    read = read_metrics_eval(tmp_path / "folder", "zh-en")
    assert {run.system for run in read.runs} == {"our_system", "our_system_2", "v1_b_c"}
    assert "'our system' is 'our_system_2' in the folder" in notes
    assert "'v1/b  c' is 'v1_b_c' in the folder" in notes
    assert read.test_set.documents[0] == "JP_segment-0"
    assert set(read.human) == {"how_good_really"} == set(read.human_systems)
    texts = {run.system: run.texts[0] for run in read.runs}
    assert texts["our_system_2"].startswith("A heat exchanger comprises a shell <script>")


def test_line_breaks_become_blanks_for_mt_metrics_eval(tmp_path: Path) -> None:
    plan = invented_plan("adequacy", 1)
    pages = tuple(
        replace(
            page,
            source="第一。\r\n第二。",
            candidates=tuple(replace(one, text=f"{one.label}\n\nend") for one in page.candidates),
        )
        for page in plan.pages
    )
    with Store.open(str(tmp_path / "c.db"), create=True) as store:
        campaign = store.create_campaign(replace(plan, pages=pages)).campaign
        for page in pages:
            grades = [Answer(page.id, one.label, "adequacy", "4") for one in page.candidates]
            store.save_many(campaign, page.evaluator, grades)
        state = store.state(campaign)
    notes = write_export(campaign_export(state), "mt-metrics-eval", tmp_path / "folder")
    assert "4 texts have line breaks, which are blanks in the folder" in notes
    read = read_metrics_eval(tmp_path / "folder", "zh-en")
    assert list(read.test_set.sources) == ["第一。 第二。"]
    assert {run.texts for run in read.runs} == {("A end",), ("B end",), ("C end",)}
