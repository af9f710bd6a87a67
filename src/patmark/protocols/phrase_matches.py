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
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from patmark.data import TestSet
from patmark.measures.terms import terms_of
from patmark.protocols.text_features import (
    Span,
    content_forms,
    lost_signs,
    number_texts,
    sign_places,
    sign_text,
)
from patmark.text import find_words, tokenize_all, word_spans
from patmark.text.folding import language_of

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
    counts: Counter[Words] = Counter()
    for run in _runs([token.lower() for token in tokens]):
        for size in range(1, LONGEST_PHRASE + 1):
            counts.update(zip(*(run[start:] for start in range(size)), strict=False))
    return counts


def _runs(tokens: Sequence[str]) -> Iterator[list[str]]:
    run: list[str] = []
    for token in tokens:
        if _WORD.search(token):
            run.append(token)
        elif run:
            yield run
            run = []
    if run:
        yield run


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
        terms = terms_of(segment)
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
