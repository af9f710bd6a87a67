"""Training, validation and test parts of claim pairs: at random, or without a shared reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from patmark.data import IntArray
from patmark.errors import UsageError

SplitBy: TypeAlias = Literal["reference", "random", "none"]
PARTS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """How to split. ``validation`` is a share of what the test part leaves.

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
    """The positions of each part, in order; ``references`` names the reference of each pair."""
    if plan.by == "none":
        return {}
    rng = np.random.default_rng(plan.seed)
    draw = _draw_references if plan.by == "reference" else _draw_pairs
    everything = np.arange(len(references))
    number = {name: rank for rank, name in enumerate(dict.fromkeys(references))}
    keys = np.array([number[name] for name in references])
    test = draw(everything, keys, plan.test, rng)
    rest = np.setdiff1d(everything, test)
    validation = draw(rest, keys, plan.validation, rng)
    parts = {"train": np.setdiff1d(rest, validation), "validation": validation, "test": test}
    empty = [name for name, places in parts.items() if not len(places)]
    if empty:
        raise UsageError(
            f"{len(references)} pairs with {len(set(references))} references are too few for a "
            f"split by {plan.by}: {', '.join(empty)} would be empty; raise the shares, or take "
            "--split none"
        )
    return {name: parts[name] for name in PARTS}


def _draw_pairs(
    places: IntArray, keys: IntArray, share: float, rng: np.random.Generator
) -> IntArray:
    return np.sort(rng.permutation(places)[: round(share * len(places))])


def _draw_references(
    places: IntArray, keys: IntArray, share: float, rng: np.random.Generator
) -> IntArray:
    """Whole references in random order, each taken if that brings the part nearer to its share."""
    wanted, taken = share * len(places), 0
    names, sizes = np.unique(keys[places], return_counts=True)
    chosen = []
    for at in rng.permutation(len(names)):
        if abs(taken + sizes[at] - wanted) < abs(taken - wanted):
            chosen.append(names[at])
            taken += int(sizes[at])
    return places[np.isin(keys[places], chosen)]


def split_table(references: Sequence[str], parts: Mapping[str, IntArray]) -> list[dict[str, Any]]:
    """Pairs and references of each part, and how many pairs have a reference of the training part.

    A metric that was trained on a reference may know its pairs: report such pairs apart.
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
