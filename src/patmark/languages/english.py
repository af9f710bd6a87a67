"""English words: Treebank tokens, ROUGE tokens, lemmas; and ROUGE tokens of other scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from string import ascii_lowercase, digits
from typing import Any, Literal, TypeAlias

from patmark.errors import MissingExtra, UsageError

Lemmatizer: TypeAlias = Literal["auto", "simplemma", "spacy"]

_SPACY_MODEL = "en_core_web_sm"

_TREEBANK_RULES = [
    (r'^"', r"``"),
    (r"(``)", r" \1 "),
    (r'([ (\[{<])("|\'{2})', r"\1 `` "),
    (r"([:,])([^\d])", r" \1 \2"),
    (r"([:,])$", r" \1 "),
    (r"\.\.\.", r" ... "),
    (r"([;@#$%&])", r" \1 "),
    (r"([^.])(\.)([\])}>\"']*)\s*$", r"\1 \2\3 "),
    (r"([?!])", r" \1 "),
    (r"([^'])' ", r"\1 ' "),
    (r"([\]\[(){}<>])", r" \1 "),
    (r"--", r" -- "),
    (r"''", r" '' "),
    (r'"', r" '' "),
    (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
    (r"(?i)\b(can)(not)\b", r" \1 \2 "),
]


def tokenize_treebank(texts: Sequence[str]) -> list[list[str]]:
    """Return words by the Penn Treebank conventions, one text taken as one sentence."""
    return [_treebank(text) for text in texts]


def _treebank(text: str) -> list[str]:
    text = text.strip()
    rules = _treebank_rules()
    for rule, replacement in rules[:9]:
        text = rule.sub(replacement, text)
    text = f" {text} "
    for rule, replacement in rules[9:]:
        text = rule.sub(replacement, text)
    return text.split()


@cache
def _treebank_rules() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern), replacement) for pattern, replacement in _TREEBANK_RULES]


def tokenize_rouge(texts: Sequence[str]) -> list[list[str]]:
    """Return lower-case sequences of a–z and 0–9, as in rouge-score."""
    lower = (text.lower().encode("ascii", "replace") for text in texts)
    blank_but_words = _blank_but_words()
    return [text.translate(blank_but_words).decode("ascii").split() for text in lower]


@cache
def _blank_but_words() -> bytes:
    kept = ascii_lowercase + digits
    return bytes(code if chr(code) in kept else ord(" ") for code in range(256))


def tokenize_rouge_intl(texts: Sequence[str]) -> list[list[str]]:
    """Return tokens by the rule of rouge-score for every script: lower-case letters and digits.

    A text without any is split into its marks, so that it matches itself.
    """
    import regex

    word, mark = regex.compile(r"[\p{L}\p{M}\p{N}]+"), regex.compile(r"\S")
    lower = [text.lower() for text in texts]
    return [word.findall(text) or mark.findall(text) for text in lower]


def tokenize_lemmas(texts: Sequence[str]) -> list[list[str]]:
    """Return lower-case lemmas."""
    return [english_lemmas(text).split() for text in texts]


@cache
def lemma_word() -> re.Pattern[str]:
    """Return the pattern of a word for a lemmatiser: letters, a number, or a single mark."""
    return re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+(?:[.,]\d+)*|\S")


def english_lemmas(text: str, lemmatizer: Lemmatizer = "auto") -> str:
    """Return lower-case lemmas of an English text, joined by blanks; punctuation marks are words.

    ``auto`` uses spaCy's small English model if installed, else simplemma.
    :func:`lemmatizer_version` names the one in use.
    """
    if _choose(lemmatizer) == "spacy":
        return " ".join(" ".join(token.lemma_ for token in _spacy_model()(text)).lower().split())
    return " ".join(simple_lemma(word) for word in lemma_word().findall(text.lower()))


def lemmatizer_version(lemmatizer: Lemmatizer = "auto") -> str:
    """Return the lemmatiser and its version, for signatures."""
    from importlib.metadata import version

    if _choose(lemmatizer) == "spacy":
        model = _spacy_model()
        return f"spacy-{version('spacy')}+{_SPACY_MODEL}-{model.meta['version']}"
    return f"simplemma-{version('simplemma')}"


def _choose(lemmatizer: Lemmatizer) -> Literal["simplemma", "spacy"]:
    if lemmatizer not in ("auto", "simplemma", "spacy"):
        raise UsageError(
            f"the lemmatiser {lemmatizer!r} is unknown; choose from auto, simplemma, spacy"
        )
    if lemmatizer == "auto":
        return "spacy" if _spacy_available() else "simplemma"
    return lemmatizer


@lru_cache(maxsize=1)
def _spacy_available() -> bool:
    return find_spec("spacy") is not None and find_spec(_SPACY_MODEL) is not None


@lru_cache(maxsize=1)
def _spacy_model() -> Any:
    from importlib.metadata import PackageNotFoundError

    try:
        import spacy
    except ImportError:
        raise MissingExtra("spaCy", "spacy") from None
    try:
        return spacy.load(_SPACY_MODEL, disable=["parser", "ner"])
    except (OSError, PackageNotFoundError):
        raise UsageError(
            f"spaCy's model {_SPACY_MODEL} is not installed; get it with: "
            f"python -m spacy download {_SPACY_MODEL}"
        ) from None


@lru_cache(maxsize=2**17)
def simple_lemma(word: str) -> str:
    """Return the lemma of one lower-case word."""
    import simplemma

    return simplemma.lemmatize(word, lang="en").lower()
