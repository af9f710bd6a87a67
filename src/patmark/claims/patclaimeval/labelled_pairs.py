"""Claim pairs with a label for one criterion, and the loss of a pair."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import ClaimPair, ClaimPairs, IntArray


@dataclass(frozen=True, eq=False)
class LabelledPairs:
    """The pairs that have a label for one criterion, and their positions in the file."""

    criterion: str
    pairs: tuple[ClaimPair, ...]
    places: tuple[int, ...]
    labels: IntArray
    unlabelled: int
    name: str

    @classmethod
    def of(cls, pairs: ClaimPairs, criterion: str) -> LabelledPairs:
        """Return the labelled pairs; refuses a criterion that no pair has."""
        pairs.check_criterion(criterion)
        places = tuple(at for at, pair in enumerate(pairs.pairs) if criterion in pair.labels)
        chosen = tuple(pairs.pairs[at] for at in places)
        labels = np.array([pair.labels[criterion] for pair in chosen], dtype=np.int64)
        return cls(criterion, chosen, places, labels, len(pairs) - len(places), pairs.name)

    @property
    def references(self) -> tuple[str, ...]:
        """Keys of the references of the pairs."""
        return tuple(pair.reference_key for pair in self.pairs)

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of all texts and labels, in their order."""
        digest = hashlib.sha256()
        for pair, label in zip(self.pairs, self.labels.tolist(), strict=True):
            row = json.dumps([pair.reference, pair.first, pair.second, label])
            digest.update(row.encode("ascii") + b"\n")
        return digest.hexdigest()


def pair_losses(first: Any, second: Any, labels: Any, margin: float, tolerance: float) -> Any:
    """Return the loss of PatClaimEval for each pair, from scores in 0–1, in arrays or tensors.

    Labels are 1, 0 or -1. The better candidate should lead by the margin, equal ones should differ
    by no more than the tolerance: ReLU(m - (s1 - s2)), ReLU(m - (s2 - s1)), ReLU(|s1 - s2| - n).
    """
    lead, equal = first - second, labels == 0
    short = equal * (abs(lead) - tolerance) + ~equal * (margin - labels * lead)
    return short.clip(0)
