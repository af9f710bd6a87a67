"""Whether words stand together somewhere in a claim, in any order and form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from patmark.claims.lint.word_lists import DEVERBAL, ORDINALS, STEP_WORDS
from patmark.claims.model import Claim
from patmark.text.phrases import singular

_WORD = re.compile(r"[^\W\d_]+")
_WINDOW = 12
_ROOT = 5
_STRANGERS = 1
_LINK_WORDS = (
    "a an and are at between by each for from in is its least of on one or said the to with"
)
_LINKS = frozenset(_LINK_WORDS.split())


@dataclass(frozen=True, slots=True)
class ClaimTokens:
    """All words of a claim in order, where they start, and the numbers of each."""

    places: dict[str, list[int]]
    starts: list[int]
    tokens: list[str]


TokenSources: TypeAlias = Sequence[tuple[ClaimTokens, int]]


def claim_tokens(claim: Claim, plain: str) -> ClaimTokens:
    """The words of a claim."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    starts: list[int] = []
    tokens: list[str] = []
    matches = _WORD.finditer(plain, claim.content.start, claim.content.end)
    for number, match in enumerate(matches):
        word = match.group().lower()
        starts.append(match.start())
        tokens.append(singular(word))
        places[tokens[-1]].append(number)
        if len(word) > _ROOT:
            places["~" + word[:_ROOT]].append(number)
    return ClaimTokens(places, starts, tokens)


def side_by_side(words: Sequence[str], sources: TokenSources) -> bool:
    """Whether all words stand together somewhere before, in any order and form.

    "the rotation speed" after "a speed of rotation"; "the comparison" after "comparing"; "the
    first shaft" after "a first and a second shaft".
    """
    meant = [word for word in words if word not in STEP_WORDS] or list(words)
    wanted = [part for word in meant for part in _WORD.findall(word)]
    if not wanted or (len(wanted) == 1 and not DEVERBAL.fullmatch(wanted[0])):
        return False
    ordinal = wanted[0] in ORDINALS
    firsts = [_forms(wanted[0])] if ordinal else [_forms(word) for word in wanted]
    return any(
        _runs_on(wanted, source, place, before, 0 if ordinal else _STRANGERS)
        for source, before in sources
        for forms in firsts
        for form in forms
        for place in source.places.get(form, ())
        if source.starts[place] < before
    )


def _forms(word: str) -> tuple[str, ...]:
    """How a word is looked up: in singular, and by its root where it may be made of a verb."""
    if DEVERBAL.fullmatch(word) and len(word) > _ROOT:
        return singular(word), "~" + word[:_ROOT]
    return (singular(word),)


def _runs_on(
    wanted: Sequence[str], source: ClaimTokens, place: int, before: int, strangers: int
) -> bool:
    """Whether all words come from a place on, with small words between and few others."""
    missing = {form: word for word in wanted for form in _forms(word)}
    left = set(wanted)
    for number in range(place, min(place + _WINDOW, len(source.tokens))):
        if source.starts[number] >= before:
            return False
        token = source.tokens[number]
        word = missing.get(token) or missing.get("~" + token[:_ROOT])
        if word is not None:
            left.discard(word)
            if not left:
                return True
        elif token not in _LINKS and token not in ORDINALS:
            strangers -= 1
            if strangers < 0:
                return False
    return False
