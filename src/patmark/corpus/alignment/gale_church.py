"""Alignment by length alone: W. Gale and K. Church, "A program for aligning sentences", 1993."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.corpus.alignment.beads import (
    Band,
    Bead,
    BeadScores,
    Kind,
    Step,
    best_path,
    diagonal,
    first_half_width,
)
from patmark.corpus.alignment.words import Side
from patmark.data import FloatArray

_MEDIAN_OF_CHI_SQUARE = 0.4549
_LEAST_VARIANCE = 0.5
VERSION = 1
# As in the published program, a kind has its whole share for either way round.
_SHARES: dict[Kind, float] = {
    (1, 1): 0.89, (1, 0): 0.0099, (2, 1): 0.089, (1, 2): 0.089, (2, 2): 0.011,
}  # fmt: skip
_PUBLISHED_VARIANCE = 6.8
_LEAST = -25.0


def _running(lengths: Iterable[float]) -> FloatArray:
    return np.cumsum([0.0, *lengths])


@dataclass(frozen=True, slots=True)
class Lengths:
    """Running lengths of both texts, and how far translations differ in length.

    ``variance`` is the variance of the difference for one character of either text, after source
    lengths are scaled to the length of the target text.
    """

    source: FloatArray
    target: FloatArray
    variance: float

    @classmethod
    def of(cls, source: Side, target: Side, variance: float) -> Lengths:
        """Letters and digits of two texts; a sentence counts one more, so that none has length 0.

        Lengths of the source are scaled so that both texts are as long.
        """
        sources, targets = _running(source.letters + 1), _running(target.letters + 1)
        return cls(sources * (targets[-1] / max(sources[-1], 1.0)), targets, variance)

    @classmethod
    def of_texts(
        cls, source: Sequence[str], target: Sequence[str], variance: float, *, scaled: bool
    ) -> Lengths:
        """All characters but blanks."""
        sources, targets = (
            _running(len("".join(text.split())) for text in texts) for texts in (source, target)
        )
        scale = targets[-1] / max(sources[-1], 1.0) if scaled else 1.0
        return cls(sources * scale, targets, variance)

    def misfits(self, band: Band, kinds: Iterable[Kind]) -> Iterator[FloatArray]:
        """Squared difference over its variance, of the bead of each kind from each cell on."""
        columns = np.minimum(band.columns()[:-1], band.targets)
        begin = self.target[columns]
        for sources, targets in kinds:
            ends = np.minimum(np.arange(band.sources) + sources, band.sources)
            expected = (self.source[ends] - self.source[: band.sources])[:, None]
            found = self.target[np.minimum(columns + targets, band.targets)] - begin
            both = np.maximum(expected + found, 1.0)
            yield np.asarray((found - expected) ** 2 / (self.variance * both))

    def fitted(self, path: Sequence[Step]) -> Lengths:
        """With the scale and the variance that the beads of a path show.

        Sentences without a translation say nothing about the length of translations.
        """
        expected, found = self._of_beads(path)
        if not len(expected):
            return self
        scaled = replace(self, source=self.source * (found.sum() / expected.sum()))
        return replace(scaled, variance=scaled.variance_in(path))

    def variance_in(self, path: Sequence[Step]) -> float:
        """The variance that the beads of a path show, by the median, which outliers do not move."""
        expected, found = self._of_beads(path)
        if not len(expected):
            return self.variance
        typical = np.median((found - expected) ** 2 / np.maximum(found + expected, 1.0))
        return float(typical / _MEDIAN_OF_CHI_SQUARE) + _LEAST_VARIANCE

    def _of_beads(self, path: Sequence[Step]) -> tuple[FloatArray, FloatArray]:
        """The lengths of both sides of the beads that have two sides."""
        steps = [(i, j, i + a, j + b) for i, j, (a, b) in path if a and b]
        places = np.array(steps, dtype=np.int64).reshape(-1, 4)
        return (
            self.source[places[:, 2]] - self.source[places[:, 0]],
            self.target[places[:, 3]] - self.target[places[:, 1]],
        )


@dataclass(frozen=True, slots=True)
class GaleChurch:
    """Lengths in characters, with the published shares of kinds and variance.

    With ``adapt`` the ratio of lengths is that of the two texts, and the variance is estimated from
    a first pass: needed when one side is Chinese or Japanese, whose characters carry more.
    """

    adapt: bool = False

    @property
    def signature(self) -> str:
        """Method and where the statistics come from."""
        return f"gale-church/{VERSION}({'adapted' if self.adapt else 'published'})"

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Beads in the order of the text; the score is the logarithm of the chance of the bead."""
        lengths = Lengths.of_texts(source, target, _PUBLISHED_VARIANCE / 2, scaled=self.adapt)
        path = _best(lengths)
        if self.adapt:
            lengths = replace(lengths, variance=lengths.variance_in(path))
            path = _best(lengths)
        return [_bead(step, lengths) for step in path]


def _best(lengths: Lengths) -> list[Step]:
    sources, targets = len(lengths.source) - 1, len(lengths.target) - 1
    return best_path(
        diagonal(sources, targets),
        targets,
        first_half_width(targets),
        lambda band: _scores(band, lengths),
    )


def _scores(band: Band, lengths: Lengths) -> BeadScores:
    grids = np.full((len(_SHARES), band.sources + 1, band.width), -np.inf, dtype=np.float32)
    misfits = lengths.misfits(band, _SHARES)
    for place, (share, misfit) in enumerate(zip(_SHARES.values(), misfits, strict=True)):
        grids[place, :-1] = np.log(share) + _log_chance(misfit)
    lone = np.log(_SHARES[1, 0]) + _log_chance(np.diff(lengths.target) / lengths.variance)
    return BeadScores(list(_SHARES), grids, lone)


def _log_chance(misfit: FloatArray) -> FloatArray:
    """The logarithm of the chance that lengths differ as much or more: both tails of the normal."""
    from scipy.special import log_ndtr

    return np.asarray(np.maximum(np.log(2) + log_ndtr(-np.sqrt(misfit)), _LEAST))


def _bead(step: Step, lengths: Lengths) -> Bead:
    i, j, (a, b) = step
    expected = lengths.source[i + a] - lengths.source[i]
    found = lengths.target[j + b] - lengths.target[j]
    misfit = (found - expected) ** 2 / (lengths.variance * max(expected + found, 1.0))
    score = np.log(_SHARES[(a, b) if a else (1, 0)]) + _log_chance(np.array([misfit]))[0]
    return Bead(tuple(range(i, i + a)), tuple(range(j, j + b)), float(score))
