"""From pairwise tests to rankings: clusters, rank ranges, letters; and pairwise scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from string import ascii_letters, ascii_lowercase

import numpy as np

from patmark.data import FloatArray
from patmark.stats.resampling import quotient
from patmark.stats.significance import ALPHA, is_significant


def clusters(
    scores: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> list[list[int]]:
    """Groups of systems, best first, such that a system opens a new group when it is significantly
    worse than any member of the current one.

    Systems with equal scores stay together: they open a group when one of them has to. Systems
    without a score (NaN) form the last group. ``p_values`` has an entry for each pair of
    positions, the earlier first; a p without a value is not significant.
    """
    groups: list[list[int]] = []
    for equal in _by_score(scores, higher_is_better):
        if groups and not any(
            is_significant(_pair_p(p_values, system, member), alpha)
            for system in equal
            for member in groups[-1]
        ):
            groups[-1] += equal
        else:
            groups.append(equal)
    unscored = [system for system, score in enumerate(scores) if isnan(score)]
    return [*groups, unscored] if unscored else groups


def _by_score(scores: Sequence[float], higher_is_better: bool) -> list[list[int]]:
    """Positions of equal scores together, best first, without those that have none."""
    positions: dict[float, list[int]] = {}
    for system, score in enumerate(scores):
        if not isnan(score):
            positions.setdefault(score, []).append(system)
    return [positions[score] for score in sorted(positions, reverse=higher_is_better)]


def _pair_p(p_values: Mapping[tuple[int, int], float], system: int, other: int) -> float:
    return p_values[min(system, other), max(system, other)]


def rank_ranges(
    scores: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> list[tuple[int, int]]:
    """For each system the best and worst rank that the tests allow.

    It ranks below every system that beats it significantly, and above every one that it beats.
    """
    sign = 1 if higher_is_better else -1
    ranges = []
    for system, score in enumerate(scores):
        gains = [
            sign * (score - other_score)
            for other, other_score in enumerate(scores)
            if other != system and is_significant(_pair_p(p_values, system, other), alpha)
        ]
        beaten_by, beats = sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains)
        ranges.append((beaten_by + 1, len(scores) - beats))
    return ranges


# Compact letter display: systems share a letter exactly when no test tells them apart.


def significance_letters(
    scores: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> list[tuple[str, ...]]:
    """The letters of each system; those of the best system come first in the alphabet.

    Insert and absorb (Piepho 2004): one group holds all systems; each significant pair splits the
    groups that hold both; groups within others go. ``p_values`` has an entry for each pair of
    positions, the earlier first; a p without a value is not significant. Systems without a score
    (NaN) rank last.
    """
    order = _best_first(scores, higher_is_better)
    rank = {system: place for place, system in enumerate(order)}
    groups = [frozenset(range(len(order)))] if order else []
    for (first, second), p in p_values.items():
        if is_significant(p, alpha):
            groups = _separate(groups, rank[first], rank[second])
    ordered = sorted(groups, key=sorted)
    return [
        tuple(letter(number) for number, group in enumerate(ordered) if rank[system] in group)
        for system in range(len(scores))
    ]


def letter(number: int) -> str:
    """The letter with a number, counted from 0: a to z, A to Z, then aa, ab and so on."""
    if number < len(ascii_letters):
        return ascii_letters[number]
    rest, text = number - len(ascii_letters) + len(ascii_lowercase), ""
    while rest >= 0:
        rest, place = divmod(rest, len(ascii_lowercase))
        text, rest = ascii_lowercase[place] + text, rest - 1
    return text


def _best_first(scores: Sequence[float], higher_is_better: bool) -> list[int]:
    sign = -1 if higher_is_better else 1
    return sorted(
        range(len(scores)),
        key=lambda system: (
            isnan(scores[system]),
            0 if isnan(scores[system]) else sign * scores[system],
        ),
    )


def _separate(groups: list[frozenset[int]], first: int, second: int) -> list[frozenset[int]]:
    """Split the groups that hold both systems; drop those that lie within another group."""
    both = [group for group in groups if first in group and second in group]
    kept = [group for group in groups if not (first in group and second in group)]
    for group in both:
        for part in (group - {first}, group - {second}):
            if not any(part <= other for other in kept):
                kept.append(part)
    return kept


# The pairwise score of NTCIR-9: how often a system's grade beats those of the others. For each
# segment and each other system a better grade gives one point, an equal one half a point. Only the
# order of grades matters, so it suits grades without a distance, like AA to F.


def pairwise_statistics(grades: FloatArray) -> FloatArray:
    """Points and comparisons of each system in each segment: (…, systems, segments, 2).

    ``grades`` (…, systems, segments) are numbers, better ones higher, NaN where there is none. Two
    systems are compared in the segments in which both have a grade.
    """
    statistics = np.zeros((*grades.shape, 2))
    for system in range(grades.shape[-2]):
        own = grades[..., system : system + 1, :]
        better, equal, worse = grades < own, grades == own, grades > own
        equal[..., system, :] = False
        comparisons = (better | equal | worse).sum(axis=-2)
        statistics[..., system, :, 0] = better.sum(axis=-2) + equal.sum(axis=-2) / 2
        statistics[..., system, :, 1] = comparisons
    return statistics


def pairwise_score(totals: FloatArray) -> FloatArray:
    """Points per comparison, from sums (…, 2); NaN without a comparison."""
    return quotient(totals[..., 0], totals[..., 1])


def segment_wins(grades: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wins and ties of each segment, both (segments, systems, systems), from grades.

    ``wins[s, i, j]`` is 1 where system i has the better grade, ``ties[s, i, j]`` where both have
    the same; the form that ``bradley_terry`` takes.
    """
    own, other = grades.T[:, :, None], grades.T[:, None, :]
    ties = (own == other).astype(np.float64)
    ties[:, np.arange(len(grades)), np.arange(len(grades))] = 0
    return (own > other).astype(np.float64), ties
