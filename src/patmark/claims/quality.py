"""ClaimQuality: the untrained mean of four parts that anybody can check, from 0 to 1.

| part | what it is | 1 means |
|---|---|---|
| content | likeness of assigned claims, over the larger number of claims | the same words |
| length | mean number of words of a claim, the smaller over the larger | claims as long |
| structure | agreement of the claims that assigned claims refer to, over the larger number | the \
same dependencies |
| repetition | 1 less the share of repeated runs of four words beyond that of the reference | no \
more repeated |

Only content reads what claims say. The others count in full from a content of 0.2 on and in
proportion below, so that claims of another patent gain nothing by their form. A candidate without
claims scores 0. Scores that differ by no more than 0.045 show no clear difference.

The parts were chosen on 10 references of Patent-CE and on PatentEval, and measured once on 10 other
references (docs/claim_quality_model_card.md). What contradicts the reference is a finding and does
not change the score (:mod:`patmark.claims.comparison`).

Weights for the parts can be learnt (:mod:`patmark.claims.quality_training`); none come with
patmark.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from patmark.claims.comparison import ClaimComparison, compare_texts
from patmark.claims.criteria import ClaimCheck, missing_claim_evidence
from patmark.claims.profiles import segmenter_versions
from patmark.data import (
    Evidence,
    FilePath,
    FloatArray,
    TestSet,
    json_object,
    shown,
    write_atomically,
)
from patmark.errors import InputError, Problem
from patmark.measures import Finding
from patmark.wording import tr

PARTS: Mapping[str, str] = {
    "content": tr("content"),
    "length": tr("length"),
    "structure": tr("structure"),
    "repetition": tr("repetition"),
}
"""What the score is made of, with names for people."""
TIE_BAND = 0.045
_FULL_FROM = 0.2
_RECIPE = f"mean of content, length, structure and repetition; content gate {_FULL_FROM}"
_FORMAT = "patmark claim quality 2"
_PLACES = 4
_NO_FACTS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class QualityParts:
    """The four parts of a candidate, each from 0 to 1."""

    content: float
    length: float
    structure: float
    repetition: float

    @classmethod
    def of(cls, compared: ClaimComparison) -> QualityParts:
        """The parts of a candidate; all 0 where it has no claims."""
        reference, candidate = compared.reference, compared.candidate
        if not any(candidate.tokens):
            return cls(0.0, 0.0, 0.0, 0.0)
        theirs, ours = list(compared.assigned), list(compared.assigned.values())
        lengths = reference.mean_length, candidate.mean_length
        return cls(
            float(compared.likeness[theirs, ours].sum()) / compared.longest,
            min(lengths) / max(lengths),
            compared.linkage,
            compared.repetition,
        )

    @property
    def gate(self) -> float:
        """How far the parts that do not read content count."""
        return min(1.0, self.content / _FULL_FROM)

    @property
    def counted(self) -> FloatArray:
        """What is averaged, in the order of PARTS."""
        form = self.length, self.structure, self.repetition
        return np.array([self.content, *(self.gate * value for value in form)])

    def to_json(self) -> dict[str, float]:
        """The parts and the gate."""
        return {name: getattr(self, name) for name in (*PARTS, "gate")}


@dataclass(frozen=True, slots=True)
class QualityFinding(Finding):
    """A score with what must be seen beside it.

    ``coverage`` is the share of the reference's limitations that the candidate has.
    """

    parts: QualityParts = QualityParts(0.0, 0.0, 0.0, 0.0)
    coverage: float = 0.0
    contradictions: int = 0


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one part gives to a score, ``value`` after the gate; all of them add up to it."""

    feature: str
    value: float
    share: float

    @property
    def points(self) -> float:
        """What it gives."""
        return self.value * self.share


@dataclass(frozen=True)
class QualityModel:
    """A weight for each part, and facts about where the weights come from."""

    weights: Mapping[str, float]
    facts: Mapping[str, Any] = field(default_factory=lambda: _NO_FACTS)

    @property
    def shares(self) -> FloatArray:
        """The weights in the order of PARTS, which add up to 1."""
        weights = np.array([self.weights[name] for name in PARTS])
        return np.asarray(weights / weights.sum())

    @property
    def fingerprint(self) -> str:
        """Short name of the weights, for signatures."""
        return hashlib.sha256(json.dumps(self._rounded).encode()).hexdigest()[:12]

    @property
    def _rounded(self) -> dict[str, float]:
        return {name: round(float(self.weights[name]), _PLACES) for name in PARTS}

    def contributions(self, parts: QualityParts) -> tuple[Contribution, ...]:
        """What each part gives to the score."""
        return tuple(map(Contribution, PARTS, parts.counted.tolist(), self.shares.tolist()))

    def score(self, counted: FloatArray) -> FloatArray:
        """Scores of parts (…, 4) after the gate, from 0 to 1."""
        return np.asarray(counted @ self.shares)

    def to_json(self) -> dict[str, Any]:
        """What a file of weights holds; weights are rounded to four places."""
        return {"format": _FORMAT, "weights": self._rounded, "facts": dict(self.facts)}

    def save(self, path: FilePath) -> None:
        """Write a file of weights."""
        from patmark.report import to_json_text

        write_atomically(path, to_json_text(self.to_json()) + "\n")


UNTRAINED = QualityModel(dict.fromkeys(PARTS, 1.0))


def load_quality_model(path: FilePath) -> QualityModel:
    """Weights from a file that was trained."""
    try:
        value = json_object(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.at(f"cannot be read: {error}", shown(path)) from None
    except ValueError as error:
        raise InputError.at(f"is no file of weights: {error}", shown(path)) from None
    if value.get("format") != _FORMAT:
        raise InputError.at(f"is no file of weights: expected the format {_FORMAT!r}", shown(path))
    given: Any = value.get("weights")
    facts: Any = value.get("facts", {})
    problems = _weight_problems(given, shown(path))
    if not isinstance(facts, dict):
        problems.append(Problem(f"facts: expected an object, found {facts!r}", shown(path)))
    if problems:
        raise InputError(problems)
    return QualityModel(dict(given), facts)


def _weight_problems(given: Any, path: str) -> list[Problem]:
    """All that is wrong with weights."""
    if not isinstance(given, dict) or set(given) != set(PARTS):
        return [Problem(f"weights: expected one for each of {', '.join(PARTS)}", path)]
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


_kept_model = lru_cache(maxsize=8)(load_quality_model)


@dataclass(frozen=True)
class ClaimQuality(ClaimCheck):
    """Quality of generated claims from four parts, from 0 to 1."""

    label: ClassVar[str] = "ClaimQuality"
    description: ClassVar[str] = "mean of content, length, structure and repetition of claims"
    formula: ClassVar[str] = "mean of content, length, structure and repetition"
    limits: ClassVar[str] = (
        "An untrained mean; its agreement with experts stands in its model card."
    )
    guide: ClassVar[str] = "claim_quality_model_card.md"
    citation: ClassVar[str] = "patmark, docs/claim_quality_model_card.md"
    parameters: ClassVar[Mapping[str, str]] = {
        "model": "a file of weights from patmark claims train --model quality"
    }
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    model: str = ""

    @property
    def quality_model(self) -> QualityModel:
        """The weights that are used: all 1 without a file."""
        return _kept_model(self.model) if self.model else UNTRAINED

    @property
    def tie_band(self) -> float:
        """Within which scores show no clear difference; 0, unknown, for learnt weights."""
        return 0.0 if self.model else TIE_BAND

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        weights = {"weights": self.quality_model.fingerprint} if self.model else {}
        segmenters = segmenter_versions(text for one in test_set for text in one.references)
        return {"recipe": _RECIPE, **weights, **({"words": segmenters} if segmenters else {})}

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        """Scores without findings, for which claims need not be taken apart."""
        scores = [
            self.quality_model.score(QualityParts.of(compared).counted)
            for compared in self.compared(test_set, hypotheses)
        ]
        return np.column_stack([scores, np.ones(len(scores))])

    def examine(self, compared: ClaimComparison) -> Finding:
        """The score with its parts, contradictions, and references to missing claims."""
        parts = QualityParts.of(compared)
        evidence = (
            *_contradicted(compared),
            *missing_claim_evidence(compared),
            *_parts_evidence(self.quality_model.contributions(parts), parts),
        )
        return QualityFinding(
            float(self.quality_model.score(parts.counted)),
            1.0,
            evidence,
            parts,
            compared.coverage.value,
            len(compared.contradictions),
        )

    def training_facts(self) -> Mapping[str, Any] | None:
        """What learnt weights were trained on; None where nothing was learnt."""
        return self.quality_model.facts if self.model else None

    def contributions(self, reference: str, candidate: str) -> tuple[Contribution, ...]:
        """What each part gives to the score of a candidate."""
        parts = QualityParts.of(compare_texts(reference, candidate))
        return self.quality_model.contributions(parts)


def _contradicted(compared: ClaimComparison) -> Iterator[Evidence]:
    """Each claim of the candidate that is copied but for what decides its scope."""
    claims = compared.candidate.claims.claims
    for item in compared.contradictions:
        content = claims[item.candidate].content
        message = tr(
            "contradicts claim {number} of the reference: {difference}",
            number=item.reference + 1,
            difference=item.difference,
        )
        yield compared.in_candidate(content, message)


def _parts_evidence(
    contributions: tuple[Contribution, ...], parts: QualityParts
) -> Iterator[Evidence]:
    """Each part that is not full, the largest loss first, on the start of the candidate."""
    lost = {one: one.share - one.points for one in contributions}
    for one in sorted(contributions, key=lambda one: lost[one], reverse=True):
        if lost[one] > 0:
            value = getattr(parts, one.feature)
            message = tr(
                "{feature} {value:.2f}: gives {points:.3f} of {share:.3f}",
                feature=PARTS[one.feature],
                value=value,
                points=one.points,
                share=one.share,
            )
            yield Evidence("hypothesis", 0, 0, message)
