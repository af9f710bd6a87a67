"""Phrases that changed places in two clauses of the same English words."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOKEN = re.compile(r"[^\W_]+|[,;:]")
# words around which the order does not matter, and words of lists
_EITHER_WAY = re.compile(
    r"[,;:]|and|or|plus|than|between|both|each|other|same|similar|identical|different|equal\w*|next"
    r"|adjacent|near|relative|parallel|perpendicular|opposite|facing|correspond\w*|match\w*|mat(?:es?|ed|ing)"
    r"|mix\w*|combin\w*|contact\w*|touch\w*|mesh\w*|engag\w*|connect\w*|coupl\w*|join\w*|link\w*|bond\w*"
    r"|attach\w*|communicat\w*"
)
_SMALL = re.compile(r"an?|the|is|are|be|being|of|in|on|at|by|for|to|with|from|into|that|which|\w")


def exchanged_phrases(old: str, new: str) -> tuple[str, str] | None:
    """Return the phrases that changed places, "motor" and "belt" around "drives the"; else None.

    All other words are the same. Lists and symmetric relations ("connected to") do not count.
    """
    first, second = (_TOKEN.findall(text.lower()) for text in (old, new))
    if first == second or sorted(first) != sorted(second):
        return None
    start = next(
        at for at, pair in enumerate(zip(first, second, strict=True)) if len(set(pair)) > 1
    )
    end = next(at for at in range(len(first), 0, -1) if first[at - 1] != second[at - 1])
    first, second = first[start:end], second[start:end]
    size = len(first)
    for one in range(1, size - 1):
        for other in range(1, size - one):
            middle = first[one : size - other]
            if first[:one] + first[size - other :] == second[size - one :] + second[:other] and (
                middle == second[other : size - one] and _has_direction(middle)
            ):
                return " ".join(first[:one]), " ".join(second[:other])
    return None


def _has_direction(words: Sequence[str]) -> bool:
    """Return True if the order around these words matters."""
    return not any(map(_EITHER_WAY.fullmatch, words)) and not all(map(_SMALL.fullmatch, words))
