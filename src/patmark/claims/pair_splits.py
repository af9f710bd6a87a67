"""Splits of claim pairs into training, validation and test parts.

Pairs that share a reference are not independent: a measure trained on a reference may know its
other pairs. Therefore whole references are drawn for validation and test; a random split of pairs
exists because the Patent-CE paper has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from patmark.data import IntArray
from patmark.errors import UsageError
from patmark.wording import setting

SplitBy: TypeAlias = Literal["reference", "random", "none"]
SPLIT_PARTS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """Settings of a split. ``validation`` is a share of the pairs outside the test part.

    The shares are those of the Patent-CE paper, which split pairs at random.
    """

    by: SplitBy = "reference"
    test: float = 0.15
    validation: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.by not in get_args(SplitBy):
            choices = ", ".join(get_args(SplitBy))
            raise UsageError(f"a split by {self.by!r} is unknown; choose from {choices}")
        for name, share in (("test", self.test), ("validation", self.validation)):
            if not 0 < share < 1:
                raise UsageError(f"the {name} share must be between 0 and 1, not {share:g}")
        if self.seed < 0:
            raise UsageError(f"the seed must not be negative: {self.seed}")


def split_pairs(references: Sequence[str], plan: SplitPlan) -> dict[str, IntArray]:
    """Return the positions of each part; ``references`` names the reference of each pair."""
    if plan.by == "none":
        return {}
    rng = np.random.default_rng(plan.seed)
    draw = draw_references if plan.by == "reference" else _draw_pairs
    names = np.array(references)
    everything = np.arange(len(references))
    test = draw(references, plan.test, rng)
    rest = np.setdiff1d(everything, test)
    validation = rest[draw(names[rest].tolist(), plan.validation, rng)]
    parts = {"train": np.setdiff1d(rest, validation), "validation": validation, "test": test}
    empty = [name for name, places in parts.items() if not len(places)]
    if empty:
        raise UsageError(
            f"{len(references)} pairs with {len(set(references))} references are too few for a "
            f"split by {plan.by}: {', '.join(empty)} would be empty; raise the shares, or take "
            f"{setting('split', 'none')}"
        )
    return {name: parts[name] for name in SPLIT_PARTS}


@dataclass(frozen=True, slots=True)
class Split:
    """Positions among the labelled pairs, in order."""

    training: tuple[int, ...]
    validation: tuple[int, ...]


def split_by_reference(references: Sequence[str], share: float, seed: int) -> Split:
    """Split off a validation part of about ``share`` of the pairs; none for 0."""
    everything = range(len(references))
    if share == 0:
        return Split(tuple(everything), ())
    drawn = draw_references(references, share, np.random.default_rng(seed)).tolist()
    sizes = Counter(references)
    chosen = {references[at] for at in drawn} or {min(sizes, key=sizes.__getitem__)}
    training = tuple(at for at in everything if references[at] not in chosen)
    if not training:
        raise UsageError(
            f"{len(references)} pairs with {len(sizes)} references cannot be split by reference; "
            "give pairs of more references, or validation 0"
        )
    return Split(training, tuple(at for at in everything if references[at] in chosen))


def draw_references(references: Sequence[str], share: float, rng: np.random.Generator) -> IntArray:
    """Draw pairs of whole references that make up about ``share`` of all pairs.

    References come in random order; each is taken if that brings the part closer to its share.
    """
    places: dict[str, list[int]] = {}
    for at, name in enumerate(references):
        places.setdefault(name, []).append(at)
    groups = list(places.values())
    wanted = share * len(references)
    taken: list[int] = []
    for at in rng.permutation(len(groups)):
        if abs(len(taken) + len(groups[at]) - wanted) < abs(len(taken) - wanted):
            taken += groups[at]
    return np.array(sorted(taken), dtype=np.int64)


def _draw_pairs(references: Sequence[str], share: float, rng: np.random.Generator) -> IntArray:
    order = rng.permutation(len(references))
    return np.sort(order[: round(share * len(references))])


def split_table(references: Sequence[str], parts: Mapping[str, IntArray]) -> list[dict[str, Any]]:
    """Count pairs and references of each part, and pairs whose reference is in the training part.

    A measure trained on a reference may know its pairs: report such pairs separately.
    """
    trained = {references[place] for place in parts.get("train", ())}
    rows = []
    for name, places in parts.items():
        own = [references[place] for place in places]
        leaked = 0 if name == "train" else sum(key in trained for key in own)
        rows.append(
            {"part": name, "pairs": len(own), "references": len(set(own)), "leaked": leaked}
        )
    return rows
