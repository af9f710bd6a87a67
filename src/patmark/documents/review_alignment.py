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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from patmark.alignment import Bead, Hybrid
from patmark.documents.document_sentences import DocumentSide
from patmark.documents.layout import Passage
from patmark.documents.model import BilingualDocument, Span, WholeDocument
from patmark.documents.related_words import knowing_related_words
from patmark.documents.word_shares import WordShares
from patmark.languages import language

LONE_SCORE = -1.5
"""Score of a sentence without counterpart; -4 in corpora."""

_ENOUGH_WORDS = 5
_BETTER = 1.25
_DOUBTFUL = 0.5  # of the usual share
_LIKE_A_BEAD = 0.75  # of the usual share
_MOST_DISTANT_PAIRS = 40_000
_STRANGE = 0.2  # of the usual share of rendered words
_WHOLLY_STRANGE = 0.1
_WORSE, _MUCH_WORSE = 0.35, 0.55


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
    whole = language(aligner.source).is_verb_last != language(aligner.target).is_verb_last
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
    if added >= _STRANGE * shares.usual:
        return False
    worse = _WORSE if added >= _WHOLLY_STRANGE * shares.usual else _MUCH_WORSE
    rest = [
        [one for one in places if own != side or one != place]
        for own, places in enumerate((bead.source, bead.target))
    ]
    return shares.length_misfit(*rest) < worse + shares.length_misfit(bead.source, bead.target)


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
    """Join sentences that render each other at distant places, the best pairs first.

    They are unaligned, or in beads whose sides hardly render each other. A pair has the place of
    its source sentence.
    """
    free = [bead for bead in beads if _may_move(bead, shares)]
    sources = {place for bead in free for place in bead.source}
    targets = {place for bead in free for place in bead.target}
    now = {place: bead for bead in free for place in bead.source}
    long = (
        [place for place in sorted(sources) if shares.size(0, place) >= _ENOUGH_WORDS],
        [place for place in sorted(targets) if shares.size(1, place) >= _ENOUGH_WORDS],
    )
    if len(long[0]) * len(long[1]) > _MOST_DISTANT_PAIRS:
        return tuple(beads)
    fits = sorted(
        (-min(shares.both([source], [target])), source, target)
        for source, target in product(*long)
        if target not in now[source].target
    )
    moved: dict[int, int] = {}

    def take(source: int, target: int) -> None:
        moved[source] = target
        sources.remove(source)
        targets.remove(target)

    for fit, source, target in fits:
        if -fit < _LIKE_A_BEAD * shares.usual or source not in sources or target not in targets:
            continue
        take(source, target)
        for step in (-1, 1):  # neighbours moved with it
            one, other = source + step, target + step
            while one in sources and other in targets and _go_along(one, other, now, shares):
                take(one, other)
                one, other = one + step, other + step
    left = [part for bead in beads for part in _after_moves(bead, moved, shares)]
    return _with_left_over(left, moved, shares)


def _with_left_over(
    beads: Sequence[ReviewBead], moved: Mapping[int, int], shares: WordShares
) -> tuple[ReviewBead, ...]:
    """Let sentences move that lost their counterpart to a move and follow a moved one."""
    lone = [bead for bead in beads if not (bead.source and bead.target)]
    alone = (
        {place for bead in lone for place in bead.source},
        {place for bead in lone for place in bead.target},
    )
    more: dict[int, int] = {}
    for source, target in moved.items():
        for step in (-1, 1):
            one, other = source + step, target + step
            while one in alone[0] and other in alone[1]:
                more[one] = other
                alone[0].remove(one)
                alone[1].remove(other)
                one, other = one + step, other + step
    return tuple(part for bead in beads for part in _after_moves(bead, more, shares))


def _may_move(bead: ReviewBead, shares: WordShares) -> bool:
    """Return True for an unaligned sentence, and for sides that hardly render each other."""
    if not (bead.source and bead.target):
        return True
    return bead.weak or (
        _are_long(bead, shares)
        and max(shares.both(bead.source, bead.target)) < _DOUBTFUL * shares.usual
    )


def _go_along(source: int, target: int, now: Mapping[int, ReviewBead], shares: WordShares) -> bool:
    """Return True if a sentence moves with its neighbour: it is unaligned, or fits better there."""
    bead = now[source]
    if not bead.target:
        return True
    return target not in bead.target and min(shares.both([source], [target])) > max(
        shares.both([source], bead.target)
    )


def _after_moves(
    bead: ReviewBead, moved: Mapping[int, int], shares: WordShares
) -> Iterator[ReviewBead]:
    """Yield what is left of a bead, and the moved pairs of its source sentences."""
    taken = set(moved.values())
    source = tuple(place for place in bead.source if place not in moved)
    target = tuple(place for place in bead.target if place not in taken)
    if source and target:
        yield replace(bead, source=source, target=target)
    elif (source, target) == (bead.source, bead.target):
        yield bead
    else:
        yield from (ReviewBead((place,), (), 0.0) for place in source)
        yield from (ReviewBead((), (place,), 0.0) for place in target)
    for place in bead.source:
        if place in moved:
            fit = min(shares.both([place], [moved[place]]))
            yield ReviewBead((place,), (moved[place],), fit, moved=True)


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
    return (
        _are_long(pair, shares)
        and max(shares.both(pair.source, pair.target)) < _STRANGE * shares.usual
    )


def _are_long(pair: ReviewBead, shares: WordShares) -> bool:
    return all(
        shares.size(side, places[0]) >= _ENOUGH_WORDS
        for side, places in enumerate((pair.source, pair.target))
    )


def _complete(one: ReviewBead, other: ReviewBead) -> bool:
    """Return True if each of two beads has the side that the other lacks."""
    return bool(one.source) != bool(other.source) and bool(one.target) != bool(other.target)
