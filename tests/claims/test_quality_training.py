"""Training of weights for ClaimQuality: losses, nested folds, and what is recommended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import check_grad

from claim_tricks import BATTERY, INVENTED, PUMP, TRICKS
from patmark.claims import quality_training
from patmark.claims.quality import PARTS
from patmark.claims.quality_training import (
    STRENGTHS,
    QualityPlan,
    logistic_loss,
    margin_loss,
    train_claim_quality,
    train_quality_model,
)
from patmark.data import FloatArray, IntArray
from patmark.data.claim_pairs import ClaimPair, ClaimPairs, read_claim_pairs
from patmark.errors import InputError, UsageError
from patmark.evaluation.evaluation import Sampling

_RNG = np.random.default_rng(0)
_PARTS = _RNG.random((30, 2, len(PARTS)))
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
        "logistic": logistic_loss(_PARTS[:, 0] - _PARTS[:, 1], _LABELS),
        "margin": margin_loss(_PARTS, _LABELS, 0.2, 0.05),
    }
    loss = losses[name]
    for weights in (np.ones(4), np.linspace(0.1, 3, 4)):
        assert check_grad(lambda w: loss(w)[0], lambda w: loss(w)[1], weights) < 1e-5


def test_the_margin_loss_is_that_of_the_paper() -> None:
    parts = np.zeros((3, 2, 4))
    parts[:, 0, 0], parts[:, 1, 0] = 1.0, -1.0
    weights = np.zeros(4)
    weights[0] = 1.0
    lead = 2 / (1 + np.exp(-1)) - 1
    # y = 1: ReLU(m - lead); y = 0: ReLU(|lead| - n); y = -1: ReLU(m + lead)
    wanted = (max(0, 0.6 - lead) + (lead - 0.1) + (0.6 + lead)) / 3
    loss, _ = margin_loss(parts, np.array([1, 0, -1]), 0.6, 0.1)(weights)
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
    model = train_quality_model(ClaimPairs(tuple(turned)), QualityPlan(strength=0.1)).model
    assert min(model.weights.values()) >= 0
    with pytest.raises(UsageError, match="contradict every part"):
        train_quality_model(ClaimPairs(tuple(turned)), QualityPlan(strength=0.001))
    chosen = train_quality_model(ClaimPairs(tuple(turned)))
    assert min(chosen.strength, *chosen.strengths) > 0.001  # which leaves no weight in a fold


def test_a_strong_penalty_leaves_the_untrained_mean() -> None:
    model = train_quality_model(_toy_pairs(), QualityPlan(strength=1e6)).model
    assert model.shares == pytest.approx([0.25] * 4, abs=1e-4)


def test_the_penalty_is_chosen_inside_the_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """No choice of a penalty sees a pair of the reference that its weights are tested on."""
    trained = train_quality_model(_toy_pairs())
    assert len(trained.strengths) == 3 and set(trained.strengths) <= set(STRENGTHS)
    seen = []
    choose = quality_training._chosen_strength

    def watched(parts: FloatArray, labels: IntArray, references: IntArray, plan: object) -> float:
        seen.append(set(references.tolist()))
        return choose(parts, labels, references, plan)  # type: ignore[arg-type]

    monkeypatch.setattr(quality_training, "_chosen_strength", watched)
    train_quality_model(_toy_pairs())
    assert sorted(map(sorted, seen)) == [[0, 1], [0, 1, 2], [0, 2], [1, 2]]


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
        ([ClaimPair(PUMP, PUMP, BATTERY, {"Quality": 1})], "at least three references"),
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


def test_weights_from_few_references_are_not_recommended() -> None:
    done = train_claim_quality(_toy_pairs(), settings=Sampling(100))
    assert not done.recommended
    assert done.verdict == (
        "NOT recommended: 3 references are fewer than 6. Use ClaimQuality without weights."
    )
    assert done.to_json()["facts"]["recommended"] is False
    assert done.to_report().notes[0] == done.verdict


def _many_pairs(better: bool) -> ClaimPairs:
    """Eight references; a draft with claims in place, against one that BLEU-1 prefers, or not."""
    pairs = []
    for place in range(8):
        for text in INVENTED:
            reference = text.replace("1. A", f"1. A {place} unit", 1)
            shuffled, cut = TRICKS["words shuffled"](reference), TRICKS["nouns replaced"](reference)
            pairs.append(
                ClaimPair(reference, cut, shuffled, {"Quality": 1 if better else place % 3 - 1})
            )
    return ClaimPairs(tuple(pairs))


def test_weights_are_recommended_only_if_they_beat_bleu_beyond_doubt() -> None:
    """BLEU-1 sees no order of words and always prefers the shuffled ones here."""
    plan = QualityPlan(strength=0.1)
    done = train_claim_quality(_many_pairs(better=True), plan, Sampling(200))
    difference = done.differences["BLEU-1"]
    assert difference.value == pytest.approx(2) and difference.ci is not None
    assert difference.ci[0] > 0 and done.recommended
    assert done.verdict.startswith("Recommended")
    noise = train_claim_quality(_many_pairs(better=False), plan, Sampling(200))
    ci = noise.differences["BLEU-1"].ci
    assert ci is not None and ci[0] <= 0 <= ci[1]
    assert not noise.recommended and "holds 0" in noise.verdict
    without = replace(done, settings=Sampling(0))
    assert not without.recommended
    assert "without resamples the difference to BLEU-1 has no interval" in without.verdict


def test_weights_learnt_from_the_developer_half_are_not_recommended(shared_data: Path) -> None:
    pairs = read_claim_pairs(shared_data / "patent_ce" / "quality_dev.json")
    done = train_claim_quality(pairs, settings=Sampling(500))
    assert not done.recommended and "holds 0" in done.verdict
    titles = [table.title for table in done.to_report().tables]
    assert titles == [
        "Unseen references: all pairs", "Paired differences of tau, all pairs",
        "Unseen references: without the reference", "Weights",
    ]  # fmt: skip
    [bleu, untrained] = done.to_report().tables[1].rows
    assert (bleu[0], untrained[0]) == ("BLEU-1", "untrained mean")
