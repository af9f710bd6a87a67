"""Resampling: number, seed and units; the bootstrap of summed statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, FloatArray, IntArray, ScoreFunction, Scores, ScoreScale
from patmark.errors import UsageError
from patmark.stats.intervals import score_interval
from patmark.stats.rates import RateEvidence
from patmark.wording import (
    Text,
    setting,
    tr,
    tr_n,
)

Quantity: TypeAlias = tuple[FloatArray, ScoreFunction]

MIN_DOCUMENTS = 6  # with fewer, no exchange of documents gives a p below 5 %
DEFAULT_RESAMPLES = 10_000
_CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings of the bootstrap. ``by`` None draws documents if at least 6 are known."""

    resamples: int = DEFAULT_RESAMPLES
    seed: int = 0
    by: str | None = None

    def __post_init__(self) -> None:
        numbers = {"number of resamples": self.resamples, "seed": self.seed}
        for what, number in numbers.items():
            if not isinstance(number, Integral):
                raise UsageError(f"the {what} must be a whole number: {number!r}")
            if number < 0:
                raise UsageError(f"the {what} must not be negative: {number}")
        _check_unit(self.by)


def _check_unit(by: str | None) -> None:
    """Refuse an unknown kind of unit."""
    if by not in (None, "segment", "document"):
        raise UsageError(f"resampling by {by!r} is unknown; choose segment or document")


def folds_of(groups: Sequence[object] | IntArray, folds: int) -> list[NDArray[np.bool_]]:
    """Return the members of each fold: groups, in their order, are assigned to folds in turn.

    With fewer groups than folds, each is a fold.
    """
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    count = min(folds, len(names))
    return [group % count == fold for fold in range(count)]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Resampling units: single segments, or the segments of a document together.

    ``documents`` are known. If documents are drawn, the other units are single segments. Units are
    numbered in the order of their names, and ``ranks`` are those of the segments by id, so that
    results do not depend on row order. ``names`` are those of documents; a segment without one has
    its id, or an empty name.
    """

    kind: str
    of_segment: IntArray
    count: int
    documents: int = 0
    alone: int = 0
    ranks: IntArray | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def choose(
        cls, documents: Sequence[str | None], by: str | None = None,
        ids: Sequence[str] | None = None,
    ) -> Units:  # fmt: skip
        """Choose documents if at least ``MIN_DOCUMENTS`` are known, else segments; ``by`` decides.

        A segment with an unknown document is a unit. Without ``ids``, segments are already in the
        order of their ids.
        """
        known = len({document for document in documents if document is not None})
        alone = sum(document is None for document in documents)
        independent = known and known + alone
        ranks = segment_ranks(ids, len(documents))
        _check_unit(by)
        if by == "document" and independent < 2:
            raise UsageError(
                f"resampling by document needs at least 2 documents, and {known} are known "
                f"({setting('docs')})"
            )
        if by == "document" or (by is None and independent >= MIN_DOCUMENTS):
            names = [
                (0, *_by_length(document)) if document is not None else (1, rank, "")
                for document, rank in zip(documents, ranks.tolist(), strict=True)
            ]
            number = {name: place for place, name in enumerate(sorted(set(names)))}
            of_segment = np.array([number[name] for name in names])
            by_unit = dict(zip(of_segment.tolist(), range(len(names)), strict=True))
            shown = tuple(
                documents[place] or (ids[place] if ids else "")
                for _, place in sorted(by_unit.items())
            )
            return cls("document", of_segment, len(number), known, alone, ranks, shown)
        return cls("segment", ranks, len(documents), known, alone, ranks)

    @property
    def order(self) -> IntArray:
        """Positions of the segments, by unit and then by id."""
        if self.ranks is None or len(self.ranks) != len(self.of_segment):
            return np.argsort(self.of_segment, kind="stable")
        return np.lexsort((self.ranks, self.of_segment))

    def __str__(self) -> str:
        if self.kind == "segment":
            segments = tr_n("{n} segment", "{n} segments", n=self.count)
            if self.too_few:
                return tr("segment ({segments}; {few})", segments=segments, few=self._few)
            return tr("segment ({segments})", segments=segments)
        documents = tr_n("{n} document", "{n} documents", n=self.documents)
        if self.alone:
            alone = tr_n("{n} segment", "{n} segments", n=self.alone)
            return tr(
                "document ({documents} and {alone} of no document)",
                documents=documents,
                alone=alone,
            )
        return tr("document ({documents})", documents=documents)

    @property
    def _few(self) -> Text:
        return tr_n("{n} document is too few", "{n} documents are too few", n=self.documents)

    @property
    def too_few(self) -> str:
        """The reason why nothing may be called significant with these units; empty if tests apply.

        Segments of one document are correlated. If documents are known, a test has to exchange
        them, and fewer than ``MIN_DOCUMENTS`` cannot give a significant result. Exchanging single
        segments would give spurious ones. A segment without a document counts as one.
        """
        if not self.documents or self.documents + self.alone >= MIN_DOCUMENTS:
            return ""
        return tr(
            "{few}; a test needs at least {n}, because segments of one document are alike",
            few=self._few,
            n=MIN_DOCUMENTS,
        )

    def totals(self, statistics: FloatArray) -> FloatArray:
        """Sum statistics (…, segments, k) over the segments of each unit."""
        order = self.order
        in_order = (order[1:] > order[:-1]).all()
        ordered = statistics if in_order else statistics[..., order, :]
        if self.count == statistics.shape[-2]:
            return ordered
        starts = np.searchsorted(self.of_segment[order], np.arange(self.count))
        return np.add.reduceat(ordered, starts, axis=-2)

    def carrying(self, statistics: FloatArray) -> int:
        """Count the units with statistics (systems, segments, k) other than zero.

        Other units, such as documents without a row of a label, do not affect a score.
        """
        carries = (statistics != 0).any(axis=(0, 2))
        return int(np.count_nonzero(np.bincount(self.of_segment[carries])))

    def sizes(self, counted: NDArray[np.bool_]) -> FloatArray:
        """Count the counted segments of each unit: (…, segments) → (…, units)."""
        return self.totals(counted[..., None].astype(np.float64))[..., 0]

    def among(self, segments: IntArray) -> Units:
        """Return the units of some segments, by position; other segments are not drawn."""
        kept, of_segment = np.unique(self.of_segment[segments], return_inverse=True)
        ranks = None if self.ranks is None else self.ranks[segments]
        if self.kind == "segment":
            return replace(self, of_segment=of_segment, count=len(kept), ranks=ranks)
        lone = np.bincount(self.of_segment)[kept] == 1
        alone = min(self.alone, int(lone.sum()))
        names = tuple(self.names[place] for place in kept) if self.names else ()
        return Units(self.kind, of_segment, len(kept), len(kept) - alone, alone, ranks, names)


def _by_length(name: str) -> tuple[int, str]:
    """Return a sort key: shorter names first, so that numbers are in order."""
    return len(name), name


def segment_ranks(ids: Sequence[str] | None, count: int) -> IntArray:
    """Return the rank of each segment by its id; without ids, its position."""
    ranks = np.arange(count)
    if ids is not None:
        ranks[sorted(range(count), key=lambda place: _by_length(ids[place]))] = np.arange(count)
    return ranks


def draw_weights(units: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Count how often each unit is drawn in each resample, in blocks of resamples.

    The blocks bound memory; the numbers do not depend on their size.
    """
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS_AT_ONCE // max(1, units))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = rng.integers(0, units, size=(rows, units), dtype=np.int64)
        drawn += np.arange(rows)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=rows * units)
        yield counts.reshape(rows, units).astype(np.float64)


def resample_totals(statistics: FloatArray, units: Units, resamples: int, seed: int) -> FloatArray:
    """Return summed statistics of resampled test sets, of shape (resamples, systems, k).

    ``statistics`` has the shape (systems, segments, k). All systems use the same resamples.
    """
    per_unit = units.totals(statistics)
    weights = draw_weights(units.count, resamples, seed)
    return np.concatenate([_weighted(block, per_unit) for block in weights])


def _weighted(weights: FloatArray, per_unit: FloatArray) -> FloatArray:
    """Sum statistics (systems, units, k) with unit weights: (resamples, systems, k)."""
    systems, count, size = per_unit.shape
    matrix = np.moveaxis(per_unit, 0, 1).reshape(count, systems * size)
    return (weights @ matrix).reshape(len(weights), systems, size)


def resampled_scores(
    quantities: Sequence[Quantity], units: Units, resamples: int, seed: int
) -> list[FloatArray]:
    """Return scores of many quantities on one set of resamples, each (resamples, systems).

    A quantity is given by its statistics (systems, segments, k) and its score function. Only the
    sums of one quantity in one block of resamples are in memory.
    """
    if not quantities:
        return []
    per_unit = [units.totals(statistics) for statistics, _ in quantities]
    blocks: list[list[FloatArray]] = [[] for _ in quantities]
    for weights in draw_weights(units.count, resamples, seed):
        for (_, score), summed, block in zip(quantities, per_unit, blocks, strict=True):
            block.append(score(_weighted(weights, summed)))
    empty = [np.empty((0, len(statistics))) for statistics, _ in quantities]
    return [np.concatenate([none, *block]) for none, block in zip(empty, blocks, strict=True)]


def estimates_of(
    quantity: Quantity, draws: FloatArray | None, units: Units, scale: ScoreScale | None = None
) -> list[Estimate]:
    """Return the value of each system, with an interval from resampled scores if there are any.

    Segments with an undefined score are not counted in n. A system counted in a single unit has a
    value but no interval.
    """
    statistics, score = quantity
    values = score(units.totals(statistics).sum(axis=1)).tolist()
    counted = np.count_nonzero(~np.isnan(score(statistics)), axis=1)
    if draws is None or not len(draws):
        intervals: list[tuple[float, float] | None] = [None] * len(values)
    elif scale is not None and scale.rate:
        intervals = [_rate_interval(one, score, scale, units) for one in statistics]
    else:
        sizes = units.sizes((statistics != 0).any(axis=2))
        intervals = [
            score_interval(value, drawn, size, scale)
            for value, drawn, size in zip(values, draws.T, sizes, strict=True)
        ]
    return [
        Estimate(value, interval, int(n))
        for value, interval, n in zip(values, intervals, counted, strict=True)
    ]


def estimate_all(
    quantities: Sequence[Quantity], units: Units, resamples: int, seed: int,
    scales: Sequence[ScoreScale] | None = None,
) -> list[list[Estimate]]:  # fmt: skip
    """Estimate many quantities with intervals from one set of resamples: quantity × system."""
    if not resamples:
        return [estimates_of(quantity, None, units) for quantity in quantities]
    draws = resampled_scores(quantities, units, resamples, seed)
    return [
        estimates_of(quantity, drawn, units, scale)
        for quantity, drawn, scale in zip(
            quantities, draws, scales or [ScoreScale()] * len(quantities), strict=True
        )
    ]


def estimate_scores(
    scores: Iterable[Scores], units: Units, resamples: int, seed: int
) -> list[list[Estimate]]:
    """Return values and intervals of many scores from one set of resamples: scores × system."""
    given = list(scores)
    quantities = [(one.statistics, one.score) for one in given]
    return estimate_all(quantities, units, resamples, seed, [one.scale for one in given])


def _rate_interval(
    statistics: FloatArray, score: ScoreFunction, scale: ScoreScale, units: Units
) -> tuple[float, float] | None:
    """Return the interval of a rate of one system, from statistics (segments, k)."""
    faults = score(statistics) / scale.whole
    counted = ~np.isnan(faults)
    found = RateEvidence.of(
        units.totals(np.where(counted, faults, 0.0)[:, None]), units.sizes(counted)
    )
    if found is None:
        return None
    low, high = found.interval()
    return scale.whole * low, scale.whole * high


def rate_difference(
    statistics: FloatArray, score: ScoreFunction, scale: ScoreScale, units: Units
) -> RateEvidence | None:
    """Return the difference of two systems by a rate, from statistics (2, segments, k).

    It covers the segments in which both were counted. None for a single unit.
    """
    first, second = score(statistics) / scale.whole
    more = first - second
    common = ~np.isnan(more)
    more = np.where(common, more, 0.0)
    apart = np.stack([np.maximum(more, 0), np.maximum(-more, 0)], axis=-1)
    return RateEvidence.of(units.totals(apart), units.sizes(common))
