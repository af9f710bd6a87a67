"""Share of Hoeffding bounds below the exact p of sparse BLEU without smoothing.

Two systems with few matches of four words, or none, in twelve segments: BLEU falls to zero with the
last match, far below its tangent. All 4,096 exchanges give the exact p.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from patmark.data import FloatArray
from patmark.measures import parse_measure
from patmark.stats.significance import tangent_bound, tangent_slopes

CASES, UNITS, TRIALS = 3000, 12, 200


def sparse_systems(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Statistics of BLEU (segments, 10) of two systems with few matches."""
    length = rng.integers(8, 30, UNITS)
    possible = np.stack([length - order for order in range(4)], axis=-1)
    shares = rng.uniform(0.1, 0.45, 2)[:, None] ** np.arange(1, 5)
    first, second = (
        np.column_stack([length, length, rng.binomial(possible, share), possible])
        for share in shares
    )
    return first.astype(np.float64), second.astype(np.float64)


def main() -> None:
    """Print how many of the cases lie below, by the tangent alone and by the bound in use."""
    score = parse_measure("BLEU(smooth=none)").score
    rng = np.random.default_rng(0)
    signs = np.array(list(product([1.0, -1.0], repeat=UNITS)))
    tangent_alone = in_use = 0
    for _ in range(CASES):
        first, second = sparse_systems(rng)
        middle = (first.sum(axis=0) + second.sum(axis=0)) / 2
        exchanged = signs @ ((first - second) / 2)
        distances = np.abs(score(middle + exchanged) - score(middle - exchanged))
        exact = float(np.mean(distances >= distances[0] - 1e-9)) - 1e-12
        differences = (first - second) @ tangent_slopes(first, second, score)
        spread = float(np.square(differences).sum())
        if spread > 0:
            tangent_alone += 2 * np.exp(-(differences.sum() ** 2) / (2 * spread)) < exact
        trials = exchanged[rng.integers(0, len(signs), TRIALS)]
        in_use += tangent_bound(first, second, score, trials) < exact
    print(f"{CASES} cases, {UNITS} units: below the exact p by the tangent alone {tangent_alone}, ")
    print(f"by the bound in use, with {TRIALS} trials, {in_use}")


if __name__ == "__main__":
    main()
