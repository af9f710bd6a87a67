"""Text analysis: one named procedure for documents and topics, the same for every engine.

All procedures begin alike: NFKC, case folded, one kind of hyphen, normalised long vowels of
katakana words. A term is cut to its first 64 characters, because engines drop longer ones (sequence
listings hold words of thousands of letters).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from patmark.errors import UsageError
from patmark.languages import (
    CJK,
    function_words,
    language_code,
    mecab_version,
    snowball_stem,
    snowball_version,
    tokenize_ja_mecab,
    tokenize_zh_words,
    zh_words_version,
)

VERSION = 1
STOP_LIST = "patmark-en-1"

_LONGEST = 64
_MOST_REMEMBERED = 1 << 19
_DROP_SIGNS, _BIGRAM = "-nosigns", "-bigram"
_HYPHENS = dict.fromkeys(map(ord, "‐‑‒–—―−─"), "-") | {0x30FB: " "}  # a middle dot
_LONG_MARK = chr(0x30FC)
_LONG_VOWEL = re.compile(r"(?<=[\u30a1-\u30fa])-(?![0-9a-z])")
_LAST_VOWEL = re.compile(r"(?<=[\u30a1-\u30fa\u30fc]{3})\u30fc(?![\u30a1-\u30fa\u30fc])")
_SIGN = r"(?:s|st|step|fig\.?)?\s*[0-9]+[a-z]?'*"
_BRACKETED_SIGNS = re.compile(rf"[(\[【〔]\s*{_SIGN}(?:\s*[,、;~-]\s*{_SIGN})*\s*[)\]】〕]")
_WORD = re.compile(r"[0-9]+(?:[.,][0-9]+)+|[^\W_]+")
_CJK_RUN_OR_WORD = re.compile(rf"([{CJK}]+)|[0-9]+(?:[.,][0-9]+)+|[^\W_{CJK}]+")


@dataclass(frozen=True, slots=True)
class TermProcedure:
    """A procedure that splits texts into terms. ``signature`` has all settings that change them."""

    name: str
    description: str
    language: str
    join: Callable[[str], str]
    versions: Callable[[], str] | None = None
    drop_signs: bool = False

    @property
    def signature(self) -> str:
        """Name, version of the procedure and of its tools: ``en-stem/1(snowballstemmer-2.2.0)``."""
        tools = f"({self.versions()})" if self.versions else ""
        return f"{self.name}/{VERSION}{tools}"

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text in order, with repetitions."""
        return self.joined(text).split()

    def joined(self, text: str) -> str:
        """Return the terms of a text in order, joined by blanks, which no term contains."""
        return self.join(normalised(text, drop_signs=self.drop_signs))


def normalised(text: str, *, drop_signs: bool = False) -> str:
    """Normalise a text before analysis."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).casefold().translate(_HYPHENS)
        text = _LAST_VOWEL.sub("", _LONG_VOWEL.sub(_LONG_MARK, text))
    else:
        text = text.lower()
    return _BRACKETED_SIGNS.sub(" ", text) if drop_signs else text


def term_procedure(name: str) -> TermProcedure:
    """Return the procedure of a name; the suffix ``-nosigns`` drops reference signs in brackets."""
    plain = name.removesuffix(_DROP_SIGNS)
    if plain not in _PROCEDURES:
        raise UsageError(
            f"the term procedure {name!r} is unknown; choose from {', '.join(_PROCEDURES)}, "
            f"each also with {_DROP_SIGNS} at its end"
        )
    description, join, versions = _PROCEDURES[plain]
    dropped = name != plain
    return TermProcedure(name, description, plain[:2], join, versions, dropped)


def default_procedure(language: str) -> TermProcedure:
    """Return the term procedure of a language: stems for English, bigrams for others."""
    return _of_language(language, "index terms")


def word_procedure(language: str) -> TermProcedure:
    """Return the term procedure of a language whose terms are words or their stems."""
    return _of_language(language, "words", _BIGRAM)


def _of_language(language: str, what: str, refused: str = "none") -> TermProcedure:
    """Return the first procedure of a language in the table."""
    code = language_code(language)
    for name in _PROCEDURES:
        if name.partition("-")[0] == code and not name.endswith(refused):
            return term_procedure(name)
    known = dict.fromkeys(name.partition("-")[0] for name in _PROCEDURES)
    raise UsageError(f"no {what} are known for {language!r}; choose from {', '.join(known)}")


class _Stems(dict[str, str]):
    """A cache of the stems in each piece of text between blanks, with its punctuation.

    Pieces repeat so often that a lookup is much faster than searching for words in them.
    """

    def __missing__(self, piece: str) -> str:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        stems = " ".join(map(snowball_stem, _english_words(piece)))
        self[piece] = stems
        return stems


@lru_cache(maxsize=1)
def _stems() -> _Stems:
    return _Stems()


def _english_stems(text: str) -> str:
    return " ".join(filter(None, map(_stems().__getitem__, text.split())))


def _english_words(text: str) -> list[str]:
    stop = function_words("retrieval")
    return [word[:_LONGEST] for word in _WORD.findall(text) if word not in stop]


def _bigrams(text: str) -> str:
    """Return character bigrams of each Chinese or Japanese run, and other words whole."""
    return " ".join(chain.from_iterable(map(_run_bigrams, _CJK_RUN_OR_WORD.finditer(text))))


def _run_bigrams(match: re.Match[str]) -> Iterable[str]:
    run = match[1]
    if run is None:
        return (match[0][:_LONGEST],)
    return map(str.__add__, run, run[1:]) if len(run) > 1 else (run,)


def _segmented(tokenizer: Callable[[list[str]], list[list[str]]]) -> Callable[[str], str]:
    return lambda text: " ".join(_real_words(chain.from_iterable(tokenizer(text.splitlines()))))


def _real_words(words: Iterable[str]) -> Iterator[str]:
    """Return the words that hold a letter or a digit."""
    return (word[:_LONGEST] for word in words if any(map(str.isalnum, word)))


def _stemmer_version() -> str:
    return f"{snowball_version()},stop={STOP_LIST}"


def _stop_version() -> str:
    return f"stop={STOP_LIST}"


_PROCEDURES: dict[str, tuple[str, Callable[[str], str], Callable[[], str] | None]] = {
    "en-stem": ("English words, stop words dropped, Snowball stems", _english_stems,
                _stemmer_version),
    "en-word": ("English words, stop words dropped", lambda text: " ".join(_english_words(text)),
                _stop_version),
    "zh-bigram": ("pairs of Chinese characters, Latin words and numbers whole", _bigrams, None),
    "zh-word": ("Chinese words of jieba", _segmented(tokenize_zh_words), zh_words_version),
    "ja-bigram": ("pairs of Japanese characters, Latin words and numbers whole", _bigrams, None),
    "ja-word": ("Japanese words of MeCab with ipadic", _segmented(tokenize_ja_mecab),
                mecab_version),
}  # fmt: skip
