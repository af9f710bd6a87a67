"""Alignment with sentence vectors of the user; patmark ships no model.

The cost of a bead is that of Vecalign (B. Thompson and P. Koehn, EMNLP 2019): its cosine distance
times its sentences, over the distance of its sides from other sentences. The vector of a group is
the sum of the unit vectors of its sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from patmark.alignment.beads import Bead, Kind, Step
from patmark.alignment.search import (
    Band,
    BeadScores,
    best_path,
    diagonal,
    first_half_width,
)
from patmark.data import FloatArray
from patmark.errors import UsageError

VERSION = 1
_KINDS: tuple[Kind, ...] = (
    (1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3), (3, 2), (1, 4), (4, 1), (1, 5), (5, 1),
)  # fmt: skip
_LARGEST = 5
_SAMPLE = 100
_ROWS = 64
_SKIP_SHARE = 0.2
# Equal vectors must not make a large bead as cheap as several small ones.
_LEAST_DISTANCE = 0.01


@dataclass(frozen=True, slots=True)
class EmbeddingAligner:
    """Aligner by the vectors that ``embed`` returns for sentences, one row for each.

    ``name`` is the model in the signature.
    """

    embed: Callable[[Sequence[str]], ArrayLike]
    name: str = "own vectors"

    @property
    def signature(self) -> str:
        """Method and model."""
        return f"embeddings/{VERSION}({self.name})"

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Return beads in the order of the text; the score is the cosine of both sides."""
        vectors = [_checked(self.embed(texts), len(texts)) for texts in (source, target)]
        return align_vectors(*vectors)


def align_vectors(source: ArrayLike, target: ArrayLike) -> list[Bead]:
    """Return beads of two texts whose sentences are given as vectors, one row for each."""
    vectors = [_checked(side, None) for side in (source, target)]
    if len(vectors[0]) and len(vectors[1]) and vectors[0].shape[1] != vectors[1].shape[1]:
        sizes = " and ".join(str(side.shape[1]) for side in vectors)
        raise UsageError(f"vectors of both sides must have the same size, found {sizes}")
    groups = _Groups.of(*vectors)
    sources, targets = (len(side) for side in vectors)
    path = best_path(diagonal(sources, targets), targets, first_half_width(targets), groups.scores)
    return [groups.bead(step) for step in path]


def _checked(vectors: ArrayLike, count: int | None) -> FloatArray:
    array = np.asarray(vectors, dtype=np.float64)
    if array.ndim != 2 or not np.isfinite(array).all():
        raise UsageError("vectors must be finite numbers, one row for each sentence")
    if count is not None and len(array) != count:
        raise UsageError(f"{count} sentences need as many vectors, found {len(array)}")
    return _unit(array)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Unit vectors of 1 … 5 sentences from each on, and their mean distance from others."""

    source: Sequence[FloatArray]
    target: Sequence[FloatArray]
    source_distance: Sequence[FloatArray]
    target_distance: Sequence[FloatArray]

    @classmethod
    def of(cls, source: FloatArray, target: FloatArray) -> _Groups:
        sources, targets = _windows(source), _windows(target)
        return cls(
            sources,
            targets,
            [1 - group @ _mean_of_sample(target) for group in sources],
            [1 - group @ _mean_of_sample(source) for group in targets],
        )

    def scores(self, band: Band) -> BeadScores:
        """Return costs as negative scores; an unaligned sentence costs like a good bead of two."""
        grids = np.full((len(_KINDS) + 1, band.sources + 1, band.width), -np.inf, dtype=np.float32)
        for first in range(0, band.sources, _ROWS):
            rows = slice(first, min(first + _ROWS, band.sources))
            columns = np.minimum(band.columns()[rows], max(band.targets - 1, 0))
            begin, end = columns.min(initial=0), columns.max(initial=0) + 1
            for place, (a, b) in enumerate(_KINDS):
                cosine = self.source[a - 1][rows] @ self.target[b - 1][begin:end].T
                near = (
                    self.source_distance[a - 1][rows, None] + self.target_distance[b - 1][columns]
                )
                distance = 1 - np.take_along_axis(cosine, columns - begin, axis=1)
                distance = np.maximum(distance, _LEAST_DISTANCE)
                grids[place, rows] = -a * b * distance / np.maximum(near, 1e-6)
        one_to_one = grids[0, :-1]
        skip = float(np.quantile(one_to_one, 1 - _SKIP_SHARE)) if one_to_one.size else -1.0
        grids[-1, :-1] = skip
        return BeadScores([*_KINDS, (1, 0)], grids, np.full(band.targets, skip))

    def bead(self, step: Step) -> Bead:
        i, j, (a, b) = step
        cosine = float(self.source[a - 1][i] @ self.target[b - 1][j]) if a and b else 0.0
        return Bead(tuple(range(i, i + a)), tuple(range(j, j + b)), cosine)


def _unit(vectors: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12))


def _windows(vectors: FloatArray) -> list[FloatArray]:
    """Return the directions of sums of 1 to 5 consecutive vectors."""
    total, windows = np.zeros_like(vectors), []
    for more in range(_LARGEST):
        total = total + np.concatenate([vectors[more:], np.zeros_like(vectors[:more])])
        windows.append(_unit(total))
    return windows


def _mean_of_sample(vectors: FloatArray) -> FloatArray:
    """Return the mean of at most 100 evenly spaced vectors, so that the result is deterministic."""
    if not len(vectors):
        return np.zeros(vectors.shape[1])
    chosen = np.unique(np.linspace(0, len(vectors) - 1, _SAMPLE).astype(np.int64))
    return np.asarray(vectors[chosen].mean(axis=0))
