"""Invented test sets with known truth, for the simulations of intervals and tests.

Two systems translate documents of several segments. They are of equal quality, or have two
different rates of faults. Segments of one document are alike: a share of the spread of their
quality belongs to the document, differently for each system. Documents have 10 segments each, or as
many as a Pareto distribution gives, from 2 to 300: a few long ones hold most of the segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from patmark.data import FloatArray, IntArray, Scores
from patmark.measures import parse_measure

ALIKE = 0.3  # correlation of the qualities of two segments of one document
ALIKE_FAULTS = 0.0, 0.05, 0.2  # the same of faults, which are all or nothing
USUAL = ALIKE_FAULTS[1]
LENGTHS = 8, 40
MEAN, SPREAD = 0.6, 0.15
DOCUMENTS = 5, 6, 10, 20, 50
SIZES = "equal", "Pareto", "single"  # single segments are independent
_MANY = 40_000  # documents from which the true BLEU is taken

Draw = Callable[[IntArray, np.random.Generator], FloatArray]


@dataclass(frozen=True)
class Design:
    """A kind of test set: what is measured, how many documents, their sizes, how alike faults are.

    ``alike`` is the correlation of faults in two segments of one document.
    """

    measure: str
    documents: int
    sizes: str
    alike: float = USUAL


@dataclass(frozen=True)
class SimulatedSet:
    """Scores of two systems, the documents of the segments, and the true scores."""

    scores: Scores
    documents: list[str | None]
    truths: tuple[float, float]


def designs(measures: Sequence[str]) -> Iterator[Design]:
    """Yield the designs of all measures; BLEU also has sets of few single segments."""
    for measure, sizes, count in product(measures, SIZES[:2], DOCUMENTS):
        yield Design(measure, count, sizes)
    for count in (10, 15, 20):
        yield Design("BLEU", count, "single")


def rate_designs(rates: Sequence[str]) -> Iterator[Design]:
    """Documents in which faults are as alike as usual."""
    for measure, sizes, count in product(rates, SIZES[:2], DOCUMENTS[1:]):
        yield Design(measure, count, sizes)


def draw_set(design: Design, seed: int) -> SimulatedSet:
    """Return a test set of a design."""
    rng = np.random.default_rng([seed, design.documents, SIZES.index(design.sizes)])
    of_segment = _document_of_segment(design, rng)
    draws, truths, scores = _measured(design)
    statistics = np.stack([draw(of_segment, rng) for draw in draws])
    segments = tuple(map(str, range(len(of_segment))))
    return SimulatedSet(
        replace(scores, systems=("A", "B"), segments=segments, statistics=statistics),
        [str(document) for document in of_segment],
        truths,
    )


def _document_of_segment(design: Design, rng: np.random.Generator) -> IntArray:
    sizes = np.full(design.documents, 10 if design.sizes == "equal" else 1)
    if design.sizes == "Pareto":
        drawn = np.ceil(2 * (1 - rng.random(design.documents)) ** (-1 / 1.2))
        sizes = np.minimum(drawn, 300).astype(np.int64)
    return np.repeat(np.arange(design.documents), sizes)


def _quality(of_segment: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return the quality of each segment, with mean 0 and spread 1."""
    shared = rng.normal(size=of_segment[-1] + 1)[of_segment]
    own: FloatArray = rng.normal(size=len(of_segment))
    return np.sqrt(ALIKE) * shared + np.sqrt(1 - ALIKE) * own


def _mean(of_segment: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return statistics of a mean weighted by length: quality × length, length."""
    lengths = rng.integers(*LENGTHS, size=len(of_segment)).astype(np.float64)
    quality = MEAN + SPREAD * _quality(of_segment, rng)
    return np.stack([quality * lengths, lengths], axis=-1)


def _bleu(of_segment: IntArray, rng: np.random.Generator) -> FloatArray:
    """Lengths of hypothesis and reference, matches and n-grams of orders 1 to 4."""
    lengths = rng.integers(*LENGTHS, size=len(of_segment))
    references = np.maximum(4, lengths + rng.integers(-3, 4, size=len(of_segment)))
    precision = 1 / (1 + np.exp(-1 - 0.8 * _quality(of_segment, rng)))
    ngrams = [lengths - order for order in range(4)]
    matches = [
        rng.binomial(count, precision ** (1 + 0.7 * order)) for order, count in enumerate(ngrams)
    ]
    columns = [lengths, references, *matches, *ngrams]
    return np.stack(columns, axis=-1).astype(np.float64)


def _faults(rate: float, alike: float) -> Draw:
    """Segments with a fault, all or nothing; documents differ in how often they have one."""

    def draw(of_segment: IntArray, rng: np.random.Generator) -> FloatArray:
        likely = np.full(of_segment[-1] + 1, rate)
        if rate and alike:
            of_beta = rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1)
            likely = rng.beta(*of_beta, len(likely))
        faults = (rng.random(len(of_segment)) < likely[of_segment]).astype(np.float64)
        return np.stack([faults, np.ones(len(of_segment))], axis=-1)

    return draw


_Measured = tuple[tuple[Draw, Draw], tuple[float, float], Scores]
_MEAN = Scores("mean", "", (), (), np.zeros((0, 0, 2)))


MEANS = "mean", "BLEU"
EQUAL_RATES = {f"rate {rate} %": (rate / 100, rate / 100) for rate in (1, 2, 5, 10, 20, 50)}
UNEQUAL_RATES = {
    f"rates {first} %, {second} %": (first / 100, second / 100)
    for first, second in ((1, 0), (4, 2), (20, 10), (50, 25))
}


def _measured(design: Design) -> _Measured:
    if design.measure == "mean":
        return (_mean, _mean), (MEAN, MEAN), _MEAN
    if design.measure == "BLEU":
        return _measured_bleu()
    first, second = (EQUAL_RATES | UNEQUAL_RATES)[design.measure]
    scores = replace(_MEAN, measure="rate", bounds=(0.0, 1.0), rate=True)
    draws = _faults(first, design.alike), _faults(second, design.alike)
    return draws, (first, second), scores


@cache
def _measured_bleu() -> _Measured:
    scores = parse_measure("BLEU").described()
    many = np.repeat(np.arange(_MANY), 10)
    truth = float(scores.score(_bleu(many, np.random.default_rng(0)).sum(axis=0)))
    return (_bleu, _bleu), (truth, truth), scores
