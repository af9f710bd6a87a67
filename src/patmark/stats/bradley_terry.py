"""Bradley–Terry: strengths of systems from who beats whom, P(i beats j) = π_i / (π_i + π_j).

Strengths are log π with mean 0, at the maximum of the likelihood. They are finite only if every
system can be reached from every other along wins; where that fails, a virtual average player is
added that wins and loses half a game against each system. Resamples are fitted many at once and
start from the strengths of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, FloatArray
from patmark.errors import UsageError
from patmark.stats.bradley_terry_fit import Fit, fit_tables
from patmark.stats.resampling import FEWEST_UNITS, Units, draw_weights, percentile_interval

TieRule: TypeAlias = Literal["half", "davidson"]

_CELLS_AT_ONCE = 1 << 18  # of tables of wins; so few stay near the processor


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """Log strengths with intervals; n of each is its number of comparisons.

    ``components`` are the groups of systems that reach each other along wins, strongest first; if
    there is more than one, ``prior`` says that the virtual player was added, and strengths across
    groups lean on it. ``prior_resamples`` counts the resamples that needed it. A system without
    comparisons has no strength (NaN). ``tie_parameter`` is Davidson's ν, None where ties are half
    wins. ``unconverged`` counts fits, of the data and of resamples, that were stopped early.
    """

    strengths: tuple[Estimate, ...]
    components: tuple[tuple[int, ...], ...]
    prior: bool
    tie_parameter: float | None
    resamples: int
    prior_resamples: int
    unconverged: int
    seed: int
    unit: str


def bradley_terry(
    wins: FloatArray,
    ties: FloatArray,
    units: Units | None = None,
    resamples: int = 0,
    seed: int = 0,
    tie_rule: TieRule = "half",
) -> BradleyTerry:
    """Strengths from wins and ties per segment, both (segments, systems, systems).

    ``wins[s, i, j]`` counts how often i beat j in segment s; ``ties`` is symmetric. A tie is half a
    win for both, or by ``davidson`` an outcome of its own with P proportional to ν √(π_i π_j). With
    Davidson only real wins count as links between systems. ``units`` says which segments are drawn
    together for the interval.
    """
    _check(wins, ties, tie_rule)
    segments, systems, _ = wins.shape
    drawn = units or Units.choose([None] * segments, by="segment")
    davidson = tie_rule == "davidson"
    per_unit = drawn.totals(_tables(wins, ties, davidson))
    total = per_unit.sum(axis=0).reshape(1, -1, systems, systems)
    groups = _components(total[0, 0])
    fit = fit_tables(total, leaning=len(groups) > 1)
    draws = _resampled(per_unit, fit, resamples, seed, leaning=len(groups) > 1)
    played = wins.sum(axis=(0, 1)) + (wins + ties).sum(axis=(0, 2))
    varies = np.count_nonzero(_carried(per_unit, systems), axis=0) >= FEWEST_UNITS
    return BradleyTerry(
        _estimates(fit.strengths[0], draws, played, varies),
        groups,
        prior=len(groups) > 1,
        tie_parameter=float(fit.nu[0]) if davidson else None,
        resamples=resamples,
        prior_resamples=sum(one.leaning for one in draws),
        unconverged=fit.unconverged + sum(one.unconverged for one in draws),
        seed=seed,
        unit=str(drawn),
    )


def _check(wins: FloatArray, ties: FloatArray, tie_rule: str) -> None:
    if tie_rule not in ("half", "davidson"):
        raise UsageError(f"tie rule {tie_rule!r} is unknown; choose half or davidson")
    if wins.ndim != 3 or wins.shape[1] != wins.shape[2] or ties.shape != wins.shape:
        raise UsageError(
            "wins and ties must both have the shape (segments, systems, systems), "
            f"not {wins.shape} and {ties.shape}"
        )
    if not np.array_equal(ties, ties.swapaxes(1, 2)):
        raise UsageError("ties must be symmetric: what i ties with j, j ties with i")
    if np.einsum("sii->", wins) or np.einsum("sii->", ties):
        raise UsageError("a system cannot win against itself or tie with itself")


def _tables(wins: FloatArray, ties: FloatArray, davidson: bool) -> FloatArray:
    """What counts of each segment, flat: who beat whom, and with Davidson who tied with whom."""
    flat = wins.reshape(len(wins), -1), ties.reshape(len(ties), -1)
    return np.concatenate(flat, axis=1) if davidson else flat[0] + flat[1] / 2


def _carried(per_unit: FloatArray, systems: int) -> NDArray[np.bool_]:
    """In which units each system was compared: (units, systems)."""
    games = per_unit.reshape(len(per_unit), -1, systems, systems).sum(axis=1)
    carried: NDArray[np.bool_] = (games.any(axis=1)) | (games.any(axis=2))
    return carried


def _resampled(
    per_unit: FloatArray, start: Fit, resamples: int, seed: int, *, leaning: bool
) -> list[Fit]:
    """Fits of resampled units, in blocks that bound memory."""
    systems = start.strengths.shape[1]
    rows = max(1, _CELLS_AT_ONCE // systems**2)
    fits = []
    for weights in draw_weights(len(per_unit), resamples, seed):
        for first in range(0, len(weights), rows):
            totals = weights[first : first + rows] @ per_unit
            tables = totals.reshape(len(totals), -1, systems, systems)
            fits.append(fit_tables(tables, leaning=leaning, start=start))
    return fits


def _reach(links: FloatArray) -> NDArray[np.bool_]:
    """Which system leads to which along wins in any number of steps; each leads to itself."""
    systems = links.shape[-1]
    reach = (links > 0) | np.eye(systems, dtype=bool)
    for _ in range(systems.bit_length()):
        paths = reach.astype(np.float64)
        reach = paths @ paths > 0
    return reach


def _components(links: FloatArray) -> tuple[tuple[int, ...], ...]:
    """Groups of systems that lead to each other; those that lead to more systems come first."""
    reach = _reach(links)
    mutual = reach & reach.T
    order = sorted(range(len(links)), key=lambda system: (-int(reach[system].sum()), system))
    return tuple(dict.fromkeys(tuple(map(int, np.flatnonzero(mutual[i]))) for i in order))


def _estimates(
    values: FloatArray, draws: Sequence[Fit], played: FloatArray, varies: NDArray[np.bool_]
) -> tuple[Estimate, ...]:
    """Strengths with intervals, where there are resamples that can differ from each other."""
    strengths = np.concatenate([one.strengths for one in draws]) if draws else None
    return tuple(
        Estimate(
            float(value),
            None if strengths is None or not varies[system]
            else _interval(float(value), strengths[:, system]),
            int(played[system]),
        )
        for system, value in enumerate(values)
    )  # fmt: skip


def _interval(value: float, strengths: FloatArray) -> tuple[float, float]:
    """The interval, widened to hold its estimate where rounding puts it a hair outside."""
    low, high = percentile_interval(strengths)
    return (min(low, value), max(high, value)) if value == value else (low, high)
