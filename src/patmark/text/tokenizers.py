"""The segmenters by name, and the one that a language gets when none is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from patmark.errors import UsageError
from patmark.text import chinese, english, japanese, mteval, tercom
from patmark.text.scripts import CJK


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A segmenter: what it does, whether it can split Chinese and Japanese, and its version."""

    description: str
    split: Callable[[Sequence[str]], list[list[str]]]
    splits_cjk: bool
    version: Callable[[], str] | None = None


def tokenize_whitespace(texts: Sequence[str]) -> list[list[str]]:
    """Words between blanks: for text that is already segmented."""
    return [text.split() for text in texts]


_CJK_CHAR = re.compile(rf"[{CJK}]|\d+(?:[.,]\d+)+|[^\W_{CJK}]+|[^\s]")


def tokenize_cjk_char(texts: Sequence[str]) -> list[list[str]]:
    """Han, kana and hangul one by one; Latin words and numbers whole; each mark by itself."""
    return [_CJK_CHAR.findall(text) for text in texts]


TOKENIZERS: dict[str, Tokenizer] = {
    "13a": Tokenizer("mteval-v13a, the default of sacreBLEU", mteval.tokenize_13a, False),
    "intl": Tokenizer("mteval-v14 international", mteval.tokenize_intl, False),
    "none": Tokenizer("blanks only, for segmented text", tokenize_whitespace, True),
    "treebank": Tokenizer("Penn Treebank words", english.tokenize_treebank, False),
    "rouge": Tokenizer("runs of a–z and 0–9, as rouge-score", english.tokenize_rouge, False),
    "lemma": Tokenizer(
        "English lemmas", english.tokenize_lemmas, False, english.lemmatizer_version
    ),
    "tercom": Tokenizer("tercom -N, words and marks", tercom.tokenize_tercom, False),
    "tercom-asian": Tokenizer(
        "tercom -N -A, with ideographs and runs of kana", tercom.tokenize_tercom_asian, True
    ),
    "char": Tokenizer("every character, as sacreBLEU", mteval.tokenize_char, True),
    "cjk-char": Tokenizer(
        "Chinese, Japanese, Korean characters; words and numbers whole", tokenize_cjk_char, True
    ),
    "zh": Tokenizer("Chinese characters, the rest as 13a, as sacreBLEU", mteval.tokenize_zh, True),
    "zh-jieba": Tokenizer(
        "Chinese words of jieba", chinese.tokenize_zh_words, True, chinese.zh_words_version
    ),
    "ja-mecab": Tokenizer(
        "Japanese words of MeCab with ipadic", japanese.tokenize_ja_mecab, True,
        japanese.mecab_version,
    ),
    "ja-ntcir": Tokenizer(
        "the NTCIR-9 procedure: widened, MeCab words, digits joined", japanese.tokenize_ja_ntcir,
        True, japanese.mecab_version,
    ),
}  # fmt: skip

_LANGUAGE_DEFAULT = {"zh": "zh", "ja": "ja-mecab"}


def resolve_tokenizer(
    tok: str, language: str, english_default: str = "13a", *, force: bool = False
) -> str:
    """The name of the segmenter to use: ``tok``, or for ``auto`` what the language asks for."""
    if tok == "auto":
        return _LANGUAGE_DEFAULT.get(language, english_default)
    _check_known(tok)
    if language in _LANGUAGE_DEFAULT and not TOKENIZERS[tok].splits_cjk and not force:
        raise UsageError(
            f"the tokenizer {tok} takes a whole {language} clause for one word; use "
            f"tok={_LANGUAGE_DEFAULT[language]}, or force=yes (--force) if the text is segmented"
        )
    return tok


def tokenizer_signature(name: str) -> str:
    """The name of a segmenter with its version and dictionary."""
    _check_known(name)
    version = TOKENIZERS[name].version
    return name if version is None else f"{name}({version()})"


@lru_cache(maxsize=8)
def tokenize_all(texts: tuple[str, ...], tokenizer: str) -> list[list[str]]:
    """Segment many texts. The last few results are kept, so that measures share them."""
    _check_known(tokenizer)
    return TOKENIZERS[tokenizer].split(texts)


def tokenize(text: str, tokenizer: str) -> list[str]:
    """Segment one text."""
    return tokenize_all((text,), tokenizer)[0]


def _check_known(name: str) -> None:
    if name not in TOKENIZERS:
        raise UsageError(f"the tokenizer {name!r} is unknown; choose from {', '.join(TOKENIZERS)}")
