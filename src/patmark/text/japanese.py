"""Japanese words: MeCab with the IPA dictionary, plain and with the NTCIR-9 preparation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any

_WIDEN = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
_DIGITS = re.compile(r"[0-9０-９]+")


@lru_cache(maxsize=1)
def _tagger() -> Any:
    import ipadic
    import MeCab

    return MeCab.Tagger(ipadic.MECAB_ARGS + " -Owakati")


def tokenize_ja_mecab(texts: Sequence[str]) -> list[list[str]]:
    """MeCab words, as sacreBLEU's ``ja-mecab``."""
    parse = _tagger().parse
    return [parse(text.strip()).split() for text in texts]


def ntcir_normalise(text: str) -> str:
    """Drop single-byte blanks, then widen half-width letters, digits and symbols."""
    return text.replace(" ", "").translate(_WIDEN)


def _join_digits(tokens: Iterable[str]) -> list[str]:
    joined: list[str] = []
    previous_is_number = False
    for token in tokens:
        is_number = _DIGITS.fullmatch(token) is not None
        if is_number and previous_is_number:
            joined[-1] += token
        else:
            joined.append(token)
        previous_is_number = is_number
    return joined


def tokenize_ja_ntcir(texts: Sequence[str]) -> list[list[str]]:
    """The NTCIR-9 procedure: normalise, MeCab words, consecutive digits as one token."""
    return [_join_digits(words) for words in tokenize_ja_mecab([ntcir_normalise(t) for t in texts])]


def mecab_version() -> str:
    """The segmenter and its dictionary with versions, for signatures."""
    return f"mecab-python3-{version('mecab-python3')}+ipadic-{version('ipadic')}"
