"""Speed of the tests between metrics, and ratios against plain loops over permutations.

    python benchmarks/meta_speed.py

Times are seconds of the processor, which a loaded machine does not change much. A loop is timed on
one pair of metrics and few permutations and multiplied up to all of them. Exits with 1 if a goal is
missed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from patmark.data.scores import FloatArray
from patmark.stats.correlation import grouped, pearson
from patmark.stats.metric_tests import (
    JudgedPairs,
    PermutationPlan,
    judge_pairs,
    perm_both_segments,
    perm_both_systems,
    permute_pairs,
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


def loop_segments(gold: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """PERM-BOTH of one pair, one permutation after the other."""
    rng = np.random.default_rng(0)
    for _ in range(LOOPS):
        stays = rng.random(gold.shape) < 0.5
        np.corrcoef(gold.ravel(), np.where(stays, first, second).ravel())
        np.corrcoef(gold.ravel(), np.where(stays, second, first).ravel())


def loop_items(gold: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """The same with correlations of single items, averaged."""
    rng = np.random.default_rng(0)
    for _ in range(LOOPS):
        stays = rng.random(gold.shape) < 0.5
        grouped(gold, np.where(stays, first, second), pearson)
        grouped(gold, np.where(stays, second, first), pearson)


def loop_systems(gold: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """The same with the means of systems."""
    rng = np.random.default_rng(0)
    human = gold.mean(axis=1)
    for _ in range(LOOPS):
        stays = rng.random(gold.shape) < 0.5
        np.corrcoef(human, np.where(stays, first, second).mean(axis=1))
        np.corrcoef(human, np.where(stays, second, first).mean(axis=1))


def loop_pairs(judged: JudgedPairs) -> None:
    """Permutation of judged pairs for one pair of metrics, one permutation after the other."""
    rng = np.random.default_rng(0)
    differences = judged.weights * (1.0 * judged.correct[:, 0] - judged.correct[:, 1])
    for _ in range(LOOPS):
        np.where(rng.random(len(differences)) < 0.5, differences, -differences).sum()


def seconds(work: Callable[[], Any]) -> float:
    """The shorter time of two calls."""
    times = []
    for _ in range(2):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def report(name: str, ours: Callable[[], Any], loop: Callable[[], Any]) -> bool:
    """Print times and ratio, with a mark where a goal is missed."""
    own = seconds(ours)
    plain = seconds(loop) / LOOPS * PERMUTATIONS * PAIRS
    reached = own <= MOST_SECONDS and plain / own >= LEAST_RATIO
    print(
        f"{name}: {own:.1f} s (goal {MOST_SECONDS:.0f}), plain loop {plain:.0f} s (extrapolated "
        f"from 1 pair × {LOOPS} permutations), ratio {plain / own:.0f} (goal {LEAST_RATIO:.0f})"
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
    judged = judge_pairs(gold, metrics, np.full(METRICS, 0.1))
    two = metrics[0], metrics[1]
    good = [
        report(
            "PERM-BOTH, Pearson over all cells",
            lambda: perm_both_segments(gold, metrics, plan=plan),
            lambda: loop_segments(gold, *two),
        ),
        report(
            "PERM-BOTH, Pearson by item",
            lambda: perm_both_segments(gold, metrics, average_by="item", plan=plan),
            lambda: loop_items(gold, *two),
        ),
        report(
            "PERM-BOTH, Pearson of system means",
            lambda: perm_both_systems(gold, metrics, plan=plan),
            lambda: loop_systems(gold, *two),
        ),
        report(
            f"pair permutation, {len(judged.correct)} pairs of translations",
            lambda: permute_pairs(judged, plan),
            lambda: loop_pairs(judged),
        ),
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
