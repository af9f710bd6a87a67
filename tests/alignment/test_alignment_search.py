"""The band search finds what a search of all paths finds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, strategies as st

from patmark.alignment.beads import Kind, Step
from patmark.alignment.search import (
    Band,
    BeadScores,
    band_around,
    best_path,
    centres_of,
    diagonal,
    lone_runs,
    search,
)

KINDS: tuple[Kind, ...] = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (1, 0))


def _random_scores(seed: int, sources: int, targets: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(len(KINDS), sources + 1, targets + 1)).astype(np.float32),
        rng.normal(size=targets) - 1,
    )


def _in_band(full: np.ndarray, lone: np.ndarray, band: Band) -> BeadScores:
    columns = np.minimum(band.columns(), band.targets)
    grids = np.take_along_axis(full, np.broadcast_to(columns, (len(KINDS), *columns.shape)), axis=2)
    return BeadScores(KINDS, grids, lone)


def _total(path: list[Step], full: np.ndarray, lone: np.ndarray) -> float:
    kinds = list(KINDS)
    return sum(
        lone[j] if kind == (0, 1) else float(full[kinds.index(kind), i, j]) for i, j, kind in path
    )


def _best_of_all(full: np.ndarray, lone: np.ndarray, sources: int, targets: int) -> float:
    @cache
    def best(i: int, j: int) -> float:
        if (i, j) == (sources, targets):
            return 0.0
        sums = [
            float(full[k, i, j]) + best(i + a, j + b)
            for k, (a, b) in enumerate(KINDS)
            if i + a <= sources and j + b <= targets
        ]
        return max([*sums, *([lone[j] + best(i, j + 1)] if j < targets else [])])

    return best(0, 0)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 10_000))
def test_the_search_equals_a_search_of_all_paths(sources: int, targets: int, seed: int) -> None:
    full, lone = _random_scores(seed, sources, targets)
    band = band_around(diagonal(sources, targets), targets, targets + 1)
    path = search(band, _in_band(full, lone, band))
    assert path is not None
    assert _total(path, full, lone) == pytest.approx(_best_of_all(full, lone, sources, targets))


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 10_000), st.integers(1, 4))
def test_every_sentence_is_in_one_bead(
    sources: int, targets: int, seed: int, half_width: int
) -> None:
    full, lone = _random_scores(seed, sources, targets)
    path = best_path(
        diagonal(sources, targets), targets, half_width, lambda band: _in_band(full, lone, band)
    )
    i = j = 0
    for first_source, first_target, (a, b) in path:
        assert (first_source, first_target) == (i, j)
        i, j = i + a, j + b
    assert (i, j) == (sources, targets)


def test_the_band_is_widened_when_the_path_runs_at_its_edge() -> None:
    """Thirty target sentences without a source stand before thirty that translate in order."""
    widths: list[int] = []

    def score(band: Band) -> BeadScores:
        widths.append(band.width)
        place = band.columns() - 30
        grid = np.where(place == np.arange(31)[:, None], 5.0, -5.0).astype(np.float32)
        return BeadScores([(1, 1)], grid[None], np.full(60, -0.1))

    path = best_path(diagonal(30, 60), 60, 4, score)
    assert path[30:] == [(k, 30 + k, (1, 1)) for k in range(30)]
    assert widths == sorted(widths) and len(widths) > 1


@pytest.mark.parametrize("run_at", [0, 13, 30])
def test_a_long_run_of_lone_sentences_needs_no_wide_band(run_at: int) -> None:
    """Two hundred target sentences without a source stand somewhere among thirty that have one."""
    widths: list[int] = []

    def score(band: Band) -> BeadScores:
        widths.append(band.width)
        rows = np.arange(31)[:, None]
        expected = rows + np.where(rows >= run_at, 200, 0)
        together = np.where(band.columns() == expected, 5.0, -5.0)
        pairs = np.where(band.columns() == expected - 1, 1.0, -5.0)
        grids = np.stack([together, pairs, np.full(together.shape, -9.0)]).astype(np.float32)
        return BeadScores([(1, 1), (2, 1), (1, 0)], grids, np.full(230, -0.1))

    wide = best_path(diagonal(30, 230), 230, 230, score)
    runs = lone_runs(wide)
    assert runs == {run_at: 200}
    assert best_path(centres_of(wide, 30), 230, 4, score, runs) == wide
    assert widths == [231, 9]


def test_a_band_follows_the_diagonal_and_its_size_is_fixed() -> None:
    band = band_around(diagonal(5000, 6301), 6301, 100)
    assert band.width == 201
    assert (band.low[0], band.low[2500], band.low[5000]) == (0, 3050, 6101)


def test_texts_that_no_beads_cover_are_left_apart() -> None:
    def score(band: Band) -> BeadScores:
        return BeadScores([(1, 1)], np.zeros((1, band.sources + 1, band.width), dtype=np.float32))

    assert best_path(diagonal(1, 2), 2, 3, score) == [
        (0, 0, (1, 0)),
        (1, 0, (0, 1)),
        (1, 1, (0, 1)),
    ]


def test_positions_between_beads_are_interpolated() -> None:
    path: list[Step] = [(0, 0, (2, 1)), (2, 1, (0, 1)), (2, 2, (1, 3))]
    assert centres_of(path, 3).tolist() == [0.0, 0.5, 1.0, 5.0]
