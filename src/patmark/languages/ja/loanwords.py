"""Loanwords in katakana, compared with English words by their consonants: フィルタ is "filter"."""

from __future__ import annotations

import re
from functools import lru_cache

_KATAKANA = re.compile(r"[ァ-ヺー]{2,}")
_ROWS = {
    "k": "カキクケコガギグゲゴヵヶ", "s": "サシスセソザジズゼゾ", "t": "タチツテトダヂヅデド",
    "n": "ナニヌネノン", "f": "フ", "h": "ハヒヘホ", "b": "バビブベボヴ", "p": "パピプペポ",
    "m": "マミムメモ", "r": "ラリルレロ", "y": "", "w": "ワ",
}  # fmt: skip
_CONSONANT = {kana: letter for letter, row in _ROWS.items() for kana in row}
_LATIN = str.maketrans(
    {"l": "r", "v": "b", "c": "k", "q": "k", "x": "k", "z": "s", "j": "s", "g": "k", "d": "t"}
)


def loanword_sounds(text: str) -> set[str]:
    """Return the consonants of the loanwords of a text."""
    return {
        skeleton
        for match in _KATAKANA.finditer(text)
        if (skeleton := "".join(_CONSONANT.get(kana, "") for kana in match.group()))
    }


_SOFT_G = re.compile("g(?=[eiy])")


@lru_cache(maxsize=2**14)
def english_sounds(word: str, *, soft: bool = False) -> str:
    """Return the consonants of an English word as katakana write them; a soft g is like j."""
    word = re.sub(r"ph", "f", word.lower())
    word = _SOFT_G.sub("j", word) if soft else word
    word = re.sub(r"c(?=[eiy])|sh|th", "s", word)
    word = re.sub(r"ch", "t", word).translate(_LATIN)
    word = re.sub(r"(.)\1", r"\1", word)
    return re.sub(r"[aeiouwy]|h(?![aeiou])", "", word)


def sounds_like(skeleton: str, words: list[str]) -> bool:
    """Return True if a loanword, by its consonants, may be an English word or several."""
    written = ["".join(words), *words]
    others = [english_sounds(word) for word in written]
    others += [english_sounds(word, soft=True) for word in written if _SOFT_G.search(word)]
    for other in others:
        a, b = skeleton.rstrip("r"), other.rstrip("r")
        b = b.replace("m", "n") if "n" in a else b
        a = a.replace("m", "n") if "n" in skeleton else a
        if a and (a == b or (len(b) > 1 and a.endswith(b)) or (len(a) > 1 and b.endswith(a))):
            return True
        if len(a) > 2 and len(b) > 2 and (a.startswith(b) or b.startswith(a)):
            return True
    return False


def sound_keys(skeleton: str) -> set[str]:
    """Return the consonants of a loanword, also without a final r: フィルタ, filter."""
    plain = skeleton.replace("m", "n")
    return {f"={one}" for one in (plain, plain.rstrip("r")) if len(one) > 1}
