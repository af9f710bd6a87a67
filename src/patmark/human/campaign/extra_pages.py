"""Pages beyond the main ones: repeats for self-agreement, and attention checks.

In an attention check a text is degraded. Each change is recorded.

| edit | what is done |
|---|---|
| dropped | two words in five, side by side, are left out |
| swapped | half of the words change places |
| negation | a negation is taken out or put in |
| number | a number becomes another one |
| other | the output of the same system for another segment |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from string import digits
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from pydantic import ConfigDict, Field

from patmark.data import counted
from patmark.errors import UsageError
from patmark.facts import find_quantities
from patmark.human.campaign.plan import Candidate, Page, labelled, shuffled
from patmark.languages import WORD_TOKENIZERS, language, packs, tokenize

Edit: TypeAlias = Literal["dropped", "swapped", "negation", "number", "other"]
EDITS: tuple[Edit, ...] = get_args(Edit)
"""The ways to degrade a text."""
_FEWEST_WORDS = 4


PageShare: TypeAlias = Annotated[
    float, Field(ge=0, le=1, description="the share of pages, such as 0.05")
]


_FAR = 10


@dataclass(frozen=True, slots=True)
class Extras:
    """Pages beyond the main ones: their share, and their distance from the originals.

    The default ``distance`` is ten pages, less with fewer than thirty. ``edits`` are the ways to
    degrade a text in attention checks.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    share: PageShare
    distance: Annotated[int, Field(ge=0)] | None = None
    edits: tuple[Edit, ...] = ()

    def distance_among(self, pages: int) -> int:
        """Return the distance between a page and its extra, for that many pages."""
        return min(_FAR, pages // 3) if self.distance is None else self.distance


@dataclass(frozen=True, slots=True)
class Spoiler:
    """Material of attention checks: the questions of the form, and texts to swap in."""

    edits: tuple[str, ...]
    language: str
    compares: bool
    texts: dict[str, list[tuple[str, str]]]

    def page(self, page: Page, rng: np.random.Generator) -> Page | None:
        """Return the page with one degraded text; None if none can be.

        If candidates are compared with each other, the original is shown with the degraded text.
        """
        for place in rng.permutation(len(page.candidates)):
            one = page.candidates[place]
            others = [
                text for name in one.systems for text in self.texts[name] if text[0] != page.segment
            ]
            found = spoil(one.text, self.language, rng, self.edits, others) if one.text else None
            taken = {other.text for other in page.candidates}
            if found is None or found.text in taken:
                continue
            bad = Candidate("", one.systems, found.text, found.edits)
            return replace(page, phase="check", candidates=self._candidates(page, place, bad, rng))
        return None

    def _candidates(
        self, page: Page, place: int, bad: Candidate, rng: np.random.Generator
    ) -> tuple[Candidate, ...]:
        kept = list(page.candidates)
        if self.compares and len(kept) == 2:
            kept = [kept[place], bad]
        elif self.compares:
            kept.append(bad)
        else:
            kept[place] = bad
        return shuffled(kept, rng)


def repeated(page: Page, rng: np.random.Generator) -> Page:
    """Return the page once more, with its candidates in another order; a pair changes sides."""
    if len(page.candidates) == 2:
        return replace(page, phase="repeat", candidates=labelled(page.candidates[::-1]))
    return replace(page, phase="repeat", candidates=shuffled(page.candidates, rng))


def extra_pages(
    pages: Sequence[Page],
    places: Sequence[int],
    wanted: int,
    name: str,
    spoiler: Spoiler,
    rng: np.random.Generator,
) -> Iterator[tuple[int, Page]]:
    """Yield up to so many repeats or checks of some main pages, each with the place of its page."""
    for place in rng.permutation(places):
        if not wanted:
            return
        page = pages[place]
        extra = repeated(page, rng) if name == "repeats" else spoiler.page(page, rng)
        if extra is not None:
            wanted -= 1
            yield int(place), extra


def with_extras(
    pages: Sequence[Page],
    extras_by_name: Mapping[str, Extras | None],
    spoiler: Spoiler,
    rng: np.random.Generator,
    notes: list[str],
) -> list[Page]:
    """Return main pages in order with repeats and checks among them, each late enough."""
    placed: list[tuple[float, Page]] = [(float(place), page) for place, page in enumerate(pages)]
    taken: set[int] = set()
    for name, extras in extras_by_name.items():
        if extras is None or not extras.share:
            continue
        wanted = max(1, round(extras.share * len(pages)))
        distance = extras.distance_among(len(pages))
        open_places = [place for place in range(len(pages) - distance) if place not in taken]
        if distance >= len(pages):
            raise UsageError(
                f"{name}: a distance of {counted(distance, 'page')} needs more than "
                f"{counted(distance, 'main page')}, and {pages[0].evaluator} has "
                f"{len(pages)}; lower the distance"
            )
        made = len(placed)
        for place, extra in extra_pages(pages, open_places, wanted, name, spoiler, rng):
            taken.add(place)
            slot = rng.integers(place + distance, len(pages))
            placed.append((float(slot) + float(rng.uniform(0.1, 0.9)), extra))
        made = len(placed) - made
        if made < wanted:
            notes.append(
                f"{pages[0].evaluator}: {made} {name} instead of {wanted}; the others could not be "
                f"made or placed {counted(distance, 'page')} after their originals"
            )
    return [page for _, page in sorted(placed, key=lambda pair: pair[0])]


_DROPPED_SHARE = 0.4
_TURNED = "negation-turned"
_NOTHING = "-"


def _turned_negations(code: str) -> list[tuple[str, str]]:
    """Return patterns with what takes their place; English ones for a language without any."""
    tables = (one.table("campaign") for one in (language(code), *packs()))
    rows = next(filter(None, (table.rows for table in tables)))
    return [
        ("|".join(row.forms), "" if row.id == _NOTHING else row.id)
        for row in rows
        if row.group == _TURNED
    ]


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A degraded text and its changes."""

    text: str
    edits: tuple[str, ...]


def spoil(
    text: str,
    language: str,
    rng: np.random.Generator,
    edits: Sequence[str],
    others: Sequence[tuple[str, str]] = (),
) -> Spoilt | None:
    """Return the text with a random edit that changes it; None if no edit does.

    ``others`` are texts of other segments, each after the id of its segment.
    """
    for place in rng.permutation(len(edits)):
        name = edits[place]
        if name == "other":
            found = _other(text, others, rng)
        else:
            found = _CHANGES[name](text, language, rng)
        if found is not None and found[0].strip() and found[0] != text:
            return Spoilt(found[0], (f"{name}: {found[1]}",))
    return None


_Change = tuple[str, str]


def _dropped(text: str, code: str, rng: np.random.Generator) -> _Change | None:
    words = _words(text, code)
    if len(words) < _FEWEST_WORDS:
        return None
    count = max(1, round(_DROPPED_SHARE * len(words)))
    start = int(rng.integers(len(words) - count + 1))
    kept = [*words[:start], *words[start + count :]]
    return "".join(kept).strip(), "".join(words[start : start + count]).strip()


def _swapped(text: str, code: str, rng: np.random.Generator) -> _Change | None:
    words = _words(text, code)
    if len(words) < _FEWEST_WORDS:
        return None
    places = np.sort(rng.choice(len(words), size=max(2, len(words) // 2), replace=False))
    bare = [word.strip() for word in words]
    moved = list(words)
    for place, source in zip(places, np.roll(places, 1), strict=True):
        moved[place] = words[place].replace(bare[place], bare[source]) if bare[place] else ""
    pairs = [
        f"{bare[place]} ← {bare[source]}"
        for place, source in zip(places, np.roll(places, 1), strict=True)
    ]
    return "".join(moved), ", ".join(pairs)


def _negation(text: str, code: str, rng: np.random.Generator) -> _Change | None:
    """Return the first applicable change of a negation; removal precedes insertion."""
    for pattern, replacement in _turned_negations(code):
        places = list(re.finditer(pattern, text))
        if places:
            match = places[int(rng.integers(len(places)))]
            new = match.expand(replacement)
            changed = text[: match.start()] + new + text[match.end() :]
            return changed, f"{match.group()!r} → {new!r}"
    return None


def _number(text: str, code: str, rng: np.random.Generator) -> _Change | None:
    places = [item for item in find_quantities(text, code) if text[item.start] in digits]
    if not places:
        return None
    item = places[int(rng.integers(len(places)))]
    old = text[item.start : item.end]
    digit = str((int(old[0]) + int(rng.integers(1, 9))) % 9 + 1)
    new = digit + old[1:] if digit != old[0] else old + "0"
    return text[: item.start] + new + text[item.end :], f"{old} → {new}"


def _other(
    text: str, others: Sequence[tuple[str, str]], rng: np.random.Generator
) -> _Change | None:
    different = [(name, other) for name, other in others if other.strip() and other != text]
    if not different:
        return None
    name, other = different[int(rng.integers(len(different)))]
    return other, f"the text of {name}"


def _words(text: str, code: str) -> list[str]:
    """Return the words with the blanks after them; joined, they are the text."""
    if code not in WORD_TOKENIZERS:
        return re.findall(r"\s*\S+\s*", text)
    starts, place = [], 0
    for word in tokenize(text, WORD_TOKENIZERS[code]):
        found = text.find(word, place)
        if found >= 0:
            starts.append(found)
            place = found + len(word)
    bounds = [0, *starts[1:], len(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


_CHANGES: Mapping[str, Callable[[str, str, np.random.Generator], _Change | None]] = {
    "dropped": _dropped,
    "swapped": _swapped,
    "negation": _negation,
    "number": _number,
}
