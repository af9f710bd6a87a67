"""Bradley–Terry: strengths of systems from who beats whom, P(i beats j) = π_i / (π_i + π_j).

Strengths are log π with mean 0, at the maximum of the likelihood. They are finite only if every
system can be reached from every other along wins; where that fails, a virtual average player is
added that wins and loses half a game against each system. All resamples are fitted at once by
Newton's method: the usual MM steps find the same maximum, but need more than 20,000 steps when
systems are nearly separated, as good and bad ones are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, FloatArray
from patmark.errors import UsageError
from patmark.stats.resampling import Units, percentile_interval, resample_totals

TieRule: TypeAlias = Literal["half", "davidson"]

_VIRTUAL = 0.5
_TOLERANCE = 1e-10
_ROUNDING = 1e-12  # of the log likelihood
_LONGEST_STEP = 3.0
_MOST_STEPS = 500


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


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    strengths: FloatArray
    nu: FloatArray
    prior: NDArray[np.bool_]
    unconverged: int


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
    counts = np.stack([wins, ties], axis=-1).reshape(1, segments, -1)
    total = counts.sum(axis=1).reshape(1, systems, systems, 2)
    groups = _components(_links(total, davidson)[0])
    fit = _fit(total, np.array([len(groups) > 1]), davidson)
    draws = None
    if resamples:
        totals = resample_totals(counts, drawn, resamples, seed).reshape(-1, systems, systems, 2)
        linked = _reach(_links(totals, davidson)).sum(axis=(1, 2)) == systems**2
        draws = _fit(totals, ~linked | (len(groups) > 1), davidson)
    played = total[0].sum(axis=(1, 2)) + total[0, :, :, 0].sum(axis=0)
    return BradleyTerry(
        _estimates(fit.strengths[0], draws, played),
        groups,
        prior=len(groups) > 1,
        tie_parameter=float(fit.nu[0]) if davidson else None,
        resamples=resamples,
        prior_resamples=int(draws.prior.sum()) if draws else 0,
        unconverged=fit.unconverged + (draws.unconverged if draws else 0),
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


def _links(totals: FloatArray, davidson: bool) -> FloatArray:
    """What counts as a win of i over j: (…, systems, systems)."""
    return totals[..., 0] if davidson else totals[..., 0] + totals[..., 1] / 2


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


def _fit(totals: FloatArray, prior: NDArray[np.bool_], davidson: bool) -> _Fit:
    """Strengths of many tables of wins and ties (draws, systems, systems, 2)."""
    draws, systems = totals.shape[:2]
    wins = np.zeros((draws, systems + 1, systems + 1))
    wins[:, :systems, :systems] = _links(totals, davidson)
    wins[:, systems, :systems] = wins[:, :systems, systems] = np.where(prior, _VIRTUAL, 0)[:, None]
    ties = np.zeros_like(wins)
    if davidson:
        ties[:, :systems, :systems] = totals[..., 1]
    logs, nu, unconverged = _maximise(wins, ties)
    compared = (totals.sum(axis=-1) + totals[..., 0].swapaxes(1, 2)).sum(axis=-1) > 0
    strengths = np.where(compared, logs[:, :systems], np.nan)
    number = np.maximum(compared.sum(axis=1), 1)
    middle = np.where(compared, strengths, 0).sum(axis=1) / number
    return _Fit(strengths - middle[:, None], nu, prior, unconverged)


def _maximise(wins: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """Log π (draws, players), Davidson's ν (0 without ties), and how many did not settle.

    The last coordinate of a place is log ν. A step that overshoots is halved; draws that have
    settled leave the work. A player without games keeps log π = 0.
    """
    draws, players = wins.shape[:2]
    place, size, active = np.zeros((draws, players + 1)), np.ones(draws), np.arange(draws)
    best = _likelihood(place, wins, ties)
    for _ in range(_MOST_STEPS):
        step = _newton_step(place[active], wins[active], ties[active])
        moving = np.abs(step).max(axis=1) > _TOLERANCE
        active, step = active[moving], step[moving]
        if not len(active):
            break
        tried = place[active] + size[active, None] * step
        reached = _likelihood(tried, wins[active], ties[active])
        good = reached >= best[active] - _ROUNDING * np.abs(best[active])
        place[active[good]], best[active[good]] = tried[good], reached[good]
        size[active] = np.where(good, 1, size[active] / 2)
    tied = ties.sum(axis=(1, 2)) > 0
    return place[:, :players], np.where(tied, np.exp(place[:, players]), 0), len(active)


def _outcomes(place: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(i beats j) and P(i ties j), both (draws, players, players)."""
    gap = place[:, :-1, None] - place[:, None, :-1]
    tied = ties.sum(axis=(1, 2), keepdims=True) > 0
    draw = np.where(tied, np.exp(place[:, -1, None, None] - gap / 2), 0)
    win = 1 / (1 + np.exp(-gap) + draw)
    return win, win * draw


def _likelihood(place: FloatArray, wins: FloatArray, ties: FloatArray) -> FloatArray:
    """The log of it, (draws,)."""
    win, draw = _outcomes(place, ties)
    ties_seen = ties * np.log(np.where(ties > 0, draw, 1))
    logs: FloatArray = (wins * np.log(win) + ties_seen / 2).sum(axis=(1, 2))
    return logs


def _newton_step(place: FloatArray, wins: FloatArray, ties: FloatArray) -> FloatArray:
    """The step to where the slope of the likelihood would vanish, cut where it is very long."""
    win, draw = _outcomes(place, ties)
    games = wins + wins.swapaxes(1, 2) + ties
    share = win + draw / 2
    playing = games.sum(axis=2) > 0
    tied = ties.sum(axis=(1, 2)) > 0
    slope = np.empty_like(place)
    slope[:, :-1] = (wins + ties / 2 - games * share).sum(axis=2)
    slope[:, -1] = (ties - games * draw).sum(axis=(1, 2)) / 2
    spread = games * (win + draw / 4 - share**2)
    bend = np.empty((*place.shape, place.shape[1]))
    diagonal = np.where(playing, spread.sum(axis=2), 1)
    fixed_mean = playing[:, :, None] & playing[:, None, :]
    bend[:, :-1, :-1] = fixed_mean - spread + diagonal[:, :, None] * np.eye(wins.shape[1])
    bend[:, -1, :-1] = bend[:, :-1, -1] = (games * draw * (0.5 - share)).sum(axis=2)
    bend[:, -1, -1] = np.where(tied, (games * draw * (1 - draw)).sum(axis=(1, 2)) / 2, 1)
    step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    cut: FloatArray = step * (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
    return cut


def _estimates(values: FloatArray, draws: _Fit | None, played: FloatArray) -> tuple[Estimate, ...]:
    return tuple(
        Estimate(float(value), _interval(float(value), draws, system), int(played[system]))
        for system, value in enumerate(values)
    )


def _interval(value: float, draws: _Fit | None, system: int) -> tuple[float, float] | None:
    """The interval, widened to hold its estimate where rounding puts it a hair outside."""
    if draws is None:
        return None
    low, high = percentile_interval(draws.strengths[:, system])
    return (min(low, value), max(high, value)) if value == value else (low, high)
