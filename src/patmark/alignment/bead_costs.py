"""Costs of bead types: default scores, and scores fitted to a text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from patmark.alignment.beads import Kind, Step

_SCORES: Mapping[Kind, float] = {
    (1, 1): 0.0, (1, 2): -1.0, (1, 3): -1.7, (1, 4): -2.4, (1, 5): -3.2, (1, 6): -4.1,
    (2, 2): -2.8, (2, 3): -3.5, (2, 4): -6.0, (3, 3): -6.5, (0, 1): -2.5,
}  # fmt: skip
# with learned words, large beads and unaligned sentences need less prior cost
_SCORES_OF_KNOWN_WORDS: Mapping[Kind, float] = {
    **_SCORES, (2, 2): -1.4, (2, 3): -1.5, (2, 4): -2.5, (3, 3): -2.5, (0, 1): -4.0,
}  # fmt: skip


def _both_ways(scores: Mapping[Kind, float]) -> Mapping[Kind, float]:
    return {kind: score for pair, score in scores.items() for kind in (pair, pair[::-1])}


USUAL_KINDS = _both_ways(_SCORES)
KINDS_OF_KNOWN_WORDS = _both_ways(_SCORES_OF_KNOWN_WORDS)


def with_lone(kinds: Mapping[Kind, float], score: float) -> dict[Kind, float]:
    """Return scores of bead types with another score of an unaligned sentence."""
    return {**kinds, (0, 1): score, (1, 0): score}


FIRST_KINDS: tuple[Kind, ...] = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1))


def fitted_kinds(
    path: Sequence[Step], usual: Mapping[Kind, float], usual_beads: float
) -> dict[Kind, float]:
    """Return scores by the shares of bead types on a path, smoothed by ``usual_beads`` prior beads.

    The frequency of joined, split and omitted sentences depends on the translator and the genre.
    """
    found = Counter(kind for _, _, kind in path)
    unit = usual_beads / sum(map(math.exp, usual.values()))
    scores = {kind: math.log(found[kind] + unit * math.exp(score)) for kind, score in usual.items()}
    return {
        kind: min(score - scores[1, 1], math.inf if all(kind) else 0.0)
        for kind, score in scores.items()
    }
