"""What learned measures of claims were trained on, and whether a test can be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.claims.patclaimeval import PatClaimEval
from patmark.claims.quality import ClaimQuality
from patmark.data import ClaimPairs, reference_hash
from patmark.measures import Measure
from patmark.protocols.claim_measures import ClaimMeasure

TRAINED_ON = "trained_on"


@dataclass(frozen=True, slots=True)
class Training:
    """The criterion that a measure was trained for, and hashes of references; None if unknown."""

    criterion: str | None
    references: frozenset[str] | None

    @classmethod
    def of(cls, known: Mapping[str, Any]) -> Training:
        """From the description that is written beside trained weights."""
        criterion, references = known.get("criterion"), known.get(TRAINED_ON)
        return cls(
            criterion if isinstance(criterion, str) else None,
            frozenset(map(str, references)) if isinstance(references, list) else None,
        )


def training_of(measure: Measure) -> Training | None:
    """The training of a learned measure; None for a measure that is not learned."""
    if isinstance(measure, ClaimQuality):
        return Training.of(measure.quality_model.facts)
    if isinstance(measure, PatClaimEval):
        return Training.of(measure.card or {})
    return None


def training_notes(
    pairs: ClaimPairs, criteria: Sequence[str], measures: Sequence[ClaimMeasure]
) -> list[str]:
    """What a reader must know before agreement with experts is believed."""
    labelled = [pair for pair in pairs.pairs if any(name in pair.labels for name in criteria)]
    hashes = [reference_hash(pair.reference) for pair in labelled]
    notes = []
    for one in measures:
        training = training_of(one.measure)
        if training is not None:
            notes += _overlap(one.label, training, hashes) + _others(one.label, training, criteria)
    return notes


def _overlap(label: str, training: Training, hashes: Sequence[str]) -> list[str]:
    if training.references is None:
        return [f"{label}: it is not known which references it was trained on."]
    seen = sum(one in training.references for one in hashes)
    if not seen:
        return []
    return [
        f"{label} was trained on the references of {seen} of {len(hashes)} pairs: its agreement "
        "here is no test of it."
    ]


def _others(label: str, training: Training, criteria: Sequence[str]) -> list[str]:
    if training.criterion is None:
        return [f"{label}: it is not known which criterion it was trained for."]
    others = [name for name in criteria if name.lower() != training.criterion.lower()]
    if not others:
        return []
    return [f"{label} was trained for {training.criterion}, not for {', '.join(others)}."]
