"""Compact letter display: systems share a letter exactly when no test tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from string import ascii_letters, ascii_lowercase

from patmark.stats.power import ALPHA


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
        if p <= alpha:
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
