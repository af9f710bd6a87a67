"""Sentences for organisers: agreement, odd evaluators, and whether there are enough answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from campaigns import answered, campaign, numbered_ids
from patmark.data import FloatArray
from patmark.human.campaign import begin_demo, campaign_status, plan_campaign
from patmark.human.campaign.form import Question
from patmark.human.campaign.odd_evaluators import _by_grades, agreement_sentence, oddities
from patmark.human.campaign.plan import Candidate, Page
from patmark.human.campaign.settings import Assignment, CampaignSettings
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.status import quality_checks, validate_campaign
from patmark.human.campaign.stopping import Compared, StopVerdict, stop_rule, verdicts
from patmark.human.campaign.store import Store
from patmark.stats import anytime_sign_p


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[CampaignState]]:
    """The campaigns of the demo, in which e3 is strict, e4 random and fast, e5 slow."""
    path: Path = tmp_path_factory.mktemp("demo") / "demo.db"
    with Store.open(str(path), create=True) as store:
        _, made = begin_demo(store, "http://127.0.0.1:8000")
        yield [store.state(one.campaign) for one in made.values()]


def test_odd_evaluators_are_found_and_others_left_alone(states: list[CampaignState]) -> None:
    found = oddities(states[0], quality_checks(states[0]).checks)
    assert {(one.evaluator, one.kind) for one in found} == {
        ("e3", "strict"),
        ("e4", "fast"),
        ("e4", "random"),
        ("e5", "slow"),
    }
    said = {one.kind: str(one.evidence) for one in found}
    assert "lower than the others on 30" in said["strict"]
    assert "do not follow those of others" in said["random"]


@pytest.mark.parametrize(("lower", "kinds"), [(0.7, []), (12.0, ["strict"])])
def test_strictness_is_told_by_the_spread_of_the_grades(lower: float, kinds: list[str]) -> None:
    """On a scale from 0 to 100, less than a point is nothing to tell, however sure it is."""
    rng = np.random.default_rng(3)
    texts = rng.normal(70, 15, 40)
    grades = texts + rng.normal(0, 0.5, (4, 40))
    grades[1] -= lower
    found = [one for one in _by_grades(("a", "b", "c", "d"), "quality", grades)]
    assert [one.kind for one in found if one.evaluator == "b"] == kinds
    assert {one.evaluator for one in found} <= {"b"}


def test_agreement_is_said_in_a_sentence(states: list[CampaignState]) -> None:
    validations, _ = validate_campaign(states[0])
    [said] = [agreement_sentence(one) for one in validations]
    alpha = validations[0].agreement
    assert said is not None and alpha is not None
    assert f"α {alpha.alpha.value:.2f}" in said and "agreement is" in said


def test_the_stop_rule_is_part_of_the_status(states: list[CampaignState]) -> None:
    graded, compared = (campaign_status(one).to_json() for one in states)
    pairs = {(one["better"], one["worse"]): one for one in graded["stop_rule"]}
    assert not pairs["atlas", "cobalt"]["differ"]  # all texts are of three patents
    assert len(graded["stop_rule"]) == len(compared["stop_rule"]) == 3
    assert [one["kind"] for one in graded["odd"]].count("random") == 1


def _verdict(values: FloatArray, documents: Sequence[str | None] | None = None) -> StopVerdict:
    known = documents or [None] * len(values)
    [found] = verdicts([Compared("x", "a", "b", values, known)], 1)
    return found


def test_verdicts() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0.25, 0.5, 40)
    of_documents = _verdict(values, [f"d{place // 4}" for place in range(40)])
    means = values.reshape(10, 4).mean(axis=1)
    assert (of_documents.unit, of_documents.units) == ("document", 10)
    assert of_documents.difference == pytest.approx(means.mean())
    of_segments = _verdict(-values)
    assert (of_segments.better, of_segments.unit, of_segments.units) == ("b", "segment", 40)
    assert of_segments.p < 0.05 and "more answers are not needed" in of_segments.sentence
    few = _verdict(values[:4] + 9)
    assert not few.is_decided and "too few answers" in few.sentence
    open_ = _verdict(rng.normal(0.08, 0.5, 40))
    assert not open_.is_decided and open_.more and "more segments are needed" in open_.sentence
    alike = _verdict(values + 9, ["d1"] * 40)
    assert not alike.is_decided and "at least 6 documents" in alike.sentence
    equal = _verdict(np.zeros(40))
    assert equal.more is None and "too close" in equal.sentence
    assert verdicts([Compared("x", "a", "b", np.full(40, np.nan), [None] * 40)], 1) == ()


def test_choices_and_differences_without_spread_are_wins_and_losses() -> None:
    """Five fair choices are all the same in one of sixteen campaigns."""
    five = _verdict(np.ones(5))
    assert five.p == pytest.approx(anytime_sign_p(5, 0)) and not five.is_decided
    assert five.more == 2 and _verdict(np.ones(7)).is_decided
    assert _verdict(np.full(6, 0.1) + np.arange(6) * 1e-17).p == anytime_sign_p(6, 0)
    chosen = np.array([1.0] * 9 + [0.0] * 5 + [-1.0] * 2)
    with_ties = _verdict(chosen)
    assert with_ties.p == pytest.approx(anytime_sign_p(9, 2)) and with_ties.units == 16
    against = _verdict(np.array([4.0] * 4 + [-1.0] * 12))
    assert (against.better, against.p, against.more) == ("a", 1.0, None)


def test_one_correction_for_all_criteria_and_pairs_also_those_without_answers() -> None:
    alone = _verdict(np.ones(8))
    open_ = Compared("style", "a", "b", np.full(8, np.nan), [None] * 8)
    chosen = Compared("accuracy", "a", "b", np.ones(8), [None] * 8)
    [corrected] = verdicts([chosen, open_], 6)
    assert corrected.p == pytest.approx(6 * alone.p)
    assert alone.is_decided and not corrected.is_decided


def _verdicts(
    folder: Path, settings: CampaignSettings, grades: Mapping[str, str]
) -> list[StopVerdict]:
    """The verdicts after everybody gave each system its grade; other questions are left open."""
    plan = plan_campaign(settings, new_id=numbered_ids())

    def grade(_page: Page, candidate: Candidate | None, question: Question) -> str | None:
        return (
            grades[candidate.systems[0]]
            if candidate and question.id in ("adequacy", "esa")
            else None
        )

    with Store.open(str(folder / "campaign.db"), create=True) as store:
        made = store.create_campaign(plan).campaign
        for one in answered(plan, grade):
            evaluator = next(page.evaluator for page in plan.pages if page.id == one.page)
            store.save(made, evaluator, one)
        return list(stop_rule(store.state(made)))


def test_criteria_of_the_form_count_before_they_are_answered(tmp_path: Path) -> None:
    form = campaign(
        "adequacy-fluency",
        systems="AB",
        segments=8,
        documents=8,
        evaluators=("e1",),
        assignment=Assignment("same"),
    )
    [found] = _verdicts(tmp_path, form, {"A": "5", "B": "3"})
    assert (found.better, found.unit, found.units) == ("A", "document", 8)
    assert found.p == pytest.approx(2 * anytime_sign_p(8, 0))


def test_segments_on_pages_with_whole_documents_are_not_independent(tmp_path: Path) -> None:
    form = campaign(
        "esa",
        systems="AB",
        segments=12,
        documents=2,
        evaluators=("e1",),
        assignment=Assignment("same"),
        pages="document",
    )
    [found] = _verdicts(tmp_path, form, {"A": "90", "B": "30"})
    assert found.units == 12 and not found.is_decided
    assert "at least 6 documents" in found.sentence


def test_equal_systems_are_rarely_called_different_by_choices_however_often_one_looks() -> None:
    """Three systems, two criteria, a tenth of ties, a look after every segment."""
    rng = np.random.default_rng(5)
    pairs = [(criterion, *pair) for criterion in "xy" for pair in combinations("abc", 2)]
    wrong = 0
    for _ in range(25):
        drawn = rng.choice([-1.0, 0.0, 1.0], p=[0.45, 0.1, 0.45], size=(6, 30))
        wrong += any(
            one.is_decided
            for seen in range(5, 31)
            for one in verdicts(
                [
                    Compared(*names, row[:seen], [None] * seen)
                    for names, row in zip(pairs, drawn, strict=True)
                ],
                len(pairs),
            )
        )
    assert wrong <= 1
