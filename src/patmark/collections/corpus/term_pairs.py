"""Pairs of terms proposed from aligned sentences, each with its evidence.

A term is a phrase of one to four content words that ends in a noun. A target phrase that occurs in
the same sentence pairs as a source phrase, and hardly anywhere else, is proposed as its
translation, by Dice. That alone would pair terms that always occur together; so most of their words
must be known translations, from a dictionary or the lexicon of the build. If several are equally
certain, the longest is the whole term.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from patmark.alignment import Lexicon, Senses, sentence_words
from patmark.data import IntArray
from patmark.languages import (
    ContentWord,
    content_words,
    function_words,
    is_common_noun,
    language,
    phrases,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Key: TypeAlias = tuple[str, ...]
_OTHER_WORD = re.compile(r"[^\W\d_]{4,}(?:-[^\W\d_]+)*|(?:[^\W\d_]+-)+[^\W\d_]{3,}")
_LEAST_PAIRS = 3
_LEAST_DICE = 0.5
_LEAST_KNOWN = 0.8
_LEAST_KNOWN_COMPOUND = 0.75
_LEAST_COMPOUND_LENGTH = 0.65
_LEAST_AS_NOUN = 0.3
_NEAR = 40
_WORD_BEFORE = re.compile(r"([A-Za-z]+)[^A-Za-z]*$")
_GAP = re.compile(r"[ -]")
_NOUN_AFTER = re.compile(r"[ -](?i:claims?|steps?|methods?|models?|embodiments?)\b")
_LIKELY = 0.3
_MARGIN = 0.05
_MOST_RIVALS = 10
_MOST_PHRASES = 20_000


class TermPair(NamedTuple):
    """A term and its translation, in their most frequent spelling.

    ``pairs`` hold both, ``source_pairs`` and ``target_pairs`` either; ``dictionary`` and
    ``lexicon`` are the shares of the words on both sides with a known translation, ``known`` the
    share by either.
    """

    source: str
    target: str
    pairs: int
    source_pairs: int
    target_pairs: int
    dictionary: float
    lexicon: float
    known: float

    @property
    def dice(self) -> float:
        """Dice coefficient of both phrases, 0–1."""
        return 2 * self.pairs / (self.source_pairs + self.target_pairs)


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Known word translations."""

    languages: tuple[str, str]
    senses: Senses | None = None
    lexicon: Lexicon | None = None

    def shares(self, source: str, target: str) -> tuple[float, float, float]:
        """Return the shares of words that dictionary, lexicon, or either relate to."""
        [ours], [theirs] = (
            sentence_words([text], language)
            for text, language in zip((source, target), self.languages, strict=True)
        )
        listed, likely = (
            np.array([[relates(own, other) for other in theirs] for own in ours], dtype=bool)
            for relates in (self._listed, self._likely)
        )
        return _share(listed), _share(likely), _share(listed | likely)

    def _listed(self, source: str, target: str) -> bool:
        if self.senses is None or source == target:
            return source == target
        forward = self.senses.dictionary.source == self.languages[0]
        word, other = (source, target) if forward else (target, source)
        return other in self.senses.translations(word)

    def _likely(self, source: str, target: str) -> bool:
        if self.lexicon is None:
            return False
        return max(self.lexicon.pairs.get((source, target), (0.0, 0.0))) >= _LIKELY


def _share(related: NDArray[np.bool_]) -> float:
    """Return the share of words that have a partner, the mean of both sides."""
    if not related.size:
        return 0.0
    return float(related.any(axis=0).mean() + related.any(axis=1).mean()) / 2


def propose_terms(sentences: Sequence[tuple[str, str]], known: KnownWords) -> list[TermPair]:
    """Propose the pairs of terms with evidence in sentence pairs, the most certain first."""
    source, target = (
        _Phrases.of([pair[side] for pair in sentences], language)
        for side, language in enumerate(known.languages)
    )
    if not source.keys or not target.keys:
        return []
    together = (source.stands_in.T @ target.stands_in).tocsr()
    dice = together.copy()
    rows = np.repeat(np.arange(len(source.keys)), np.diff(dice.indptr))
    dice.data *= 2 / (source.counts[rows] + target.counts[dice.indices])
    best = [_best(source, target, row, together, dice, known) for row in range(len(source.keys))]
    found = (pair for pair in best if pair is not None)
    return _one_source_each(sorted(found, key=_sureness, reverse=True))


@dataclass(frozen=True, slots=True)
class _Phrases:
    """The phrases of sentences: their forms, how each is written, and which sentences have it."""

    keys: tuple[Key, ...]
    written: tuple[str, ...]
    counts: IntArray
    stands_in: csr_array

    @classmethod
    def of(cls, sentences: Sequence[str], code: str) -> _Phrases:
        from scipy.sparse import csr_array

        writings: dict[Key, Counter[str]] = defaultdict(Counter)
        places: dict[Key, list[int]] = defaultdict(list)
        as_noun = Counter[Key]()
        determiners, prepositions = (
            function_words(use, code) for use in ("determiners", "prepositions")
        )
        for place, (text, words) in enumerate(zip(sentences, _words(sentences, code), strict=True)):
            for key, written in _distinct(text, words, code).items():
                writings[key][written] += 1
                places[key].append(place)
            if determiners:
                as_noun.update(_noun_phrases(text, words, determiners, prepositions))
        frequent = [
            key
            for key, of in places.items()
            if len(of) >= _LEAST_PAIRS
            and (not determiners or as_noun[key] >= _LEAST_AS_NOUN * len(of))
        ]
        keys = sorted(frequent, key=lambda key: (-len(places[key]), key))[:_MOST_PHRASES]
        columns = [column for column, key in enumerate(keys) for _ in places[key]]
        rows = [place for key in keys for place in places[key]]
        shape = (len(sentences), len(keys))
        stands_in = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        usual = tuple(max(writings[key], key=writings[key].__getitem__) for key in keys)
        counts = np.array([len(places[key]) for key in keys], dtype=np.int64)
        return cls(tuple(keys), usual, counts, stands_in)


def _words(sentences: Sequence[str], code: str) -> list[list[ContentWord]]:
    if function_words("phrases", code):
        return content_words(sentences, code)
    return [list(_other_words(text, code)) for text in sentences]


def _other_words(text: str, code: str) -> Iterator[ContentWord]:
    """Yield content words of a language without a tagger; in German, nouns only.

    A compound with hyphens is one word, and a noun if its last part is.
    """
    stop, capitals = function_words("terms", code), language(code).is_compounding
    for match in _OTHER_WORD.finditer(text):
        if match.group().lower() in stop:
            continue
        last = match.group().rpartition("-")[2]
        if not capitals or (last[0].isupper() and match.start()):
            yield ContentWord(match.start(), match.end(), match.group().lower())


@cache
def _joint(code: str) -> re.Pattern[str] | None:
    """Return what may stand between two nouns of a term, if it is more than a blank or hyphen."""
    table = language(code).table("corpus")
    return re.compile(f" (?:{table.pattern('joint')})?") if table.forms("joint") else None


def _distinct(text: str, words: Sequence[ContentWord], code: str) -> Mapping[Key, str]:
    """Return the phrases of a sentence that may be terms."""
    return {
        phrase.forms: text[phrase.start : phrase.end]
        for phrase in phrases(text, words, _joint(code))
        if phrase.end - phrase.start > 1
        and (language(code).is_spaced or is_common_noun(phrase.forms[-1], code))
    }


def _noun_phrases(
    text: str, words: Sequence[ContentWord], determiners: Set[str], prepositions: Set[str]
) -> set[Key]:
    """Return the phrases that end a noun phrase somewhere in a sentence.

    They follow a determiner or a preposition, perhaps with other words between, and no further
    word follows them: "the planetary gear" has "gear", not "planetary". Forms in -ing need a
    determiner.
    """
    every = list(phrases(text, words))
    ends = {phrase.end: 0 for phrase in every}
    for phrase in every:  # the word before the longest run that ends here
        ends[phrase.end] = min(ends[phrase.end] or phrase.start, phrase.start)
    followed = {words[place].end for place in range(len(words) - 1)
                if _GAP.fullmatch(text, words[place].end, words[place + 1].start)}  # fmt: skip
    found = set()
    for phrase in every:
        if phrase.end in followed or _NOUN_AFTER.match(text, phrase.end):
            continue
        begin = ends[phrase.end]
        before = _WORD_BEFORE.search(text, max(0, begin - _NEAR), begin)
        word = before[1].lower() if before else ""
        if word in determiners or (word in prepositions and not phrase.forms[-1].endswith("ing")):
            found.add(phrase.forms)
    return found


def _best(
    source: _Phrases,
    target: _Phrases,
    row: int,
    together: csr_array,
    dice: csr_array,
    known: KnownWords,
) -> TermPair | None:
    """Return the most certain translation of a source phrase; None if none is certain enough."""
    part = slice(dice.indptr[row], dice.indptr[row + 1])
    columns, values = dice.indices[part], dice.data[part]
    order = [place for place in np.argsort(-values, kind="stable") if values[place] > _LEAST_DICE]
    found = [
        TermPair(
            source.written[row],
            target.written[columns[place]],
            int(together.data[part][place]),
            int(source.counts[row]),
            int(target.counts[columns[place]]),
            *known.shares(source.written[row], target.written[columns[place]]),
        )
        for place in order[:_MOST_RIVALS]
    ]
    [word, *others] = source.keys[row]
    undivided = not others and "-" not in word  # the parts of others are words of their own
    compounding = language(known.languages[0]).is_compounding and undivided
    sure = [pair for pair in found if pair.known >= _least_known(pair, compounding)]
    surest = max((pair.dice for pair in sure), default=0.0)
    whole = [pair for pair in sure if pair.dice >= surest - _MARGIN]
    best = max(whole, key=lambda pair: (len(pair.target.split()), pair.dice), default=None)
    return None if best is None or _is_fragment(best, found) else best


def _least_known(pair: TermPair, compounding: bool) -> float:
    """Return the share of words to be known.

    It is less for a compound of which the dictionary knows one part (Stellelement, actuating
    element). A compound is about as long as its translation.
    """
    long = len(pair.source) >= _LEAST_COMPOUND_LENGTH * len(pair.target)
    return _LEAST_KNOWN_COMPOUND if compounding and long else _LEAST_KNOWN


def _is_fragment(pair: TermPair, rivals: Sequence[TermPair]) -> bool:
    """Return True if the translation is nearly always inside a longer one."""
    own = f" {pair.target.lower()} "
    return any(
        own in f" {rival.target.lower()} " and own != f" {rival.target.lower()} "
        for rival in rivals
        if rival.dice >= pair.dice - _MARGIN
    )


def _sureness(pair: TermPair) -> tuple[float, int, str]:
    return pair.dice * pair.known, pair.pairs, pair.source


def _one_source_each(pairs: Sequence[TermPair]) -> list[TermPair]:
    """Keep each translation for the source with most evidence; of two, one is a part.

    A longer source with as much evidence, of which the first is a part, is the whole term.
    """
    rivals: dict[str, list[TermPair]] = defaultdict(list)
    for pair in pairs:
        rivals[pair.target.lower()].append(pair)
    return [max(_wholes(found), key=lambda pair: len(pair.source)) for found in rivals.values()]


def _wholes(pairs: Sequence[TermPair]) -> Iterator[TermPair]:
    """Yield the first of several pairs, and those that contain its source and are as frequent."""
    first = pairs[0]
    for pair in pairs:
        inside = f" {first.source.lower()} " in f" {pair.source.lower()} "
        if inside and pair.dice >= first.dice - _MARGIN:
            yield pair
