"""ClaimQuality: one learned number for a candidate against the reference, which can be explained.

The score is the weighted mean of ten features, from 0 to 1; the weights are learnt from pairs that
experts compared, and none is negative. The candidate with the higher score is predicted to be the
better one; the logistic function of the difference times the sum of weights is the probability
that the model gives to it, so that exchanging the candidates exchanges the prediction.

| feature | what it is | 1 means |
|---|---|---|
| coverage | share of the reference's clauses that the candidate has | nothing is missing |
| support | share of the candidate's clauses that the reference has | nothing was added |
| claims | likeness of assigned claims, over the larger number | claim for claim the same |
| position | likeness of claims with the same place, over the larger number | the same in order |
| terms | agreement of the terms and how often they occur (Dice) | the same terms |
| linkage | agreement of the claims that assigned claims refer to | the same dependencies |
| length | mean length of a claim, the smaller over the larger | claims as long |
| antecedents | share of "the X" with an antecedent, or with none in the reference | none lacks |
| repetition | share of runs of four words that are new, against the reference | no more repeated |
| ending | whether the last claim ends with a full stop, as the reference does | not cut off |

The first five read content. The others do not, so that they count in full only when at least half
of the content is there (the geometric mean of coverage and support), and less in proportion below:
a text without the content cannot gain by its form.

A claim that is copied but contradicts the reference (:mod:`patmark.claims.comparison`) counts
less in all features, and so do the claims that build on it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from patmark.claims.comparison import ClaimComparison, compare_texts, dice
from patmark.claims.criteria import ClaimCheck, missing_claim_evidence
from patmark.claims.profiles import ClaimProfile
from patmark.data import Evidence, FilePath, FloatArray, json_object, shown, write_atomically
from patmark.errors import InputError, Problem
from patmark.measures import Finding

CONTENT = ("coverage", "support", "claims", "position", "terms")
FORM = ("linkage", "length", "antecedents", "repetition", "ending")
FEATURES = (*CONTENT, *FORM)
_CACHED = 2048
_FORMAT = "patmark claim quality 1"
_SHIPPED = "quality_weights.json"
_PLACES = 4
_NO_FACTS: Mapping[str, Any] = MappingProxyType({})


@lru_cache(maxsize=_CACHED)
def quality_features(compared: ClaimComparison) -> FloatArray:
    """The features in the order of FEATURES; all 0 for a candidate without claims."""
    reference, candidate = compared.reference, compared.candidate
    if not candidate.all_words:
        return np.zeros(len(FEATURES))
    content = [
        compared.coverage.value,
        compared.support.value,
        _assigned_likeness(compared),
        float(compared.likeness.diagonal().sum()) / compared.longest,
        dice(reference.terms, candidate.terms),
    ]
    unsupported = len(compared.unclear_terms)
    form = [
        compared.linkage,
        _length_closeness(reference, candidate),
        1 - unsupported / candidate.referred if unsupported else 1.0,
        compared.novelty,
        _ending(reference, candidate),
    ]
    weight = compared.form_weight
    return compared.trust * np.array([*content, *(weight * value for value in form)])


def _assigned_likeness(compared: ClaimComparison) -> float:
    theirs, ours = list(compared.assigned), list(compared.assigned.values())
    return float(compared.likeness[theirs, ours].sum()) / compared.longest


def _length_closeness(reference: ClaimProfile, candidate: ClaimProfile) -> float:
    means = [len(side.all_words) / len(side.words) for side in (reference, candidate)]
    return min(means) / max(means)


def _ending(reference: ClaimProfile, candidate: ClaimProfile) -> float:
    expected = reference.claims.claims[-1] not in reference.unfinished
    return float(not expected or candidate.claims.claims[-1] not in candidate.unfinished)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature gives to a score; all of them add up to it."""

    feature: str
    value: float
    share: float

    @property
    def points(self) -> float:
        """What it gives."""
        return self.value * self.share

    @property
    def lost(self) -> float:
        """What it could still give."""
        return (1 - self.value) * self.share


@dataclass(frozen=True)
class QualityModel:
    """A weight for each feature, and facts about where the weights come from."""

    weights: Mapping[str, float]
    facts: Mapping[str, Any] = field(default_factory=lambda: _NO_FACTS)

    @property
    def scale(self) -> float:
        """The sum of weights: how sure a difference of scores makes the model."""
        return math.fsum(self.weights.values())

    @property
    def shares(self) -> FloatArray:
        """The weights in the order of FEATURES, which add up to 1."""
        return np.array([self.weights[name] for name in FEATURES]) / self.scale

    @property
    def content_share(self) -> float:
        """The part of the score that reads content."""
        return math.fsum(self.weights[name] for name in CONTENT) / self.scale

    @property
    def fingerprint(self) -> str:
        """Short name of the weights, for signatures."""
        printed = json.dumps({name: round(float(self.weights[name]), _PLACES) for name in FEATURES})
        return hashlib.sha256(printed.encode()).hexdigest()[:12]

    def contributions(self, features: FloatArray) -> tuple[Contribution, ...]:
        """What each feature gives to the score."""
        return tuple(map(Contribution, FEATURES, features.tolist(), self.shares.tolist()))

    def score(self, features: FloatArray) -> FloatArray:
        """Scores of features (…, 10), from 0 to 1."""
        return np.asarray(features @ self.shares)

    def preference(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """The probability that the first candidate is better, from the features of both."""
        difference = self.scale * (self.score(first) - self.score(second))
        return np.asarray(1 / (1 + np.exp(-difference)))

    def to_json(self) -> dict[str, Any]:
        """What a file of weights holds; weights are rounded to four places."""
        weights = {name: round(float(self.weights[name]), _PLACES) for name in FEATURES}
        return {"format": _FORMAT, "weights": weights, "facts": dict(self.facts)}

    def save(self, path: FilePath) -> None:
        """Write a file of weights."""
        from patmark.report import to_json_text

        write_atomically(path, to_json_text(self.to_json()) + "\n")


def load_quality_model(path: FilePath | None = None) -> QualityModel:
    """Weights from a file that was trained, or those that come with patmark."""
    if path is None:
        text = (files("patmark.claims") / _SHIPPED).read_text(encoding="utf-8")
        return _model(text, _SHIPPED)
    try:
        return _model(Path(path).read_text(encoding="utf-8"), shown(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.at(f"cannot be read: {error}", shown(path)) from None


def _model(text: str, path: str) -> QualityModel:
    try:
        value = json_object(text)
    except ValueError as error:
        raise InputError.at(f"is no file of weights: {error}", path) from None
    if value.get("format") != _FORMAT:
        raise InputError.at(f"is no file of weights: expected the format {_FORMAT!r}", path)
    given: Any = value.get("weights")
    problems = _weight_problems(given, path)
    if problems:
        raise InputError(problems)
    return QualityModel(dict(given), value.get("facts", {}))


def _weight_problems(given: Any, path: str) -> list[Problem]:
    """All that is wrong with weights."""
    if not isinstance(given, dict) or set(given) != set(FEATURES):
        return [Problem(f"weights: expected one for each of {', '.join(FEATURES)}", path)]
    problems = [
        Problem(f"weight of {name}: expected a number from 0, found {weight!r}", path)
        for name, weight in given.items()
        if isinstance(weight, bool)
        or not isinstance(weight, int | float)
        or not 0 <= weight < math.inf
    ]
    if not problems and not any(given.values()):
        problems.append(Problem("weights: at least one must be larger than 0", path))
    return problems


@lru_cache(maxsize=8)
def _kept_model(path: str) -> QualityModel:
    return load_quality_model(path or None)


@dataclass(frozen=True)
class ClaimQuality(ClaimCheck):
    """Learned quality of generated claims, from 0 to 1."""

    label: ClassVar[str] = "ClaimQuality"
    description: ClassVar[str] = "learned quality of claims against a reference, from ten features"
    citation: ClassVar[str] = "patmark; trained on pairs of Patent-CE (Jiang et al., ACL 2025)"
    parameters: ClassVar[Mapping[str, str]] = {
        "model": "a file of weights from patmark claims train --model quality"
    }
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    model: str = ""

    @property
    def quality_model(self) -> QualityModel:
        """The weights that are used."""
        return _kept_model(self.model)

    def _signature_parts(self, test_set: Any) -> dict[str, Any]:
        return {"weights": self.quality_model.fingerprint}

    def examine(self, compared: ClaimComparison) -> Finding:
        """The score, contradictions, references to missing claims, and each feature's loss."""
        features = quality_features(compared)
        model = self.quality_model
        missing = missing_claim_evidence(compared)
        evidence = (*_contradicted(compared), *missing, *_losses(model, features))
        return Finding(float(model.score(features)), 1.0, evidence)

    def training_facts(self) -> Mapping[str, Any]:
        """What the weights were trained on."""
        return self.quality_model.facts

    def contributions(self, reference: str, candidate: str) -> tuple[Contribution, ...]:
        """What each feature gives to the score of a candidate."""
        return self.explain(compare_texts(reference, candidate))

    def explain(self, compared: ClaimComparison) -> tuple[Contribution, ...]:
        """As :meth:`contributions`, of claims that were compared before."""
        return self.quality_model.contributions(quality_features(compared))


def _contradicted(compared: ClaimComparison) -> list[Evidence]:
    """Each claim of the candidate that is copied but for what decides its scope."""
    claims = compared.candidate.claims.claims
    return [
        compared.candidate.evidence(
            "hypothesis",
            claims[item.candidate].content.start,
            claims[item.candidate].content.end,
            f"contradicts claim {item.reference + 1} of the reference and counts "
            f"{item.counts:.0%}: {item.difference}",
        )
        for item in compared.contradictions
    ]


def _losses(model: QualityModel, features: FloatArray) -> tuple[Evidence, ...]:
    """Each feature that is not full, the largest loss first, on the start of the candidate."""
    parts: Sequence[Contribution] = sorted(
        model.contributions(features), key=lambda part: part.lost, reverse=True
    )
    return tuple(
        Evidence(
            "hypothesis",
            0,
            0,
            f"{part.feature} {part.value:.2f}: gives {part.points:.3f} of {part.share:.3f}",
        )
        for part in parts
        if part.lost > 0
    )
