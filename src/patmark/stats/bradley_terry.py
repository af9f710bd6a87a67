"""Bradley–Terry strengths of systems from wins: P(i beats j) = π_i / (π_i + π_j).

Strengths are log π with mean 0, at the maximum of the likelihood. They are finite only if every
system can be reached from every other along wins. Otherwise a virtual average player is added,
which wins and loses half a game against each system. Many resamples are fitted at once, starting
from the strengths of the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, FloatArray, IntArray
from patmark.errors import UsageError
from patmark.stats.intervals import FEWEST_UNITS, interval_holding, tail_beyond
from patmark.stats.resampling import Units, draw_weights

TieRule: TypeAlias = Literal["half", "davidson"]

_CELLS_AT_ONCE = 1 << 18  # number of win tables per block, to fit the processor cache


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """Log strengths with intervals; n is the number of comparisons of a system.

    ``components`` are the groups of systems that reach each other along wins, strongest first. If
    there is more than one, ``prior`` is True: the virtual player was added, and strengths across
    groups depend on it. ``prior_resamples`` counts the resamples that needed it. A system without
    comparisons has no strength (NaN). ``tie_parameter`` is Davidson's ν, or None if ties are half
    wins. ``unconverged`` counts fits of the data and of resamples that were stopped early.
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
    """Return strengths from wins and ties per segment, both (segments, systems, systems).

    ``wins[s, i, j]`` counts how often i beat j in segment s; ``ties`` is symmetric. A tie is half a
    win for both. With ``davidson`` it is a separate outcome with P proportional to ν √(π_i π_j),
    and only real wins link systems. ``units`` gives the resampling unit of each segment.
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
    games = per_unit.reshape(len(per_unit), -1, systems, systems).sum(axis=1)
    played = wins.sum(axis=(0, 1)) + (wins + ties).sum(axis=(0, 2))
    return BradleyTerry(
        _estimates(fit.strengths[0], draws, played, games.sum(axis=1) + games.sum(axis=2)),
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
    """Flatten the outcomes of each segment: wins and, with Davidson, ties."""
    flat = wins.reshape(len(wins), -1), ties.reshape(len(ties), -1)
    return np.concatenate(flat, axis=1) if davidson else flat[0] + flat[1] / 2


def _resampled(
    per_unit: FloatArray, start: Fit, resamples: int, seed: int, *, leaning: bool
) -> list[Fit]:
    """Return fits of resampled units, in blocks that bound memory."""
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
    """Return which system reaches which along wins in any number of steps, itself included."""
    systems = links.shape[-1]
    reach = (links > 0) | np.eye(systems, dtype=bool)
    for _ in range(systems.bit_length()):
        paths = reach.astype(np.float64)
        reach = paths @ paths > 0
    return reach


def _components(links: FloatArray) -> tuple[tuple[int, ...], ...]:
    """Return the strongly connected components; those that reach more systems come first."""
    reach = _reach(links)
    mutual = reach & reach.T
    order = sorted(range(len(links)), key=lambda system: (-int(reach[system].sum()), system))
    return tuple(dict.fromkeys(tuple(map(int, np.flatnonzero(mutual[i]))) for i in order))


def _estimates(
    values: FloatArray, draws: Sequence[Fit], played: FloatArray, games: FloatArray
) -> tuple[Estimate, ...]:
    """Return strengths with intervals if resamples can differ from each other."""
    strengths = np.concatenate([one.strengths for one in draws]) if draws else None
    return tuple(
        Estimate(
            float(value),
            None if strengths is None or np.count_nonzero(games[:, system]) < FEWEST_UNITS
            else interval_holding(
                float(value), strengths[:, system], tail_beyond(games[:, system])
            ),
            int(played[system]),
        )
        for system, value in enumerate(values)
    )  # fmt: skip


# Newton's method finds the maximum of the likelihood. The usual MM steps find the same maximum, but
# need more than 20,000 steps if systems are nearly separated.
_VIRTUAL = 0.5
_TOLERANCE = 1e-10
_ROUNDING = 1e-12  # of the log likelihood
_LONGEST_STEP = 3.0
_SURE_STEP = 0.25  # changes no slope by more than e^½, so that the next step is smaller
_MOST_STEPS = 500


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Strengths (draws, systems), ν (draws,), and counts of fits with prior or without convergence.

    ``place`` is the maximum, a starting point for the next search.
    """

    strengths: FloatArray
    nu: FloatArray
    place: FloatArray
    leaning: int
    unconverged: int


@dataclass(frozen=True, slots=True, eq=False)
class _Games:
    """Wins, and with Davidson ties, of all pairs: (draws, players, players).

    ``played`` counts both directions, ``points`` are wins with ties as halves, summed by player.
    """

    wins: FloatArray
    ties: FloatArray | None
    played: FloatArray
    points: FloatArray

    @classmethod
    def of(cls, wins: FloatArray, ties: FloatArray | None) -> _Games:
        played, points = wins + wins.swapaxes(1, 2), wins.sum(axis=2)
        if ties is not None:
            played, points = played + ties, points + ties.sum(axis=2) / 2
        return cls(wins, ties, played, points)

    def among(self, draws: IntArray) -> _Games:
        """Return the fits of some draws."""
        if len(draws) == len(self.wins):
            return self
        ties = None if self.ties is None else self.ties[draws]
        return _Games(self.wins[draws], ties, self.played[draws], self.points[draws])


def fit_tables(tables: FloatArray, *, leaning: bool, start: Fit | None = None) -> Fit:
    """Return strengths from many tables of wins, and optionally of ties.

    The shape is (draws, 1 or 2, systems, systems). Tables that do not link all systems use the
    virtual player; with ``leaning`` all do.
    """
    draws, kinds, systems, _ = tables.shape
    edges = (tables[:, 0] > 0).astype(np.float32)
    prior = ~(_led_to(edges) & _led_to(edges.swapaxes(1, 2))) | leaning
    wins = np.zeros((draws, systems + 1, systems + 1))
    wins[:, :systems, :systems] = tables[:, 0]
    wins[:, systems, :systems] = wins[:, :systems, systems] = np.where(prior, _VIRTUAL, 0)[:, None]
    ties = np.zeros_like(wins) if kinds > 1 else None
    if ties is not None:
        ties[:, :systems, :systems] = tables[:, 1]
    games = _Games.of(wins, ties)
    begin = np.zeros((draws, systems + 2)) if start is None else np.repeat(start.place, draws, 0)
    place, unconverged = _maximise(games, begin)
    compared = games.played[:, :systems, :systems].any(axis=2)
    strengths = np.where(compared, place[:, :systems], np.nan)
    number = np.maximum(compared.sum(axis=1), 1)
    middle = np.where(compared, strengths, 0).sum(axis=1) / number
    tied = np.zeros(draws, dtype=bool) if ties is None else ties.any(axis=(1, 2))
    nu = np.where(tied, np.exp(place[:, -1]), 0)
    return Fit(strengths - middle[:, None], nu, place, int(prior.sum()), unconverged)


def _led_to(edges: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return True if the first system reaches all others."""
    reached = np.zeros((len(edges), 1, edges.shape[1]), dtype=np.float32)
    reached[:, :, 0] = 1
    while True:
        further = ((reached @ edges + reached) > 0).astype(np.float32)
        if np.array_equal(further, reached):
            return np.asarray(reached.all(axis=(1, 2)))
        reached = further


def _maximise(games: _Games, place: FloatArray) -> tuple[FloatArray, int]:
    """Return log π of each player and log ν, (draws, players + 1), and the unconverged fits.

    A step that overshoots is halved, and converged draws leave the iteration. A player without
    games stays at its place.
    """
    place, size, active = place.copy(), np.ones(len(place)), np.arange(len(place))
    for _ in range(_MOST_STEPS):
        now = games.among(active)
        step = _newton_step(place[active], now)
        length = np.abs(step).max(axis=1)
        moving = length > _TOLERANCE
        if not moving.any():
            return place, 0
        tried = place[active] + np.where(moving, size[active], 0)[:, None] * step
        good = ~moving | (length <= _SURE_STEP)
        long = np.flatnonzero(~good)
        if len(long):
            some = now.among(long)
            before = _likelihood(place[active[long]], some)
            good[long] = _likelihood(tried[long], some) >= before - _ROUNDING * np.abs(before)
        place[active[good]] = tried[good]
        size[active] = np.where(good, 1, size[active] / 2)
        active = active[moving]
    return place, len(active)


def _outcomes(place: FloatArray, games: _Games) -> tuple[FloatArray, FloatArray]:
    """Return P(i beats j) and P(i ties j), (draws, players, players); 0 without ties."""
    gap = place[:, None, :-1] - place[:, :-1, None]
    chance = np.exp(gap)
    if games.ties is None:
        chance += 1
        return np.divide(1, chance, out=chance), np.zeros((1, 1, 1))
    tied = games.ties.any(axis=(1, 2), keepdims=True)
    draw = np.where(tied, np.exp(place[:, -1, None, None] + gap / 2), 0)
    win = 1 / (1 + chance + draw)
    return win, win * draw


def _likelihood(place: FloatArray, games: _Games) -> FloatArray:
    """Return the log likelihood, (draws,)."""
    win, draw = _outcomes(place, games)
    logs: FloatArray = (games.wins * np.log(win)).sum(axis=(1, 2))
    if games.ties is not None:
        seen = np.log(np.where(games.ties > 0, draw, 1))
        logs += (games.ties * seen).sum(axis=(1, 2)) / 2
    return logs


def _newton_step(place: FloatArray, games: _Games) -> FloatArray:
    """Return the Newton step, shortened if very long."""
    win, draw = _outcomes(place, games)
    played, share = games.played, win if games.ties is None else win + draw / 2
    playing: NDArray[np.bool_] = np.any(games.played, axis=2)
    slope, bend = np.zeros_like(place), np.zeros((*place.shape, place.shape[1]))
    expected = played * share
    slope[:, :-1] = games.points - expected.sum(axis=2)
    spread = expected * (1 - share) - played * (draw / 4)
    # One is added for every two players to fix the mean: strengths have no natural zero.
    fixed_mean = playing[:, :, None] & playing[:, None, :]
    np.subtract(fixed_mean, spread, out=bend[:, :-1, :-1])
    players = np.arange(played.shape[1])
    bend[:, players, players] += np.where(playing, spread.sum(axis=2), 1)
    bend[:, -1, -1] = 1
    if games.ties is not None:
        slope[:, -1] = (games.ties - played * draw).sum(axis=(1, 2)) / 2
        bend[:, -1, :-1] = bend[:, :-1, -1] = (played * draw * (0.5 - share)).sum(axis=2)
        of_nu = (played * draw * (1 - draw)).sum(axis=(1, 2)) / 2
        bend[:, -1, -1] = np.where(games.ties.any(axis=(1, 2)), of_nu, 1)
    step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    cut: FloatArray = step * (_LONGEST_STEP / np.maximum(longest, _LONGEST_STEP))
    return cut
