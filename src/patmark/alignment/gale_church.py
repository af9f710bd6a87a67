"""Alignment by length alone: W. Gale and K. Church, "A program for aligning sentences", 1993."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.alignment.beads import Bead, Kind, Step
from patmark.alignment.lengths import Lengths
from patmark.alignment.search import (
    Band,
    BeadScores,
    best_path,
    diagonal,
    first_half_width,
)
from patmark.data import FloatArray

VERSION = 1
# As in the published program, a bead type has its whole share in either direction.
_SHARES: dict[Kind, float] = {
    (1, 1): 0.89, (1, 0): 0.0099, (2, 1): 0.089, (1, 2): 0.089, (2, 2): 0.011,
}  # fmt: skip
_PUBLISHED_VARIANCE = 6.8
_LEAST = -25.0


@dataclass(frozen=True, slots=True)
class GaleChurch:
    """Lengths in characters, with the published shares of bead types and variance.

    With ``adapt`` the ratio of lengths is that of the two texts, and the variance is estimated from
    a first pass. This is necessary if one side is Chinese or Japanese, whose characters carry more
    information.
    """

    adapt: bool = False

    @property
    def signature(self) -> str:
        """Method and origin of the statistics."""
        return f"gale-church/{VERSION}({'adapted' if self.adapt else 'published'})"

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Return beads in the order of the text; the score is the log probability of the bead."""
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
    """Return the log probability that lengths differ as much or more (both tails)."""
    from scipy.special import log_ndtr

    return np.asarray(np.maximum(np.log(2) + log_ndtr(-np.sqrt(misfit)), _LEAST))


def _bead(step: Step, lengths: Lengths) -> Bead:
    i, j, (a, b) = step
    expected = lengths.source[i + a] - lengths.source[i]
    found = lengths.target[j + b] - lengths.target[j]
    misfit = (found - expected) ** 2 / (lengths.variance * max(expected + found, 1.0))
    score = np.log(_SHARES[(a, b) if a else (1, 0)]) + _log_chance(np.array([misfit]))[0]
    return Bead(tuple(range(i, i + a)), tuple(range(j, j + b)), float(score))
