"""Training and validation parts of claim pairs that share no reference."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from patmark.data import ClaimPair, ClaimPairs, IntArray
from patmark.errors import UsageError


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
        """The labelled pairs; refuses a criterion that no pair has."""
        pairs.check_criterion(criterion)
        places = tuple(at for at, pair in enumerate(pairs.pairs) if criterion in pair.labels)
        chosen = tuple(pairs.pairs[at] for at in places)
        labels = np.array([pair.labels[criterion] for pair in chosen], dtype=np.int64)
        return cls(criterion, chosen, places, labels, len(pairs) - len(places), pairs.name)

    @property
    def fingerprint(self) -> str:
        """A SHA-256 of all texts and labels, in their order."""
        digest = hashlib.sha256()
        for pair, label in zip(self.pairs, self.labels.tolist(), strict=True):
            row = json.dumps([pair.reference, pair.first, pair.second, label])
            digest.update(row.encode("ascii") + b"\n")
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Split:
    """Positions among the labelled pairs, in order."""

    training: tuple[int, ...]
    validation: tuple[int, ...]


def split_by_reference(references: Sequence[str], share: float, seed: int) -> Split:
    """Draw whole references for validation until about ``share`` of the pairs is drawn.

    References come in random order; each is taken if that brings the part nearer to its share, and
    at least one is taken. A share of 0 gives no validation part.
    """
    everything = range(len(references))
    if share == 0:
        return Split(tuple(everything), ())
    names = list(dict.fromkeys(references))
    sizes = {name: 0 for name in names}
    for name in references:
        sizes[name] += 1
    wanted, taken = share * len(references), 0
    drawn: set[str] = set()
    for at in np.random.default_rng(seed).permutation(len(names)):
        size = sizes[names[at]]
        if abs(taken + size - wanted) < abs(taken - wanted):
            drawn.add(names[at])
            taken += size
    drawn = drawn or {min(names, key=sizes.__getitem__)}
    training = tuple(at for at in everything if references[at] not in drawn)
    if not training:
        raise UsageError(
            f"{len(references)} pairs with {len(names)} references cannot be split by reference; "
            "give pairs of more references, or validation 0"
        )
    return Split(training, tuple(at for at in everything if references[at] in drawn))


def epoch_order(places: Sequence[int], seed: int, epoch: int) -> IntArray:
    """The order of an epoch, which depends on nothing but its number and the seed."""
    return np.random.default_rng([seed, epoch]).permutation(np.array(places, dtype=np.int64))
