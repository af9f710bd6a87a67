"""Significance clusters: systems grouped by pairwise tests, rank ranges, compact letter display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from string import ascii_letters, ascii_lowercase
from typing import Literal, TypeAlias

from patmark.stats.significance import ALPHA, is_significant

ClusterRule: TypeAlias = Literal["any", "wmt"]
CLUSTER_RULES: tuple[ClusterRule, ...] = ("any", "wmt")


def significance_clusters(
    scores: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
    rule: ClusterRule = "any",
) -> list[list[int]]:
    """Return the significance clusters of systems, best first.

    By the rule ``any``, a system opens a new cluster if it is significantly worse than any member
    of the current one. By ``wmt``, a boundary requires that every system above is significantly
    better than every system below. Systems with equal scores stay in one cluster. Systems without a
    score (NaN) form the last cluster. ``p_values`` has an entry for each pair of positions, the
    earlier first; NaN is not significant.
    """
    found: list[list[int]] = []
    ranked = _by_score(scores, higher_is_better)
    for place, equal in enumerate(ranked):
        lower = equal if rule == "any" else [one for group in ranked[place:] for one in group]
        upper = found[-1:] if rule == "any" else ranked[:place]
        beaten = (
            is_significant(_pair_p(p_values, system, member), alpha)
            for system in lower
            for group in upper
            for member in group
        )
        if found and not (any(beaten) if rule == "any" else all(beaten)):
            found[-1] += equal
        else:
            found.append(list(equal))
    unscored = [system for system, score in enumerate(scores) if isnan(score)]
    return [*found, unscored] if unscored else found


def _by_score(scores: Sequence[float], higher_is_better: bool) -> list[list[int]]:
    """Return the positions of equal scores together, best first, without NaN."""
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
    """Return the best and worst rank of each system that the tests allow.

    A system ranks below every system that is significantly better, and above every one that is
    significantly worse.
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


# Compact letter display: systems share a letter if and only if they do not differ significantly.


def significance_letters(
    scores: Sequence[float],
    p_values: Mapping[tuple[int, int], float],
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> list[tuple[str, ...]]:
    """Return the letters of each system; those of the best system come first in the alphabet.

    This is the insert-and-absorb algorithm (Piepho 2004). It starts with one set of all systems,
    splits the sets that hold both members of a significant pair, and drops subsets of other sets.
    ``p_values`` has an entry for each pair of positions, the earlier first; NaN is not significant.
    Systems without a score rank last.
    """
    ranked = _by_score(scores, higher_is_better)
    unscored = [system for system, score in enumerate(scores) if isnan(score)]
    order = [system for equal in (*ranked, unscored) for system in equal]
    rank = {system: place for place, system in enumerate(order)}
    sets = [frozenset(range(len(order)))] if order else []
    for (first, second), p in p_values.items():
        if is_significant(p, alpha):
            sets = _separate(sets, rank[first], rank[second])
    ordered = sorted(sets, key=sorted)
    return [
        tuple(letter(number) for number, group in enumerate(ordered) if rank[system] in group)
        for system in range(len(scores))
    ]


def letter(number: int) -> str:
    """Return the letter of a number from 0 on: a to z, A to Z, then aa, ab and so on."""
    if number < len(ascii_letters):
        return ascii_letters[number]
    rest, text = number - len(ascii_letters) + len(ascii_lowercase), ""
    while rest >= 0:
        rest, place = divmod(rest, len(ascii_lowercase))
        text, rest = ascii_lowercase[place] + text, rest - 1
    return text


def _separate(sets: list[frozenset[int]], first: int, second: int) -> list[frozenset[int]]:
    """Split the sets that hold both systems; drop subsets of other sets."""
    both = [members for members in sets if first in members and second in members]
    kept = [members for members in sets if not (first in members and second in members)]
    for members in both:
        for part in (members - {first}, members - {second}):
            if not any(part <= other for other in kept):
                kept.append(part)
    return kept
