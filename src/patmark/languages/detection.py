"""Language of a whole text by its script, its characters and its function words."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from patmark.languages.scripts import (
    HAN,
    LATIN_WORDS,
    UNSPACED_WEIGHT,
    count_letters,
    seen_function_words,
)

_LOOKED_AT = 200_000
_FEWEST_LETTERS = 20
_PROSE = 50  # Chinese characters without kana that are not Japanese
_SOME_FUNCTION_WORDS = 0.12


def detect_language(text: str) -> str | None:
    """Return the language of a text: zh, ja, ko, or one of seven with Latin letters.

    None if the text has under 20 letters, or if nothing in it is decisive, as in a title.

    >>> detect_language("本发明涉及一种用于输送冷却液体的离心泵及其密封装置。")
    'zh'
    >>> detect_language("FIG. 1")
    """
    counts = count_letters(text[:_LOOKED_AT])
    if counts.total() < _FEWEST_LETTERS:
        return None
    han, kana, hangul = counts["Chinese"], counts["Japanese"], counts["Korean"]
    unspaced = UNSPACED_WEIGHT * (han + kana + hangul)
    if unspaced < counts.total() - han - kana - hangul:
        return _by_function_words(text[:_LOOKED_AT])
    if hangul > han + kana:
        return "ko"
    return _by_characters(text[:_LOOKED_AT], kana)


def _by_characters(text: str, kana: int) -> str | None:
    """Distinguish Chinese from Japanese by characters that only one of them has."""
    found = Counter(map(_only_in, re.findall(f"[{HAN}]", text)))
    japanese = found["ja"] + kana
    if found["zh"] != japanese:
        return "zh" if found["zh"] > japanese else "ja"
    return "zh" if found.total() >= _PROSE else None


@cache
def _only_in(character: str) -> str:
    simplified, japanese, traditional = (
        bool(character.encode(encoding, "ignore")) for encoding in ("gb2312", "cp932", "big5")
    )
    if japanese:
        return "" if simplified or traditional else "ja"
    return "zh" if simplified or traditional else ""


def _by_function_words(text: str) -> str | None:
    words = Counter(re.findall(LATIN_WORDS, text.lower()))
    seen = {name: sum(counts) for name, counts in seen_function_words(words).items()}
    likely, *others = sorted(seen, key=lambda name: -seen[name])
    enough = max(1, _SOME_FUNCTION_WORDS * words.total())
    return likely if seen[likely] >= enough and seen[likely] > seen[others[0]] else None
