"""What a system gets right of the references, segment by segment.

| kind | counted as right |
|---|---|
| phrase | one to four words of a reference |
| term | a prescribed term (``meta["terms"]``) that occurs in one of its renderings |
| reference sign | a sign of the first reference, in any notation |
| number | a number in digits of the first reference, with its unit, that is not a sign |

Phrases are compared without case, do not cross punctuation, and count per segment at most as often
as in the reference that has most of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Literal, TypeAlias

from patmark.data import Run, TestSet
from patmark.evaluation.evaluation import Evaluation, pair_of
from patmark.measures import ReferenceSigns
from patmark.report import Cell, Column, Table
from patmark.text import (
    Certainty,
    Quantity,
    content_words,
    find_quantities,
    find_words,
    fold,
    language_of,
    tokenize_all,
    word_spans,
)
from patmark.wording import tr

Words: TypeAlias = tuple[str, ...]
Matches: TypeAlias = list[Counter[Words]]
References: TypeAlias = list[list[list[str]]]
Systems: TypeAlias = Sequence[tuple[str, ...]]

LONGEST_PHRASE = 4
UNSPACED = {"zh": "zh-jieba", "ja": "ja-mecab"}
_WORD = re.compile(r"\w")
_LATIN_WORD = re.compile(r"[a-z][a-z0-9-]+")


def phrase_matches(test_set: TestSet, systems: Systems) -> list[Matches]:
    """For each system and segment, the phrases that it shares with the references."""
    tokens = reference_tokens(test_set)
    wanted = [_most(map(_ngrams, references)) for references in tokens]
    tokenizer = _segmenter(test_set.target_language)
    return [
        [
            references & _ngrams(words) if references else Counter()
            for references, words in zip(wanted, tokenize_all(texts, tokenizer), strict=True)
        ]
        for texts in systems
    ]


def reference_tokens(test_set: TestSet) -> References:
    """The words of each reference of each segment."""
    tokenizer = _segmenter(test_set.target_language)
    flat = iter(tokenize_all(test_set.flat_references, tokenizer))
    return [list(islice(flat, len(references))) for references in test_set.reference_lists]


def _segmenter(language: str) -> str:
    """The segmenter that finds the words of phrases in a language."""
    return UNSPACED.get(language, "13a")


def _ngrams(tokens: Sequence[str]) -> Counter[Words]:
    """The phrases of a text without case; punctuation ends a phrase."""
    found: list[Words] = []
    for run in _runs(tokens):
        for size in range(1, LONGEST_PHRASE + 1):
            found += zip(*(run[start:] for start in range(size)), strict=False)
    return Counter(found)


def _runs(tokens: Sequence[str]) -> Iterator[list[str]]:
    """The words between marks, in lower case."""
    run: list[str] = []
    for word in map(_lower_word, tokens):
        if word:
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


@lru_cache(maxsize=1 << 16)
def _lower_word(token: str) -> str:
    """A word in lower case; nothing for a mark."""
    return token.lower() if _WORD.search(token.lower()) else ""


def _most(counts: Iterator[Counter[Words]]) -> Counter[Words]:
    """How often each phrase occurs in the reference that has most of it."""
    most = next(counts, Counter())
    for other in counts:
        most |= other
    return most


def content_vocabulary(phrases: Iterable[Words], language: str) -> frozenset[str]:
    """The words that say something by themselves; Latin words in Chinese and Japanese always do."""
    vocabulary = sorted({word for words in phrases for word in words})
    forms = content_forms(vocabulary, language)
    return frozenset(
        word
        for word, found in zip(vocabulary, forms, strict=True)
        if found or (language in UNSPACED and _LATIN_WORD.fullmatch(word))
    )


def term_matches(test_set: TestSet, systems: Systems) -> list[Matches]:
    """For each system and segment, the prescribed terms that it uses."""
    return [_used_terms(test_set, texts) for texts in systems]


def _used_terms(test_set: TestSet, hypotheses: Sequence[str]) -> Matches:
    matches: Matches = []
    for segment, text in zip(test_set, hypotheses, strict=True):
        terms = segment.terms
        spans = word_spans(text, test_set.target_language) if terms else None
        matches.append(
            Counter(
                (term.target[0],)
                for term in terms
                if spans and any(find_words(spans, rendering) for rendering in term.target)
            )
        )
    return matches


def sign_and_number_matches(
    test_set: TestSet, systems: Systems
) -> tuple[list[Matches], list[Matches]]:
    """The signs, and the other numbers in digits, of the first references that each system has."""
    references = [next(iter(references), "") for references in test_set.reference_lists]
    places = sign_places(references)
    signs = [_sign_matches(references, places, texts) for texts in systems]
    language = test_set.target_language
    wanted = [
        Counter(number_texts(text, language_of(language, text), leave_out=found))
        for text, found in zip(references, places, strict=True)
    ]
    numbers = [
        [_kept_numbers(counts, text, language) for counts, text in zip(wanted, texts, strict=True)]
        for texts in systems
    ]
    return signs, numbers


def _sign_matches(
    references: Sequence[str], places: Sequence[Sequence[Span]], texts: Sequence[str]
) -> Matches:
    lost = lost_signs(references, texts)
    return [
        _sign_counts(reference, wanted) - _sign_counts(reference, missing)
        for reference, wanted, missing in zip(references, places, lost, strict=True)
    ]


def _sign_counts(text: str, places: Sequence[Span]) -> Counter[Words]:
    return Counter((sign_text(text, place),) for place in places)


def _kept_numbers(wanted: Counter[str], text: str, language: str) -> Counter[Words]:
    """The numbers that a text has too, in digits or in words."""
    if not wanted:
        return Counter()
    there = Counter(number_texts(text, language_of(language, text), ("exact", "stated")))
    return Counter({(number,): count for number, count in (wanted & there).items()})


Kind: TypeAlias = Literal["phrase", "term", "reference sign", "number"]

_KINDS: Mapping[Kind, str] = {
    "phrase": tr("phrase"),
    "term": tr("term"),
    "reference sign": tr("reference sign"),
    "number": tr("number"),
}
_SEGMENTS_SHOWN = 5
_TABLE_ROWS = 10


@dataclass(frozen=True, slots=True)
class PhraseWin:
    """How often two systems get something of the references right, and where they differ.

    ``segments`` are the first few in which the system that wins is ahead.
    """

    phrase: str
    kind: Kind
    first: int
    second: int
    segments: tuple[str, ...]


@dataclass(slots=True)
class _Tally:
    """Matches of both systems, and the segments in which one is ahead of the other."""

    first: int = 0
    second: int = 0
    gains: int = 0
    losses: int = 0
    ahead: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)

    def add(self, segment: int, first: int, second: int) -> None:
        self.first += first
        self.second += second
        if first > second:
            self.gains += first - second
            self.ahead.append(segment)
        elif second > first:
            self.losses += second - first
            self.behind.append(segment)

    @property
    def score(self) -> float:
        return float(abs(self.gains - self.losses) / (self.gains + self.losses + 1) ** 0.5)

    @property
    def places(self) -> list[int]:
        return (self.ahead if self.gains > self.losses else self.behind)[:_SEGMENTS_SHOWN]


Tallies: TypeAlias = Mapping[Words, _Tally]


Found: TypeAlias = Mapping[Kind, Matches]


def found_in(test_set: TestSet, systems: Systems) -> list[Found]:
    """What each system has of the references, by kind; the references are searched once."""
    signs, numbers = sign_and_number_matches(test_set, systems)
    matches = zip(
        phrase_matches(test_set, systems), term_matches(test_set, systems), signs, numbers,
        strict=True,
    )  # fmt: skip
    return [dict(zip(_KINDS, found, strict=True)) for found in matches]


def phrase_wins(test_set: TestSet, first: Run, second: Run, limit: int = 30) -> list[PhraseWin]:
    """What one system gets right more often than the other, the clearest wins first.

    For each kind come the wins of the first system and then those of the second, at most ``limit``
    of each.
    """
    ours, theirs = found_in(test_set, (first.texts, second.texts))
    return _wins(test_set, ours, theirs, limit)


def _wins(test_set: TestSet, first: Found, second: Found, limit: int) -> list[PhraseWin]:
    tallies: dict[Kind, Tallies] = {kind: _tally(first[kind], second[kind]) for kind in _KINDS}
    tallies["phrase"] = _content_phrases(test_set, tallies["phrase"])
    references = reference_tokens(test_set)
    between = "" if test_set.target_language in UNSPACED else " "
    return [
        PhraseWin(
            _spelling(references, words, tally, between) if kind == "phrase" else words[0],
            kind, tally.first, tally.second,
            tuple(test_set[place].id for place in tally.places),
        )
        for kind, counted in tallies.items()
        for sign in (1, -1)
        for words, tally in islice(_ranked(counted, sign), limit)
    ]  # fmt: skip


def phrase_tables(
    evaluation: Evaluation, pairs: Sequence[tuple[str, str]], limit: int = _TABLE_ROWS
) -> list[Table]:
    """The wins of two systems as a table, for each pair; every system is searched once."""
    places = {
        name: place
        for pair in pairs
        for name, place in zip(pair, pair_of(evaluation, *pair), strict=True)
    }
    texts = [evaluation.runs[place].texts for place in places.values()]
    found = dict(zip(places, found_in(evaluation.test_set, texts), strict=True))
    return [
        _table(a, b, _wins(evaluation.test_set, found[a], found[b], limit), limit) for a, b in pairs
    ]


def _table(a: str, b: str, wins: Sequence[PhraseWin], limit: int) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            win.phrase, _KINDS[win.kind], a if win.first > win.second else b, win.first, win.second,
            ", ".join(win.segments),
        )
        for win in wins
    )  # fmt: skip
    titles = (tr("phrase"), tr("kind"), tr("won by"), a, b, tr("segments"))
    return Table(
        tr("What only {a} or only {b} gets right", a=a, b=b),
        tuple(map(Column, titles)),
        rows,
        note=tr(
            "occurrences that agree with the references; up to {limit} of each kind "
            "won by each system, the clearest first; {segments_shown} segments at "
            "most where the winner is ahead",
            limit=limit,
            segments_shown=_SEGMENTS_SHOWN,
        ),
    )


def _tally(first: Matches, second: Matches) -> dict[Words, _Tally]:
    tallies: defaultdict[Words, _Tally] = defaultdict(_Tally)
    for segment, (ours, theirs) in enumerate(zip(first, second, strict=True)):
        for words in ours.keys() | theirs.keys():
            tallies[words].add(segment, ours[words], theirs[words])
    return tallies


def _content_phrases(test_set: TestSet, tallies: Tallies) -> Tallies:
    content = content_vocabulary(tallies, test_set.target_language)
    return {
        words: tally
        for words, tally in tallies.items()
        if words[0] in content and words[-1] in content
    }


def _ranked(tallies: Tallies, sign: int) -> Iterator[tuple[Words, _Tally]]:
    """The wins of one side; of phrases that say the same, only the longest.

    A phrase says the same as a longer one around it, or as one that is shifted by a word, if it
    is won and lost as often in the same segments.
    """
    wins = [item for item in tallies.items() if (item[1].gains - item[1].losses) * sign > 0]
    wins.sort(key=lambda item: (-item[1].score, -len(item[0]), item[0]))
    covered: set[tuple[object, ...]] = set()
    for words, tally in wins:
        counts = (tally.gains, tally.losses, *tally.places)
        shifted = (words[1:], words[:-1]) if len(words) > 2 else ()
        if covered.isdisjoint((part, *counts) for part in (words, *shifted)):
            yield words, tally
            covered.update((part, *counts) for part in _parts(words))


def _parts(words: Words) -> Iterator[Words]:
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            yield words[start:end]


def _spelling(references: References, words: Words, tally: _Tally, between: str) -> str:
    """A phrase as the references write it in the segments that are shown.

    Where spellings differ it is the one with the fewest capitals, since those of titles and of
    beginnings of sentences are not the phrase's own.
    """
    spellings = [
        written
        for place in tally.places
        for tokens in references[place]
        for written in zip(*(tokens[start:] for start in range(len(words))), strict=False)
        if tuple(token.lower() for token in written) == words
    ]
    best = min(spellings, key=lambda written: sum(map(str.isupper, "".join(written))))
    return between.join(best)


Span: TypeAlias = tuple[int, int]

_IN_DIGITS: tuple[Certainty, ...] = ("exact",)
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def lost_signs(texts: Sequence[str], others: Sequence[str]) -> list[list[Span]]:
    """The places of the reference signs of each text that the other text does not have.

    What a sign is, and when two notations are the same, is for the measure to say.
    """
    with_digits = [position for position, text in enumerate(texts) if _has_digit(text)]
    searched = [texts[position] for position in with_digits]
    findings = ReferenceSigns().inspect(
        TestSet.of(searched, sources=searched), [others[position] for position in with_digits]
    )
    places: list[list[Span]] = [[] for _ in texts]
    for position, finding in zip(with_digits, findings, strict=True):
        places[position] = [
            (item.start, item.end) for item in finding.evidence if item.side == "source"
        ]
    return places


def sign_places(texts: Sequence[str]) -> list[list[Span]]:
    """The places of all reference signs, figure numbers and step labels of each text."""
    return lost_signs(texts, [""] * len(texts))


def sign_text(text: str, place: Span) -> str:
    """A sign as it is shown: ASCII digits, no blanks."""
    return "".join(fold(text[slice(*place)]).text.split())


def number_texts(
    text: str,
    language: str,
    certainties: Sequence[Certainty] = _IN_DIGITS,
    leave_out: Sequence[Span] = (),
) -> list[str]:
    """The numbers of a text with their units in one spelling, but no plain ones at given places."""
    if "stated" not in certainties and not _has_digit(text):
        return []
    return [
        _shown(quantity)
        for quantity in find_quantities(text, language)
        if quantity.certainty in certainties
        and (quantity.unit is not None or not _overlaps(quantity, leave_out))
    ]


def _overlaps(quantity: Quantity, places: Sequence[Span]) -> bool:
    return any(quantity.start < end and start < quantity.end for start, end in places)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _shown(quantity: Quantity) -> str:
    unit = "" if quantity.unit is None else f" {quantity.unit}"
    return f"{'-' if quantity.negative else ''}{quantity.key}{unit}"


def content_forms(texts: Sequence[str], language: str) -> list[list[str]]:
    """The content words of each text; in languages without a list of function words, all words."""
    if language in ("en", "zh", "ja"):
        return [[word.form for word in words] for words in content_words(texts, language)]
    return [_LETTERS.findall(text.lower()) for text in texts]
