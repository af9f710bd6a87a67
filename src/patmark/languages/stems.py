"""Stems of English words: Porter as in NLTK and rouge-score, and Snowball ("Porter 2").

M. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

Rule: TypeAlias = tuple[str, str]

_IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed",
    "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip

_PLURALS: Sequence[Rule] = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))
_DOUBLE_SUFFIXES: Sequence[Rule] = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("fulli", "ful"),
)  # fmt: skip
_ADJECTIVE_SUFFIXES: Sequence[Rule] = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"),
    ("ful", ""), ("ness", ""),
)  # fmt: skip
_LAST_SUFFIXES = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion",
    "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=2**17)
def porter_stem(word: str) -> str:
    """Return the stem of a word, in lower case."""
    stem = word.lower()
    if stem in _IRREGULAR:
        return _IRREGULAR[stem]
    if len(word) <= 2:
        return stem
    stem = _strip_past_and_ing(_strip_plural(stem))
    if len(stem) > 2 and stem.endswith("y") and _shape(stem)[-2] == "c":
        stem = stem[:-1] + "i"
    stem = _shorten_double_suffix(stem)
    stem = _replace_if_measured(stem, _ADJECTIVE_SUFFIXES)
    return _tidy_end(_strip_last_suffix(stem))


def _shape(text: str) -> str:
    """Return one letter per character: ``v`` for a vowel, ``c`` for everything else.

    A ``y`` is a vowel after a consonant only.
    """
    shape: list[str] = []
    previous = "v"
    for character in text:
        is_vowel = character in "aeiou" or (character == "y" and previous == "c")
        previous = "v" if is_vowel else "c"
        shape.append(previous)
    return "".join(shape)


def _measure(stem: str) -> int:
    """Count the runs of vowels followed by consonants: Porter's m."""
    return _shape(stem).count("vc")


def _ends_short(stem: str) -> bool:
    """Return True if the stem ends consonant, vowel, consonant (not w, x, y), or is VC."""
    shape = _shape(stem)
    if len(stem) == 2:
        return shape == "vc"
    return shape[-3:] == "cvc" and stem[-1] not in "wxy"


def _ends_double_consonant(stem: str) -> bool:
    return len(stem) >= 2 and stem[-1] == stem[-2] and _shape(stem)[-1] == "c"


def _first_match(word: str, rules: Sequence[Rule]) -> Rule | None:
    return next((rule for rule in rules if word.endswith(rule[0])), None)


def _replace_if_measured(word: str, rules: Sequence[Rule]) -> str:
    """Apply the first rule whose suffix fits, if the remaining stem has a measure."""
    rule = _first_match(word, rules)
    if rule is None:
        return word
    suffix, replacement = rule
    stem = word[: -len(suffix)]
    return stem + replacement if _measure(stem) > 0 else word


def _strip_plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    rule = _first_match(word, _PLURALS)
    return word if rule is None else word[: -len(rule[0])] + rule[1]


def _strip_past_and_ing(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word[: -len(suffix)]
        if word.endswith(suffix) and "v" in _shape(stem):
            return _repair(stem)
    return word


def _repair(stem: str) -> str:
    """Restore the final e of a stem that lost -ed or -ing, or drop a doubled consonant."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _ends_double_consonant(stem):
        return stem if stem[-1] in "lsz" else stem[:-1]
    if stem.endswith("*d"):  # NLTK's mark for "double consonant" also fits itself
        return stem[:-2] + "d"
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _shorten_double_suffix(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace_if_measured(word, _DOUBLE_SUFFIXES)


def _strip_last_suffix(word: str) -> str:
    suffix = next((suffix for suffix in _LAST_SUFFIXES if word.endswith(suffix)), None)
    if suffix is None:
        return word
    stem = word[: -len(suffix)]
    if _measure(stem) <= 1 or (suffix == "ion" and stem[-1] not in "st"):
        return word
    return stem


def _tidy_end(word: str) -> str:
    """Drop a final e after a long enough stem, and one l of a final ll."""
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


@lru_cache(maxsize=2**17)
def snowball_stem(word: str) -> str:
    """Return the stem of a lower-case English word."""
    stem: str = _snowball_stemmer()().stemWord(word)
    return stem


@lru_cache(maxsize=1)
def _snowball_stemmer() -> Callable[[], Any]:
    """Return a stemmer of Snowball 2.2: PyStemmer if installed, which is 40 times as fast.

    A new one is needed for each word, because it stores the word and threads cannot share it.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        if version("PyStemmer").startswith("2.2."):  # version 3.0 has other English stems
            import Stemmer

            return partial(Stemmer.Stemmer, "english", 0)
    except PackageNotFoundError:
        pass
    import snowballstemmer

    stemmer: Callable[[], Any] = snowballstemmer.EnglishStemmer
    return stemmer


def snowball_version() -> str:
    """Return the stemmer and its version, for signatures; PyStemmer gives the same stems."""
    from importlib.metadata import version

    return f"snowballstemmer-{version('snowballstemmer')}"
