"""Invented test sets with known truth, for the simulations of intervals and tests.

Two systems translate documents of several segments. They are of equal quality, or have two
different rates of faults. Segments of one document are alike: a share of the spread of their
quality belongs to the document, differently for each system. Documents have 10 segments each, or as
many as a Pareto distribution gives, from 2 to 300: a few long ones hold most of the segments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np

from patmark.data import FloatArray, IntArray, Scores
from patmark.measures import parse_measure

ALIKE = 0.3  # correlation of the qualities of two segments of one document
ALIKE_FAULTS = 0.05  # the same of faults, which are all or nothing
MORE_ALIKE_FAULTS = 0.2  # the same in harder designs
LENGTHS = 8, 40
MEAN, SPREAD = 0.6, 0.15
DOCUMENTS = 5, 6, 10, 20, 50
SIZES = "equal", "Pareto", "single"  # single segments are independent
_MANY = 40_000  # documents from which the true BLEU is taken

Draw = Callable[[IntArray, np.random.Generator], FloatArray]


@dataclass(frozen=True)
class Design:
    """A kind of test set: what is measured, how many documents, and their sizes."""

    measure: str
    documents: int
    sizes: str


@dataclass(frozen=True)
class SimulatedSet:
    """Scores of two systems, the documents of the segments, and the true scores."""

    scores: Scores
    documents: list[str | None]
    truths: tuple[float, float]


def designs() -> Iterator[Design]:
    """All designs of equal systems, those of a measure together; BLEU of few single segments."""
    for measure, sizes, count in product(EQUAL, SIZES[:2], DOCUMENTS):
        yield Design(measure, count, sizes)
    for count in (10, 15, 20):
        yield Design("BLEU", count, "single")


def unequal_designs() -> Iterator[Design]:
    """Designs of systems with different rates, by document and by single segment."""
    for measure, sizes, count in product(UNEQUAL, SIZES[:2], DOCUMENTS[1:]):
        yield Design(measure, count, sizes)
    for measure, count in product(UNEQUAL, (30, 100, 300)):
        yield Design(measure, count, "single")


def hard_designs() -> Iterator[Design]:
    """Designs of different rates whose faults come together more often."""
    for measure, sizes, count in product(HARD, SIZES[:2], DOCUMENTS[2:]):
        yield Design(measure, count, sizes)


def draw_set(design: Design, seed: int) -> SimulatedSet:
    """A test set of a design."""
    rng = np.random.default_rng([seed, design.documents, SIZES.index(design.sizes)])
    of_segment = _document_of_segment(design, rng)
    draws, truths, scores = (EQUAL | UNEQUAL | HARD)[design.measure]()
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
    """The quality of each segment, with mean 0 and spread 1."""
    shared = rng.normal(size=of_segment[-1] + 1)[of_segment]
    own: FloatArray = rng.normal(size=len(of_segment))
    return np.sqrt(ALIKE) * shared + np.sqrt(1 - ALIKE) * own


def _mean(of_segment: IntArray, rng: np.random.Generator) -> FloatArray:
    """A mean weighted by length: quality × length, length."""
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
    of_beta = rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1)

    def draw(of_segment: IntArray, rng: np.random.Generator) -> FloatArray:
        documents = of_segment[-1] + 1
        likely = (rng.beta(*of_beta, documents) if rate else np.zeros(documents))[of_segment]
        faults = (rng.random(len(of_segment)) < likely).astype(np.float64)
        return np.stack([faults, np.ones(len(of_segment))], axis=-1)

    return draw


_Measured = tuple[tuple[Draw, Draw], tuple[float, float], Scores]
_MEAN = Scores("mean", "", (), (), np.zeros((0, 0, 2)))


def _rates(first: float, second: float, alike: float = ALIKE_FAULTS) -> _Measured:
    scores = replace(_MEAN, measure="rate", bounds=(0.0, 1.0), rate=True)
    return (_faults(first, alike), _faults(second, alike)), (first, second), scores


@cache
def _measured_bleu() -> _Measured:
    scores = parse_measure("BLEU").described()
    many = np.repeat(np.arange(_MANY), 10)
    truth = float(scores.score(_bleu(many, np.random.default_rng(0)).sum(axis=0)))
    return (_bleu, _bleu), (truth, truth), scores


EQUAL: dict[str, Callable[[], _Measured]] = {
    "mean": lambda: ((_mean, _mean), (MEAN, MEAN), _MEAN),
    "BLEU": _measured_bleu,
    "rate 10 %": lambda: _rates(0.1, 0.1),
    "rate 2 %": lambda: _rates(0.02, 0.02),
}
UNEQUAL: dict[str, Callable[[], _Measured]] = {
    "rates 1 %, 0 %": lambda: _rates(0.01, 0.0),
    "rates 4 %, 2 %": lambda: _rates(0.04, 0.02),
    "rates 20 %, 10 %": lambda: _rates(0.2, 0.1),
}
HARD: dict[str, Callable[[], _Measured]] = {
    "rates 4 %, 2 %, alike": lambda: _rates(0.04, 0.02, MORE_ALIKE_FAULTS),
    "rates 20 %, 10 %, alike": lambda: _rates(0.2, 0.1, MORE_ALIKE_FAULTS),
}
