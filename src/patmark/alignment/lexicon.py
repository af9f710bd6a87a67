"""Word translations: from a dictionary, from equal strings, or learned.

Technical terms and names are in no dictionary. They are learned from aligned text by IBM model 1 in
both directions. Counts are discounted, so that single co-occurrences prove nothing. Otherwise every
bead of a first pass would confirm itself.
"""

from __future__ import annotations

import gc
import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from patmark.alignment.beads import Step
from patmark.alignment.words import Side, sentence_words
from patmark.data import (
    Dictionary,
    FilePath,
    FloatArray,
    IntArray,
    plain_headword,
    read_dictionary,
    read_lines,
    shown,
    write_atomically,
)
from patmark.errors import InputError, Problem
from patmark.languages import GLOSS_LANGUAGE, has_cjk, language

_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_ABOUT_THE_WORD = re.compile(
    r"CL:|(?:[a-z]+ )*variant of|also (?:pr|written)|see(?: also)? \S*[|\[]"
)
_FILLER_WORDS = (
    "a an and as at be by etc for from in is it of on one or s sb sth surnam that the this to with"
)
_FILLERS = frozenset(_FILLER_WORDS.split())
_LONGEST_SENSE = 4
_PART_WEIGHT = 0.5
_HEADER = "source\ttarget\tforward\tbackward"
_LEAST_KEPT = 0.001
_ROUNDS = 4
_NULL = 0.1
_KNOWN_BOOST = 20.0
# In beads of five hundred words on both sides all words co-occur, which is costly and
# uninformative.
_LARGEST_TABLE = 1 << 22
_MOST_MEETINGS = 250_000


@dataclass(frozen=True, slots=True)
class Senses:
    """A dictionary for single words, with a cache."""

    dictionary: Dictionary
    _listed: Mapping[str, Sequence[str]]
    _known: dict[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, dictionary: Dictionary) -> Senses:
        """Return the senses of every headword, or of every word in it in languages with blanks."""
        listed: dict[str, list[str]] = defaultdict(list)
        for headword, senses in dictionary.entries:
            for word in _keys(headword, dictionary.source):
                listed[word].extend(senses)
        return cls(dictionary, dict(listed))

    def translations(self, word: str) -> Mapping[str, float]:
        """Return words of the other language with weights up to 1, none for an unknown word.

        A Chinese or Japanese word also gets the translations of its parts, with less weight.
        """
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._weighed(word)
        return found

    def _weighed(self, word: str) -> Mapping[str, float]:
        weights: dict[str, float] = {}
        for part, weight in self._parts(word):
            for sense in self._listed[part]:
                words = _sense_words(sense, self.dictionary.target)
                for each in words:
                    weights[each] = max(weights.get(each, 0.0), weight / len(words))
        return weights

    def _parts(self, word: str) -> Iterator[tuple[str, float]]:
        """Yield the word itself, then its longest headwords."""
        if word in self._listed:
            yield word, 1.0
        if language(self.dictionary.source).is_spaced or not has_cjk(word):
            return
        longest = len(word) - (word in self._listed)
        place = 0
        while place < len(word):
            ends = range(min(len(word), place + longest), place, -1)
            end = next((end for end in ends if word[place:end] in self._listed), None)
            if end is not None:
                yield word[place:end], _PART_WEIGHT
            place = place + 1 if end is None else end


def _keys(headword: str, code: str) -> Sequence[str]:
    if language(code).is_spaced:
        return sentence_words([headword], code)[0]
    return (plain_headword(headword, code),)


def _sense_words(sense: str, code: str) -> Sequence[str]:
    """Return the words of a sense, if they are few and do not comment on the headword."""
    if code == GLOSS_LANGUAGE:
        if _ABOUT_THE_WORD.match(sense.strip()):
            return ()
        while (shorter := _BRACKETED.sub(" ", sense)) != sense:
            sense = shorter
    words = [word for word in sentence_words([sense], code)[0] if word not in _FILLERS]
    return words if len(words) <= _LONGEST_SENSE else ()


@lru_cache(maxsize=4)
def read_senses(choice: str, source: str, target: str) -> Senses:
    """Read the dictionary of the user, for one direction."""
    with _collector_at_rest():
        return Senses.of(read_dictionary(choice, source, target))


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Pause the garbage collector while many permanent objects are made, to halve the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Pairs of words with p(target word | source word) and the reverse.

    Words are in the form in which aligners compare them (stems, base forms).
    """

    pairs: Mapping[tuple[str, str], tuple[float, float]]
    _of_source: dict[str, list[tuple[str, tuple[float, float]]]] = field(
        default_factory=lambda: defaultdict(list), repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for (source, target), both in self.pairs.items():
            self._of_source[source].append((target, both))

    def translations(self, word: str) -> Sequence[tuple[str, tuple[float, float]]]:
        """Return the target words of a source word, with the probabilities of both directions."""
        return self._of_source.get(word, ())

    def __len__(self) -> int:
        return len(self.pairs)

    def updated(self, newer: Lexicon) -> Lexicon:
        """Return both lexicons as one; the newer one takes precedence."""
        return Lexicon({**self.pairs, **newer.pairs})

    @property
    def digest(self) -> str:
        """A short hash of the content, for signatures."""
        return hashlib.sha256(self._text().encode()).hexdigest()[:8]

    def save(self, path: FilePath) -> None:
        """Write source, target, forward, backward, separated by tabs, in alphabetical order."""
        write_atomically(path, self._text())

    def _text(self) -> str:
        rows = (
            f"{source}\t{target}\t{forward:.4f}\t{backward:.4f}\n"
            for (source, target), (forward, backward) in sorted(self.pairs.items())
        )
        return "".join([_HEADER + "\n", *rows])

    @classmethod
    def load(cls, path: FilePath) -> Lexicon:
        """Read the output of :meth:`save`; report every invalid line."""
        lines = read_lines(path)
        if not lines or lines[0] != _HEADER:
            shown_header = _HEADER.replace("\t", ", ")
            raise InputError.at(f"expected the header {shown_header} with tabs", shown(path), 1)
        pairs: dict[tuple[str, str], tuple[float, float]] = {}
        problems: list[Problem] = []
        for number, line in enumerate(lines[1:], 2):
            row = _parsed(line)
            if row is None:
                message = "expected two words and two numbers from 0 to 1, with tabs"
                problems.append(Problem(message, shown(path), number))
            elif row[:2] in pairs:
                problems.append(Problem("the same pair of words again", shown(path), number))
            else:
                pairs[row[:2]] = row[2:]
        if problems:
            raise InputError(problems)
        return cls(pairs)


def _parsed(line: str) -> tuple[str, str, float, float] | None:
    fields = line.split("\t")
    if len(fields) != 4 or not all(fields):
        return None
    try:
        forward, backward = float(fields[2]), float(fields[3])
    except ValueError:
        return None
    inside = all(math.isfinite(value) and 0 <= value <= 1 for value in (forward, backward))
    return (fields[0], fields[1], forward, backward) if inside else None


@dataclass(frozen=True, slots=True)
class WordPairs:
    """For pairs of words of two texts: p(t|s) and p(s|t), by source word and then by target word.

    Plain arrays are used, since most texts are too short to justify a sparse matrix.
    """

    source: IntArray
    target: IntArray
    forward: FloatArray
    backward: FloatArray

    def after(self, learnt: WordPairs, least: float) -> WordPairs:
        """Combine learned probabilities with these, which fill the share that was not learned.

        At least the share ``least`` of these is kept, since learned ones may be wrong.
        """
        forward = self.forward * _free(learnt.source, learnt.forward, self.source, least)
        backward = self.backward * _free(learnt.target, learnt.backward, self.target, least)
        width = max(self.target.max(initial=0), learnt.target.max(initial=0)) + 1
        keys = np.concatenate([learnt.keys(width), self.keys(width)])
        found, place = np.unique(keys, return_inverse=True)

        def summed(*parts: FloatArray) -> FloatArray:
            weights = np.concatenate(parts)
            return np.asarray(np.bincount(place, weights, len(found)), dtype=np.float64)

        return WordPairs(
            found // width,
            found % width,
            summed(learnt.forward, forward),
            summed(learnt.backward, backward),
        )

    def keys(self, width: int) -> IntArray:
        """Return a number for each pair, if there are ``width`` target words."""
        return self.source * width + self.target

    def of(self, source: IntArray, target: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return p(t|s) and p(s|t) of other pairs of words, 0 if unknown."""
        if not len(self.source):
            return np.zeros(len(source)), np.zeros(len(source))
        width = max(self.target.max(initial=0), target.max(initial=0)) + 1
        keys, wanted = self.keys(width), source * width + target
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        here = keys[place] == wanted
        return self.forward[place] * here, self.backward[place] * here

    def to_lexicon(self, source: Side, target: Side) -> Lexicon:
        """Return a lexicon of the pairs above the least probability."""
        columns = zip(self.source, self.target, self.forward, self.backward, strict=True)
        pairs = {
            (source.vocabulary[s], target.vocabulary[t]): (float(f), float(b))
            for s, t, f, b in columns
            if max(f, b) >= _LEAST_KEPT
        }
        return Lexicon(pairs)


def _free(words: IntArray, learnt: FloatArray, wanted: IntArray, least: float) -> FloatArray:
    """Return the share of each wanted word that was not learned."""
    count = max(words.max(initial=0), wanted.max(initial=0)) + 1
    return np.maximum(1 - np.bincount(words, learnt, count), least)[wanted]


def known_pairs(
    source: Side, target: Side, senses: Senses | None, lexicon: Lexicon | None, doubt: float
) -> WordPairs:
    """Return the word translations that are known before reading the texts.

    ``doubt`` is the weight of translations that are in no dictionary.
    """
    sources, targets, weights = dictionary_weights(source, target, senses)
    forward, backward = (
        weights * (1 / (np.bincount(words, weights) + doubt))[words] for words in (sources, targets)
    )
    known = WordPairs(sources, targets, forward, backward)
    if lexicon is None:
        return known
    return known.after(_from_lexicon(source, target, lexicon), 0.0)


def dictionary_weights(
    source: Side, target: Side, senses: Senses | None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return pairs of words in order, with the confidence of the translation up to 1.

    Identical words, such as numbers, reference signs and names, are translations. The dictionary
    may have either direction.
    """
    targets = _numbers(target)
    cells = {
        (place, targets[word]): 1.0
        for place, word in enumerate(source.vocabulary)
        if word in targets
    }
    if senses is not None and senses.dictionary.source == target.language:
        for (t, s), weight in _listed_pairs(target, _numbers(source), senses):
            cells[s, t] = max(weight, cells.get((s, t), 0.0))
    elif senses is not None:
        for pair, weight in _listed_pairs(source, targets, senses):
            cells[pair] = max(weight, cells.get(pair, 0.0))
    ordered = sorted(cells)
    places = np.array(ordered, dtype=np.int64).reshape(-1, 2)
    return places[:, 0], places[:, 1], np.array([cells[pair] for pair in ordered], np.float64)


def _numbers(side: Side) -> dict[str, int]:
    return {word: number for number, word in enumerate(side.vocabulary)}


def _listed_pairs(
    side: Side, others: Mapping[str, int], senses: Senses
) -> Iterator[tuple[tuple[int, int], float]]:
    for place, word in enumerate(side.vocabulary):
        for other, weight in senses.translations(word).items():
            if other in others:
                yield (place, others[other]), weight


def _from_lexicon(source: Side, target: Side, lexicon: Lexicon) -> WordPairs:
    targets = _numbers(target)
    found = sorted(
        (place, targets[other], *both)
        for place, word in enumerate(source.vocabulary)
        for other, both in lexicon.translations(word)
        if other in targets
    )
    columns = np.array(found, dtype=np.float64).reshape(-1, 4).T
    return WordPairs(*columns[:2].astype(np.int64), *columns[2:])


@dataclass(frozen=True, slots=True)
class LexiconLearning:
    """Smoothing of learned counts: ``discount`` is subtracted, ``doubt`` added to totals."""

    discount: float
    doubt: float


@dataclass(frozen=True, slots=True)
class _Meetings:
    """Pairs of words in the same bead.

    Pair p of words is (``source[p]``, ``target[p]``); meeting k is of pair ``pair[k]``, between
    ``source_token[k]`` and ``target_token[k]``, which number the words of the aligned sentences.
    """

    source: IntArray
    target: IntArray
    pair: IntArray
    source_token: IntArray
    target_token: IntArray


def learn(
    source: Side, target: Side, path: Sequence[Step], known: WordPairs, learning: LexiconLearning
) -> WordPairs:
    """Learn word translations from the beads of a path, starting with the ``known`` ones."""
    met = _meetings(source, target, path)
    forward, backward = known.of(met.source, met.target)
    to_target = (met.source, met.target, met.pair, met.target_token, frequencies(target))
    to_source = (met.target, met.source, met.pair, met.source_token, frequencies(source))
    return WordPairs(
        met.source,
        met.target,
        _one_direction(*to_target, forward, learning),
        _one_direction(*to_source, backward, learning),
    )


def frequencies(side: Side, smoothing: float = 0.0) -> FloatArray:
    """Return the relative frequency of each word in a text, with additive smoothing."""
    counts = np.bincount(side.ids, minlength=len(side.vocabulary)) + smoothing
    return np.asarray(counts / max(counts.sum(), 1))


def _meetings(source: Side, target: Side, path: Sequence[Step]) -> _Meetings:
    steps = [(i, j, a, b) for i, j, (a, b) in path if a and b]
    places = np.array(steps, dtype=np.int64).reshape(-1, 4)
    first_source, first_target = source.starts[places[:, 0]], target.starts[places[:, 1]]
    sources = source.starts[places[:, 0] + places[:, 2]] - first_source
    targets = target.starts[places[:, 1] + places[:, 3]] - first_target
    taught = np.flatnonzero(sources * targets <= _MOST_MEETINGS)
    first_source, first_target = first_source[taught], first_target[taught]
    sources, targets = sources[taught], targets[taught]
    sizes = sources * targets
    bead = np.repeat(np.arange(len(sizes)), sizes)
    inside = np.arange(len(bead)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    source_token = first_source[bead] + inside // targets[bead]
    target_token = first_target[bead] + inside % targets[bead]
    width = len(target.vocabulary)
    keys, pair = _distinct(
        source.ids[source_token] * width + target.ids[target_token],
        len(source.vocabulary) * width,
    )
    return _Meetings(keys // max(width, 1), keys % max(width, 1), pair, source_token, target_token)


def _distinct(keys: IntArray, limit: int) -> tuple[IntArray, IntArray]:
    """Return the distinct keys in order, and the place of each key among them.

    Keys are below ``limit``. A table of all possible keys, if it is small, avoids sorting.
    """
    if limit > _LARGEST_TABLE:
        return np.unique(keys, return_inverse=True)
    table = np.zeros(limit, dtype=np.int64)
    table[keys] = 1
    distinct = np.flatnonzero(table)
    table[distinct] = np.arange(len(distinct))
    return distinct, table[keys]


def _one_direction(
    given: IntArray,
    made: IntArray,
    pair: IntArray,
    token: IntArray,
    frequency: FloatArray,
    known: FloatArray,
    learning: LexiconLearning,
) -> FloatArray:
    """Return p(made word | given word) of each pair after a few EM rounds and the discount."""
    if not len(pair):
        return np.zeros(len(given))
    chance = (1 + _KNOWN_BOOST * known) * frequency[made]
    partners = np.bincount(token)
    by_accident = np.zeros(len(partners))
    by_accident[token] = _NULL * frequency[made][pair]
    by_accident *= partners
    for _ in range(_ROUNDS):
        weight = chance[pair]
        total = np.bincount(token, weights=weight) + by_accident
        counts = np.bincount(pair, weights=weight / total[token], minlength=len(given))
        all_counts = np.bincount(given, weights=counts)[given]
        chance = counts / np.maximum(all_counts, 1e-9)
    kept = np.maximum(counts - learning.discount, 0) / (all_counts + learning.doubt)
    return np.asarray(kept)
