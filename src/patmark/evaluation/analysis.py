"""Causes of differences between systems: kinds of segments, single segments, phrases.

Phrases, terms, signs and numbers are those of the references that a system gets right:

| kind | counted as right |
|---|---|
| phrase | one to four words of a reference |
| term | a prescribed term (``meta["terms"]``) that occurs in one of its renderings |
| reference sign | a sign of the first reference, in any notation |
| number | a number in digits of the first reference, with its unit, that is not a sign |

Phrases are compared without case and do not cross punctuation. Per segment they count at most as
often as in the reference with the most occurrences.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations, islice, pairwise
from typing import Literal, TypeAlias

import numpy as np

from patmark.data import Estimate, FloatArray, IntArray, Scores, Segment, TestSet
from patmark.evaluation.comparison import Comparison
from patmark.evaluation.comparison_tables import comparison_report
from patmark.evaluation.evaluation import COMPARISON, interval_note, score_column, unit_name
from patmark.evaluation.scoring import TextEvaluation
from patmark.facts import Quantity, find_quantities
from patmark.languages import (
    WORD_TOKENIZERS,
    Certainty,
    content_words,
    find_words,
    fold,
    has_content_words,
    language_of,
    mostly_spaced,
    tokenize_all,
    word_spans,
    workspace,
)
from patmark.measures import ReferenceSigns
from patmark.report import Cell, Column, Report, Table, clauses
from patmark.stats import Units, draw_weights, estimates_of
from patmark.wording import tr

_EVERY_PAIR_UP_TO = 3
_NEIGHBOURS = 3
_MOST_IN_BUCKETS = 12


@workspace()
def analysed_report(evaluation: TextEvaluation, comparison: Comparison) -> Report:
    """Return tables of scores, differences, buckets, phrases and extreme segments."""
    facets = bucket_facets(evaluation)
    best = next(iter(comparison.measures.values())).ranking[:_MOST_IN_BUCKETS]
    shown = [system for system in evaluation.systems if system in best]
    tables = []
    for measure in comparison.measures:
        section = tr("{measure} by kind of segment", measure=measure)
        tables += in_section(section, bucket_tables(evaluation, facets, measure, shown))
    tables += _explanations(evaluation, comparison)
    return comparison_report(
        comparison,
        COMPARISON,
        evaluation.subtitle,
        tables=[*evaluation.reference_tables(), *tables],
        notes=evaluation.compared_notes,
        explorer=evaluation.explorer(facets),
    )


def _system_columns(scores: Scores, systems: tuple[str, ...]) -> tuple[Column, ...]:
    return tuple(replace(score_column(scores), title=system) for system in systems)


def _explanations(evaluation: TextEvaluation, comparison: Comparison) -> Iterator[Table]:
    """Yield extreme segments and phrases of each pair, in a section of its own.

    These are all pairs of a few systems; of many, neighbours at the top of the first ranking.
    """
    ranking = next(iter(comparison.measures.values())).ranking
    few = len(ranking) <= _EVERY_PAIR_UP_TO
    pairs = list(combinations(ranking, 2)) if few else list(pairwise(ranking))[:_NEIGHBOURS]
    has_references = any(evaluation.test_set.reference_lists)
    phrases = phrase_tables(evaluation, pairs) if has_references else []
    for place, (first, second) in enumerate(pairs):
        section = tr("{first} against {second}", first=first, second=second)
        tables = [extreme_segments(evaluation, first, second), *phrases[place : place + 1]]
        yield from in_section(section, tables)


def in_section(section: str, tables: Iterable[Table]) -> list[Table]:
    """Return tables with their section set."""
    return [replace(table, section=section) for table in tables]


Values: TypeAlias = tuple[str | None, ...]

MOST_VALUES = 40

_LONGEST_VALUE = 60
_EMPTY = tr("empty")
_RARITY = (
    tr("some word only once"),
    tr("rarest word 2–4 times"),
    tr("all words 5+ times"),
)
_WITH_NUMBERS = (tr("with numbers"), tr("without numbers"))
_WITH_SIGNS = (tr("with reference signs"), tr("without reference signs"))
_RARITY_STARTS = (2, 5)


@dataclass(frozen=True)
class _LengthScale:
    """A way to measure length, with the last length of each class but the open one."""

    unit: str
    ends: tuple[int, ...]
    of_words: bool

    @cached_property
    def classes(self) -> tuple[str, ...]:
        starts = (1, *(end + 1 for end in self.ends))
        closed = [
            tr("{start}–{end} {unit}", start=start, end=end, unit=self.unit)
            for start, end in zip(starts, self.ends, strict=False)
        ]
        return (*closed, tr("{start}+ {unit}", start=starts[-1], unit=self.unit))

    def class_of(self, text: str | None) -> str | None:
        if text is None:
            return None
        words = text.split()
        length = len(words) if self.of_words else sum(map(len, words))
        return self.classes[bisect_left(self.ends, length)] if length else _EMPTY


_WORDS = _LengthScale(tr("words"), (10, 20, 40, 80), of_words=True)
_CHARACTERS = _LengthScale(tr("characters"), (20, 40, 80, 160), of_words=False)


def bucket_facets(evaluation: TextEvaluation) -> dict[str, Values]:
    """Return the value of each segment for each facet; None if a segment has none."""
    test_set = evaluation.test_set
    title, language = tr("source length"), test_set.source_language
    texts = [segment.source for segment in test_set]
    if all(text is None for text in texts):
        title, language = tr("reference length"), test_set.target_language
        texts = _first_references(test_set)
    facets: dict[str, Values] = {}
    if any(text is not None for text in texts):
        facets[title] = _lengths(texts, language)
        facets |= _numbers_and_signs(texts, language)
    if any(test_set.reference_lists):
        facets[tr("term frequency")] = _rarities(test_set)
    facets |= {name: values for name, values in _meta_facets(test_set) if name not in facets}
    if any(document is not None for document in test_set.documents):
        facets[tr("document")] = test_set.documents
    return facets


def class_order(facet: str) -> tuple[str, ...]:
    """Return the values of a facet in their natural order; none if it has no order."""
    orders = {
        "source length": (_EMPTY, *_WORDS.classes, *_CHARACTERS.classes),
        "reference length": (_EMPTY, *_WORDS.classes, *_CHARACTERS.classes),
        "numbers": _WITH_NUMBERS,
        "reference signs": _WITH_SIGNS,
        "term frequency": _RARITY,
    }
    return orders.get(facet, ())


def _first_references(test_set: TestSet) -> list[str | None]:
    return [next(iter(references), None) for references in test_set.reference_lists]


def _lengths(texts: Sequence[str | None], language: str | None) -> Values:
    """Count characters if most texts are written without blanks, else words."""
    given = [text for text in texts if text is not None]
    scale = _WORDS if mostly_spaced(given, language) else _CHARACTERS
    return tuple(map(scale.class_of, texts))


def _numbers_and_signs(texts: Sequence[str | None], language: str | None) -> dict[str, Values]:
    signs = sign_places([text or "" for text in texts])
    numbers = [
        number_texts(text, language_of(language, text), leave_out=places) if text else []
        for text, places in zip(texts, signs, strict=True)
    ]
    return {
        name: tuple(
            None if text is None else yes if found else no
            for text, found in zip(texts, column, strict=True)
        )
        for name, (yes, no), column in (
            (tr("numbers"), _WITH_NUMBERS, numbers),
            (tr("reference signs"), _WITH_SIGNS, signs),
        )
    }


def _rarities(test_set: TestSet) -> Values:
    """Return a class by the rarest content word; None for a reference without content words."""
    texts = [text or "" for text in _first_references(test_set)]
    words = content_forms(texts, test_set.target_language)
    counts = Counter(word for found in words for word in found)
    rarest = [min((counts[word] for word in found), default=0) for found in words]
    return tuple(
        _RARITY[sum(count >= start for start in _RARITY_STARTS)] if count else None
        for count in rarest
    )


def _meta_facets(test_set: TestSet) -> Iterator[tuple[str, Values]]:
    """Yield the fields of segments that sort them: short texts that occur more than once."""
    for key in dict.fromkeys(key for segment in test_set for key in segment.meta):
        column = [segment.meta.get(key) for segment in test_set]
        values = _texts(_coarse_ipc(column) if key.lower() == "ipc" else column)
        if values is None or values == test_set.documents:
            continue
        given = [value for value in values if value is not None]
        distinct = set(given)
        short = all(len(value) <= _LONGEST_VALUE for value in distinct)
        if short and 2 <= len(distinct) <= MOST_VALUES and len(distinct) < len(given):
            yield key, values


def _texts(values: Sequence[object]) -> Values | None:
    """Return the values as texts and None; no values at all if one has another type."""
    texts = tuple(value for value in values if value is None or isinstance(value, str))
    return texts if len(texts) == len(values) else None


def _coarse_ipc(values: Sequence[object]) -> list[object]:
    """Return the first symbol of each segment, shortened if there are many.

    Symbols are cut to subclass, class or section.
    """
    symbols = [
        next(iter(value), None) if isinstance(value, list | tuple) else value for value in values
    ]
    for length in (None, 4, 3, 1):
        cut = [symbol[:length] if isinstance(symbol, str) else symbol for symbol in symbols]
        if len({symbol for symbol in cut if isinstance(symbol, str)}) <= MOST_VALUES:
            break
    return cut


MOST_ROWS = 40
FEW_SEGMENTS = 20
_MOST_NAMED = 5


def bucket_tables(
    evaluation: TextEvaluation,
    facets: Mapping[str, Values],
    measure: str | None = None,
    systems: Sequence[str] | None = None,
) -> list[Table]:
    """Return a table per facet with the score of every system, or of some, in every bucket.

    The score of a bucket is the corpus score of its segments. Facets with a single value have no
    table; without a measure the first one is shown.
    """
    systems = evaluation.systems if systems is None else tuple(systems)
    scores = evaluation.scores_by(measure)
    places = [evaluation.systems.index(system) for system in systems]
    scores = replace(scores, systems=systems, statistics=scores.statistics[places])
    found = {facet: _buckets(facet, values) for facet, values in facets.items()}
    found = {facet: buckets for facet, buckets in found.items() if len(buckets) > 1}
    groups = [members for buckets in found.values() for members in buckets.values()]
    settings = evaluation.sampling
    estimates = iter(
        estimate_groups(scores, groups, evaluation.units, settings.resamples, settings.seed)
    )
    columns = _system_columns(scores, systems)
    tables = []
    for facet, buckets in found.items():
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (value, len(members), *next(estimates)) for value, members in buckets.items()
        )
        note = _note(evaluation, rows, buckets, facets[facet], len(systems))
        title = tr("{measure} by {facet}", measure=scores.measure, facet=facet)
        tables.append(Table(title, (Column(facet), Column(tr("segments")), *columns), rows, note))
    return tables


def _buckets(facet: str, values: Values) -> dict[str, IntArray]:
    """Return the segments of the largest buckets, in their natural order if the facet has one."""
    members: dict[str, list[int]] = {}
    for position, value in enumerate(values):
        if value is not None:
            members.setdefault(value, []).append(position)
    order = {value: rank for rank, value in enumerate(class_order(facet))}
    largest = sorted(members, key=lambda value: (-len(members[value]), value))[:MOST_ROWS]
    shown = sorted(largest, key=lambda value: order.get(value, len(order)))
    return {value: np.array(members[value]) for value in shown}


def _note(
    evaluation: TextEvaluation,
    rows: Sequence[tuple[Cell, ...]],
    buckets: Mapping[str, IntArray],
    values: Values,
    systems: int,
) -> str:
    rates = any(measure.rate for measure in evaluation.measures)
    cells = [cell for row in rows for cell in row[2:] if isinstance(cell, Estimate)]
    lacking = evaluation.sampling.resamples and any(cell.ci is None for cell in cells)
    kind = unit_name(evaluation.units)
    small = [value for value, members in buckets.items() if len(members) < FEW_SEGMENTS]
    some = tr("{n} of {total}", n=len(small), total=len(rows))
    smaller = len(set(values) - {None}) - len(rows)
    without = sum(value is None for value in values)
    parts = (
        (True, interval_note(evaluation.sampling, evaluation.units, rates=rates)),
        (lacking, tr("no interval for a bucket that lies in one {kind}", kind=kind)),
        (
            small,
            tr(
                "fewer than {few_segments} segments, so read with care: {named}",
                few_segments=FEW_SEGMENTS,
                named=tuple(small) if len(small) <= _MOST_NAMED else some,
            ),
        ),
        (
            systems < len(evaluation.systems),
            tr("the best {n} of {total} systems", n=systems, total=len(evaluation.systems)),
        ),
        (smaller, tr("{n} smaller buckets are left out", n=smaller)),
        (without, tr("{without} segments have no value", without=without)),
    )
    return clauses(*(text for shown, text in parts if shown))


def estimate_groups(
    scores: Scores, groups: Sequence[IntArray], units: Units, resamples: int, seed: int
) -> list[list[Estimate]]:
    """Return values and intervals of groups of segments from one set of resamples.

    The result is group × system. The numbers are those of ``estimate_all`` on statistics that are
    zero outside a group, at the cost of the group only. Resamples without the group are left out. A
    group within one resampling unit has no interval.
    """
    draws = _draws(scores, groups, units, resamples, seed) if resamples else [None] * len(groups)
    return [
        estimates_of(
            (scores.statistics[:, members], scores.score), drawn, units.among(members), scores.scale
        )
        for members, drawn in zip(groups, draws, strict=True)
    ]


def _draws(
    scores: Scores, groups: Sequence[IntArray], units: Units, resamples: int, seed: int
) -> list[FloatArray]:
    sums = []
    for members in groups:
        drawn_units, position = np.unique(units.of_segment[members], return_inverse=True)
        of_units = np.zeros((len(drawn_units), *np.delete(scores.statistics.shape, 1)))
        np.add.at(of_units, position, np.moveaxis(scores.statistics[:, members], 0, 1))
        sums.append((drawn_units, of_units))
    blocks: list[list[FloatArray]] = [[] for _ in groups]
    for weights in draw_weights(units.count, resamples, seed):
        for (drawn_units, per_unit), block in zip(sums, blocks, strict=True):
            times = weights[:, drawn_units]
            block.append(_scored(scores, times, per_unit))
    return [np.concatenate(block) for block in blocks]


def _scored(scores: Scores, times: FloatArray, per_unit: FloatArray) -> FloatArray:
    """Return scores of resamples with these unit weights."""
    count, systems, size = per_unit.shape
    totals = times @ per_unit.reshape(count, systems * size)
    values = scores.score(totals.reshape(len(times), systems, size))
    return np.where(times.sum(axis=1, keepdims=True) > 0, values, np.nan)


_EXCERPT = 80


def extreme_segments(
    evaluation: TextEvaluation, a: str, b: str, measure: str | None = None, limit: int = 10
) -> Table:
    """Return the segments where ``a`` beats ``b`` by most, then the reverse.

    Segments without a value and ties do not appear. The earlier segment comes first among
    equals.
    """
    scores = evaluation.scores_by(measure)
    first, second = (scores.segment_scores[place] for place in evaluation.pair(a, b))
    differences = first - second
    gains = differences if scores.higher_is_better else -differences
    won: list[tuple[str, int]] = []
    for winner, gain in ((a, gains), (b, -gains)):
        ranked = np.argsort(-gain, kind="stable").tolist()
        won += [(winner, place) for place in ranked if gain[place] > 0][:limit]
    of_a, of_b = _system_columns(scores, (a, b))
    text = tr("reference") if any(evaluation.test_set.reference_lists) else tr("source")
    return Table.of_records(
        tr("Largest differences between {a} and {b} ({measure})", a=a, b=b, measure=scores.measure),
        won,
        (
            (Column(tr("won by")), lambda one: one[0]),
            (Column(tr("segment")), lambda one: evaluation.test_set[one[1]].id),
            (of_a, lambda one: float(first[one[1]])),
            (of_b, lambda one: float(second[one[1]])),
            (Column(tr("difference"), of_a.decimals), lambda one: float(differences[one[1]])),
            (Column(text), lambda one: _text(evaluation.test_set[one[1]])),
        ),
        tr("up to {limit} segments won by each, the largest difference first", limit=limit),
    )


def _text(segment: Segment) -> str:
    text = " ".join(next(iter(segment.references), segment.source or "").split())
    return text if len(text) <= _EXCERPT else text[:_EXCERPT].rstrip() + "…"


Words: TypeAlias = tuple[str, ...]
Matches: TypeAlias = list[Counter[Words]]
References: TypeAlias = list[list[list[str]]]
Systems: TypeAlias = Sequence[tuple[str, ...]]

LONGEST_PHRASE = 4
_WORD = re.compile(r"\w")
_LATIN_WORD = re.compile(r"[a-z][a-z0-9-]+")


def phrase_matches(test_set: TestSet, systems: Systems) -> list[Matches]:
    """Return, for each system and segment, the phrases that it shares with the references."""
    wanted = []
    for references in reference_tokens(test_set):
        most: Counter[Words] = Counter()
        for phrases in map(_ngrams, references):
            most |= phrases  # the largest count in one reference
        wanted.append(most)
    tokenizer = _word_tokenizer(test_set.target_language)
    return [
        [
            references & _ngrams(words) if references else Counter()
            for references, words in zip(wanted, tokenize_all(texts, tokenizer), strict=True)
        ]
        for texts in systems
    ]


def reference_tokens(test_set: TestSet) -> References:
    """Return the words of each reference of each segment."""
    tokenizer = _word_tokenizer(test_set.target_language)
    flat = iter(tokenize_all(test_set.flat_references, tokenizer))
    return [list(islice(flat, len(references))) for references in test_set.reference_lists]


def _word_tokenizer(language: str) -> str:
    return WORD_TOKENIZERS.get(language, "13a")


def _ngrams(tokens: Sequence[str]) -> Counter[Words]:
    """Return the phrases of a text in lower case; punctuation ends a phrase."""
    found: list[Words] = []
    for run in _runs(tokens):
        for size in range(1, LONGEST_PHRASE + 1):
            found += zip(*(run[start:] for start in range(size)), strict=False)
    return Counter(found)


def _runs(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words between marks, in lower case."""
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
    """Return a word in lower case; nothing for a mark."""
    return token.lower() if _WORD.search(token.lower()) else ""


def content_vocabulary(phrases: Iterable[Words], language: str) -> frozenset[str]:
    """Return the content words; Latin words in Chinese and Japanese always count."""
    vocabulary = sorted({word for words in phrases for word in words})
    forms = content_forms(vocabulary, language)
    return frozenset(
        word
        for word, found in zip(vocabulary, forms, strict=True)
        if found or (language in WORD_TOKENIZERS and _LATIN_WORD.fullmatch(word))
    )


def term_matches(test_set: TestSet, systems: Systems) -> list[Matches]:
    """Return, for each system and segment, the prescribed terms that it uses."""
    found = []
    for texts in systems:
        matches: Matches = []
        for segment, text in zip(test_set, texts, strict=True):
            spans = word_spans(text, test_set.target_language) if segment.terms else None
            used = (
                (term.target[0],)
                for term in segment.terms
                if spans and any(find_words(spans, rendering) for rendering in term.target)
            )
            matches.append(Counter(used))
        found.append(matches)
    return found


def sign_and_number_matches(
    test_set: TestSet, systems: Systems
) -> tuple[list[Matches], list[Matches]]:
    """Return the signs and other numbers of the first references found in each system.

    A number counts in digits or in words.
    """
    references = [next(iter(references), "") for references in test_set.reference_lists]
    places = sign_places(references)
    language = test_set.target_language
    wanted = [
        Counter(number_texts(text, language_of(language, text), leave_out=found))
        for text, found in zip(references, places, strict=True)
    ]
    signs: list[Matches] = []
    numbers: list[Matches] = []
    for texts in systems:  # signs and numbers of one text share its words
        lost = lost_signs(references, texts)
        signs.append(
            [
                _sign_counts(reference, here) - _sign_counts(reference, missing)
                for reference, here, missing in zip(references, places, lost, strict=True)
            ]
        )
        matches: Matches = []
        for counts, text in zip(wanted, texts, strict=True):
            spoken = language_of(language, text)
            there = number_texts(text, spoken, ("exact", "stated")) if counts else ()
            kept = (counts & Counter(there)).items()
            matches.append(Counter({(number,): count for number, count in kept}))
        numbers.append(matches)
    return signs, numbers


def _sign_counts(text: str, places: Sequence[Span]) -> Counter[Words]:
    return Counter((sign_text(text, place),) for place in places)


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
    """Counts of a phrase that two systems get right, and the segments where they differ.

    ``segments`` are the first few in which the winning system is ahead.
    """

    phrase: str
    kind: Kind
    first: int
    second: int
    segments: tuple[str, ...]


@dataclass(slots=True)
class _Tally:
    """Matches of both systems, and the segments in which one leads the other."""

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
    """Find the phrases, terms, signs and numbers of the references in the output of each system."""
    signs, numbers = sign_and_number_matches(test_set, systems)
    matches = zip(
        phrase_matches(test_set, systems), term_matches(test_set, systems), signs, numbers,
        strict=True,
    )  # fmt: skip
    return [dict(zip(_KINDS, found, strict=True)) for found in matches]


def phrase_wins(test_set: TestSet, first: Found, second: Found, limit: int) -> list[PhraseWin]:
    """Return the phrases that one system gets right more often than the other, clearest wins first.

    For each kind come the wins of the first system and then those of the second, at most ``limit``
    of each.
    """
    tallies: dict[Kind, Tallies] = {kind: _tally(first[kind], second[kind]) for kind in _KINDS}
    content = content_vocabulary(tallies["phrase"], test_set.target_language)
    tallies["phrase"] = {
        words: tally
        for words, tally in tallies["phrase"].items()
        if words[0] in content and words[-1] in content
    }
    references = reference_tokens(test_set)
    between = "" if test_set.target_language in WORD_TOKENIZERS else " "
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
    evaluation: TextEvaluation, pairs: Sequence[tuple[str, str]], limit: int = _TABLE_ROWS
) -> list[Table]:
    """Return the wins of two systems as a table, for each pair; every system is searched once."""
    places = {
        name: place
        for pair in pairs
        for name, place in zip(pair, evaluation.pair(*pair), strict=True)
    }
    texts = [evaluation.runs[place].texts for place in places.values()]
    found = dict(zip(places, found_in(evaluation.test_set, texts), strict=True))
    return [
        _wins_table(a, b, phrase_wins(evaluation.test_set, found[a], found[b], limit), limit)
        for a, b in pairs
    ]


def _wins_table(a: str, b: str, wins: Sequence[PhraseWin], limit: int) -> Table:
    return Table.of_records(
        tr("Correct only in {a} or only in {b}", a=a, b=b),
        wins,
        (
            (Column(tr("phrase")), "phrase"),
            (Column(tr("kind")), lambda win: _KINDS[win.kind]),
            (Column(tr("won by")), lambda win: a if win.first > win.second else b),
            (Column(a), "first"),
            (Column(b), "second"),
            (Column(tr("segments")), lambda win: ", ".join(win.segments)),
        ),
        tr(
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


def _ranked(tallies: Tallies, sign: int) -> Iterator[tuple[Words, _Tally]]:
    """Yield the wins of one side; of equivalent phrases, only the longest.

    A phrase is equivalent to a longer one around it, or to one shifted by a word, if it is won and
    lost equally often in the same segments.
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
    """Return a phrase in the spelling of the references in the shown segments.

    If spellings differ, it is the one with the fewest capitals, which may come from titles and
    sentence beginnings.
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
    """Return the places of the reference signs of each text that the other text lacks.

    The measure defines signs and equal notations.
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
    """Return the places of all reference signs, figure numbers and step labels of each text."""
    return lost_signs(texts, [""] * len(texts))


def sign_text(text: str, place: Span) -> str:
    """Return a sign as it is shown: ASCII digits, no blanks."""
    return "".join(fold(text[slice(*place)]).text.split())


def number_texts(
    text: str,
    language: str,
    certainties: Sequence[Certainty] = _IN_DIGITS,
    leave_out: Sequence[Span] = (),
) -> list[str]:
    """Return numbers with units in one spelling, without plain numbers at given places."""
    if "stated" not in certainties and not _has_digit(text):
        return []
    return [
        f"{'-' if one.negative else ''}{one.key}{'' if one.unit is None else f' {one.unit}'}"
        for one in find_quantities(text, language)
        if one.certainty in certainties and (one.unit is not None or not _overlaps(one, leave_out))
    ]


def _overlaps(quantity: Quantity, places: Sequence[Span]) -> bool:
    return any(quantity.start < end and start < quantity.end for start, end in places)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def content_forms(texts: Sequence[str], language: str) -> list[list[str]]:
    """Return the content words of each text.

    In languages without a list of function words these are all words.
    """
    if has_content_words(language):
        return [[word.form for word in words] for words in content_words(texts, language)]
    return [_LETTERS.findall(text.lower()) for text in texts]
