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
| reference signs | a sign that has one noun in the source, in ``pieces`` segments or more, \
and on another head in the translation than in most of them |

Plural, case, blanks and hyphens are ignored. Without annotation this finds only a part of the
inconsistencies; it is designed for precision.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypeAlias

from patmark.data import Evidence, TestSet
from patmark.errors import UsageError
from patmark.facts import COUNTED_LANGUAGES, facts_of
from patmark.languages import (
    ContentWord,
    Phrase,
    content_words,
    content_words_version,
    is_common_noun,
    language,
    language_of,
    phrases,
    rough_sentence_spans,
)
from patmark.measures.base import MOST_THINGS, Check, Finding
from patmark.wording import tr

_Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class TermDrift(Check):
    """Share of term occurrences with the document's usual rendering."""

    label = "term-drift"
    description = "recurring terms translated one way throughout a document"
    formula = "occurrences in the usual rendering / occurrences, at most 10 a segment"
    runs_by_default = True
    citation = "patmark"
    languages = COUNTED_LANGUAGES
    most = MOST_THINGS
    rules = 3

    pieces: Annotated[int, "in how many pieces of a document a term must occur to be assessed"] = 3

    def __post_init__(self) -> None:
        if self.pieces < 3:
            raise UsageError(f"{self.label}: pieces={self.pieces} is too few; give 3 or more")

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        source = language_of(test_set.source_language, " ".join(test_set.sources[:50]))
        return super()._signature_parts(test_set) | {"words": content_words_version(source)}

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment; see the table at the top of this file."""
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
            for drift in _drifted_signs(positions, pairs, languages, self.pieces):
                tally.note(drift)
            if sum(len(spans[position]) for position in positions) >= self.pieces:
                pieces = list(_pieces(positions, pairs, spans, languages))
                for judgement in judge_terms(pieces, self.pieces, languages[0]):
                    tally.add(pieces, judgement)
        return tally.findings()


class _SignDrift(NamedTuple):
    """A noun of the translation that is not the usual one of its sign."""

    segment: int
    span: _Span
    usual: str
    term: str


def _drifted_signs(
    positions: Sequence[int],
    pairs: Sequence[tuple[str, str]],
    languages: tuple[str, str],
    least: int,
) -> Iterator[_SignDrift]:
    """Yield the nouns of a document that differ from the usual noun of their sign."""
    nouns: tuple[_SignTable, _SignTable] = (defaultdict(list), defaultdict(list))
    for position in positions:
        for table, text, code in zip(nouns, pairs[position], languages, strict=True):
            facts = facts_of(text, code)
            for one in facts.mentions:
                if one.noun and not one.listed:
                    place = facts.span(one.noun_start, one.noun_start + len(one.noun))
                    table[one.sign].append((position, place, one.head))
    for sign, found in nouns[1].items():
        sources = {head for _, _, head in nouns[0].get(sign, ())}
        if len({position for position, _, _ in found}) < least or len(sources) != 1:
            continue
        usual, count = Counter(head for _, _, head in found).most_common(1)[0]
        if 2 * count <= len(found):
            continue
        for position, place, head in found:
            part = (
                head in usual or usual in head or (not head.isascii() and head[-2:] == usual[-2:])
            )
            if not part:  # both may name one thing
                yield _SignDrift(position, place, usual, f"{min(sources)} {sign}")


_SignTable: TypeAlias = defaultdict[str, list[tuple[int, _Span, str]]]


def _aligned_spans(pair: tuple[str, str], languages: tuple[str, str]) -> list[tuple[_Span, _Span]]:
    """Pair sentences if both texts have equally many, else the whole texts."""
    source, target = map(rough_sentence_spans, pair, languages)
    if len(source) == len(target):
        return list(zip(source, target, strict=True))
    return [((0, len(pair[0])), (0, len(pair[1])))]


def _pieces(
    positions: Sequence[int],
    pairs: Sequence[tuple[str, str]],
    spans: Sequence[Sequence[tuple[_Span, _Span]]],
    languages: tuple[str, str],
) -> Iterator[TermContext]:
    sources = content_words([pairs[position][0] for position in positions], languages[0])
    targets = content_words([pairs[position][1] for position in positions], languages[1])
    for position, source_words, target_words in zip(positions, sources, targets, strict=True):
        for source_span, target_span in spans[position]:
            yield TermContext(
                position,
                _phrases_in(pairs[position][0], source_words, source_span),
                _phrases_in(pairs[position][1], target_words, target_span),
                "".join(word.form for word in target_words if _inside(word, target_span)),
            )


def _inside(word: ContentWord, span: _Span) -> bool:
    return span[0] <= word.start < span[1]


def _phrases_in(text: str, words: Sequence[ContentWord], span: _Span) -> dict[Forms, Phrase]:
    inside = [word for word in words if _inside(word, span)]
    found: dict[Forms, Phrase] = {}
    for phrase in phrases(text, inside):
        found.setdefault(phrase.forms, phrase)
    return found


@dataclass(frozen=True, slots=True)
class _Tally:
    kept: list[int]
    evidence: list[dict[tuple[int, int], Evidence]]

    @classmethod
    def empty(cls, segments: int) -> _Tally:
        return cls([0] * segments, [{} for _ in range(segments)])

    def add(self, pieces: Sequence[TermContext], judgement: TermRendering) -> None:
        """Count a term; a place where two terms differ alike counts once."""
        for place in judgement.kept:
            self.kept[pieces[place].segment] += 1
        for place, rival in judgement.drifted.items():
            phrase = pieces[place].target[rival]
            message = tr(
                "elsewhere {words} (for {words2})",
                words=" ".join(judgement.usual),
                words2=" ".join(judgement.term),
            )
            span = (phrase.start, phrase.end)
            self.evidence[pieces[place].segment].setdefault(
                span, Evidence("hypothesis", *span, message)
            )

    def note(self, drift: _SignDrift) -> None:
        """Count a noun that is not the usual one of its sign."""
        message = tr("elsewhere {words} (for {words2})", words=drift.usual, words2=drift.term)
        evidence = Evidence("hypothesis", *drift.span, message)
        self.evidence[drift.segment].setdefault(drift.span, evidence)

    def findings(self) -> list[Finding]:
        return [
            Finding(kept, kept + len(evidence), tuple(evidence[span] for span in sorted(evidence)))
            for kept, evidence in zip(self.kept, self.evidence, strict=True)
        ]


# Renderings of the terms of a document: the usual one and its competitors.
Forms: TypeAlias = tuple[str, ...]
_Places: TypeAlias = dict[Forms, set[int]]

_ASSOCIATED = 2 / 3
_MANY = 6


@dataclass(frozen=True, slots=True)
class TermContext:
    """A pair of sentences (or whole texts) with the phrases of both sides."""

    segment: int
    source: Mapping[Forms, Phrase]
    target: Mapping[Forms, Phrase]
    squeezed: str


@dataclass(frozen=True, slots=True)
class TermRendering:
    """Pieces where a term has its usual rendering, and where it differs, with the rendering."""

    term: Forms
    usual: Forms
    kept: frozenset[int]
    drifted: Mapping[int, Forms]


def judge_terms(pieces: Sequence[TermContext], least: int, code: str) -> Iterator[TermRendering]:
    """Judge every term of a document that has a usual rendering."""
    book = _Book(
        pieces,
        _index([piece.source for piece in pieces]),
        _index([piece.target for piece in pieces]),
    )
    for term, places in _terms(book.sources, least, code):
        core = book.core_rendering(places)
        if core is None:
            continue
        usual = book.full_rendering(term, places, core)
        kept = {place for place in places if book.holds(place, usual)}
        drifted = book.drifted(term, usual, places - kept)
        kept |= {place for place in places - drifted.keys() if book.holds(place, core)}
        yield TermRendering(term, usual, frozenset(kept), drifted)


def _index(sides: Sequence[Mapping[Forms, Phrase]]) -> _Places:
    places: _Places = defaultdict(set)
    for position, side in enumerate(sides):
        for forms in side:
            places[forms].add(position)
    return places


def _terms(sources: _Places, least: int, code: str) -> list[tuple[Forms, set[int]]]:
    """Yield recurring phrases that look like terms, without parts that only occur in a term."""
    terms = [
        (forms, places)
        for forms, places in sources.items()
        if len(places) >= least and _looks_like_term(forms, code)
    ]
    terms.sort(key=lambda item: (-len(item[0]), item[0]))
    covered: set[tuple[Forms, frozenset[int]]] = set()
    chosen: list[tuple[Forms, set[int]]] = []
    for forms, places in terms:
        if (forms, frozenset(places)) not in covered:
            chosen.append((forms, places))
        covered |= {(part, frozenset(places)) for part in _parts(forms)}
    return chosen


def _looks_like_term(forms: Forms, code: str) -> bool:
    if len(forms) > 1 or language(code).is_spaced:
        return len(forms) > 1
    return len(forms[0]) > 2 or (len(forms[0]) == 2 and is_common_noun(forms[0], code))


def _parts(forms: Forms) -> set[Forms]:
    size = len(forms)
    return {forms[a:b] for a in range(size) for b in range(a + 1, size + 1) if b - a < size}


@dataclass(frozen=True, slots=True)
class _Book:
    """The pieces of a document, and the pieces of each phrase."""

    pieces: Sequence[TermContext]
    sources: _Places
    targets: _Places

    def holds(self, place: int, rendering: Forms) -> bool:
        """Return True if a piece contains a rendering, ignoring blanks and hyphens."""
        return "".join(rendering) in self.pieces[place].squeezed

    def together(self, places: set[int]) -> Counter[Forms]:
        """Count the pieces that contain each target phrase."""
        return Counter(forms for place in places for forms in self.pieces[place].target)

    def core_rendering(self, places: set[int]) -> Forms | None:
        """Return the phrase most associated with a term, if most of its pieces contain it."""
        ranks = [
            (_dice(places, self.targets[forms]), len(forms), len("".join(forms)), forms)
            for forms, count in self.together(places).items()
            if _is_usual(count, places)
        ]
        return None if not ranks or max(ranks)[0] < _ASSOCIATED else max(ranks)[3]

    def full_rendering(self, term: Forms, places: set[int], core: Forms) -> Forms:
        """Return the longest usual phrase around the core whose words belong to the term."""
        longer = [
            (len(forms), _dice(places, self.targets[forms]), forms)
            for forms, count in self.together(places).items()
            if _is_usual(count, places)
            and core in _parts(forms)
            and _dice(places, self.targets[forms]) >= _ASSOCIATED
            and all(self._belongs(word, term, places) for word in set(forms) - set(core))
        ]
        return max(longer)[2] if longer else core

    def _belongs(self, word: str, term: Forms, places: set[int]) -> bool:
        """Return True if no other source phrase is as strongly associated with a word."""
        found = self.targets[(word,)]
        own = _dice(places, found)
        rivals = {forms for place in found for forms in self.pieces[place].source}
        return all(
            _overlap(forms, term) or _dice(self.sources[forms], found) < own for forms in rivals
        )

    def drifted(self, term: Forms, usual: Forms, places: set[int]) -> dict[int, Forms]:
        """Return the competing rendering at each place without the usual one."""
        together = self.together(places)
        found: dict[int, Forms] = {}
        for place in sorted(places):
            rivals = [
                (_is_variant(forms, usual), together[forms], -abs(len(forms) - len(usual)), forms)
                for forms in self.pieces[place].target
                if self.targets[forms] <= places
                and (_is_variant(forms, usual) or self._recurs(place, term, forms, places))
            ]
            if rivals:
                found[place] = max(rivals)[3]
        return found

    def _recurs(self, place: int, term: Forms, rendering: Forms, places: set[int]) -> bool:
        """Return True if a rendering recurs in pieces without the usual one, at least twice.

        False if another source phrase has exactly the same pieces, which explains it.
        """
        found = self.targets[rendering]
        return (
            len(found) > 1
            and _dice(places, found) >= _ASSOCIATED
            and not any(
                self.sources[forms] == found
                for forms in self.pieces[place].source
                if not _overlap(forms, term)
            )
        )


def _is_usual(count: int, places: set[int]) -> bool:
    """Return True if most pieces contain a rendering; for many pieces, half."""
    return 2 * count > len(places) or 2 * count == len(places) >= _MANY


def _dice(first: set[int], second: set[int]) -> float:
    return 2 * len(first & second) / (len(first) + len(second))


def _overlap(first: Forms, second: Forms) -> bool:
    one, other = "".join(first), "".join(second)
    return one in other or other in one


def _is_variant(forms: Forms, usual: Forms) -> bool:
    """Return True if two renderings differ in one word (CJK: also half the characters)."""
    if len(forms) == len(usual) > 1:
        return sum(a != b for a, b in zip(forms, usual, strict=True)) == 1
    ours, theirs = "".join(forms), "".join(usual)
    if ours.isascii() or len(ours) != len(theirs):
        return False
    return 2 * sum(a == b for a, b in zip(ours, theirs, strict=True)) >= len(theirs)
