"""Learn the weights of ClaimQuality from pairs that experts compared.

Only the difference between the features of both candidates is used, so that exchanging them
exchanges the prediction. There are few pairs, and many of them share a reference; therefore

* no weight is negative: a feature cannot count against what it measures;
* weights are drawn towards fixed ones, 2 for content and 1 for form, by a quadratic penalty;
* agreement with experts is measured on references that the weights have not seen.

| loss | of a pair |
|---|---|
| logistic | cross entropy of the probability that the first is better; equal pairs count as 1/2 |
| margin | that of PatClaimEval; a score is the logistic function of the weighted sum, 1/2 for the \
mean candidate |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from patmark._version import __version__
from patmark.claims.comparison import compare_texts, reference_problem
from patmark.claims.learning import TRAINED_ON, LabelledPairs, pair_losses
from patmark.claims.meta import PERCENT, Agreement, agreements
from patmark.claims.profiles import profile_of
from patmark.claims.quality import CONTENT, FEATURES, FORM, QualityModel, quality_features
from patmark.data import ClaimPairs, FloatArray, IntArray, reference_hash
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import Sampling
from patmark.report import Cell, Column, Report, Table
from patmark.stats import STATISTICS, meeting_counts, predicted_preferences

LOSSES = ("logistic", "margin")
_PRIOR = np.array([2.0] * len(CONTENT) + [1.0] * len(FORM))
_Loss: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True, slots=True)
class QualityPlan:
    """How to train: ``strength`` of the penalty; margin and tolerance serve the loss margin."""

    criterion: str = "Quality"
    loss: str = "logistic"
    strength: float = 0.01
    margin: float = 0.2
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise UsageError(f"loss {self.loss!r} is unknown; choose from {', '.join(LOSSES)}")
        if not 0 < self.strength < np.inf:
            raise UsageError(f"the strength of the penalty must be larger than 0: {self.strength}")
        if not 0 <= self.tolerance <= self.margin < 1:
            raise UsageError(
                "expected 0 ≤ tolerance ≤ margin < 1, "
                f"found tolerance {self.tolerance} and margin {self.margin}"
            )


@dataclass(frozen=True, eq=False)
class TrainedQuality:
    """The weights from all pairs, and scores of each pair by weights that never saw its reference.

    ``held_out`` has shape (pairs, 2).
    """

    model: QualityModel
    data: LabelledPairs
    held_out: FloatArray


def train_quality_model(pairs: ClaimPairs, plan: QualityPlan | None = None) -> TrainedQuality:
    """Weights for one criterion, and how they do on each reference when it is left out."""
    plan = plan or QualityPlan()
    data = LabelledPairs.of(pairs, plan.criterion)
    features = _pair_features(data)
    if len(set(data.references)) < 2:
        raise UsageError(f"{pairs.name}: training needs pairs of at least two references")
    if not data.labels.any():
        raise UsageError(f"{pairs.name}: all pairs are labelled as equal; nothing can be learnt")
    held_out = np.empty(features.shape[:2])
    keys = np.array(data.references)
    for reference in dict.fromkeys(data.references):
        own = keys == reference
        model = _fitted(features[~own], data.labels[~own], plan)
        held_out[own] = model.score(features[own])
    return TrainedQuality(_fitted(features, data.labels, plan), data, held_out)


def _pair_features(data: LabelledPairs) -> FloatArray:
    """The features of both candidates, of shape (pairs, 2, 10).

    References without claims are refused, all of them at once; pairs count from 0.
    """
    problems = [
        Problem(f"pair {place}: {problem}", data.name)
        for place, pair in zip(data.places, data.pairs, strict=True)
        if (problem := reference_problem(profile_of(pair.reference)))
    ]
    if problems:
        raise InputError(problems)
    features = [
        [quality_features(compare_texts(pair.reference, text)) for text in pair.candidates]
        for pair in data.pairs
    ]
    return np.array(features)


def _fitted(features: FloatArray, labels: IntArray, plan: QualityPlan) -> QualityModel:
    """The weights with the smallest loss and penalty."""
    from scipy.optimize import minimize

    if plan.loss == "logistic":
        loss = logistic_loss(features[:, 0] - features[:, 1], labels)
    else:
        loss = margin_loss(features, labels, plan.margin, plan.tolerance)

    def penalised(weights: FloatArray) -> tuple[float, FloatArray]:
        value, slope = loss(weights)
        off = weights - _PRIOR
        return value + plan.strength * float(off @ off), slope + 2 * plan.strength * off

    found = minimize(
        penalised, _PRIOR, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(_PRIOR)
    )
    if not found.x.any():
        raise UsageError("the labels contradict every feature, so that no weight is left")
    return QualityModel(dict(zip(FEATURES, found.x.tolist(), strict=True)))


def logistic_loss(differences: FloatArray, labels: IntArray) -> _Loss:
    """Mean cross entropy and its slope, as a function of weights."""
    wanted = (labels + 1) / 2

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        sums = differences @ weights
        value = float((np.logaddexp(0, sums) - wanted * sums).mean())
        return value, differences.T @ (_logistic(sums) - wanted) / len(wanted)

    return loss


def margin_loss(features: FloatArray, labels: IntArray, margin: float, tolerance: float) -> _Loss:
    """The mean loss of PatClaimEval and its slope, as a function of weights."""
    centred = features - features.mean(axis=(0, 1))

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        scores = _logistic(centred @ weights)
        slopes = (scores * (1 - scores))[..., None] * centred
        lead, lead_slope = scores[:, 0] - scores[:, 1], slopes[:, 0] - slopes[:, 1]
        losses = pair_losses(scores[:, 0], scores[:, 1], labels, margin, tolerance)
        direction = np.where(labels == 0, np.sign(lead), -labels) * (losses > 0)
        return float(losses.mean()), np.asarray((direction[:, None] * lead_slope).mean(axis=0))

    return loss


def _logistic(values: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-values)))


@dataclass(frozen=True, eq=False)
class QualityTraining:
    """Trained weights, with leave-one-reference-out agreement and its intervals."""

    trained: TrainedQuality
    plan: QualityPlan
    settings: Sampling

    @cached_property
    def agreement(self) -> Mapping[str, Agreement]:
        """Agreement over all pairs, and over those without the reference as a candidate."""
        data = self.trained.data
        predictions = predicted_preferences(*self.trained.held_out.T)
        counts = meeting_counts(data.labels, predictions)[None]
        foreign = np.flatnonzero([not pair.holds_reference for pair in data.pairs])
        keys = data.references
        [everything] = agreements(counts, keys, self.settings)
        found = {"all pairs": everything}
        if len(foreign):
            own = [keys[place] for place in foreign]
            [found["without the reference"]] = agreements(counts[:, foreign], own, self.settings)
        return found

    @cached_property
    def model(self) -> QualityModel:
        """The weights with the facts that a reader of the file needs."""
        data = self.trained.data
        labels = Counter(data.labels.tolist())
        facts = {
            "patmark": __version__,
            "criterion": self.plan.criterion,
            "pairs": len(data.pairs),
            "references": len(set(data.references)),
            TRAINED_ON: sorted({reference_hash(pair.reference) for pair in data.pairs}),
            "labels": {str(label): labels[label] for label in (1, 0, -1)},
            "pairs_with_reference_as_candidate": sum(p.holds_reference for p in data.pairs),
            "loss": self.plan.loss,
            "penalty": self.plan.strength,
            "leave_one_reference_out": {
                name: one.to_json() for name, one in self.agreement.items()
            },
            "bootstrap": {
                "unit": "reference",
                "resamples": self.settings.resamples,
                "seed": self.settings.seed,
            },
        }
        return replace(self.trained.model, facts=facts)

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return {**self.model.to_json(), "content_share": self.model.content_share}

    def to_report(self) -> Report:
        """Weights, and agreement with experts on references left out of training."""
        data = self.trained.data
        notes = [
            "Agreement is that of weights which were trained without the reference of a pair. "
            "Intervals draw references.",
        ]
        if data.unlabelled:
            notes.append(f"{data.unlabelled} pairs have no label for {self.plan.criterion}.")
        return Report(
            title=f"ClaimQuality trained for {self.plan.criterion}",
            subtitle=f"{data.name} · {len(data.pairs)} pairs · {self.plan.loss} loss",
            headlines=(),
            tables=(self._agreement_table(), self._weight_table()),
            signatures={"weights": self.model.fingerprint},
            notes=tuple(notes),
        )

    def _agreement_table(self) -> Table:
        columns = (
            Column("pairs used"),
            Column("pairs", 0),
            *(
                Column(name + (" %" if name in PERCENT else ""), 1 if name in PERCENT else 3)
                for name in STATISTICS
            ),
        )
        rows: list[tuple[Cell, ...]] = [
            (name, one.n, *one.estimates.values()) for name, one in self.agreement.items()
        ]
        return Table("Leave one reference out", columns, tuple(rows))

    def _weight_table(self) -> Table:
        shares = self.model.shares.tolist()
        rows: list[tuple[Cell, ...]] = [
            (name, "content" if name in CONTENT else "form", self.model.weights[name], share)
            for name, share in zip(FEATURES, shares, strict=True)
        ]
        columns = (
            Column("feature"),
            Column("reads"),
            Column("weight", 3),
            Column("share of the score", 3),
        )
        return Table("Weights", columns, tuple(rows))


def train_claim_quality(
    pairs: ClaimPairs, plan: QualityPlan | None = None, settings: Sampling | None = None
) -> QualityTraining:
    """Train on pairs; the seed is for the intervals, because training draws nothing."""
    plan, settings = plan or QualityPlan(), settings or Sampling()
    return QualityTraining(train_quality_model(pairs, plan), plan, settings)
