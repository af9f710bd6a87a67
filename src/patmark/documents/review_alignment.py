"""Alignment for review: every sentence of two whole documents, including unaligned ones.

Unlike an aligner for corpora, it prefers to leave a sentence unaligned rather than join it to a
neighbour: an omission must not be hidden in a bead of two sentences.

| step | rule |
|---|---|
| beads | the hybrid aligner, with a lower cost of a sentence without counterpart |
| weak pairs | a lone source sentence next to a lone target sentence |
| order | lone sentences that translate each other at distant places |

Without a dictionary, words of Japanese are related to those of English or Chinese:

| words | related if |
|---|---|
| katakana, English | the consonants are the same: フィルタ, filter |
| Han characters, English | a sense of CC-CEDICT has the word |
| Han characters on both sides | the same when simplified, or a sense and a character in common |
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from patmark.alignment import Bead, Hybrid, Lexicon, WordMatches, lexicon_of_beads, sentence_words
from patmark.data import FloatArray
from patmark.documents.document_sentences import DocumentSide
from patmark.documents.layout import Passage
from patmark.documents.model import BilingualDocument, Span, WholeDocument
from patmark.facts import english_words_of, gloss_stems
from patmark.languages import language, simplified_japanese

_Words = list[Counter[int]]


@dataclass(frozen=True, slots=True)
class WordShares:
    """Content words of the sentences of both texts, their weights, and known translations."""

    words: tuple[_Words, _Words]
    weights: tuple[FloatArray, FloatArray]
    partners: dict[int, list[int]]
    letters: tuple[list[int], list[int]]
    usual: float = 0.0

    @classmethod
    def of(
        cls, source: Sequence[str], target: Sequence[str], beads: Sequence[Bead], aligner: Hybrid
    ) -> WordShares:
        """Learn translations from beads; ``usual`` is the median share in one-to-one beads."""
        lexicon = lexicon_of_beads([(source, target, beads)], aligner)
        if aligner.lexicon is not None:
            lexicon = aligner.lexicon.updated(lexicon)
        languages = aligner.source, aligner.target
        matches = WordMatches.of(source, target, languages, aligner.senses, lexicon)
        sides = matches.source, matches.target
        words = tuple(
            [
                Counter(side.ids[a:b].tolist())
                for a, b in zip(side.starts, side.starts[1:], strict=False)
            ]
            for side in sides
        )
        weights = tuple(
            _rarity(own, len(side.vocabulary)) for own, side in zip(words, sides, strict=True)
        )
        table = matches.related.tocsr()
        partners = {
            word: table.indices[table.indptr[word] : table.indptr[word + 1]].tolist()
            for word in range(len(sides[0].vocabulary))
        }
        letters = sides[0].letters.tolist(), sides[1].letters.tolist()
        shares = cls((words[0], words[1]), (weights[0], weights[1]), partners, letters)
        simple = [bead for bead in beads if len(bead.source) == len(bead.target) == 1]
        found = [share for bead in simple for share in shares.both(bead.source, bead.target)]
        return replace(shares, usual=float(np.median(found or [0.0])))

    def rendered(self, sources: Iterable[int], targets: Iterable[int]) -> tuple[float, float]:
        """Return the weight of the matched words on both sides."""
        ours, theirs = self._joined(0, sources), self._joined(1, targets)
        pairs = sorted(
            (-self.weights[0][word] - self.weights[1][other], word, other)
            for word in ours
            for other in self.partners[word]
            if other in theirs
        )
        first = second = 0.0
        for _, word, other in pairs:
            times = min(ours[word], theirs[other])
            ours[word] -= times
            theirs[other] -= times
            first += times * self.weights[0][word]
            second += times * self.weights[1][other]
        return first, second

    def both(self, sources: Sequence[int], targets: Sequence[int]) -> tuple[float, float]:
        """Return the share of the words of each side that the other renders."""
        first, second = self.rendered(sources, targets)
        return first / self.weight(0, sources), second / self.weight(1, targets)

    def added(self, side: int, place: int, sources: Sequence[int], targets: Sequence[int]) -> float:
        """Return the share of the words of one sentence that its bead renders only with it."""
        with_it = self.rendered(sources, targets)[side]
        rest = [one for one in (sources, targets)[side] if one != place]
        without = self.rendered(*((rest, targets) if side == 0 else (sources, rest)))[side]
        return (with_it - without) / self.weight(side, [place])

    def weight(self, side: int, places: Iterable[int]) -> float:
        """Return the weight of the words of sentences; never 0."""
        weights = self.weights[side]
        words = self._joined(side, places)
        return max(float(sum(weights[word] * times for word, times in words.items())), 1e-9)

    def length_misfit(self, sources: Iterable[int], targets: Iterable[int]) -> float:
        """Return how far the lengths of two sides are from the usual ratio; 0 if they fit."""
        sizes = [
            sum(letters[place] for place in places) / max(sum(letters), 1)
            for letters, places in zip(self.letters, (sources, targets), strict=True)
        ]
        return abs(math.log(max(sizes[0], 1e-9) / max(sizes[1], 1e-9)))

    def size(self, side: int, place: int) -> int:
        """Return the number of content words of a sentence."""
        return self.words[side][place].total()

    def _joined(self, side: int, places: Iterable[int]) -> Counter[int]:
        found: Counter[int] = Counter()
        for place in places:
            found.update(self.words[side][place])
        return found


def _rarity(sentences: _Words, vocabulary: int) -> FloatArray:
    """Return the inverse document frequency of each word over the sentences."""
    found = np.zeros(vocabulary)
    for words in sentences:
        found[list(words)] += 1
    return np.log((len(sentences) + 1) / (found + 0.5))


_ENGLISH_WORD = re.compile(r"[A-Za-z]{2,}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_MOST_PARTNERS = 8
_SURE, _LIKELY = 1.0, 0.6


def knowing_related_words(aligner: Hybrid, source: Sequence[str], target: Sequence[str]) -> Hybrid:
    """Return the aligner with the related words of two texts, unless it has a dictionary."""
    one, other = languages = aligner.source, aligner.target
    borrowed = other in language(one).borrows_from or one in language(other).borrows_from
    if aligner.senses is not None or not borrowed:
        return aligner
    pairs = dict(_pairs((source, target), languages))
    found = Lexicon(dict(_probabilities(pairs)))
    if aligner.lexicon is not None:
        found = found.updated(aligner.lexicon)
    return replace(aligner, lexicon=found, by_word=True)


def _pairs(
    texts: tuple[Sequence[str], Sequence[str]], languages: tuple[str, str]
) -> Iterator[tuple[tuple[str, str], float]]:
    english = next((side for side, code in enumerate(languages) if language(code).is_spaced), None)
    if english is None:
        ours, theirs = map(_vocabulary, texts, languages)
        yield from _han_pairs(ours, theirs, languages)
        return
    foreign = _vocabulary(texts[1 - english], languages[1 - english])
    surfaces = {word.lower() for text in texts[english] for word in _ENGLISH_WORD.findall(text)}
    for word, surface in english_words_of(foreign, languages[1 - english], sorted(surfaces)):
        for form in sentence_words([surface], languages[english])[0]:
            yield ((form, word) if english == 0 else (word, form)), _LIKELY


def _vocabulary(texts: Iterable[str], code: str) -> list[str]:
    return sorted({word for words in sentence_words(list(texts), code) for word in words})


def _han_pairs(
    ours: Sequence[str], theirs: Sequence[str], languages: tuple[str, str]
) -> Iterator[tuple[tuple[str, str], float]]:
    plain = [simplified_japanese(word) for word in theirs]
    by_character: defaultdict[str, set[int]] = defaultdict(set)
    for place, word in enumerate(plain):
        for character in _HAN.findall(word):
            by_character[character].add(place)
    for word in ours:
        simple = simplified_japanese(word)
        near = {place for character in _HAN.findall(simple) for place in by_character[character]}
        senses = gloss_stems(word, languages[0]) if near else frozenset()
        for place in sorted(near):
            if plain[place] == simple:
                yield (word, theirs[place]), _SURE
            elif senses & gloss_stems(theirs[place], languages[1]):
                yield (word, theirs[place]), _LIKELY


def _probabilities(
    pairs: Mapping[tuple[str, str], float],
) -> Iterator[tuple[tuple[str, str], tuple[float, float]]]:
    """Yield the probabilities of both directions; a word with many partners proves nothing."""
    partners: tuple[defaultdict[str, float], defaultdict[str, float]] = (
        defaultdict(float), defaultdict(float),
    )  # fmt: skip
    for pair, weight in pairs.items():
        for side, word in enumerate(pair):
            partners[side][word] += weight
    for (word, other), weight in pairs.items():
        shares = partners[0][word], partners[1][other]
        if max(shares) <= _MOST_PARTNERS:
            forward, backward = (weight / max(share, 1.0) for share in shares)
            yield (word, other), (forward, backward)


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
