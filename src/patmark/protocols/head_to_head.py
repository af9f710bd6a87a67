"""Who beats whom: the sign test of NTCIR between all systems, from grades or preferences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from patmark.data import FloatArray
from patmark.human import PREFERENCE, Preferences
from patmark.stats import SignTest, holm, sign_test, system_pairs
from patmark.stats.ranking import segment_wins

SURE, LIKELY = 0.01, 0.05


@dataclass(frozen=True, slots=True)
class SignPair:
    """The sign test between two systems; wins are those of the first."""

    first: str
    second: str
    test: SignTest
    p_holm: float


@dataclass(frozen=True, slots=True)
class Wins:
    """Who beat whom per segment, (segments, systems, systems), and differences of each pair.

    ``differences`` (pairs, segments) have the sign of who was better, NaN where not compared.
    """

    wins: FloatArray
    ties: FloatArray
    differences: FloatArray

    def among(self, systems: Sequence[int], segments: Sequence[int]) -> Wins:
        """The same between some of the systems in some of the segments, by position."""
        pairs = system_pairs(self.wins.shape[1])
        kept = [place for place, pair in enumerate(pairs) if set(pair) <= set(systems)]
        places = np.array(segments)[:, None, None], np.array(systems)[:, None], np.array(systems)
        return Wins(self.wins[places], self.ties[places], self.differences[kept][:, segments])


def grade_wins(grades: FloatArray, *, ordinal: bool) -> Wins:
    """Wins from grades (evaluators, systems, segments).

    Evaluators of one segment are not independent, so it counts once in a sign test: by the mean of
    their differences, or for ordinal grades by the majority. In ``wins`` each of them counts.
    """
    first, second = _pair_positions(grades.shape[1])
    differences = grades[:, first] - grades[:, second]
    of_pairs = _mean_known(np.sign(differences) if ordinal else differences)
    wins, ties = segment_wins(grades[0])
    for own in grades[1:]:
        won, tied = segment_wins(own)
        wins += won
        ties += tied
    return Wins(wins, ties, np.round(of_pairs, 12))


def preference_wins(preferences: Preferences, criterion: str = PREFERENCE) -> Wins:
    """Wins from choices between two outputs; a segment counts once, by the majority."""
    wins, ties = preferences.wins(criterion), preferences.ties(criterion)
    first, second = _pair_positions(wins.shape[1])
    ahead = (wins - wins.swapaxes(1, 2))[:, first, second].T
    compared = (wins + wins.swapaxes(1, 2) + ties)[:, first, second].T > 0
    return Wins(wins, ties, np.where(compared, ahead, np.nan))


def sign_pairs(systems: Sequence[str], wins: Wins, *, corrected: bool) -> tuple[SignPair, ...]:
    """The sign test of every two systems, with Holm's correction where asked for."""
    tests = [sign_test(one[~np.isnan(one)]) for one in wins.differences]
    p_values = [test.p for test in tests]
    holms = holm(p_values) if corrected else p_values
    pairs = system_pairs(len(systems))
    return tuple(
        SignPair(systems[a], systems[b], test, p)
        for (a, b), test, p in zip(pairs, tests, holms, strict=True)
    )


def mark(p: float) -> str:
    """How NTCIR marks a p: ≫ at 1 %, > at 5 %, - above."""
    return "≫" if p <= SURE else ">" if p <= LIKELY else "-"


def _pair_positions(systems: int) -> tuple[list[int], list[int]]:
    pairs = system_pairs(systems)
    return [first for first, _ in pairs], [second for _, second in pairs]


def _mean_known(values: FloatArray) -> FloatArray:
    """The mean over the first axis without NaN; NaN where nothing is known."""
    known = (~np.isnan(values)).sum(axis=0)
    return np.where(known > 0, np.nansum(values, axis=0) / np.maximum(known, 1), np.nan)
