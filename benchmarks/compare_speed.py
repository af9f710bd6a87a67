"""Speed and memory of comparing systems, and a ratio against sacreBLEU's paired bootstrap.

    python benchmarks/compare_speed.py

Times are seconds of the processor, over all threads, the best of several runs, so that other work
on the machine decides little. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import logging
import random
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from patent_text import sentence, translation
from patmark.data.model import TestSet
from patmark.data.scores import FloatArray, ScoreFunction
from patmark.languages import workspace
from patmark.measures.registry import parse_measure
from patmark.stats.resampling import Units, estimates_of, resampled_scores
from patmark.stats.significance import bootstrap_pairs, randomise_pairs

MEASURES = ("BLEU", "chrF", "NIST", "RIBES", "METEOR", "ROUGE-L")
SYSTEMS, SEGMENTS, DRAWS = 20, 2000, 1000
MOST_SECONDS, LEAST_RATIO, MOST_MEGABYTES = 5.0, 20.0, 500.0
Quantity = tuple[FloatArray, ScoreFunction]


def texts() -> tuple[list[str], list[list[str]]]:
    """Return references and the translations of each system."""
    rng = random.Random(0)
    references = [sentence(rng) for _ in range(SEGMENTS)]
    return references, [[translation(rng, text) for text in references] for _ in range(SYSTEMS)]


def count(
    names: Sequence[str], references: list[str], systems: list[list[str]]
) -> list[tuple[FloatArray, ScoreFunction]]:
    """Statistics and score function of each measure."""
    test_set = TestSet.of(references)
    measures = [parse_measure(name) for name in names]
    return [
        (np.stack([measure.statistics(test_set, system) for system in systems]), measure.score)
        for measure in measures
    ]


def bootstrap(quantities: list[Quantity], units: Units) -> None:
    """Intervals of all systems and the paired bootstrap of all pairs, for each measure."""
    all_draws = resampled_scores(quantities, units, DRAWS, 0)
    for quantity, draws in zip(quantities, all_draws, strict=True):
        estimates = estimates_of(quantity, draws, units)
        bootstrap_pairs(draws, np.array([estimate.value for estimate in estimates]))


def both_tests(quantities: list[Quantity]) -> None:
    """Bootstrap and randomisation by segment."""
    units = Units.choose([None] * quantities[0][0].shape[1], "segment")
    bootstrap(quantities, units)
    randomise_pairs(quantities, units, DRAWS, 0)


def seconds(work: Callable[[], Any], repeats: int = 1) -> float:
    """Measure the shortest time of several calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


@workspace()
def ours(references: list[str], systems: list[list[str]]) -> None:
    """BLEU and chrF from raw text to p-values of all pairs."""
    units = Units.choose([None] * len(references), "segment")
    bootstrap(count(("BLEU", "chrF"), references, systems), units)


def theirs(references: list[str], systems: list[list[str]]) -> None:
    """Compare the first system with each other one by sacreBLEU."""
    named = [(str(number), system) for number, system in enumerate(systems)]
    PairedTest(named, {"BLEU": BLEU(), "chrF": CHRF()}, [references], "bs", DRAWS)()


def report(line: str, reached: bool) -> bool:
    """Print a result with a mark where the goal is missed."""
    print(line + ("" if reached else "  MISSED"), flush=True)
    return reached


def main() -> int:
    """Print three results."""
    logging.disable(logging.WARNING)
    references, systems = texts()
    ours(references[:10], [system[:10] for system in systems[:3]])
    own = seconds(lambda: ours(references, systems[:3]), repeats=10)
    peer = seconds(lambda: theirs(references, systems[:3]), repeats=3)
    good = report(
        f"paired bootstrap, 3 systems × {SEGMENTS} × {DRAWS}, BLEU + chrF, counting included: "
        f"ours {own:.2f} s, sacreBLEU {peer:.2f} s, ratio {peer / own:.1f} (goal {LEAST_RATIO})",
        peer / own >= LEAST_RATIO,
    )
    quantities = count(MEASURES, references, systems)
    spent = seconds(lambda: both_tests(quantities), repeats=2)
    good &= report(
        f"both tests, {SYSTEMS} systems × {SEGMENTS} × {DRAWS}, {len(MEASURES)} measures, "
        f"all pairs, after counting: {spent:.2f} s (goal {MOST_SECONDS})",
        spent <= MOST_SECONDS,
    )
    large = [(np.tile(statistics, (2, 5, 1)), score) for statistics, score in quantities]
    large += large[-4:]
    held = sum(statistics.nbytes for statistics, _ in large[: len(MEASURES)]) / 1e6
    tracemalloc.start()
    spent = seconds(lambda: both_tests(large))
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    good &= report(
        f"both tests, {2 * SYSTEMS} systems × {5 * SEGMENTS} × {DRAWS}, {len(large)} measures: "
        f"{spent:.1f} s, {peak:.0f} MB beside the statistics ({held:.0f} MB) "
        f"(goal {MOST_MEGABYTES:.0f} MB)",
        peak <= MOST_MEGABYTES,
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
