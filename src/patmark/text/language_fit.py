"""Whether a text can be in a language: by its script, and by the commonest words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from patmark.text.scripts import count_letters, letters_of, some_of

_SYMBOLS = "Greek letters"  # stand in formulas of every language
_HIRAGANA = re.compile(r"[\u3041-\u3096]{2}")
_LATIN_LANGUAGES = {
    "en": "the of and to is a in for with by that which an are as or from at be said wherein",
    "de": "der die das und ist ein eine einer eines mit von den dem im zu des für auf nach wird "
    "bei sich aus daß dass oder zur zum",
    "fr": "le la les l de d des et est un une du dans pour par sur en au aux qui que avec ou ce "
    "cette dont à selon lequel laquelle",
    "es": "el la los las de y es un una del en para por con que se al como o su dicho",
    "it": "il lo gli le di e è un una della nel per con che del alla dei o si detto",
    "pt": "o os as de e é um uma do da em para por com que no na ao dos ou dito",
    "nl": "de het een en van is in met voor op te dat die door bij of aan",
}
_FUNCTION_WORDS = {
    language: frozenset(words.split()) for language, words in _LATIN_LANGUAGES.items()
}
_LANGUAGE_NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian",
    "pt": "Portuguese", "nl": "Dutch",
}  # fmt: skip
_SURE_WORDS = {
    language: frozenset(word for word in words if len(word) > 1)
    for language, words in _FUNCTION_WORDS.items()
}
_LATIN_WORD = re.compile(r"[a-z\u00c0-\u024f]+")
_LONG_WORD = re.compile(r"[a-z\u00c0-\u024f]{2,}")
_ENOUGH_HAN = 12
_ENOUGH_FUNCTION_WORDS = 3
_ENOUGH_IN_ALL = 12  # function words of another language
_ENOUGH_DIFFERENT = 5
_OF_ALL_WORDS = 0.2  # of running text in any of these languages are function words
_LATIN_RUN = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,}){4,}")


def fits_language(text: str, language: str) -> bool:
    """Whether nothing speaks against a text being in a language, by script and function words.

    Script decides between Chinese (no hiragana), Japanese (kana), Korean and languages with an
    alphabet; function words decide between those with Latin letters. A sentence is doubted only on
    evidence: a formula or a name without function words fits every language of its script.

    >>> fits_language("所述泵包括壳体", "zh"), fits_language("The pump has a housing.", "zh")
    (True, False)
    >>> fits_language("Die Pumpe ist mit dem Motor verbunden.", "en")
    False
    """
    counts, own_letters = count_letters(text), letters_of(language)
    if _SYMBOLS not in own_letters:
        del counts[_SYMBOLS]
    if not counts.total() or not own_letters:
        return True
    own = sum(counts[letters] for letters in own_letters)
    if own_letters == ("Latin letters",):
        return own * 2 >= counts.total() and _fits_words(text, language)
    if own == 0 or _mostly_latin_prose(text, own):
        return False
    if language == "zh":
        return _HIRAGANA.search(text) is None
    return language != "ja" or counts["Japanese"] > 0 or own < _ENOUGH_HAN


def foreign_language(texts: Sequence[str], language: str) -> str:
    """In which language texts in Latin letters are, if that is not the one they should be in.

    Function words tell: there must be many of another language, twice as many as of the own one,
    and as dense as in running text. Titles, names and formulas have too few; single letters,
    which may be symbols, do not count.

    >>> foreign_language(["Die Pumpe ist mit dem Motor und der Welle verbunden."] * 5, "en")
    'in German'
    """
    if language not in _FUNCTION_WORDS:
        return ""
    words = Counter(word for text in some_of(texts) for word in _LONG_WORD.findall(text.lower()))
    seen = {name: [words[word] for word in own & words.keys()] for name, own in _SURE_WORDS.items()}
    likely = max(seen, key=lambda name: sum(seen[name]))
    found, own = sum(seen[likely]), sum(seen[language])
    enough = max(_ENOUGH_IN_ALL, _OF_ALL_WORDS * words.total(), 2 * own)
    sure = found >= enough and len(seen[likely]) >= _ENOUGH_DIFFERENT
    return f"in {_LANGUAGE_NAMES[likely]}" if sure else ""


def _mostly_latin_prose(text: str, own: int) -> bool:
    """Whether runs of Latin words are longer than the text in the script of the language."""
    return sum(len(run) for run in _LATIN_RUN.findall(text)) > 2 * own


def _fits_words(text: str, language: str) -> bool:
    if language not in _FUNCTION_WORDS:
        return True
    words = _LATIN_WORD.findall(text.lower())
    hits = {name: sum(word in own for word in words) for name, own in _FUNCTION_WORDS.items()}
    others = max(count for name, count in hits.items() if name != language)
    return others < _ENOUGH_FUNCTION_WORDS or others < 2 * hits[language] + 1
