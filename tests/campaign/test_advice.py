"""Sentences for organisers: agreement, odd evaluators, and whether there are enough answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from patmark.campaign import begin_demo, campaign_status
from patmark.campaign.advice import _by_grades, agreement_sentence, oddities
from patmark.campaign.state import CampaignState
from patmark.campaign.status import quality_checks, validate_campaign
from patmark.campaign.stopping import verdicts
from patmark.campaign.store import Store


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
    assert f"α {alpha.alpha.value:.2f}" in said and "people agree" in said


def test_the_stop_rule_is_part_of_the_status(states: list[CampaignState]) -> None:
    graded, compared = (campaign_status(one).to_json() for one in states)
    pairs = {(one["better"], one["worse"]): one for one in graded["stop_rule"]}
    assert not pairs["atlas", "cobalt"]["differ"]  # all texts are of three patents
    assert len(graded["stop_rule"]) == len(compared["stop_rule"]) == 3
    assert [one["kind"] for one in graded["odd"]].count("random") == 1


def test_verdicts() -> None:
    rng = np.random.default_rng(1)
    segments = tuple(f"s{place}" for place in range(40))
    values = rng.normal(0.25, 0.5, 40)
    documents = {name: f"d{place // 4}" for place, name in enumerate(segments)}
    [of_documents] = verdicts("x", ("a", "b"), segments, {(0, 1): values}, documents)
    means = values.reshape(10, 4).mean(axis=1)
    assert (of_documents.unit, of_documents.units) == ("document", 10)
    assert of_documents.difference == pytest.approx(means.mean())
    [of_segments] = verdicts("x", ("a", "b"), segments, {(0, 1): -values}, {})
    assert (of_segments.better, of_segments.unit, of_segments.units) == ("b", "segment", 40)
    assert of_segments.p < 0.05 and "more answers are not needed" in of_segments.sentence
    [few] = verdicts("x", ("a", "b"), segments[:4], {(0, 1): values[:4] + 9}, {})
    assert not few.is_decided and "too few answers" in few.sentence
    [open_] = verdicts("x", ("a", "b"), segments, {(0, 1): rng.normal(0.08, 0.5, 40)}, {})
    assert not open_.is_decided and open_.more and "more segments are needed" in open_.sentence
    few_documents = dict.fromkeys(segments, "d1")
    [alike] = verdicts("x", ("a", "b"), segments, {(0, 1): values + 9}, few_documents)
    assert not alike.is_decided and "at least 6 documents" in alike.sentence
    [equal] = verdicts("x", ("a", "b"), segments, {(0, 1): np.zeros(40)}, {})
    assert equal.more is None and "too close" in equal.sentence
    assert verdicts("x", ("a", "b"), segments, {(0, 1): np.full(40, np.nan)}, {}) == []
