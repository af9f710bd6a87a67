"""Words with their places, and phrases found among them by lemma."""

from __future__ import annotations

import re
from dataclasses import dataclass

from patmark.text.english import LEMMA_WORD, lemmatizer_version, simple_lemma
from patmark.text.scripts import has_cjk


@dataclass(frozen=True, slots=True)
class WordSpans:
    """The words of a text in a form to compare, where each stands, and which are left out."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    leave_out: frozenset[str]


def word_spans(text: str, language: str, leave_out: frozenset[str] = frozenset()) -> WordSpans:
    """Lower-case lemmas with their places; in Chinese and Japanese the characters."""
    if language in ("zh", "ja"):
        found = [(match.group(), match.span()) for match in re.finditer(r"\S", text)]
    else:
        found = [
            (simple_lemma(match.group().lower()), match.span())
            for match in LEMMA_WORD.finditer(text)
        ]
    kept = [(word, span) for word, span in found if word not in leave_out]
    return WordSpans(
        text, tuple(word for word, _ in kept), tuple(span for _, span in kept), leave_out
    )


def words_version(language: str) -> str:
    """What :func:`find_words` compares in a language, for signatures."""
    return "characters" if language in ("zh", "ja") else lemmatizer_version("simplemma")


def find_words(words: WordSpans, phrase: str) -> list[tuple[int, int]]:
    """The places of a phrase, as whole words compared by lemma; they do not overlap."""
    if has_cjk(phrase):
        wanted = tuple(phrase.replace(" ", ""))
    else:
        lemmas = (simple_lemma(word) for word in LEMMA_WORD.findall(phrase.lower()))
        wanted = tuple(lemma for lemma in lemmas if lemma not in words.leave_out)
    size, places, position = len(wanted), [], 0
    while wanted and position + size <= len(words.words):
        if words.words[position : position + size] == wanted:
            places.append((words.spans[position][0], words.spans[position + size - 1][1]))
            position += size
        else:
            position += 1
    return places
