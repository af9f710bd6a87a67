"""Which script a character belongs to, and texts in a script that cannot be their language's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f々〇"
KANA = r"\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
CJK = HAN + KANA + HANGUL


@cache
def _any_of(characters: str) -> re.Pattern[str]:
    """Compiled when it is first needed."""
    return re.compile(f"[{characters}]")


def has_han(text: str) -> bool:
    """Whether the text holds a Chinese character (hanzi or kanji)."""
    return _any_of(HAN).search(text) is not None


def has_kana(text: str) -> bool:
    """Whether the text holds hiragana or katakana."""
    return _any_of(KANA).search(text) is not None


def has_cjk(text: str) -> bool:
    """Whether the text holds a character of a script written without blanks."""
    return _any_of(CJK).search(text) is not None


_LETTERS = {
    "Japanese": KANA, "Korean": HANGUL, "Chinese": HAN, "Latin letters": "A-Za-z\u00c0-\u024f",
    "Cyrillic letters": "\u0400-\u04ff", "Greek letters": "\u0370-\u03ff",
    "Arabic letters": "\u0600-\u06ff", "Hebrew letters": "\u0590-\u05ff",
    "Devanagari letters": "\u0900-\u097f", "Thai letters": "\u0e00-\u0e7f",
}  # fmt: skip
_LATIN = "Latin letters"
_UNSPACED = {"Chinese": "zh", "Japanese": "ja", "Korean": "ko"}
_ALPHABETS = {
    "Latin letters": "en de fr es it pt nl sv da no nb nn fi pl cs sk sl hr hu ro tr vi id et lt",
    "Cyrillic letters": "ru uk bg be mk", "Greek letters": "el", "Thai letters": "th",
    "Arabic letters": "ar fa ur ps", "Hebrew letters": "he yi", "Devanagari letters": "hi mr ne sa",
}  # fmt: skip
_WEIGHT = 3  # of a letter that stands for a syllable or a word
_MOST = 0.5  # of the texts
_SOME = 0.125
_ENOUGH = 10  # texts without kana that are not Japanese
_LOOKED_AT = 1000


def letters_of(language: str) -> tuple[str, ...]:
    """The letters that a language is written in, empty where they are not known.

    >>> letters_of("ja"), letters_of("uk")
    (('Chinese', 'Japanese'), ('Cyrillic letters',))
    """
    if language == "ja":
        return "Chinese", "Japanese"
    unspaced = (letters for letters, of in _UNSPACED.items() if language == of)
    alphabets = (letters for letters, of in _ALPHABETS.items() if language in of.split())
    return (*unspaced, *alphabets)


_MORE_LETTERS = "lo km my bo am ti ka hy ta te kn ml bn pa gu or si"  # of their own


def in_latin_letters(language: str) -> bool:
    """Whether a language is not known to be written in other letters than A to Z and their kin."""
    known = letters_of(language) in ((), ("Latin letters",))
    return known and language not in _MORE_LETTERS.split()


def count_letters(text: str) -> Counter[str]:
    """How many of its letters a text has of each kind."""
    return Counter(
        {letters: len(_any_of(ranges).findall(text)) for letters, ranges in _LETTERS.items()}
    )


def written_in(texts: Sequence[str]) -> str:
    """What most of the texts seem to be written in: a language or its letters; else empty."""
    found = Counter(filter(None, map(_main_letters, some_of(texts))))
    if not found:
        return ""
    [(letters, times)] = found.most_common(1)
    return letters if times >= _MOST * found.total() else ""


def foreign_script(texts: Sequence[str], language: str) -> str:
    """What the texts are written in, if that is not the script of the language."""
    found = written_in(texts)
    if not found or language == _UNSPACED.get(found):
        return ""
    if language in _UNSPACED.values():
        own = "".join(_LETTERS[letters] for letters in letters_of(language))
        some = some_of(texts)
        has_own = sum(_any_of(own).search(text) is not None for text in some) >= _SOME * len(some)
        if language == "ja" and found == "Chinese":
            has_own = len(texts) < _ENOUGH or any(map(has_kana, texts))
        elif language == "zh" and found == "Japanese":
            has_own = False
        return "" if has_own else f"in {found}"
    if found in _UNSPACED:
        return f"in {found}"
    own_letters = letters_of(language)
    return f"in {found}" if own_letters and found not in own_letters else ""


def some_of(texts: Sequence[str]) -> Sequence[str]:
    """Texts from all over the list, so that a long one takes no longer."""
    return texts[:: len(texts) // _LOOKED_AT + 1]


def _main_letters(text: str) -> str:
    """The letters that a text has most of; empty for one without any."""
    if text.isascii():
        return _LATIN if _any_of(_LETTERS[_LATIN]).search(text) else ""
    counts = count_letters(text)
    for letters in _UNSPACED:
        counts[letters] *= _WEIGHT
    if counts["Japanese"]:
        counts["Japanese"] += counts.pop("Chinese")
    most = max(counts, key=counts.__getitem__)
    return most if counts[most] else ""
