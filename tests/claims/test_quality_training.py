"""Training of ClaimQuality: losses, antisymmetry, references left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import check_grad

from claim_tricks import BATTERY, INVENTED, PUMP, TRICKS
from patmark.claims.quality import FEATURES, load_quality_model
from patmark.claims.quality_training import (
    QualityPlan,
    logistic_loss,
    margin_loss,
    train_quality_model,
)
from patmark.data.claim_pairs import ClaimPair, ClaimPairs, read_claim_pairs
from patmark.errors import InputError, UsageError
from patmark.stats.agreement import meeting_counts, predicted_preferences, rho, tau

_RNG = np.random.default_rng(0)
_FEATURES = _RNG.random((30, 2, len(FEATURES)))
_LABELS = _RNG.integers(-1, 2, 30)


def _toy_pairs(exchanged: bool = False) -> ClaimPairs:
    pairs = []
    for text in INVENTED:
        for trick in ("words shuffled", "last claim cut off", "nouns replaced", "reference twice"):
            sides = (text, TRICKS[trick](text))
            label = 1
            if exchanged:
                sides, label = (sides[1], sides[0]), -1
            pairs.append(ClaimPair(text, *sides, {"Quality": label}))
    return ClaimPairs(tuple(pairs), "toy")


@pytest.mark.parametrize("name", ["logistic", "margin"])
def test_slopes_are_those_of_the_losses(name: str) -> None:
    losses = {
        "logistic": logistic_loss(_FEATURES[:, 0] - _FEATURES[:, 1], _LABELS),
        "margin": margin_loss(_FEATURES, _LABELS, 0.2, 0.05),
    }
    loss = losses[name]
    for weights in (np.ones(10), np.linspace(0.1, 3, 10)):
        assert check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], weights) < 1e-5


def test_the_margin_loss_is_that_of_the_paper() -> None:
    features = np.zeros((3, 2, 10))
    features[:, 0, 0], features[:, 1, 0] = 1.0, -1.0
    weights = np.zeros(10)
    weights[0] = 1.0
    lead = 2 / (1 + np.exp(-1)) - 1
    # y = 1: ReLU(m - lead); y = 0: ReLU(|lead| - n); y = -1: ReLU(m + lead)
    wanted = (max(0, 0.6 - lead) + (lead - 0.1) + (0.6 + lead)) / 3
    loss, _ = margin_loss(features, np.array([1, 0, -1]), 0.6, 0.1)(weights)
    assert loss == pytest.approx(wanted)


@pytest.mark.parametrize("loss", ["logistic", "margin"])
def test_exchanging_candidates_gives_the_same_weights(loss: str) -> None:
    plan = QualityPlan(loss=loss)
    one, other = (train_quality_model(_toy_pairs(exchanged), plan) for exchanged in (False, True))
    assert list(one.model.weights.values()) == pytest.approx(
        list(other.model.weights.values()), abs=1e-4
    )
    assert np.allclose(one.held_out, other.held_out[:, ::-1], atol=1e-4)
    assert (one.held_out[:, 0] > one.held_out[:, 1]).all()


def test_no_weight_is_negative_even_if_labels_are_turned() -> None:
    turned = [replace(pair, labels={"Quality": -1}) for pair in _toy_pairs().pairs]
    model = train_quality_model(ClaimPairs(tuple(turned)), QualityPlan(strength=0.02)).model
    assert min(model.weights.values()) >= 0
    with pytest.raises(UsageError, match="contradict every feature"):
        train_quality_model(ClaimPairs(tuple(turned)), QualityPlan(strength=0.001))


def test_a_strong_penalty_keeps_the_fixed_weights() -> None:
    model = train_quality_model(_toy_pairs(), QualityPlan(strength=1e6)).model
    assert list(model.weights.values()) == pytest.approx([2.0] * 5 + [1.0] * 5, abs=1e-4)


def test_held_out_scores_do_not_see_their_reference() -> None:
    """Labels of one reference must not change its own held-out scores."""
    pairs = _toy_pairs().pairs
    turned = [
        ClaimPair(p.reference, p.first, p.second, {"Quality": -1 if p.reference == PUMP else 1})
        for p in pairs
    ]
    plain, changed = (train_quality_model(ClaimPairs(tuple(x))) for x in (pairs, turned))
    own = np.array([pair.reference == PUMP for pair in pairs])
    assert np.array_equal(plain.held_out[own], changed.held_out[own])
    assert not np.allclose(plain.held_out[~own], changed.held_out[~own])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([ClaimPair(PUMP, PUMP, BATTERY, {"Quality": 1})], "at least two references"),
        ([ClaimPair(x, x, x, {"Quality": 0}) for x in INVENTED], "nothing can be learnt"),
        ([ClaimPair(PUMP, PUMP, BATTERY, {"Clarity": 1})], "no criterion 'Quality'"),
    ],
)
def test_useless_pairs_are_refused(pairs: list[ClaimPair], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        train_quality_model(ClaimPairs(tuple(pairs)))


def test_references_without_claims_are_named() -> None:
    empty = [ClaimPair("…", PUMP, BATTERY, {"Quality": 1}) for _ in range(2)]
    with pytest.raises(InputError) as caught:
        train_quality_model(ClaimPairs((*_toy_pairs().pairs[:1], *empty), "toy"))
    assert [str(problem) for problem in caught.value.problems] == [
        "toy: pair 1: the reference holds no claims",
        "toy: pair 2: the reference holds no claims",
    ]


@pytest.mark.parametrize(
    "plan", [{"loss": "hinge"}, {"strength": 0}, {"margin": 0.1, "tolerance": 0.2}, {"margin": 1}]
)
def test_plans_without_sense_are_refused(plan: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        QualityPlan(**plan)  # type: ignore[arg-type]


def test_unseen_references_of_patent_ce(shared_data: Path) -> None:
    """Better than the best n-gram row of expected_dev.json; the shipped weights are these."""
    trained = train_quality_model(read_claim_pairs(shared_data / "patent_ce" / "quality_dev.json"))
    counts = meeting_counts(trained.data.labels, predicted_preferences(*trained.held_out.T))
    foreign = np.array([not pair.holds_reference for pair in trained.data.pairs])
    # ROUGE-L, the best of the six rows: tau .339, rho .389; without reference pairs .193, .229
    assert tau(counts.sum(axis=0)) > 0.42
    assert rho(counts.sum(axis=0)) > 0.48
    assert tau(counts[foreign].sum(axis=0)) > 0.29
    assert rho(counts[foreign].sum(axis=0)) > 0.34
    shipped = load_quality_model()
    assert [round(trained.model.weights[name], 3) for name in FEATURES] == pytest.approx(
        [shipped.weights[name] for name in FEATURES], abs=0.002
    )
