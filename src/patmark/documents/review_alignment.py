"""Alignment for review: every sentence of two whole documents, including unaligned ones.

Unlike an aligner for corpora, it prefers to leave a sentence unaligned rather than join it to a
neighbour: an omission must not be hidden in a bead of two sentences.

| step | rule |
|---|---|
| beads | the hybrid aligner, with a lower cost of a sentence without counterpart |
| weak pairs | a lone source sentence next to a lone target sentence |
| order | lone sentences that translate each other at distant places |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from patmark.alignment import Bead, Hybrid
from patmark.documents.document_sentences import VERB_LAST, DocumentSide
from patmark.documents.layout import Passage
from patmark.documents.model import BilingualDocument, Span, WholeDocument
from patmark.documents.related_words import knowing_related_words
from patmark.documents.word_shares import WordShares

LONE_SCORE = -1.5
"""Score of a sentence without counterpart; -4 in corpora."""

_ENOUGH_WORDS = 5
_BETTER = 1.25
_LIKE_A_BEAD = 0.75  # of the usual share
_MOST_DISTANT_PAIRS = 40_000
_STRANGE = 0.2  # of the usual share of rendered words
_WHOLLY_STRANGE = 0.1
_WORSE = 0.35


@dataclass(frozen=True, slots=True)
class ReviewBead:
    """Sentences of both sides, by number, that belong together.

    ``weak`` means that only their position supports it; ``moved`` that they are elsewhere.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    score: float
    weak: bool = False
    moved: bool = False


@dataclass(frozen=True, slots=True)
class AlignedDocuments:
    """Two documents and the beads between their sentences, in the order of the source.

    ``given`` is True if a file states the beads.
    """

    source: DocumentSide
    target: DocumentSide
    beads: tuple[ReviewBead, ...]
    given: bool = False

    @property
    def weak_pairs(self) -> int:
        """Number of beads supported only by their position."""
        return sum(bead.weak for bead in self.beads)

    @property
    def likeness(self) -> float:
        """Mean score of two-sided beads, weighted by source length; 0 without any."""
        sizes = [
            (sum(len(self.source.sentences[place].text) for place in bead.source), bead.score)
            for bead in self.beads
            if bead.source and bead.target
        ]
        whole = sum(size for size, _ in sizes)
        return sum(size * score for size, score in sizes) / whole if whole else 0.0

    def paired(self) -> Iterator[tuple[ReviewBead, Passage, Passage]]:
        """Yield the beads with two sides, and both sides as running text."""
        for bead in self.beads:
            if bead.source and bead.target:
                yield bead, self.source.passage(bead.source), self.target.passage(bead.target)


def align_for_review(
    source: WholeDocument, target: WholeDocument, aligner: Hybrid
) -> AlignedDocuments:
    """Align the sentences of two documents."""
    whole = (aligner.source in VERB_LAST) != (aligner.target in VERB_LAST)
    first = DocumentSide.of(source, aligner.source, whole_claims=whole)
    second = DocumentSide.of(target, aligner.target, whole_claims=whole)
    sides = first, second.in_order_of(first)
    texts = sides[0].texts, sides[1].texts
    aligner = knowing_related_words(aligner, *texts)
    beads = aligner.align(sides[0].anchored_texts, sides[1].anchored_texts)
    shares = WordShares.of(*texts, beads, aligner)
    refined = [part for bead in beads for part in _without_strangers(bead, shares)]
    beads = _with_better_neighbours(refined, shares)
    return AlignedDocuments(*sides, _with_moved(list(with_weak_pairs(beads, shares)), shares))


def _without_strangers(bead: Bead, shares: WordShares) -> list[Bead]:
    """Return a bead without its first or last sentences that it hardly renders."""
    before: list[Bead] = []
    after: list[Bead] = []
    for side in (0, 1):
        for at, put in ((0, before), (-1, after)):
            places = (bead.source, bead.target)[side]
            if len(places) < 2 or not _is_stranger(bead, side, places[at], shares):
                continue
            lone = (places[at],)
            rest = places[1:] if at == 0 else places[:-1]
            put.append(Bead(lone, (), 0.0) if side == 0 else Bead((), lone, 0.0))
            bead = replace(bead, source=rest) if side == 0 else replace(bead, target=rest)
    return [*before, bead, *after[::-1]]


def _is_stranger(bead: Bead, side: int, place: int, shares: WordShares) -> bool:
    if shares.size(side, place) < _ENOUGH_WORDS:
        return False
    added = shares.added(side, place, bead.source, bead.target)
    if added >= _STRANGE * shares.usual or added < _WHOLLY_STRANGE * shares.usual:
        return added < _STRANGE * shares.usual
    rest = [
        [one for one in places if own != side or one != place]
        for own, places in enumerate((bead.source, bead.target))
    ]
    return shares.length_misfit(*rest) < _WORSE + shares.length_misfit(bead.source, bead.target)


def _with_better_neighbours(beads: Sequence[Bead], shares: WordShares) -> list[Bead]:
    """Exchange an unaligned sentence with its neighbour in a bead if it fits better."""
    found = list(beads)
    for place in range(len(found) - 1):
        pair = found[place], found[place + 1]
        for side in (0, 1):
            places = [(one.source, one.target)[side] for one in pair]
            others = [(one.source, one.target)[1 - side] for one in pair]
            if list(map(len, places)) != [1, 1] or bool(others[0]) == bool(others[1]):
                continue
            other = others[0] or others[1]
            fits = [_fit(shares, side, own, other) for own in places]
            paired = 0 if others[0] else 1
            if fits[1 - paired] > _BETTER * fits[paired]:
                found[place], found[place + 1] = (
                    replace(one, source=one.source, target=rest)
                    if side == 0
                    else replace(one, source=rest, target=one.target)
                    for one, rest in zip(pair, others[::-1], strict=True)
                )
            break
    return found


def _fit(shares: WordShares, side: int, own: Sequence[int], other: Sequence[int]) -> float:
    """Return the share of words of both sides that render each other."""
    return sum(shares.both(*((own, other) if side == 0 else (other, own))))


def _with_moved(beads: list[ReviewBead], shares: WordShares) -> tuple[ReviewBead, ...]:
    """Join unaligned sentences that render each other at distant places, the best pairs first.

    A pair has the place of its source sentence.
    """
    sources = {place for bead in beads if not bead.target for place in bead.source}
    targets = {place for bead in beads if not bead.source for place in bead.target}
    long = (
        [place for place in sorted(sources) if shares.size(0, place) >= _ENOUGH_WORDS],
        [place for place in sorted(targets) if shares.size(1, place) >= _ENOUGH_WORDS],
    )
    if len(long[0]) * len(long[1]) > _MOST_DISTANT_PAIRS:
        return tuple(beads)
    fits = sorted(
        (-min(shares.both([source], [target])), source, target) for source, target in product(*long)
    )
    moved: dict[int, int] = {}
    for fit, source, target in fits:
        if -fit < _LIKE_A_BEAD * shares.usual or source not in sources or target not in targets:
            continue
        for step in (-1, 1):  # neighbours moved with it
            one, other = (source, target) if step < 0 else (source + step, target + step)
            while one in sources and other in targets:
                moved[one] = other
                sources.remove(one)
                targets.remove(other)
                one, other = one + step, other + step
    found = []
    for bead in beads:
        if len(bead.source) == 1 and bead.source[0] in moved:
            fit = min(shares.both(bead.source, [moved[bead.source[0]]]))
            found.append(ReviewBead(bead.source, (moved[bead.source[0]],), fit, moved=True))
        elif bead.source or not set(bead.target) & set(moved.values()):
            found.append(bead)
    return tuple(found)


def align_pairs(document: BilingualDocument, languages: tuple[str, str]) -> AlignedDocuments:
    """Return the pairs of a bilingual file as beads."""
    spans: tuple[list[Span], list[Span]] = ([], [])
    beads = []
    for pair in document.pairs:
        places: list[tuple[int, ...]] = []
        for span, found in zip(pair, spans, strict=True):
            places.append((len(found),) if span else ())
            found += [span] if span else []
        beads.append(ReviewBead(places[0], places[1], 1.0))
    documents = document.source, document.target
    sides = [
        DocumentSide.of_spans(one, language, found)
        for one, language, found in zip(documents, languages, spans, strict=True)
    ]
    return AlignedDocuments(sides[0], sides[1], tuple(beads), given=True)


def with_weak_pairs(
    beads: Sequence[Bead], shares: WordShares | None = None
) -> Iterator[ReviewBead]:
    """Yield beads; adjacent unaligned sentences of both sides form one.

    Two long sentences that do not render each other stay unaligned.
    """
    waiting: ReviewBead | None = None
    for bead in beads:
        found = ReviewBead(bead.source, bead.target, bead.score)
        if waiting is not None and _complete(waiting, found):
            pair = replace(
                waiting,
                source=waiting.source + found.source,
                target=waiting.target + found.target,
                weak=True,
            )
            if shares is None or not _are_strangers(pair, shares):
                yield pair
                waiting = None
                continue
        if waiting is not None:
            yield waiting
        waiting = found if not (found.source and found.target) else None
        if waiting is None:
            yield found
    if waiting is not None:
        yield waiting


def _are_strangers(pair: ReviewBead, shares: WordShares) -> bool:
    long = all(
        shares.size(side, places[0]) >= _ENOUGH_WORDS
        for side, places in enumerate((pair.source, pair.target))
    )
    return long and max(shares.both(pair.source, pair.target)) < _STRANGE * shares.usual


def _complete(one: ReviewBead, other: ReviewBead) -> bool:
    """Return True if each of two beads has the side that the other lacks."""
    return bool(one.source) != bool(other.source) and bool(one.target) != bool(other.target)
