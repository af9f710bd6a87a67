"""Do 95 % intervals hold the truth in 95 % of test sets? A simulation with known truth.

    python benchmarks/interval_coverage.py [SETS [MEASURE [DOCUMENTS]]]

Each set is compared as ``patmark compare`` does, and the intervals of the two scores and of their
difference are held against the truth. The first table, of means and BLEU, has beside them the plain
percentiles of resampled scores. The second has rates of documents whose faults are not, a little
and much alike, with the faults of a system, and those that only one of the two has; the third those
of single segments. Prints Markdown tables of all measures, or of those whose names begin so, with
all numbers of documents, or with this one; lines come as they are ready.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.evaluation import CompareSettings, Sampling, compare
from patmark.stats import Units, percentile_interval, resampled_scores
from simulated_sets import (
    ALIKE_FAULTS,
    EQUAL_RATES,
    MEANS,
    UNEQUAL_RATES,
    Design,
    SimulatedSet,
    designs,
    draw_set,
    rate_designs,
)

SETS = 600
RESAMPLES = 1000
_ENOUGH_FOR_RATES = 2  # whose intervals do not rest on resamples


@dataclass(frozen=True)
class Coverage:
    """Shares of test sets whose intervals hold the truth, and means over test sets.

    The means are the width of a score's interval, the faults of a system, and the segments in which
    only one system has a fault.
    """

    score: float
    difference: float
    width: float
    faults: float
    apart: float


def simulate(design: Design, sets: int) -> Coverage:
    """Draw test sets, and count how often the intervals hold the truth."""
    found = np.array([_covered(draw_set(design, seed)) for seed in range(sets)])
    return Coverage(*found.mean(axis=0).tolist())


def _covered(one: SimulatedSet) -> tuple[float, ...]:
    resamples = _ENOUGH_FOR_RATES if one.scores.rate else RESAMPLES
    settings = CompareSettings(Sampling(resamples), trials=1)
    found = compare({"m": one.scores}, one.documents, settings).measures["m"]
    intervals = [estimate.ci for estimate in found.estimates.values() if estimate.ci is not None]
    [pair] = found.pairs
    difference = one.truths[0] - one.truths[1]
    together = pair.ci is not None and pair.ci[0] <= difference <= pair.ci[1]
    width = np.mean([high - low for low, high in intervals])
    return _share_held(intervals, one), float(together), float(width), *_faults(one)


def _faults(one: SimulatedSet) -> tuple[float, float]:
    first, second = one.scores.statistics[..., 0]
    return float(first.sum() + second.sum()) / 2, float(np.abs(first - second).sum())


def _share_held(intervals: Sequence[tuple[float, float]], one: SimulatedSet) -> float:
    pairs = zip(intervals, one.truths, strict=True)
    return float(np.mean([low <= truth <= high for (low, high), truth in pairs]))


def percentiles_hold(design: Design, sets: int) -> float:
    """Return the share of scores that plain percentiles of the same draws hold."""
    drawn = (draw_set(design, seed) for seed in range(sets))
    return float(np.mean([_percentiles(one) for one in drawn]))


def _percentiles(one: SimulatedSet) -> float:
    quantity = one.scores.statistics, one.scores.score
    [draws] = resampled_scores([quantity], Units.choose(one.documents), RESAMPLES, 0)
    return _share_held([percentile_interval(of_system) for of_system in draws.T], one)


def _table(*columns: str) -> None:
    print(f"\n| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")


def _means(wanted: Iterable[Design], sets: int) -> None:
    _table("measure", "sizes", "documents", "score", "difference", "width", "plain percentiles")
    for design in wanted:
        found, plain = simulate(design, sets), percentiles_hold(design, sets)
        print(
            f"| {design.measure} | {design.sizes} | {design.documents} | {found.score:.1%} "
            f"| {found.difference:.1%} | {found.width:.3g} | {plain:.1%} |",
            flush=True,
        )


def _rates(wanted: Iterable[Design], sets: int, correlations: Sequence[float]) -> None:
    """Print the coverage of rates for the first correlation."""
    heads = [
        f"{what}, {alike:g}" if len(correlations) > 1 else what
        for what in ("score", "difference")
        for alike in correlations
    ]
    _table("measure", "sizes", "documents", *heads, "width", "faults")
    for design in wanted:
        found = [simulate(replace(design, alike=alike), sets) for alike in correlations]
        shares = [one.score for one in found] + [one.difference for one in found]
        print(
            f"| {design.measure} | {design.sizes} | {design.documents} "
            f"| {' | '.join(f'{share:.1%}' for share in shares)} | {found[-1].width:.3g} "
            f"| {found[0].faults:.1f}, {found[0].apart:.1f} |",
            flush=True,
        )


def main() -> None:
    """Print a line per design."""
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    beginning = sys.argv[2] if len(sys.argv) > 2 else ""
    print(f"{sets} test sets each, {RESAMPLES:,} resamples; how many intervals hold the truth")
    counts = set(map(int, sys.argv[3:]))
    rates = [name for name in EQUAL_RATES | UNEQUAL_RATES if name.startswith(beginning)]
    single = (Design(name, count, "single") for name in rates for count in (30, 100, 300))

    def wanted(found: Iterable[Design]) -> list[Design]:
        return [one for one in found if not counts or one.documents in counts]

    if means := wanted(one for one in designs(MEANS) if one.measure.startswith(beginning)):
        _means(means, sets)
    if of_documents := wanted(rate_designs(rates)):
        _rates(of_documents, sets, ALIKE_FAULTS)
    if of_segments := wanted(single):
        _rates(of_segments, sets, [0.0])


if __name__ == "__main__":
    main()
