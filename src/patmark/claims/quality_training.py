"""Learn weights for the four parts of ClaimQuality from pairs that experts compared.

Only the difference between the parts of both candidates is used, so that exchanging them exchanges
the prediction. No weight is negative, and a quadratic penalty draws all of them towards one value:
a strong one leaves the untrained mean.

There are few references, and choosing the best of many settings on them is how a learnt score
looks better than it is. Therefore everything is nested by reference: the penalty is chosen in folds
inside the training part of each fold, and agreement with experts is that of weights which have seen
a pair's reference neither in fitting nor in choosing. Weights are recommended only if they agree
with experts better than BLEU-1 on such pairs: the interval of the paired difference of tau must lie
above 0, and rest on six references at least.

| loss | of a pair |
|---|---|
| logistic | cross entropy of the probability that the first is better; equal pairs count as 1/2 |
| margin | that of PatClaimEval; a score is the logistic function of the weighted sum, 1/2 for the \
mean candidate |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from patmark._version import __version__
from patmark.claims.comparison import compare_texts, reference_problem
from patmark.claims.learning import TRAINED_ON, LabelledPairs, pair_losses
from patmark.claims.measures import choose_claim_measures, score_claim_pairs
from patmark.claims.meta import (
    BASELINE,
    Agreement,
    agreement_columns,
    agreements,
    tau_differences,
)
from patmark.claims.profiles import profile_of
from patmark.claims.quality import PARTS, UNTRAINED, QualityModel, QualityParts
from patmark.data import ClaimPairs, Estimate, FloatArray, IntArray, reference_hash
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import Sampling
from patmark.report import Cell, Column, Report, Result, Table
from patmark.stats import MIN_DOCUMENTS, meeting_counts, predicted_preferences
from patmark.wording import tr

LOSSES = ("logistic", "margin")
STRENGTHS = (0.001, 0.01, 0.1, 1.0)
MOST_FOLDS = 10
_PRIOR = np.full(len(PARTS), 4.0)
_LEARNT, _MEAN = tr("learnt weights"), tr("untrained mean")
_Loss: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]


@dataclass(frozen=True, slots=True)
class QualityPlan:
    """How to train. Without a ``strength`` the penalty is chosen inside the folds.

    Margin and tolerance serve the loss margin.
    """

    criterion: str = "Quality"
    loss: str = "logistic"
    strength: float | None = None
    margin: float = 0.2
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise UsageError(f"loss {self.loss!r} is unknown; choose from {', '.join(LOSSES)}")
        if self.strength is not None and not 0 < self.strength < np.inf:
            raise UsageError(f"the strength of the penalty must be larger than 0: {self.strength}")
        if not 0 <= self.tolerance <= self.margin < 1:
            raise UsageError(
                "expected 0 ≤ tolerance ≤ margin < 1, "
                f"found tolerance {self.tolerance} and margin {self.margin}"
            )


@dataclass(frozen=True, eq=False)
class TrainedQuality:
    """The weights from all pairs, and scores of each pair by weights that never saw its reference.

    ``parts`` has shape (pairs, 2, 4), ``held_out`` (pairs, 2). ``strength`` is the penalty of the
    weights, ``strengths`` those that were chosen in the folds.
    """

    model: QualityModel
    data: LabelledPairs
    parts: FloatArray
    held_out: FloatArray
    strength: float
    strengths: tuple[float, ...]


def train_quality_model(pairs: ClaimPairs, plan: QualityPlan | None = None) -> TrainedQuality:
    """Weights for one criterion, and how they do on references that they never saw."""
    plan = plan or QualityPlan()
    data = LabelledPairs.of(pairs, plan.criterion)
    parts = _pair_parts(data)
    if len(set(data.references)) < 3:
        raise UsageError(f"{pairs.name}: nested training needs pairs of at least three references")
    if not data.labels.any():
        raise UsageError(f"{pairs.name}: all pairs are labelled as equal; nothing can be learnt")
    numbers = np.unique(data.references, return_inverse=True)[1]
    held_out = np.empty(parts.shape[:2])
    strengths = []
    for own in _folds(numbers):
        strengths.append(_chosen_strength(parts[~own], data.labels[~own], numbers[~own], plan))
        model = _fitted(parts[~own], data.labels[~own], plan, strengths[-1])
        held_out[own] = model.score(parts[own])
    strength = _chosen_strength(parts, data.labels, numbers, plan)
    model = _fitted(parts, data.labels, plan, strength)
    return TrainedQuality(model, data, parts, held_out, strength, tuple(strengths))


def _pair_parts(data: LabelledPairs) -> FloatArray:
    """The parts of both candidates after the gate, of shape (pairs, 2, 4).

    References without claims are refused, all of them at once; pairs count from 0.
    """
    problems = [
        Problem(f"pair {place}: {problem}", data.name)
        for place, pair in zip(data.places, data.pairs, strict=True)
        if (problem := reference_problem(profile_of(pair.reference)))
    ]
    if problems:
        raise InputError(problems)
    return np.array(
        [
            [
                QualityParts.of(compare_texts(pair.reference, text)).counted
                for text in pair.candidates
            ]
            for pair in data.pairs
        ]
    )


def _folds(references: IntArray) -> Iterator[Any]:
    """Which pairs each fold holds; whole references, dealt in turn."""
    places = np.unique(references, return_inverse=True)[1]
    count = min(MOST_FOLDS, int(places.max()) + 1)
    yield from (places % count == fold for fold in range(count))


def _chosen_strength(
    parts: FloatArray, labels: IntArray, references: IntArray, plan: QualityPlan
) -> float:
    """The penalty with the smallest loss on references that were left out; the larger of equals.

    One that leaves no weight in a fold has an infinite loss.
    """
    if plan.strength is not None:
        return plan.strength
    losses = dict.fromkeys(reversed(STRENGTHS), 0.0)
    for own in _folds(references):
        loss = _loss(parts[own], labels[own], plan)
        for strength in losses:
            weights = _best_weights(parts[~own], labels[~own], plan, strength)
            lost = loss(weights)[0] if weights.any() else np.inf
            losses[strength] += lost * np.count_nonzero(own)
    return min(losses, key=losses.__getitem__)


def _fitted(
    parts: FloatArray, labels: IntArray, plan: QualityPlan, strength: float
) -> QualityModel:
    """The weights with the smallest loss and penalty; refuses labels that leave none."""
    weights = _best_weights(parts, labels, plan, strength)
    if not weights.any():
        raise UsageError("the labels contradict every part, so that no weight is left")
    return QualityModel(dict(zip(PARTS, weights.tolist(), strict=True)))


def _best_weights(
    parts: FloatArray, labels: IntArray, plan: QualityPlan, strength: float
) -> FloatArray:
    """The weights with the smallest loss and penalty, in the order of PARTS; they can be all 0."""
    from scipy.optimize import minimize

    loss = _loss(parts, labels, plan)

    def penalised(weights: FloatArray) -> tuple[float, FloatArray]:
        value, slope = loss(weights)
        off = weights - _PRIOR
        return value + strength * float(off @ off), slope + 2 * strength * off

    found = minimize(
        penalised, _PRIOR, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(_PRIOR)
    )
    return np.asarray(found.x)


def _loss(parts: FloatArray, labels: IntArray, plan: QualityPlan) -> _Loss:
    if plan.loss == "logistic":
        return logistic_loss(parts[:, 0] - parts[:, 1], labels)
    return margin_loss(parts, labels, plan.margin, plan.tolerance)


def logistic_loss(differences: FloatArray, labels: IntArray) -> _Loss:
    """Mean cross entropy and its slope, as a function of weights."""
    wanted = (labels + 1) / 2

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        sums = differences @ weights
        value = float((np.logaddexp(0, sums) - wanted * sums).mean())
        return value, differences.T @ (_logistic(sums) - wanted) / len(wanted)

    return loss


def margin_loss(parts: FloatArray, labels: IntArray, margin: float, tolerance: float) -> _Loss:
    """The mean loss of PatClaimEval and its slope, as a function of weights."""
    centred = parts - parts.mean(axis=(0, 1))

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
class QualityTraining(Result):
    """Trained weights, and how they and others agree with experts on unseen references.

    ``rivals`` maps BLEU-1 and the untrained mean to their scores of both candidates.
    """

    trained: TrainedQuality
    rivals: Mapping[str, FloatArray]
    plan: QualityPlan
    settings: Sampling

    @cached_property
    def _counts(self) -> FloatArray:
        scores = [self.trained.held_out.T, *self.rivals.values()]
        predictions = [predicted_preferences(*each) for each in scores]
        return meeting_counts(self.trained.data.labels, np.stack(predictions))

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, Agreement]]:
        """Agreement by measure: over all pairs, and without the reference as a candidate."""
        data = self.trained.data
        own = np.array([pair.holds_reference for pair in data.pairs])
        found = {
            tr("all pairs"): np.arange(len(own)),
            tr("without the reference"): np.flatnonzero(~own),
        }
        rows: dict[str, dict[str, Agreement]] = {name: {} for name in (_LEARNT, *self.rivals)}
        for which, places in found.items():
            if len(places):
                keys = [data.references[place] for place in places]
                each = agreements(self._counts[:, places], keys, self.settings)
                for name, one in zip(rows, each, strict=True):
                    rows[name][which] = one
        return rows

    @property
    def agreement(self) -> Mapping[str, Agreement]:
        """That of the learnt weights."""
        return self.rows[_LEARNT]

    @cached_property
    def differences(self) -> Mapping[str, Estimate]:
        """By how much tau is larger than that of the others, over the same draws of references."""
        data = self.trained.data
        found = {}
        for place, name in enumerate(self.rivals, 1):
            each = tau_differences(self._counts, place, data.references, self.settings)
            if each[0] is not None:
                found[name] = each[0]
        return found

    @property
    def recommended(self) -> bool:
        """Whether the weights agree with experts better than BLEU-1 beyond doubt."""
        ci = self.differences[BASELINE].ci
        enough = len(set(self.trained.data.references)) >= MIN_DOCUMENTS
        return ci is not None and ci[0] > 0 and enough

    @property
    def verdict(self) -> str:
        """The recommendation in a sentence."""
        if self.recommended:
            return tr(
                "Recommended: tau is larger than that of {baseline} on unseen references.",
                baseline=BASELINE,
            )
        ci = self.differences[BASELINE].ci
        count = len(set(self.trained.data.references))
        if count < MIN_DOCUMENTS:
            why = tr(
                "{count} references are fewer than {min_documents}",
                count=count,
                min_documents=MIN_DOCUMENTS,
            )
        elif ci is None:
            why = tr(
                "without resamples the difference to {baseline} has no interval", baseline=BASELINE
            )
        else:
            shown = f"[{ci[0]:.3f}, {ci[1]:.3f}]"
            where = tr("holds 0") if ci[1] >= 0 else tr("lies below 0")
            why = tr(
                "the interval of the difference to {baseline}, {interval}, {where}",
                baseline=BASELINE,
                interval=shown,
                where=where,
            )
        return tr("NOT recommended: {why}. Use ClaimQuality without weights.", why=why)

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
            "penalty": self.trained.strength,
            "penalties_in_folds": list(self.trained.strengths),
            "unseen_references": {name: one.to_json() for name, one in self.agreement.items()},
            "tau_differences": {
                name: {"value": one.value, "ci": one.ci and list(one.ci)}
                for name, one in self.differences.items()
            },
            "recommended": self.recommended,
            "bootstrap": {
                "unit": "reference",
                "resamples": self.settings.resamples,
                "seed": self.settings.seed,
            },
        }
        return replace(self.trained.model, facts=facts)

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        share = float(self.model.shares[0])
        return {**self.model.to_json(), "content_share": share, "verdict": self.verdict}

    def to_report(self) -> Report:
        """Agreement with experts on unseen references, the difference to others, weights."""
        data = self.trained.data
        first, *others = self._agreement_tables()
        notes = [
            self.verdict,
            tr(
                "Learnt weights never saw the reference of a pair, neither in fitting nor in "
                "choosing the penalty. Intervals draw references, and are wider where these are "
                "few."
            ),
        ]
        if data.unlabelled:
            notes.append(
                tr(
                    "{unlabelled} pairs have no label for {criterion}.",
                    unlabelled=data.unlabelled,
                    criterion=self.plan.criterion,
                )
            )
        return Report(
            title=tr("ClaimQuality trained for {criterion}", criterion=self.plan.criterion),
            subtitle=tr(
                "{name} · {n} pairs · {loss} loss",
                name=data.name,
                n=len(data.pairs),
                loss=self.plan.loss,
            ),
            headlines=(),
            tables=(first, self._difference_table(), *others, self._weight_table()),
            signatures={"weights": self.model.fingerprint},
            notes=tuple(notes),
        )

    def _agreement_tables(self) -> Iterator[Table]:
        for which in self.agreement:
            rows: list[tuple[Cell, ...]] = [
                (name, found[which].n, *found[which].estimates.values())
                for name, found in self.rows.items()
            ]
            yield Table(
                tr("Unseen references: {which}", which=which), agreement_columns(), tuple(rows)
            )

    def _difference_table(self) -> Table:
        rows: tuple[tuple[Cell, ...], ...] = tuple(self.differences.items())
        columns = Column(tr("learnt weights less")), Column(tr("tau"), 3)
        return Table(tr("Paired differences of tau, all pairs"), columns, rows)

    def _weight_table(self) -> Table:
        rows: list[tuple[Cell, ...]] = [
            (PARTS[name], self.model.weights[name], share)
            for name, share in zip(PARTS, self.model.shares.tolist(), strict=True)
        ]
        columns = Column(tr("part")), Column(tr("weight"), 3), Column(tr("share of the score"), 3)
        note = tr("penalty {strength:g}", strength=self.trained.strength)
        return Table(tr("Weights"), columns, tuple(rows), note)


def train_claim_quality(
    pairs: ClaimPairs, plan: QualityPlan | None = None, settings: Sampling | None = None
) -> QualityTraining:
    """Train on pairs; the seed is for the intervals, because training draws nothing."""
    plan, settings = plan or QualityPlan(), settings or Sampling()
    trained = train_quality_model(pairs, plan)
    labelled = replace(pairs, pairs=trained.data.pairs)
    [baseline] = score_claim_pairs(labelled, choose_claim_measures(BASELINE)).values()
    rivals = {BASELINE: baseline.segment_scores, _MEAN: UNTRAINED.score(trained.parts).T}
    return QualityTraining(trained, rivals, plan, settings)
