"""Measure the type I error rate of the tests of two systems.

    python benchmarks/false_positives.py [SETS]

Each set is compared as ``patmark compare`` does: by randomisation, the default, and by the paired
bootstrap, which is there on request. Both draw documents where at least 6 are known, and call
nothing significant where fewer are. The last column is what randomisation of single segments would
have said. A second table is of the sign test over segments, as NTCIR-9 made it and as human reports
show it: of all segments, and of single ones. Prints Markdown tables; lines come as they are ready.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product

import numpy as np

from patmark.evaluation import CompareSettings, Sampling, compare
from patmark.stats import ALPHA, Units, paired_differences, randomise_pairs, sign_test
from simulated_sets import DOCUMENTS, MEANS, SIZES, Design, SimulatedSet, designs, draw_set

SETS = 600
TRIALS = 1000


@dataclass(frozen=True)
class Alarms:
    """Shares of test sets in which a test calls the systems different."""

    randomisation: float
    bootstrap: float
    segments: float


def simulate(design: Design, sets: int) -> Alarms:
    """Draw test sets, and count how often each test finds a difference."""
    found = np.array([_alarms(draw_set(design, seed)) for seed in range(sets)])
    return Alarms(*found.mean(axis=0).tolist())


def _alarms(one: SimulatedSet) -> tuple[bool, bool, bool]:
    exchanged = CompareSettings(Sampling(1), trials=TRIALS)
    drawn = CompareSettings(Sampling(TRIALS), "bootstrap")
    by_document = [_significant(one, settings) for settings in (exchanged, drawn)]
    quantity = one.scores.statistics, one.scores.score
    segments = Units.choose(one.documents, "segment")
    [[test]] = randomise_pairs([quantity], segments, TRIALS, 0)
    return by_document[0], by_document[1], test.p <= ALPHA


def _significant(one: SimulatedSet, settings: CompareSettings) -> bool:
    [pair] = compare({"m": one.scores}, one.documents, settings).measures["m"].pairs
    return pair.significant


def sign_alarms(design: Design, sets: int) -> float:
    """Return the share of test sets in which the sign test over segments is significant."""
    drawn = (draw_set(design, seed).scores.segment_scores for seed in range(sets))
    return float(np.mean([sign_test(paired_differences(*one)).p <= ALPHA for one in drawn]))


def main() -> None:
    """Print a line per design."""
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    print(f"{sets} test sets each, {TRIALS:,} trials; the share called different at {ALPHA:.0%}\n")
    print("| measure | sizes | documents | randomisation | bootstrap | segments instead |")
    print("|---|---|---|---|---|---|")
    for design in designs((*MEANS, "rate 10 %", "rate 2 %")):
        found = simulate(design, sets)
        print(
            f"| {design.measure} | {design.sizes} | {design.documents} "
            f"| {found.randomisation:.1%} | {found.bootstrap:.1%} | {found.segments:.1%} |",
            flush=True,
        )
    print("\nThe sign test over segments\n\n| sizes | documents | mean | BLEU | rate 10 % |")
    print("|---|---|---|---|---|")
    for sizes, documents in (*product(SIZES[:2], DOCUMENTS[1:]), ("single", 100)):
        measures = (Design(measure, documents, sizes) for measure in ("mean", "BLEU", "rate 10 %"))
        shares = [f"{sign_alarms(design, sets):.1%}" for design in measures]
        print(f"| {sizes} | {documents} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
