"""Scripts of characters and texts, and languages that they allow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from patmark.languages.registry import function_words, language, packs, shared_pack

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f々〇"
KANA = r"\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
KATAKANA = r"\u30a1-\u30fa\u30fc"
HANGUL = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
CJK = HAN + KANA + HANGUL


@cache
def _any_of(characters: str) -> re.Pattern[str]:
    """Compile a pattern of any of these characters on first use."""
    return re.compile(f"[{characters}]")


@cache
def _ascii_runs() -> re.Pattern[str]:
    return re.compile("[\x00-\x7f]+")


def has_han(text: str) -> bool:
    """Return True if the text holds a Chinese character (hanzi or kanji)."""
    return _any_of(HAN).search(text) is not None


def has_kana(text: str) -> bool:
    """Return True if the text holds hiragana or katakana."""
    return _any_of(KANA).search(text) is not None


def has_cjk(text: str) -> bool:
    """Return True if the text holds a character of a script written without blanks."""
    return _any_of(CJK).search(text) is not None


_LETTERS = {
    "Japanese": KANA, "Korean": HANGUL, "Chinese": HAN,
    "Latin letters": "A-Za-z\u00c0-\u024f\uff21-\uff3a\uff41-\uff5a",
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
UNSPACED_WEIGHT = 3  # factor of a letter that stands for a syllable or a word
_MOST = 0.5  # of the texts
_SOME = 0.125
_ENOUGH = 10  # texts without kana that are not Japanese
_LOOKED_AT = 1000


def letters_of(language: str) -> tuple[str, ...]:
    """Return the script of a language; empty if unknown.

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
    """Return True unless a language is known to use another script than Latin."""
    known = letters_of(language) in ((), ("Latin letters",))
    return known and language not in _MORE_LETTERS.split()


def count_letters(text: str) -> Counter[str]:
    """Count the letters of a text by kind."""
    latin = len(_any_of(_LETTERS[_LATIN]).findall(text))
    beyond = _ascii_runs().sub("", text)
    counts = {letters: len(_any_of(ranges).findall(beyond)) for letters, ranges in _LETTERS.items()}
    return Counter(counts | {_LATIN: latin})


def written_in(texts: Sequence[str]) -> str:
    """Return the language or script that most of the texts seem to be written in, or ""."""
    found = Counter(filter(None, map(_main_letters, some_of(texts))))
    if not found:
        return ""
    [(letters, times)] = found.most_common(1)
    return letters if times >= _MOST * found.total() else ""


def foreign_script(texts: Sequence[str], language: str) -> str:
    """Return the script of the texts if it is not that of the language."""
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
    """Return a sample of texts from the whole list, to limit the work for long lists."""
    return texts[:: len(texts) // _LOOKED_AT + 1]


def _main_letters(text: str) -> str:
    """Return the letters that a text has most of; empty for one without any."""
    if text.isascii():
        return _LATIN if _any_of(_LETTERS[_LATIN]).search(text) else ""
    counts = count_letters(text)
    for letters in _UNSPACED:
        counts[letters] *= UNSPACED_WEIGHT
    if counts["Japanese"]:
        counts["Japanese"] += counts.pop("Chinese")
    most = max(counts, key=counts.__getitem__)
    return most if counts[most] else ""


def language_of(declared: str | None, text: str) -> str:
    """Return ``en``, ``zh`` or ``ja``: the declared language, else that of the script."""
    code = (declared or "").partition("-")[0]
    if code in ("en", "zh", "ja"):
        return code
    if has_kana(text):
        return "ja"
    return "zh" if has_han(text) else "en"


def mostly_spaced(texts: Iterable[str], declared: str | None) -> bool:
    """Return True unless most texts are in languages that write no blanks between words."""
    spaced = [language(language_of(declared, text)).is_spaced for text in texts]
    return 2 * sum(spaced) >= len(spaced)


_SYMBOLS = "Greek letters"  # occur in formulas of every language
_TWO_HIRAGANA = r"[\u3041-\u3096]{2}"
_LATIN_WORD = r"[a-z\u00c0-\u024f]+"
LATIN_WORDS = r"[a-z\u00c0-\u024f]{2,}"
_LATIN_RUN = r"(?<![A-Za-z])[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,}){4,}"
_ENOUGH_HAN = 12
_ENOUGH_FUNCTION_WORDS = 3
_LANGUAGE_NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian",
    "pt": "Portuguese", "nl": "Dutch",
}  # fmt: skip
_ENOUGH_IN_ALL = 12  # function words of another language
_ENOUGH_DIFFERENT = 5
_OF_ALL_WORDS = 0.2  # of running text in any of these languages are function words


def fits_language(text: str, language: str) -> bool:
    """Return True if script and function words are compatible with a language.

    Script decides between Chinese (no hiragana), Japanese (kana), Korean and alphabetic languages;
    function words decide between those with Latin letters. A formula or a name without function
    words fits every language of its script.

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
        return re.search(_TWO_HIRAGANA, text) is None
    return language != "ja" or counts["Japanese"] > 0 or own < _ENOUGH_HAN


def foreign_language(texts: Sequence[str], language: str) -> str:
    """Return the language of texts in Latin letters if it is not the expected one.

    Function words decide: there must be many of another language, twice as many as of the expected
    one, and as dense as in running text. Titles, names and formulas have too few. Single letters,
    which may be symbols, do not count.

    >>> foreign_language(["Die Pumpe ist mit dem Motor und der Welle verbunden."] * 5, "en")
    'in German'
    """
    if language not in _function_words():
        return ""
    words = Counter(re.findall(LATIN_WORDS, "\n".join(some_of(texts)).lower()))
    seen = seen_function_words(words)
    likely = max(seen, key=lambda name: sum(seen[name]))
    found, own = sum(seen[likely]), sum(seen[language])
    enough = max(_ENOUGH_IN_ALL, _OF_ALL_WORDS * words.total(), 2 * own)
    sure = found >= enough and len(seen[likely]) >= _ENOUGH_DIFFERENT
    return f"in {_LANGUAGE_NAMES[likely]}" if sure else ""


def seen_function_words(words: Counter[str]) -> dict[str, list[int]]:
    """Return the counts of function words that occur, by language."""
    return {
        name: [words[word] for word in own & words.keys()]
        for name, own in _function_words().items()
    }


def _mostly_latin_prose(text: str, own: int) -> bool:
    """Return True if Latin word sequences are longer than the text in the language's script."""
    return sum(len(run) for run in re.findall(_LATIN_RUN, text)) > 2 * own


def _fits_words(text: str, language: str) -> bool:
    if language not in _function_words():
        return True
    words = re.findall(_LATIN_WORD, text.lower())
    hits = {name: sum(word in own for word in words) for name, own in _function_words().items()}
    others = max(count for name, count in hits.items() if name != language)
    return others < _ENOUGH_FUNCTION_WORDS or others < 2 * hits[language] + 1


@cache
def _function_words() -> dict[str, frozenset[str]]:
    """Return the function words of languages with Latin letters, also of some without a pack."""
    known = {pack.code: function_words("detection", pack.code) for pack in packs()}
    others = shared_pack().table("function_words")
    return {code: words for code, words in known.items() if words} | {
        code: others.words(code) for code in others.lists
    }
