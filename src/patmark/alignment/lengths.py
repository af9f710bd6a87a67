"""Fit of the lengths of a bead's sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.alignment.beads import Kind, Step
from patmark.alignment.search import Band
from patmark.alignment.words import Side
from patmark.data import FloatArray

_MEDIAN_OF_CHI_SQUARE = 0.4549
_LEAST_VARIANCE = 0.5


def _running(lengths: Iterable[float]) -> FloatArray:
    return np.cumsum([0.0, *lengths])


@dataclass(frozen=True, slots=True)
class Lengths:
    """Cumulative lengths of both texts, and the variance of length differences.

    ``variance`` is the variance of the difference per character of either text, after source
    lengths are scaled to the length of the target text.
    """

    source: FloatArray
    target: FloatArray
    variance: float

    @classmethod
    def of(cls, source: Side, target: Side, variance: float) -> Lengths:
        """Return the lengths of two texts in letters and digits, plus one for each sentence.

        Source lengths are scaled to the total length of the target.
        """
        sources, targets = _running(source.letters + 1), _running(target.letters + 1)
        return cls(sources * (targets[-1] / max(sources[-1], 1.0)), targets, variance)

    @classmethod
    def of_texts(
        cls, source: Sequence[str], target: Sequence[str], variance: float, *, scaled: bool
    ) -> Lengths:
        """Return the lengths of two texts in characters without blanks."""
        sources, targets = (
            _running(len("".join(text.split())) for text in texts) for texts in (source, target)
        )
        scale = targets[-1] / max(sources[-1], 1.0) if scaled else 1.0
        return cls(sources * scale, targets, variance)

    def misfits(self, band: Band, kinds: Iterable[Kind]) -> Iterator[FloatArray]:
        """Yield squared difference over variance for the bead of each type from each cell."""
        columns = np.minimum(band.columns()[:-1], band.targets)
        begin = self.target[columns]
        for sources, targets in kinds:
            ends = np.minimum(np.arange(band.sources) + sources, band.sources)
            expected = (self.source[ends] - self.source[: band.sources])[:, None]
            found = self.target[np.minimum(columns + targets, band.targets)] - begin
            both = np.maximum(expected + found, 1.0)
            yield np.asarray((found - expected) ** 2 / (self.variance * both))

    def fitted(self, path: Sequence[Step]) -> Lengths:
        """Return lengths with the scale and the variance of the beads of a path.

        Unaligned sentences are ignored.
        """
        expected, found = self._of_beads(path)
        if not len(expected):
            return self
        scaled = replace(self, source=self.source * (found.sum() / expected.sum()))
        return replace(scaled, variance=scaled.variance_in(path))

    def variance_in(self, path: Sequence[Step]) -> float:
        """Return the variance of the beads of a path by the median, which is robust to outliers."""
        expected, found = self._of_beads(path)
        if not len(expected):
            return self.variance
        typical = np.median((found - expected) ** 2 / np.maximum(found + expected, 1.0))
        return float(typical / _MEDIAN_OF_CHI_SQUARE) + _LEAST_VARIANCE

    def _of_beads(self, path: Sequence[Step]) -> tuple[FloatArray, FloatArray]:
        """Return the lengths of both sides of the beads that have two sides."""
        steps = [(i, j, i + a, j + b) for i, j, (a, b) in path if a and b]
        places = np.array(steps, dtype=np.int64).reshape(-1, 4)
        return (
            self.source[places[:, 2]] - self.source[places[:, 0]],
            self.target[places[:, 3]] - self.target[places[:, 1]],
        )
