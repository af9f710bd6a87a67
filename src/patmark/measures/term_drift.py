"""Terms of a document that are translated in more than one way.

| step | rule |
|---|---|
| pieces | segments of one document; a segment whose texts have equally many sentences is split |
| terms | source phrases that occur in at least ``pieces`` pieces (English: two words or more) |
| usual rendering | the phrase most associated with the term (Dice over pieces), in most of them |
| drift | the usual rendering is absent, and a competing one stands there |
| competing | differs from the usual one in one word; or comes twice where that is absent, and no \
other source phrase explains it |
| neither usual nor competing | not assessed: a pronoun, an omission, a reworded sentence |

Plural, case, blanks and hyphens do not matter. Without annotation this can only see part of the
drift; it is made to be right when it speaks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from patmark.data import Evidence, TestSet
from patmark.errors import UsageError
from patmark.measures.base import Check, Finding
from patmark.text.folding import language_of
from patmark.text.phrases import (
    Phrase,
    Word,
    content_words,
    content_words_version,
    phrases,
    sentence_spans,
)

_Forms: TypeAlias = tuple[str, ...]
_Span: TypeAlias = tuple[int, int]
_Places: TypeAlias = dict[_Forms, set[int]]

_ASSOCIATED = 2 / 3


@dataclass(frozen=True, slots=True)
class _Piece:
    """A pair of sentences (or whole texts) with the phrases of both sides."""

    segment: int
    source: Mapping[_Forms, Phrase]
    target: Mapping[_Forms, Phrase]
    squeezed: str


@dataclass(frozen=True, slots=True)
class _Judgement:
    """Pieces where a term keeps to its usual rendering, and where it drifts, with the rendering."""

    term: _Forms
    usual: _Forms
    kept: frozenset[int]
    drifted: Mapping[int, _Forms]


@dataclass(frozen=True)
class TermDrift(Check):
    """Share of term occurrences that keep to the document's usual rendering."""

    label: ClassVar[str] = "term-drift"
    description: ClassVar[str] = "recurring terms translated one way throughout a document"
    citation: ClassVar[str] = "patmark"
    parameters: ClassVar[Mapping[str, str]] = {
        "pieces": "in how many pieces of a document a term must occur to be assessed"
    }

    pieces: int = 3

    def __post_init__(self) -> None:
        if self.pieces < 3:
            raise UsageError(f"{self.label}: pieces={self.pieces} is too few; give 3 or more")

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        source = language_of(test_set.source_language, " ".join(test_set.sources[:50]))
        return {"words": content_words_version(source)}

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; see the table at the top of this file."""
        languages = (
            language_of(test_set.source_language, " ".join(test_set.sources[:50])),
            language_of(test_set.target_language, " ".join(hypotheses[:50])),
        )
        pairs = list(zip(test_set.sources, hypotheses, strict=True))
        spans = [_aligned_spans(pair, languages) for pair in pairs]
        documents: defaultdict[object, list[int]] = defaultdict(list)
        for position, document in enumerate(test_set.documents):
            documents[position if document is None else document].append(position)
        tally = _Tally.empty(len(test_set))
        for positions in documents.values():
            if sum(len(spans[position]) for position in positions) >= self.pieces:
                pieces = list(_pieces(positions, pairs, spans, languages))
                for judgement in _judge(pieces, self.pieces, languages[0]):
                    tally.add(pieces, judgement)
        return tally.findings()


def _aligned_spans(pair: tuple[str, str], languages: tuple[str, str]) -> list[tuple[_Span, _Span]]:
    """Sentence by sentence where both texts have equally many, else the texts as wholes."""
    source, target = map(sentence_spans, pair, languages)
    if len(source) == len(target):
        return list(zip(source, target, strict=True))
    return [((0, len(pair[0])), (0, len(pair[1])))]


def _pieces(
    positions: Sequence[int],
    pairs: Sequence[tuple[str, str]],
    spans: Sequence[Sequence[tuple[_Span, _Span]]],
    languages: tuple[str, str],
) -> Iterator[_Piece]:
    sources = content_words([pairs[position][0] for position in positions], languages[0])
    targets = content_words([pairs[position][1] for position in positions], languages[1])
    for position, source_words, target_words in zip(positions, sources, targets, strict=True):
        for source_span, target_span in spans[position]:
            yield _Piece(
                position,
                _phrases_in(pairs[position][0], source_words, source_span),
                _phrases_in(pairs[position][1], target_words, target_span),
                "".join(word.form for word in target_words if _inside(word, target_span)),
            )


def _inside(word: Word, span: _Span) -> bool:
    return span[0] <= word.start < span[1]


def _phrases_in(text: str, words: Sequence[Word], span: _Span) -> dict[_Forms, Phrase]:
    inside = [word for word in words if _inside(word, span)]
    found: dict[_Forms, Phrase] = {}
    for phrase in phrases(text, inside):
        found.setdefault(phrase.forms, phrase)
    return found


def _judge(pieces: Sequence[_Piece], least: int, language: str) -> Iterator[_Judgement]:
    """Judge every term of a document that has a usual rendering."""
    book = _Book(
        pieces,
        _index([piece.source for piece in pieces]),
        _index([piece.target for piece in pieces]),
    )
    for term, places in _terms(book.sources, least, language):
        core = book.core_rendering(places)
        if core is None:
            continue
        usual = book.full_rendering(term, places, core)
        kept = {place for place in places if book.holds(place, usual)}
        drifted = book.drifted(term, usual, places - kept)
        kept |= {place for place in places - drifted.keys() if book.holds(place, core)}
        yield _Judgement(term, usual, frozenset(kept), drifted)


def _index(sides: Sequence[Mapping[_Forms, Phrase]]) -> _Places:
    places: _Places = defaultdict(set)
    for position, side in enumerate(sides):
        for forms in side:
            places[forms].add(position)
    return places


def _terms(sources: _Places, least: int, language: str) -> list[tuple[_Forms, set[int]]]:
    """Recurring phrases that look like terms, without parts of a term that only occur in it."""
    terms = [
        (forms, places)
        for forms, places in sources.items()
        if len(places) >= least and _looks_like_term(forms, language)
    ]
    terms.sort(key=lambda item: (-len(item[0]), item[0]))
    covered: set[tuple[_Forms, frozenset[int]]] = set()
    chosen: list[tuple[_Forms, set[int]]] = []
    for forms, places in terms:
        if (forms, frozenset(places)) not in covered:
            chosen.append((forms, places))
        covered |= {(part, frozenset(places)) for part in _parts(forms)}
    return chosen


def _looks_like_term(forms: _Forms, language: str) -> bool:
    return len(forms) > 1 or (language != "en" and len(forms[0]) > 2)


def _parts(forms: _Forms) -> set[_Forms]:
    size = len(forms)
    return {forms[a:b] for a in range(size) for b in range(a + 1, size + 1) if b - a < size}


@dataclass(frozen=True, slots=True)
class _Book:
    """The pieces of a document, and in which of them each phrase stands."""

    pieces: Sequence[_Piece]
    sources: _Places
    targets: _Places

    def holds(self, place: int, rendering: _Forms) -> bool:
        """Whether a rendering stands in a piece, whatever its blanks and hyphens."""
        return "".join(rendering) in self.pieces[place].squeezed

    def together(self, places: set[int]) -> Counter[_Forms]:
        """In how many of some pieces each target phrase stands."""
        return Counter(forms for place in places for forms in self.pieces[place].target)

    def core_rendering(self, places: set[int]) -> _Forms | None:
        """The phrase most associated with a term, if it stands in more than half its pieces."""
        ranks = [
            (_dice(places, self.targets[forms]), len(forms), len("".join(forms)), forms)
            for forms, count in self.together(places).items()
            if 2 * count > len(places)
        ]
        return None if not ranks or max(ranks)[0] < _ASSOCIATED else max(ranks)[3]

    def full_rendering(self, term: _Forms, places: set[int], core: _Forms) -> _Forms:
        """The longest usual phrase around the core whose further words belong to the term."""
        longer = [
            (len(forms), _dice(places, self.targets[forms]), forms)
            for forms, count in self.together(places).items()
            if 2 * count > len(places)
            and core in _parts(forms)
            and _dice(places, self.targets[forms]) >= _ASSOCIATED
            and all(self._belongs(word, term, places) for word in set(forms) - set(core))
        ]
        return max(longer)[2] if longer else core

    def _belongs(self, word: str, term: _Forms, places: set[int]) -> bool:
        """Whether no other source phrase goes with a word as well as the term does."""
        found = self.targets[(word,)]
        own = _dice(places, found)
        rivals = {forms for place in found for forms in self.pieces[place].source}
        return all(
            _overlap(forms, term) or _dice(self.sources[forms], found) < own for forms in rivals
        )

    def drifted(self, term: _Forms, usual: _Forms, places: set[int]) -> dict[int, _Forms]:
        """For each place without the usual rendering, the competing one that stands there."""
        together = self.together(places)
        found: dict[int, _Forms] = {}
        for place in sorted(places):
            rivals = [
                (_is_variant(forms, usual), together[forms], -abs(len(forms) - len(usual)), forms)
                for forms in self.pieces[place].target
                if self.targets[forms] <= places
                and (_is_variant(forms, usual) or self._recurs(place, term, forms, together))
            ]
            if rivals:
                found[place] = max(rivals)[3]
        return found

    def _recurs(
        self, place: int, term: _Forms, rendering: _Forms, together: Counter[_Forms]
    ) -> bool:
        """Whether a rendering comes twice, and not just where another source phrase does."""
        return together[rendering] > 1 and not any(
            self.sources[forms] == self.targets[rendering]
            for forms in self.pieces[place].source
            if not _overlap(forms, term)
        )


def _dice(first: set[int], second: set[int]) -> float:
    return 2 * len(first & second) / (len(first) + len(second))


def _overlap(first: _Forms, second: _Forms) -> bool:
    one, other = "".join(first), "".join(second)
    return one in other or other in one


def _is_variant(forms: _Forms, usual: _Forms) -> bool:
    """Whether two renderings differ in one word (Chinese, Japanese: also half the characters)."""
    if len(forms) == len(usual) > 1:
        return sum(a != b for a, b in zip(forms, usual, strict=True)) == 1
    ours, theirs = "".join(forms), "".join(usual)
    if ours.isascii() or len(ours) != len(theirs):
        return False
    return 2 * sum(a == b for a, b in zip(ours, theirs, strict=True)) >= len(theirs)


@dataclass(frozen=True, slots=True)
class _Tally:
    kept: list[int]
    evidence: list[dict[tuple[int, int], Evidence]]

    @classmethod
    def empty(cls, segments: int) -> _Tally:
        return cls([0] * segments, [{} for _ in range(segments)])

    def add(self, pieces: Sequence[_Piece], judgement: _Judgement) -> None:
        """Count a term; a place where two terms drift alike counts once."""
        for place in judgement.kept:
            self.kept[pieces[place].segment] += 1
        for place, rival in judgement.drifted.items():
            phrase = pieces[place].target[rival]
            message = f"elsewhere {' '.join(judgement.usual)} (for {' '.join(judgement.term)})"
            span = (phrase.start, phrase.end)
            self.evidence[pieces[place].segment].setdefault(
                span, Evidence("hypothesis", *span, message)
            )

    def findings(self) -> list[Finding]:
        return [
            Finding(kept, kept + len(evidence), tuple(evidence[span] for span in sorted(evidence)))
            for kept, evidence in zip(self.kept, self.evidence, strict=True)
        ]
