from __future__ import annotations

from math import isnan

import pytest

from campaigns import answered, campaign
from patmark.human.campaign import (
    Answer,
    Candidate,
    Correction,
    Page,
    Plan,
    Question,
    check_results,
    page_corrections,
    plan_campaign,
    self_agreement,
    training_agreement,
)
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.settings import Assignment
from patmark.human.campaign.training import Training, TrainingCandidate, TrainingItem


def _trained(*expected: str, tolerance: int = 0) -> Plan:
    items = tuple(
        TrainingItem(f"t{place}", (TrainingCandidate("text", "x", {"adequacy": value}),), "原文")
        for place, value in enumerate(expected)
    )
    training = Training(items, "each", None, tolerance)
    return plan_campaign(campaign(segments=3, evaluators=["e1"], training=training))


def _training_answers(plan: Plan, *values: str) -> list[Answer]:
    pages = [page for page in plan.pages if page.phase == "training"]
    return [
        Answer(page.id, "A", "adequacy", value) for page, value in zip(pages, values, strict=False)
    ]


def _corrections(plan: Plan, answers: list[Answer]) -> list[Correction]:
    tolerance = int(plan.settings["tolerance"])
    return [
        one for page in plan.pages for one in page_corrections(plan.form, page, answers, tolerance)
    ]


def _agreeing(plan: Plan, answers: list[Answer]) -> list[bool]:
    return [one.agrees for one in _corrections(plan, answers)]


def test_training_is_held_against_the_expected_answers() -> None:
    plan = _trained("5", "4", "2", "1")
    answers = _training_answers(plan, "5", "3", "2", "3")
    assert [(one.expected, one.given, one.agrees) for one in _corrections(plan, answers)] == [
        ("5", "5", True), ("4", "3", False), ("2", "2", True), ("1", "3", False),
    ]  # fmt: skip
    [found] = training_agreement(plan, answers)
    assert (found.evaluator, found.question, found.items) == ("e1", "adequacy", 4)
    assert (found.exact, found.within_one) == (0.5, 0.75)
    # By hand: 5, 4, 2, 1 are expected, a quarter each; given are 5 and 2, a quarter, and 3, half.
    # Agreement by chance is 1/16 + 1/16 = 1/8, so kappa = (1/2 - 1/8) / (7/8) = 3/7.
    assert found.kappa == pytest.approx(3 / 7)


def test_a_tolerance() -> None:
    strict, lenient = _trained("5", "4"), _trained("5", "4", tolerance=1)
    assert _agreeing(strict, _training_answers(strict, "5", "3")) == [True, False]
    assert _agreeing(lenient, _training_answers(lenient, "5", "3")) == [True, True]
    assert _agreeing(lenient, _training_answers(lenient, "3", "3")) == [False, True]
    assert _agreeing(lenient, _training_answers(lenient, "5")) == [True, False]


def test_training_of_choices_and_rankings() -> None:
    texts = tuple(TrainingCandidate(name, name) for name in "xyz")
    ranked = TrainingItem("t", texts, "原文", expected={"preference": "A>B=C"})
    plan = plan_campaign(campaign("ranking", evaluators=["e1"], training=Training((ranked,))))
    page = plan.pages[0]
    same = [Answer(page.id, "", "preference", "A>C=B")]
    assert _agreeing(plan, same) == [True]
    other = [Answer(page.id, "", "preference", "A=B>C")]
    assert _agreeing(plan, other) == [False]
    [found] = training_agreement(plan, other)
    # A-B and A-C expected first, B-C equal; given equal, first, first: one of three is the same.
    assert (found.items, found.exact, found.within_one) == (3, pytest.approx(1 / 3), 1.0)
    pair = TrainingItem("t", texts[:2], "原文", expected={"preference": "first"})
    plan = plan_campaign(campaign("pairwise", evaluators=["e1"], training=Training((pair,))))
    assert _agreeing(plan, [Answer(plan.pages[0].id, "", "preference", "first")]) == [True]


def _extras(form: str, **extras: Extras) -> Plan:
    return plan_campaign(
        campaign(form, segments=40, evaluators=["e1"], assignment=Assignment("same"), **extras)
    )


def _careful(page: Page, candidate: Candidate | None, question: Question) -> str:
    """Puts spoilt texts last."""
    bad = [one.label for one in page.candidates if one.edits]
    if question.kind == "preference":
        return {"": "equal", "A": "second", "B": "first"}["".join(bad)]
    if question.kind == "ranking":
        good = "=".join(one.label for one in page.candidates if not one.edits)
        return ">".join([good, *bad])
    return "1" if candidate is not None and candidate.edits else "4"


@pytest.mark.parametrize("form", ["adequacy", "pairwise", "ranking"])
def test_attention_checks_of_someone_who_looks(form: str) -> None:
    plan = _extras(form, checks=Extras(0.2, 3, EDITS))
    count = sum(page.phase == "check" for page in plan.pages)
    [found] = check_results(plan, answered(plan, _careful))
    assert (found.below, found.equal, found.above, found.open) == (count, 0, 0, 0)
    assert found.p == pytest.approx(0.5**count)


@pytest.mark.parametrize("form", ["adequacy", "pairwise", "ranking"])
def test_attention_checks_of_someone_who_does_not_look(form: str) -> None:
    plan = _extras(form, checks=Extras(0.2, 3, EDITS))
    values = {"adequacy": "3", "pairwise": "equal"}

    def careless(page: Page, *_: object) -> str:
        return values.get(form) or "=".join(one.label for one in page.candidates)

    [found] = check_results(plan, answered(plan, careless))
    assert (found.below, found.above, found.p) == (0, 0, 1.0) and found.equal > 0
    [unanswered] = check_results(plan, [])
    assert unanswered.open == found.equal and unanswered.p is None


def test_the_sign_test_of_checks_is_one_sided() -> None:
    plan = _extras("adequacy", checks=Extras(0.1, 3, EDITS))
    checks = [page for page in plan.pages if page.phase == "check"]
    assert len(checks) == 4
    favoured = checks[0].id

    def grade(page: Page, one: Candidate | None, question: Question) -> str:
        if one is not None and one.edits:
            return "5" if page.id == favoured else "1"
        return "3"

    [found] = check_results(plan, answered(plan, grade))
    assert (found.below, found.above) == (3, 1)
    assert found.p == pytest.approx(5 / 16)  # 3 or 4 of 4 by chance: (4 + 1) / 16


@pytest.mark.parametrize("form", ["adequacy", "pairwise", "ranking", "claim-rating"])
def test_whoever_always_answers_the_same_way_agrees_with_themselves(form: str) -> None:
    plan = _extras(form, repeats=Extras(0.2, 3))

    def steady(page: Page, candidate: Candidate | None, question: Question) -> str:
        worth = {one.label: ord(one.systems[0]) for one in page.candidates}
        if question.kind == "ranking":
            return ">".join(sorted(worth, key=lambda name: worth[name]))
        if candidate is None:
            return "first" if worth["A"] < worth["B"] else "second"
        return str(worth[candidate.label] % 5 + 1)

    for found in self_agreement(plan, answered(plan, steady)):
        assert (found.exact, found.within_one) == (1.0, 1.0)
        assert isnan(found.kappa) or found.kappa == 1.0
        assert found.items >= 8


def test_someone_who_turns_round_disagrees_with_themselves() -> None:
    plan = _extras("pairwise", repeats=Extras(0.2, 3))
    # Always the left one: a repeated pair has changed sides, so every choice is turned round.
    [found] = self_agreement(plan, answered(plan, lambda *_: "first"))
    assert (found.exact, found.within_one) == (0.0, 0.0) and found.items == 24
    assert self_agreement(plan, []) == ()
