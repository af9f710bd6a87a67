"""Sentences as numbered words, in the form in which two languages are compared.

English and other languages with blanks use Snowball stems, Chinese uses jieba words, and Japanese
MeCab base forms without particles and auxiliaries. Numbers lose their commas. Only marks that
translations keep count: question, exclamation and quotation marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from patmark.data import IntArray
from patmark.languages import (
    DEFAULT_LANGUAGE,
    TOKENIZERS,
    WORD_TOKENIZERS,
    function_words,
    language as language_of,
    lemmatizer_version,
    segmented_words,
    simple_lemma,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MARKS = '?!"'
_WORD = re.compile(rf"\d+(?:[.,]\d+)+|[^\W_]+|[{MARKS}]")
_QUOTES = dict.fromkeys(map(ord, "“”„«»「」『』"), '"')
# Names of Snowball's stemmers, of languages with and without a pack.
_STEMMED = frozenset({"english", "french", "german", "spanish"})
_STEMMERS = {
    "da": "danish", "es": "spanish", "fi": "finnish", "hu": "hungarian", "it": "italian",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish",
}  # fmt: skip
# Only articles, prepositions, conjunctions and particles are left out: pronouns and auxiliaries
# have translations and help to distinguish sentences.


@dataclass(frozen=True, slots=True)
class Side:
    """The sentences of one language: the numbered words of all sentences in a row.

    Sentence k has the words ``ids[starts[k]:starts[k + 1]]``; ``letters`` counts its characters,
    and ``blank`` marks empty lines.
    """

    language: str
    vocabulary: tuple[str, ...]
    ids: IntArray
    starts: IntArray
    letters: IntArray
    blank: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.letters)

    @property
    def sizes(self) -> IntArray:
        """Number of words in each sentence."""
        return self.starts[1:] - self.starts[:-1]

    def sizes_between(self, places: IntArray) -> IntArray:
        """Return the number of words in each group of sentences, given as boundaries."""
        return np.diff(self.starts[places])

    def counts(self) -> csr_array:
        """Count each word (row) in each sentence (column)."""
        from scipy.sparse import csr_array

        sentence = np.repeat(np.arange(len(self)), self.sizes)
        shape = (len(self.vocabulary), len(self))
        return csr_array((np.ones(len(self.ids)), (self.ids, sentence)), shape=shape)

    def count_table(self) -> IntArray:
        """Count each word in each sentence as a dense array, for short texts."""
        sentence = np.repeat(np.arange(len(self)), self.sizes)
        shape = (len(self.vocabulary), len(self))
        cells = np.bincount(self.ids * len(self) + sentence, minlength=shape[0] * shape[1])
        return cells.reshape(shape)

    def merged(self, groups: Sequence[int]) -> Side:
        """Return the words with consecutive sentences merged into groups of these sizes."""
        places = np.cumsum([0, *groups])
        letters, blanks = (
            np.diff(np.concatenate([[0], np.cumsum(each)])[places])
            for each in (self.letters, self.blank)
        )
        return Side(
            self.language,
            self.vocabulary,
            self.ids,
            self.starts[places],
            letters,
            blanks == np.diff(places),
        )


def numbered(
    sentences: Sequence[str], language: str, leave_out: frozenset[str] = frozenset()
) -> Side:
    """Return sentences with their words as numbers, in alphabetical order."""
    words = [
        [word for word in sentence if word not in leave_out]
        for sentence in sentence_words(sentences, language)
    ]
    flat = [word for sentence in words for word in sentence]
    vocabulary = sorted(set(flat))
    number = {word: place for place, word in enumerate(vocabulary)}
    ids = np.fromiter(map(number.__getitem__, flat), dtype=np.int64, count=len(flat))
    starts = np.cumsum([0, *(len(sentence) for sentence in words)])
    letters = np.array([sum(map(str.isalnum, text)) for text in sentences], dtype=np.int64)
    blank = np.array([not text.strip() for text in sentences], dtype=bool)
    return Side(language, tuple(vocabulary), ids, starts, letters, blank)


def sentence_words(sentences: Sequence[str], language: str) -> list[list[str]]:
    """Return the words of each sentence."""
    return [list(_words(text, language)) for text in sentences]


# a sentence is needed twice: for the alignment, and for the similarity of its bead
@lru_cache(maxsize=2**14)
def _words(text: str, language: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKC", text).lower().translate(_QUOTES)
    words = segmented_words(plain, language, MARKS)
    if words is None:
        return tuple(stem(word, language) for word in _WORD.findall(plain))
    return tuple(stem(word, DEFAULT_LANGUAGE) if word.isascii() else word for word in words)


def words_version(language: str) -> str:
    """Return the tokenizer and stemmer of a language with their versions, for signatures."""
    if language in WORD_TOKENIZERS:
        tokenizer = TOKENIZERS[WORD_TOKENIZERS[language]]
        return tokenizer.version() if tokenizer.version else ""
    if _stemmer(language) is None:
        return "words"
    stemmer = f"snowballstemmer-{version('snowballstemmer')}"
    has_lemmas = language_of(language).has_synonyms
    return f"{lemmatizer_version('simplemma')}+{stemmer}" if has_lemmas else stemmer


def _stemmer(language: str) -> str | None:
    name = language_of(language).name.lower()
    return name if name in _STEMMED else _STEMMERS.get(language)


@lru_cache(maxsize=2**17)
def stem(word: str, language: str) -> str:
    """Return the stem of a lower-case word, or a number without its commas."""
    if not word[0].isalpha():
        return word.replace(",", "")
    name = _stemmer(language)
    if name is None:
        return word
    import snowballstemmer

    if language_of(language).has_synonyms:
        word = simple_lemma(word)
    # A new stemmer for each new word: it stores the word, so threads cannot share it.
    found: str = snowballstemmer.stemmer(name).stemWord(word)
    return found


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    """Return the words to leave out, in the form of :func:`sentence_words`."""
    words = function_words("alignment", language)
    if not words or not language_of(language).is_spaced:
        return words
    return frozenset(sentence_words([" ".join(words)], language)[0])
