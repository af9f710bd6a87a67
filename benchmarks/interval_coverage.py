"""Do intervals and tests keep their promise? A simulation with known truth.

    python benchmarks/interval_coverage.py [REPETITIONS]

Two systems of equal quality translate documents of several sentences; the score is a ratio of sums
(quality × length ÷ length), as for a corpus measure. Where sentences of a document resemble each
other, documents have to be drawn. The 95 % interval should cover the truth in 93–97 % of the test
sets, and a test at 5 % find a difference in about 5 % of them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from patmark.data.scores import FloatArray
from patmark.stats.paired import bootstrap_pairs, randomise_pairs
from patmark.stats.resampling import Units, percentile_interval, resample_totals

TRUTH = 0.6
SPREAD = 0.15


@dataclass(frozen=True)
class Design:
    """A test set to simulate; ``correlation`` is that of two sentences of one document."""

    documents: int
    sentences: int
    correlation: float


@dataclass(frozen=True)
class Rates:
    """Shares of the simulated test sets: truth covered, and false alarms of each test."""

    score_covered: float
    difference_covered: float
    bootstrap_alarms: float
    sacrebleu_alarms: float
    randomisation_alarms: float


def ratio(totals: FloatArray) -> FloatArray:
    """Quality × length ÷ length."""
    return np.asarray(totals[..., 0] / totals[..., 1])


def draw_statistics(design: Design, rng: np.random.Generator) -> FloatArray:
    """Statistics (2 systems, segments, 2) of a random test set."""
    shape = (2, design.documents, design.sentences)
    shared = rng.normal(size=(*shape[:2], 1)) * np.sqrt(design.correlation)
    own = rng.normal(size=shape) * np.sqrt(1 - design.correlation)
    quality = (TRUTH + SPREAD * (shared + own)).reshape(2, -1)
    lengths = np.broadcast_to(rng.integers(10, 50, size=quality.shape[1]), quality.shape)
    return np.stack([quality * lengths, lengths], axis=-1)


def simulate(design: Design, by: str, repetitions: int, draws: int) -> Rates:
    """Draw test sets, and count how often the intervals hold the truth and the tests fail."""
    names = [str(document) for document in range(design.documents)]
    units = Units.choose([name for name in names for _ in range(design.sentences)], by)
    counts = np.zeros(6)
    for repetition in range(repetitions):
        statistics = draw_statistics(design, np.random.default_rng(repetition))
        scores = ratio(resample_totals(statistics, units, draws, repetition))
        observed = ratio(statistics.sum(axis=1))
        [shift] = bootstrap_pairs(scores, observed)
        [moses] = bootstrap_pairs(scores, observed, "sacrebleu")
        [[exchange]] = randomise_pairs([(statistics, ratio)], units, draws, repetition)
        intervals = [percentile_interval(scores[:, system]) for system in range(2)]
        covered = [low <= TRUTH <= high for low, high in intervals]
        zero_inside = shift.ci is not None and shift.ci[0] <= 0 <= shift.ci[1]
        counts += [*covered, zero_inside, shift.p <= 0.05, moses.p <= 0.05, exchange.p <= 0.05]
    first, second, *others = counts / repetitions
    return Rates((first + second) / 2, *others)


def main() -> None:
    """Print a line per design and unit of resampling."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{repetitions} test sets each, 1,000 resamples and exchanges, shares in %\n")
    print(f"{'':34}{'95 % interval covers':>24}{'alarms without a difference':>40}")
    print(
        f"{'documents × sentences, r':28}{'drawn':10}{'score':>10}{'difference':>12}"
        f"{'bootstrap':>12}{'(sacreBLEU)':>13}{'randomisation':>15}"
    )
    for documents, sentences in [(20, 10), (50, 6), (100, 10)]:
        for correlation in (0.0, 0.3):
            for by in ("segment", "document"):
                design = Design(documents, sentences, correlation)
                rates = simulate(design, by, repetitions, draws=1000)
                print(
                    f"{documents:4} × {sentences:<4} r = {correlation:<12}{by:10}"
                    f"{rates.score_covered:10.1%}{rates.difference_covered:12.1%}"
                    f"{rates.bootstrap_alarms:12.1%}{rates.sacrebleu_alarms:13.1%}"
                    f"{rates.randomisation_alarms:15.1%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
