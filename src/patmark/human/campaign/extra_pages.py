"""Pages beyond the main ones: repeats for self-agreement, and attention checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.data import counted
from patmark.errors import UsageError
from patmark.human.campaign.candidates import labelled, shuffled
from patmark.human.campaign.plan import Candidate, Page
from patmark.human.campaign.settings import Extras
from patmark.human.campaign.spoiling import spoil


@dataclass(frozen=True, slots=True)
class Spoiler:
    """What attention checks are made of: the form's way of asking, and texts to swap in."""

    edits: tuple[str, ...]
    language: str
    compares: bool
    texts: dict[str, list[tuple[str, str]]]

    def page(self, page: Page, rng: np.random.Generator) -> Page | None:
        """The page with one text spoilt; None if nothing in it can be.

        Where candidates are compared with each other, the original stands beside the spoilt text.
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
    """The page once more, with its candidates in another order; a pair changes sides."""
    if len(page.candidates) == 2:
        return replace(page, phase="repeat", candidates=labelled(page.candidates[::-1]))
    return replace(page, phase="repeat", candidates=shuffled(page.candidates, rng))


def with_extras(
    pages: Sequence[Page],
    repeats: Extras | None,
    checks: Extras | None,
    spoiler: Spoiler,
    rng: np.random.Generator,
    notes: list[str],
) -> list[Page]:
    """Main pages in their order with repeats and checks among them, each late enough."""
    placed: list[tuple[float, Page]] = [(float(place), page) for place, page in enumerate(pages)]
    taken: set[int] = set()
    for extras, name in ((repeats, "repeats"), (checks, "checks")):
        if extras is None or not extras.share:
            continue
        wanted = max(1, round(extras.share * len(pages)))
        open_places = [place for place in range(len(pages) - extras.distance) if place not in taken]
        _check_distance(pages, extras, name)
        made = 0
        for place in rng.permutation(open_places):
            if made == wanted:
                break
            page = pages[place]
            extra = repeated(page, rng) if name == "repeats" else spoiler.page(page, rng)
            if extra is None:
                continue
            taken.add(int(place))
            slot = rng.integers(place + extras.distance, len(pages))
            placed.append((float(slot) + float(rng.uniform(0.1, 0.9)), extra))
            made += 1
        if made < wanted:
            notes.append(
                f"{pages[0].evaluator}: {made} {name} instead of {wanted}; the others could not be "
                f"made or placed {counted(extras.distance, 'page')} after their originals"
            )
    return [page for _, page in sorted(placed, key=lambda pair: pair[0])]


def _check_distance(pages: Sequence[Page], extras: Extras, name: str) -> None:
    if extras.distance >= len(pages):
        raise UsageError(
            f"{name}: a distance of {counted(extras.distance, 'page')} needs more than "
            f"{counted(extras.distance, 'main page')}, and {pages[0].evaluator} has "
            f"{len(pages)}; lower the distance"
        )
