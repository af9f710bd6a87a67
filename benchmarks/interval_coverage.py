"""Do 95 % intervals hold the truth in 95 % of test sets? A simulation with known truth.

    python benchmarks/interval_coverage.py [SETS [MEASURE]]

Each set is compared as ``patmark compare`` does, and the intervals of the two scores and of their
difference are held against the truth, and beside them the plain percentiles of resampled scores.
Of rates it also counts the faults, and those that only one of the two systems has. Prints a
Markdown table, of all measures or of those whose names begin so; lines come as they are ready.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from patmark.evaluation import CompareSettings, Sampling, compare
from patmark.stats import Units, percentile_interval, resampled_scores
from simulated_sets import Design, SimulatedSet, designs, draw_set, hard_designs, unequal_designs

SETS = 600
RESAMPLES = 1000


@dataclass(frozen=True)
class Coverage:
    """Shares of test sets whose intervals hold the truth, and means over test sets.

    The means are the width of a score's interval, the faults of a system, and the segments in which
    only one system has a fault.
    """

    score: float
    percentiles: float
    difference: float
    width: float
    faults: float
    apart: float


def simulate(design: Design, sets: int) -> Coverage:
    """Draw test sets, and count how often the intervals hold the truth."""
    found = np.array([_covered(draw_set(design, seed)) for seed in range(sets)])
    return Coverage(*found.mean(axis=0).tolist())


def _covered(one: SimulatedSet) -> tuple[float, ...]:
    settings = CompareSettings(Sampling(RESAMPLES), trials=1)
    found = compare({"m": one.scores}, one.documents, settings).measures["m"]
    intervals = [estimate.ci for estimate in found.estimates.values() if estimate.ci is not None]
    held = _share_held(intervals, one)
    [pair] = found.pairs
    difference = one.truths[0] - one.truths[1]
    together = pair.ci is not None and pair.ci[0] <= difference <= pair.ci[1]
    width = np.mean([high - low for low, high in intervals])
    return held, _percentiles(one), float(together), float(width), *_faults(one)


def _faults(one: SimulatedSet) -> tuple[float, float]:
    first, second = one.scores.statistics[..., 0]
    return float(first.sum() + second.sum()) / 2, float(np.abs(first - second).sum())


def _share_held(intervals: Sequence[tuple[float, float]], one: SimulatedSet) -> float:
    pairs = zip(intervals, one.truths, strict=True)
    return float(np.mean([low <= truth <= high for (low, high), truth in pairs]))


def _percentiles(one: SimulatedSet) -> float:
    """The same with plain percentiles of the same draws."""
    quantity = one.scores.statistics, one.scores.score
    [draws] = resampled_scores([quantity], Units.choose(one.documents), RESAMPLES, 0)
    return _share_held([percentile_interval(of_system) for of_system in draws.T], one)


def main() -> None:
    """Print a line per design."""
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    print(f"{sets} test sets each, {RESAMPLES:,} resamples; how many intervals hold the truth\n")
    print(
        "| measure | sizes | documents | score | difference | width | plain percentiles | faults |"
    )
    print("|---|---|---|---|---|---|---|---|")
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    for design in chain(designs(), unequal_designs(), hard_designs()):
        if not design.measure.startswith(wanted):
            continue
        found = simulate(design, sets)
        faults = f"{found.faults:.1f}, {found.apart:.1f}" if "rate" in design.measure else "–"
        print(
            f"| {design.measure} | {design.sizes} | {design.documents} | {found.score:.1%} "
            f"| {found.difference:.1%} | {found.width:.3g} | {found.percentiles:.1%} | {faults} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
