"""Learn the weights of ClaimQuality from pairs that experts compared.

Only the difference between the features of both candidates is used, so that exchanging them
exchanges the prediction. There are few pairs, and many of them share a reference; therefore

* no weight is negative: a feature cannot count against what it measures;
* weights are drawn towards fixed ones, 2 for content and 1 for form, by a quadratic penalty;
* agreement with experts is measured on references that the weights have not seen.

| loss | of a pair |
|---|---|
| logistic | cross entropy of the probability that the first is better; equal pairs count as 1/2 |
| margin | that of PatClaimEval: the better one must lead by a margin, equal ones may differ by a \
tolerance; a score is the logistic function of the weighted sum, 1/2 for the mean candidate |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from patmark.claims.alignment import align_texts, reference_problem
from patmark.claims.profiles import profile_of
from patmark.claims.quality import QualityModel
from patmark.claims.quality_features import CONTENT, FEATURES, FORM, quality_features
from patmark.data import ClaimPair, ClaimPairs, FloatArray, IntArray
from patmark.errors import InputError, Problem, UsageError

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
class PairFeatures:
    """Labelled pairs: features of shape (pairs, 2, 10), labels, and the reference of each pair."""

    pairs: tuple[ClaimPair, ...]
    features: FloatArray
    labels: IntArray

    @cached_property
    def references(self) -> tuple[str, ...]:
        """What tells references apart."""
        return tuple(pair.reference_key for pair in self.pairs)


@dataclass(frozen=True, eq=False)
class TrainedQuality:
    """The weights from all pairs, and scores of each pair by weights that never saw its reference.

    ``held_out`` has shape (pairs, 2).
    """

    model: QualityModel
    data: PairFeatures
    held_out: FloatArray


def train_quality_model(pairs: ClaimPairs, plan: QualityPlan | None = None) -> TrainedQuality:
    """Weights for one criterion, and how they do on each reference when it is left out."""
    plan = plan or QualityPlan()
    data = pair_features(pairs, plan.criterion)
    if len(set(data.references)) < 2:
        raise UsageError(f"{pairs.name}: training needs pairs of at least two references")
    if not data.labels.any():
        raise UsageError(f"{pairs.name}: all pairs are labelled as equal; nothing can be learnt")
    held_out = np.empty(data.features.shape[:2])
    keys = np.array(data.references)
    for reference in dict.fromkeys(data.references):
        own = keys == reference
        model = _fitted(data.features[~own], data.labels[~own], plan)
        held_out[own] = model.score(data.features[own])
    return TrainedQuality(_fitted(data.features, data.labels, plan), data, held_out)


def pair_features(pairs: ClaimPairs, criterion: str) -> PairFeatures:
    """The features of both candidates of each pair that has a label for the criterion."""
    pairs.check_criterion(criterion)
    labelled = tuple(pair for pair in pairs.pairs if criterion in pair.labels)
    _check_references(pairs, criterion)
    features = [
        [quality_features(align_texts(pair.reference, text)) for text in (pair.first, pair.second)]
        for pair in labelled
    ]
    labels = np.array([pair.labels[criterion] for pair in labelled], dtype=np.int64)
    return PairFeatures(labelled, np.array(features), labels)


def _check_references(pairs: ClaimPairs, criterion: str) -> None:
    """Refuse references without claims, all of them at once; pairs count from 0."""
    problems = [
        Problem(f"pair {place}: {problem}", pairs.name)
        for place, pair in enumerate(pairs.pairs)
        if criterion in pair.labels and (problem := reference_problem(profile_of(pair.reference)))
    ]
    if problems:
        raise InputError(problems)


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
        equal = labels == 0
        short = np.where(equal, np.abs(lead) - tolerance, margin - labels * lead)
        direction = np.where(equal, np.sign(lead), -labels) * (short > 0)
        value = float(np.maximum(short, 0).mean())
        return value, np.asarray((direction[:, None] * lead_slope).mean(axis=0))

    return loss


def _logistic(values: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-values)))
