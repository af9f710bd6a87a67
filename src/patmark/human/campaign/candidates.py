"""The candidates of a page: equal outputs merged, order by lot, pairs balanced left and right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np

from patmark.human.campaign.labels import label
from patmark.human.campaign.plan import Candidate

Systems: TypeAlias = tuple[str, ...]


def merged(outputs: Sequence[tuple[str, str]]) -> tuple[Candidate, ...]:
    """One candidate for each different text of (system, text); equal texts are judged once."""
    texts: dict[str, list[str]] = {}
    for system, text in outputs:
        texts.setdefault(text, []).append(system)
    return labelled([Candidate("", tuple(systems), text) for text, systems in texts.items()])


def labelled(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates under the labels A, B, C … in this order."""
    return tuple(replace(one, label=label(place)) for place, one in enumerate(candidates))


def shuffled(candidates: Sequence[Candidate], rng: np.random.Generator) -> tuple[Candidate, ...]:
    """The candidates in random order, labelled anew."""
    return labelled([candidates[place] for place in rng.permutation(len(candidates))])


@dataclass
class Sides:
    """Puts the two candidates of a pair left and right equally often, for everyone and in all."""

    own: Counter[tuple[str, Systems, Systems]] = field(default_factory=Counter)
    all: Counter[tuple[Systems, Systems]] = field(default_factory=Counter)

    def place(
        self, pair: Sequence[Candidate], evaluator: str, rng: np.random.Generator
    ) -> tuple[Candidate, ...]:
        """The pair in the order that has been rarer so far."""
        one, other = pair
        if rng.random() < 0.5:
            one, other = other, one
        mine = self._lead(evaluator, one, other) or self._lead_of_all(one, other)
        left, right = (other, one) if mine > 0 else (one, other)
        self.own[evaluator, left.systems, right.systems] += 1
        self.all[left.systems, right.systems] += 1
        return labelled((left, right))

    def _lead(self, evaluator: str, one: Candidate, other: Candidate) -> int:
        forth = self.own[evaluator, one.systems, other.systems]
        return forth - self.own[evaluator, other.systems, one.systems]

    def _lead_of_all(self, one: Candidate, other: Candidate) -> int:
        return self.all[one.systems, other.systems] - self.all[other.systems, one.systems]


def chosen_pairs(
    candidates: Sequence[Candidate],
    most: int | None,
    used: Counter[tuple[Systems, Systems]],
    rng: np.random.Generator,
) -> list[tuple[Candidate, Candidate]]:
    """The pairs of a segment that are judged: all, or those that were rarest so far."""
    pairs = list(combinations(candidates, 2))
    if most is not None and len(pairs) > most:
        lots = rng.random(len(pairs))
        order = sorted(range(len(pairs)), key=lambda place: (used[_key(pairs[place])], lots[place]))
        pairs = [pairs[place] for place in sorted(order[:most])]
    used.update(map(_key, pairs))
    return pairs


def _key(pair: tuple[Candidate, Candidate]) -> tuple[Systems, Systems]:
    first, second = sorted(one.systems for one in pair)
    return first, second
