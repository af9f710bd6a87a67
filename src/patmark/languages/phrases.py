"""Sentences and noun-like phrases with their places, for work on terms.

A phrase is one to four adjacent content words. There is no parser: function words and the commonest
verbs of patent language break phrases, which is enough to find candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from patmark.languages.registry import function_words
from patmark.languages.scripts import HAN
from patmark.languages.tokenizers import (
    WORD_TOKENIZERS,
    japanese_words,
    tokenize_all,
    tokenizer_signature,
)

LONGEST_PHRASE = 4

_ENGLISH_END = re.compile(r"(?<!\bFIG)(?<!\bFig)(?<!\bNo)(?<!\d)[.!?](?=\s)|[;；。]|\n")
_CJK_END = re.compile(r"[。！？；;\n]")
_ENGLISH_WORD = re.compile(r"[A-Za-z]+")
_CJK_CONTENT = re.compile(rf"[{HAN}]+|[\u30a1-\u30ff]{{2,}}")
_GAP = re.compile(r"[ -]?")
# the plural ending is es: processes, gases, boxes; not: cases, pulses, sizes
_WITH_E = (
    "sses", "xes", "zzes", "ches", "shes", "gases", "biases", "lenses", "buses", "viruses",
    "ratuses", "statuses", "focuses",
)  # fmt: skip
_IRREGULAR = {"axes": "axis", "lens": "lens", "series": "series", "species": "species"}


@dataclass(frozen=True, slots=True)
class ContentWord:
    """A content word: its place and its form without case and plural."""

    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Content words side by side."""

    start: int
    end: int
    forms: tuple[str, ...]


def rough_sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a text; semicolons and line ends also end one.

    The splitter knows few abbreviations and no brackets. The sentence splitter is
    better, but would change scores that depend on this one.
    """
    ends = [
        match.end() for match in (_ENGLISH_END if language == "en" else _CJK_END).finditer(text)
    ]
    spans = zip([0, *ends], [*ends, len(text)], strict=True)
    return [(start, end) for start, end in spans if text[start:end].strip()]


def content_words_version(language: str) -> str:
    """Return the tokenizer of :func:`content_words` in a language, for signatures."""
    if language == "en":
        return "english"
    return tokenizer_signature(WORD_TOKENIZERS[language])


def has_content_words(language: str) -> bool:
    """Return True if the function words of a language are known."""
    return language == "en" or language in WORD_TOKENIZERS


def content_words(texts: Sequence[str], language: str) -> list[list[ContentWord]]:
    """Return the content words of each text, in order."""
    if language == "en":
        return [list(_english_words(text)) for text in texts]
    tokens = tokenize_all(tuple(texts), WORD_TOKENIZERS[language])
    stop = function_words("phrases", language)
    return [list(_cjk_words(text, parts, stop)) for text, parts in zip(texts, tokens, strict=True)]


def _english_words(text: str) -> Iterator[ContentWord]:
    stop = function_words("phrases", "en")
    for match in _ENGLISH_WORD.finditer(text):
        word = match.group().lower()
        if len(word) > 1 and word not in stop:
            yield ContentWord(match.start(), match.end(), singular(word))


def _cjk_words(text: str, tokens: Sequence[str], stop: Set[str]) -> Iterator[ContentWord]:
    place = 0
    for token in tokens:
        start = text.find(token, place)
        if start < 0:
            continue
        place = start + len(token)
        if token not in stop and _CJK_CONTENT.fullmatch(token):
            yield ContentWord(start, place, token)


@lru_cache(maxsize=2**16)
def is_common_noun(word: str, language: str) -> bool:
    """Return True if the tokenizer's dictionary lists a Chinese or Japanese word as common noun."""
    if language == "zh":
        import rjieba

        return list(rjieba.tag(word)) == [(word, "n")]
    return [found.features[:2] for found in japanese_words(word)] == [["名詞", "一般"]]


@lru_cache(maxsize=2**16)
def singular(word: str) -> str:
    """Return an English word in lower case without its plural ending, by rule."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(_WITH_E):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def phrases(
    text: str, words: Sequence[ContentWord], gap: re.Pattern[str] | None = None
) -> Iterator[Phrase]:
    """Yield all phrases of one to four words; Chinese and Japanese words must be adjacent.

    ``gap`` is what may stand between two words: by default a blank or a hyphen, in ASCII text.
    """
    for first in range(len(words)):
        forms: tuple[str, ...] = ()
        for last in range(first, min(first + LONGEST_PHRASE, len(words))):
            if last > first and not _side_by_side(text, words[last - 1], words[last], gap):
                break
            forms = (*forms, words[last].form)
            yield Phrase(words[first].start, words[last].end, forms)


def _side_by_side(
    text: str, left: ContentWord, right: ContentWord, gap: re.Pattern[str] | None
) -> bool:
    if left.end == right.start:
        return True
    if gap is not None:
        return gap.fullmatch(text, left.end, right.start) is not None
    latin = text[left.end - 1].isascii() and text[right.start].isascii()
    return latin and _GAP.fullmatch(text, left.end, right.start) is not None
