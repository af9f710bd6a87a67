"""Speed of the tests between metrics, and ratios against plain loops over permutations.

    python benchmarks/meta_speed.py

Times are seconds of the processor, which a loaded machine does not change much. A loop is timed on
one pair of metrics and few permutations and multiplied up to all of them. Exits with 1 if a goal is
missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from patmark.data import FloatArray
from patmark.stats import (
    PermutationPlan,
    acc_eq,
    exchange_items,
    exchange_segments,
    exchange_soft_accuracy,
    exchange_system_segments,
    exchange_systems_in_items,
    group_coefficients,
    grouped,
    pearson,
)

METRICS, SYSTEMS, SEGMENTS, PERMUTATIONS = 20, 20, 2000, 1000
LOOPS = 20
MOST_SECONDS, LEAST_RATIO = 20.0, 20.0
PAIRS = METRICS * (METRICS - 1) // 2


def scores() -> tuple[FloatArray, FloatArray]:
    """Human scores from 1 to 5, and metrics that follow them more and more closely."""
    rng = np.random.default_rng(0)
    shape = (SYSTEMS, SEGMENTS)
    quality = rng.normal(size=shape) + rng.normal(size=(SYSTEMS, 1)) / 2
    noise = rng.normal(size=(METRICS, *shape))
    metrics = np.linspace(0.5, 1.0, METRICS)[:, None, None] * quality + noise
    return np.clip(np.round(quality + 3), 1, 5), metrics


def exchanges(axis: int) -> Iterator[NDArray[np.bool_]]:
    """Draw permutations of whole systems (axis 0) or whole segments (axis 1)."""
    rng = np.random.default_rng(0)
    shape = (SYSTEMS, 1) if axis == 0 else (1, SEGMENTS)
    for _ in range(LOOPS):
        yield rng.random(shape) < 0.5


def loop_segments(gold: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """Exchanges of segments for one pair of metrics, one permutation after the other."""
    for stays in exchanges(1):
        np.corrcoef(gold.ravel(), np.where(stays, first, second).ravel())
        np.corrcoef(gold.ravel(), np.where(stays, second, first).ravel())


def loop_items(gold: FloatArray, first: FloatArray, second: FloatArray, axis: int) -> None:
    """Test by the average correlation of single items."""
    for stays in exchanges(axis):
        grouped(gold, np.where(stays, first, second), pearson)
        grouped(gold, np.where(stays, second, first), pearson)


def loop_systems(gold: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """Test by the correlation of system means."""
    human = gold.mean(axis=1)
    for stays in exchanges(1):
        np.corrcoef(human, np.where(stays, first, second).mean(axis=1))
        np.corrcoef(human, np.where(stays, second, first).mean(axis=1))


def loop_accuracy(gold: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """Test by the share of pairs of outputs that are ordered or tied as in gold."""
    for stays in exchanges(1):
        grouped(gold, np.where(stays, first, second), acc_eq)
        grouped(gold, np.where(stays, second, first), acc_eq)


def loop_soft_accuracy(gold: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """Test by soft pairwise accuracy, with p from the normal distribution."""
    above = np.triu_indices(SYSTEMS, 1)
    human = normal_p(gold)
    for stays in exchanges(1):
        for scores in (np.where(stays, first, second), np.where(stays, second, first)):
            np.abs(human - normal_p(scores))[above].mean()


def normal_p(scores: FloatArray) -> FloatArray:
    """Return p of "the first is better" for every two systems."""
    differences = scores[:, None] - scores
    spread = np.sqrt(np.square(differences).sum(axis=2))
    return np.asarray(ndtr(-differences.sum(axis=2) / np.where(spread > 0, spread, 1)))


def seconds(work: Callable[[], Any]) -> float:
    """Measure the shorter time of two calls."""
    times = []
    for _ in range(2):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def report(
    name: str,
    ours: Callable[[], Any],
    loop: Callable[[], Any],
) -> bool:
    """Print times and ratio, with a mark where a goal is missed."""
    own = seconds(ours)
    plain = seconds(loop) / LOOPS * PERMUTATIONS * PAIRS
    reached = own <= MOST_SECONDS and plain / own >= LEAST_RATIO
    print(
        f"{name}: {own:.1f} s (goal {MOST_SECONDS:.0f}), plain loop {plain:.0f} s (extrapolated "
        f"from {LOOPS} draws), ratio {plain / own:.0f} (goal {LEAST_RATIO:.0f})"
        + ("" if reached else "  MISSED"),
        flush=True,
    )
    return reached


def main() -> int:
    """Print one line for each test."""
    gold, metrics = scores()
    plan = PermutationPlan(PERMUTATIONS)
    print(
        f"{METRICS} metrics × {SYSTEMS} systems × {SEGMENTS} segments, "
        f"{PERMUTATIONS} permutations, all {PAIRS} pairs"
    )
    two = metrics[0], metrics[1]
    good = [
        report(
            "PERM-INPUTS, Pearson over all cells",
            lambda: exchange_segments(gold, metrics, plan=plan),
            lambda: loop_segments(gold, *two),
        ),
        report(
            "PERM-INPUTS, Pearson by item",
            lambda: exchange_segments(gold, metrics, "item", plan),
            lambda: loop_items(gold, *two, axis=1),
        ),
        report(
            "PERM-INPUTS, Pearson of system means",
            lambda: exchange_system_segments(gold, metrics, plan=plan),
            lambda: loop_systems(gold, *two),
        ),
        report(
            "PERM-INPUTS, soft pairwise accuracy",
            lambda: exchange_soft_accuracy(gold, metrics, plan),
            lambda: loop_soft_accuracy(gold, *two),
        ),
        report(
            "PERM-INPUTS, acc_eq",
            lambda: exchange_items(
                np.array([group_coefficients(gold, one, acc_eq) for one in metrics]), plan
            ),
            lambda: loop_accuracy(gold, *two),
        ),
        report(
            "PERM-SYSTEMS, Pearson by item",
            lambda: exchange_systems_in_items(gold, metrics, plan),
            lambda: loop_items(gold, *two, axis=0),
        ),
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
