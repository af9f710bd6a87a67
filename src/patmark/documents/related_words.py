"""Word pairs for languages whose dictionary is not installed: Japanese with English or Chinese.

| words | related if |
|---|---|
| katakana, English | the consonants are the same: フィルタ, filter |
| Han characters, English | a sense of CC-CEDICT has the word |
| Han characters on both sides | the same when simplified, or a sense and a character in common |
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from patmark.alignment import Hybrid, Lexicon, sentence_words
from patmark.facts import english_words_of, gloss_stems
from patmark.languages import language, simplified_japanese

_ENGLISH_WORD = re.compile(r"[A-Za-z]{2,}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_MOST_PARTNERS = 8
_SURE, _LIKELY = 1.0, 0.6


def knowing_related_words(aligner: Hybrid, source: Sequence[str], target: Sequence[str]) -> Hybrid:
    """Return the aligner with the related words of two texts, unless it has a dictionary."""
    one, other = languages = aligner.source, aligner.target
    borrowed = other in language(one).borrows_from or one in language(other).borrows_from
    if aligner.senses is not None or not borrowed:
        return aligner
    pairs = dict(_pairs((source, target), languages))
    found = Lexicon(dict(_probabilities(pairs)))
    if aligner.lexicon is not None:
        found = found.updated(aligner.lexicon)
    return replace(aligner, lexicon=found, by_word=True)


def _pairs(
    texts: tuple[Sequence[str], Sequence[str]], languages: tuple[str, str]
) -> Iterator[tuple[tuple[str, str], float]]:
    english = next((side for side, code in enumerate(languages) if language(code).is_spaced), None)
    if english is None:
        ours, theirs = map(_vocabulary, texts, languages)
        yield from _han_pairs(ours, theirs, languages)
        return
    foreign = _vocabulary(texts[1 - english], languages[1 - english])
    surfaces = {word.lower() for text in texts[english] for word in _ENGLISH_WORD.findall(text)}
    for word, surface in english_words_of(foreign, languages[1 - english], sorted(surfaces)):
        for form in sentence_words([surface], languages[english])[0]:
            yield ((form, word) if english == 0 else (word, form)), _LIKELY


def _vocabulary(texts: Iterable[str], code: str) -> list[str]:
    return sorted({word for words in sentence_words(list(texts), code) for word in words})


def _han_pairs(
    ours: Sequence[str], theirs: Sequence[str], languages: tuple[str, str]
) -> Iterator[tuple[tuple[str, str], float]]:
    plain = [simplified_japanese(word) for word in theirs]
    by_character: defaultdict[str, set[int]] = defaultdict(set)
    for place, word in enumerate(plain):
        for character in _HAN.findall(word):
            by_character[character].add(place)
    for word in ours:
        simple = simplified_japanese(word)
        near = {place for character in _HAN.findall(simple) for place in by_character[character]}
        senses = gloss_stems(word, languages[0]) if near else frozenset()
        for place in sorted(near):
            if plain[place] == simple:
                yield (word, theirs[place]), _SURE
            elif senses & gloss_stems(theirs[place], languages[1]):
                yield (word, theirs[place]), _LIKELY


def _probabilities(
    pairs: Mapping[tuple[str, str], float],
) -> Iterator[tuple[tuple[str, str], tuple[float, float]]]:
    """Yield the probabilities of both directions; a word with many partners proves nothing."""
    partners: tuple[defaultdict[str, float], defaultdict[str, float]] = (
        defaultdict(float), defaultdict(float),
    )  # fmt: skip
    for pair, weight in pairs.items():
        for side, word in enumerate(pair):
            partners[side][word] += weight
    for (word, other), weight in pairs.items():
        shares = partners[0][word], partners[1][other]
        if max(shares) <= _MOST_PARTNERS:
            forward, backward = (weight / max(share, 1.0) for share in shares)
            yield (word, other), (forward, backward)
