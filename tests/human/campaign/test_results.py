from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from campaigns import answered, campaign
from patmark.data import Scores
from patmark.errors import InputError
from patmark.examples import example_path
from patmark.human.campaign import (
    Answer,
    Candidate,
    Page,
    Plan,
    Question,
    answer_records,
    campaign_results,
    declared_scales,
    plan_campaign,
    read_campaign,
)
from patmark.human.campaign.annotations import campaign_annotations
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.results import AnswerBook, marked_errors
from patmark.human.campaign.settings import Assignment
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.formats.campaign_jsonl import write_campaign_jsonl
from patmark.human.judgements.formats.csv import write_judgement_csv, write_preference_csv
from patmark.human.judgements.model import Judgements
from patmark.human.judgements.scores import human_scores, preference_scores
from patmark.stats import sign_test

_GRADES = {
    "A": dict(zip(("s1", "s2", "s3", "s4"), ("AA", "A", "B", "C"), strict=True)),
    "B": dict(zip(("s1", "s2", "s3", "s4"), ("A", "A", "C", "F"), strict=True)),
    "C": dict(zip(("s1", "s2", "s3", "s4"), ("F", "B", "B", "F"), strict=True)),
}
_RANKS = {grade: rank for rank, grade in enumerate(("AA", "A", "B", "C", "F"))}


def _by_grade(page: Page, candidate: Candidate | None, question: Question) -> str:
    """What someone answers to whom each output has the grade of the table above."""
    ranks = {one.label: _RANKS[_GRADES[one.systems[0]][page.segment]] for one in page.candidates}
    if question.kind == "chart":
        return _GRADES[candidate.systems[0]][page.segment]  # type: ignore[union-attr]
    if question.kind == "ranking":
        order = sorted(ranks, key=lambda name: ranks[name])
        places = groupby(order, key=lambda name: ranks[name])
        return ">".join("=".join(names) for _, names in places)
    first, second = ranks.values()
    return "equal" if first == second else ("first" if first < second else "second")


def _scores_of(data: Judgements) -> Mapping[str, Scores]:
    return human_scores(data).scores


def _small(form: str) -> Plan:
    return plan_campaign(
        campaign(form, segments=4, documents=2, evaluators=["e1"], assignment=Assignment("same"))
    )


# By hand: A beats B in s1, s3, s4 and ties in s2; A beats C in s1, s2, s4 and ties in s3; B beats C
# in s1 and s2, loses s3 and ties in s4. Of 8 comparisons each: A 7, B 0.5 + 2.5, C 0.5 + 1.5.
_PAIRWISE = [7 / 8, 3 / 8, 2 / 8]


def test_pairwise_score_and_sign_test_of_a_case_done_by_hand() -> None:
    plan = _small("acceptability")
    judgements = campaign_results(plan, answered(plan, _by_grade)).judgements
    assert judgements is not None
    scores = _scores_of(judgements)["acceptability"]
    found = dict(zip(scores.systems, scores.system_scores, strict=True))
    assert [found[name] for name in "ABC"] == pytest.approx(_PAIRWISE)
    grades = dict(zip(judgements.systems, judgements.grades("acceptability")[0], strict=True))
    tests = [
        sign_test(grades[one] - grades[other])
        for one, other in (("A", "B"), ("A", "C"), ("B", "C"))
    ]
    assert [(one.wins, one.losses, one.ties) for one in tests] == [(3, 0, 1), (3, 0, 1), (2, 1, 1)]
    assert [one.p for one in tests] == pytest.approx([0.25, 0.25, 1.0])
    rate = _scores_of(judgements)["acceptability>=C"]
    assert dict(zip(rate.systems, rate.system_scores, strict=True)) == {
        "A": 1.0,
        "B": 0.75,
        "C": 0.5,
    }


@pytest.mark.parametrize("form", ["pairwise", "ranking"])
def test_choices_and_rankings_give_the_same_shares_of_wins(form: str) -> None:
    plan = _small(form)
    results = campaign_results(plan, answered(plan, _by_grade))
    assert results.judgements is None and results.preferences is not None
    assert len(results.preferences.rows) == 12
    scores = preference_scores(results.preferences)
    found = dict(zip(scores.systems, scores.system_scores, strict=True))
    assert [found[name] for name in "ABC"] == pytest.approx(_PAIRWISE)
    for row in results.preferences.rows:
        ranks = [_RANKS[_GRADES[name][row.segment]] for name in (row.first, row.second)]
        winner = (row.first, row.second)[ranks[1] < ranks[0]] if ranks[0] != ranks[1] else None
        assert row.winner == winner and row.document in ("D0", "D1")


def _some_grade(page: Page, candidate: Candidate | None, question: Question) -> str | None:
    """An answer that depends on page and candidate, and now and then none."""
    label = candidate.label if candidate else ""
    rng = np.random.default_rng([page.position, *page.evaluator.encode(), *label.encode()])
    if rng.random() < 0.1:
        return None
    if question.kind == "number":
        return str(rng.integers(question.lowest, question.highest + 1))
    if question.kind == "spans":
        return "0"
    if question.kind == "ranking":
        return ">".join(one.label for one in page.candidates)
    return str(rng.choice([choice.value for choice in question.choices]))


@pytest.mark.parametrize(
    "form", ["adequacy", "adequacy-fluency", "acceptability", "claim-rating", "error-spans",
             "pair-correctness"],
)  # fmt: skip
def test_an_export_gives_exactly_the_scores_of_the_campaign(form: str, tmp_path: Path) -> None:
    settings = campaign(
        form, segments=30, assignment=Assignment("overlap", 14, 0.5), repeats=Extras(0.1, 2),
        checks=Extras(0.1, 2, EDITS),
        texts=lambda system, place: f"{'A' if place % 5 == 0 else system} gives {place} in all",
    )  # fmt: skip
    plan = plan_campaign(settings)
    answers = answered(plan, _some_grade)
    judgements = campaign_results(plan, answers).judgements
    assert judgements is not None
    csv, jsonl, records = (tmp_path / name for name in ("a.csv", "a.jsonl", "records.jsonl"))
    write_judgement_csv(csv, judgements)
    write_campaign_jsonl(jsonl, judgements)
    rows = list(answer_records(campaign_results(plan, answers)))
    records.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    ours = _scores_of(judgements)
    for path in (csv, jsonl, records):
        reading = read_judgements(
            path, scales=declared_scales(plan.form), test_set=settings.test_set,
            systems=[run.system for run in settings.runs],
        )  # fmt: skip
        assert reading.judgements is not None
        assert set(reading.judgements.rows) == set(judgements.rows)
        theirs = _scores_of(reading.judgements)
        assert set(theirs) == set(ours)
        for name, scores in ours.items():
            assert theirs[name].signature == scores.signature
            assert (theirs[name].systems, theirs[name].segments) == (
                scores.systems,
                scores.segments,
            )
            np.testing.assert_array_equal(theirs[name].statistics, scores.statistics)


def test_exported_preferences_are_read_back(tmp_path: Path) -> None:
    plan = plan_campaign(read_campaign(example_path("campaign_zh_en/pairwise.yaml")))
    answers = answered(plan, _some_grade)
    preferences = campaign_results(plan, answers).preferences
    assert preferences is not None
    csv, records = tmp_path / "a.csv", tmp_path / "a.jsonl"
    write_preference_csv(csv, preferences)
    rows = list(answer_records(campaign_results(plan, answers)))
    records.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    for path in (csv, records):
        theirs = read_judgements(path).preferences
        assert theirs is not None and set(theirs.rows) == set(preferences.rows)
        np.testing.assert_array_equal(
            preference_scores(theirs).system_scores, preference_scores(preferences).system_scores
        )


def _prefer_c(page: Page, candidate: Candidate | None, question: Question) -> str:
    return "first" if "C" in page.candidates[0].systems else "second"


def test_an_answer_counts_for_every_system_that_gave_the_text() -> None:
    texts = {"A": "same", "B": "same", "C": "other"}
    settings = campaign(
        "pairwise", segments=2, evaluators=["e1"], texts=lambda system, place: texts[system]
    )
    plan = plan_campaign(settings)
    assert len(plan.pages) == 2
    preferences = campaign_results(plan, answered(plan, _prefer_c)).preferences
    assert preferences is not None
    found = {
        (row.segment, frozenset((row.first, row.second)), row.winner) for row in preferences.rows
    }
    assert found == {
        (segment, frozenset(pair), winner)
        for segment in ("s1", "s2")
        for pair, winner in (("AB", None), ("AC", "C"), ("BC", "C"))
    }
    graded = plan_campaign(
        campaign(segments=1, evaluators=["e1"], texts=lambda system, place: texts[system])
    )
    judgements = campaign_results(
        graded, answered(graded, lambda page, one, _: "5" if one and "A" in one.systems else "1")
    ).judgements
    assert judgements is not None
    assert {(row.system, row.value) for row in judgements.rows} == {
        ("A", "5"),
        ("B", "5"),
        ("C", "1"),
    }


def test_phases_comments_and_places_are_kept() -> None:
    plan = plan_campaign(read_campaign(example_path("campaign_zh_en/adequacy.yaml")))
    answers = [
        Answer(one.page, one.candidate, one.question, one.value, {"comment": "hm"})
        for one in answered(plan, lambda *_: "3")
    ]
    results = campaign_results(plan, answers)
    judgements = results.judgements
    assert judgements is not None and results.notes == ()
    pages = {(page.evaluator, page.phase, page.segment): page for page in plan.pages}
    for row in judgements.rows:
        page = pages[row.evaluator, row.phase, row.segment]
        assert row.order is not None and row.system in page.candidates[row.order - 1].systems
        assert (row.comment, row.document) == ("hm", page.document)
    assert set(judgements.phases) == {"main", "training", "check", "repeat"}
    systems = {row.system for row in judgements.rows if row.phase == "main"}
    assert systems == {"atlas", "borealis", "cobalt"}


def test_spoilt_texts_are_never_taken_for_outputs() -> None:
    settings = campaign("ranking", segments=20, evaluators=["e1"], checks=Extras(0.2, 2, EDITS))
    plan = plan_campaign(settings)
    answers = answered(plan, lambda page, *_: ">".join(one.label for one in page.candidates))
    preferences = campaign_results(plan, answers).preferences
    assert preferences is not None
    checks = [row for row in preferences.rows if row.phase == "check"]
    assert len(checks) == 4 * 3 and all(row.first != row.second for row in checks)


def test_computed_scores_need_all_of_their_answers() -> None:
    plan = plan_campaign(campaign("claim-rating", segments=1, systems=["A"], evaluators=["e1"]))
    [page] = plan.pages
    ratings = {"completeness": "7", "clarity": "8", "consistency": "9", "linkage": "6"}
    answers = [Answer(page.id, "A", name, value) for name, value in ratings.items()]
    judgements = campaign_results(plan, answers).judgements
    assert judgements is not None
    values = {row.criterion: row.value for row in judgements.rows}
    # (4 · 7 + 2 · 8 + 2 · 9 + 3 · 6) / 11 = 80 / 11
    assert values == ratings | {"quality": repr(80 / 11)}
    less = campaign_results(plan, answers[1:]).judgements
    assert less is not None and "quality" not in less.criteria


def test_the_latest_answer_counts_and_those_without_a_grade_are_told() -> None:
    settings = campaign("pair-correctness", segments=3, systems=["corpus"], evaluators=["e1"])
    plan = plan_campaign(settings)
    one, two, three = plan.pages
    answers = [
        Answer(one.id, "A", "correctness", "wrong"),
        Answer(one.id, "A", "correctness", "correct", revision=2),
        Answer(two.id, "A", "correctness", "unsure"),
        Answer(three.id, "A", "correctness", None, {"reason": "cut off"}),
    ]
    results = campaign_results(plan, answers)
    assert results.judgements is not None
    assert [(row.segment, row.value) for row in results.judgements.rows] == [
        (one.segment, "correct")
    ]
    assert results.notes == (
        "1 answer says that it cannot be judged, and why",
        "correctness: 1 answer 'unsure' is no grade",
    )
    assert campaign_results(plan, []).judgements is None


def test_marked_errors_are_listed_with_their_text() -> None:
    plan = plan_campaign(
        campaign("error-spans", segments=1, evaluators=["e1"], texts=lambda *_: "搅拌8小时")
    )
    [page] = plan.pages
    spans = [
        {"start": 2, "end": 3, "severity": "critical", "category": "number"},
        {"start": 5, "end": 5, "severity": "minor", "category": "omission"},
    ]
    answers = [
        Answer(page.id, "A", "errors", "2", {"spans": spans}),
        Answer(page.id, "A", "da", "40", saved="2026-01-01T00:00:00Z"),
    ]
    book = AnswerBook.of(plan, answers)
    assert marked_errors(book) == 6
    found, texts = campaign_annotations(book)
    assert [
        (one.system, texts.targets[one.system, one.segment][one.start : one.end], one.category)
        for one in found.marks
    ] == [
        ("A", "8", "number"), ("A", "", "omission"), ("B", "8", "number"),
        ("B", "", "omission"), ("C", "8", "number"), ("C", "", "omission"),
    ]  # fmt: skip
    first = next(answer_records(campaign_results(plan, answers)))
    assert first["spans"] == spans and first["values"] == {"da": "40"}
    assert first["saved"] == "2026-01-01T00:00:00Z" and first["protocol"] == "error-spans"


def test_answers_that_do_not_fit_the_plan_are_all_refused() -> None:
    plan = _small("adequacy")
    bad = [Answer("nowhere", "A", "adequacy", "1"), Answer(plan.pages[0].id, "A", "adequacy", "9")]
    with pytest.raises(InputError) as caught:
        campaign_results(plan, bad)
    assert len(caught.value.problems) == 2
    assert "is of no page of the plan" in str(caught.value)


@pytest.mark.parametrize("form", ["pairwise", "ranking"])
def test_choices_that_follow_from_equal_outputs_are_marked_as_copied(form: str) -> None:
    """A and B gave one text: A against C was asked, B against C and A against B were not."""
    plan = _small(form)
    page = replace(
        plan.pages[0],
        candidates=(Candidate("A", ("A", "B"), "one text"), Candidate("B", ("C",), "another")),
    )
    plan = replace(plan, pages=(page,))
    results = campaign_results(plan, answered(plan, _by_grade))
    assert results.preferences is not None
    found = {(row.first, row.second): row.copied for row in results.preferences.rows}
    assert found == {("A", "C"): False, ("B", "C"): True, ("A", "B"): True}


def test_grades_that_follow_from_equal_outputs_are_marked_as_copied() -> None:
    plan = _small("acceptability")
    page = replace(
        plan.pages[0],
        candidates=(Candidate("A", ("A", "B"), "one text"), Candidate("B", ("C",), "another")),
    )
    plan = replace(plan, pages=(page,))
    judgements = campaign_results(plan, answered(plan, _by_grade)).judgements
    assert judgements is not None
    assert {row.system: row.copied for row in judgements.rows} == {
        "A": False,
        "B": True,
        "C": False,
    }
