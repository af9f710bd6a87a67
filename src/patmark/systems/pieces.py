"""A text cut into the pieces that a word-by-word translator looks up, keeps or leaves out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from patmark.text import has_cjk, jieba_words
from patmark.text.english import simple_lemma
from patmark.text.tokenizers import mecab_version, zh_words_version

Kind: TypeAlias = Literal["word", "kept", "mark", "particle"]

_ENGLISH = re.compile(r"[0-9]+(?:[.,][0-9]+)+|[^\W_]+|\S")
_HYPHEN_IN_WORD = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_BASE_FORM = 6
_PARTICLES = ("助詞", "助動詞")
_DEPENDENT_VERBS = ("接尾", "非自立")


@dataclass(frozen=True, slots=True)
class Piece:
    """A word with the form that dictionaries list; or what is kept as it stands."""

    surface: str
    kind: Kind
    lemma: str


@dataclass(frozen=True, slots=True)
class Cutter:
    """How texts of a language are cut. ``blank`` stands between the words of a headword."""

    cut: Callable[[str], list[Piece]]
    blank: str
    version: Callable[[], str]


def _plain(surface: str) -> Piece:
    kind: Kind
    kind = "word" if has_cjk(surface) else "kept" if any(map(str.isalnum, surface)) else "mark"
    return Piece(surface, kind, surface)


def _chinese(text: str) -> list[Piece]:
    return [_plain(word) for word in jieba_words(text) if word.strip()]


@lru_cache(maxsize=1)
def _tagger() -> Any:
    import ipadic
    import MeCab

    return MeCab.Tagger(ipadic.MECAB_ARGS)


def _japanese(text: str) -> list[Piece]:
    """Words with their base forms; particles and auxiliaries, which English has no words for."""
    pieces = []
    for line in _tagger().parse(text).splitlines():
        surface, tab, listed = line.partition("\t")
        if not tab:
            continue
        piece, features = _plain(surface), listed.split(",")
        if piece.kind == "word":
            base = features[_BASE_FORM] if len(features) > _BASE_FORM else "*"
            kind: Kind = "particle" if _is_particle(features) else "word"
            piece = Piece(surface, kind, surface if base == "*" else base)
        pieces.append(piece)
    return pieces


def _is_particle(features: Sequence[str]) -> bool:
    """Particles, auxiliaries, and verbs that only inflect another verb (れる, いる)."""
    kind, finer = features[:2]
    return kind in _PARTICLES or (kind == "動詞" and finer in _DEPENDENT_VERBS)


def _english(text: str) -> list[Piece]:
    """Words with their lemmas; a hyphen within a word divides it."""
    pieces = []
    for surface in _ENGLISH.findall(_HYPHEN_IN_WORD.sub(" ", text)):
        if surface.isalpha():
            pieces.append(Piece(surface, "word", simple_lemma(surface.lower())))
        else:
            pieces.append(_plain(surface))
    return pieces


def _simplemma_version() -> str:
    from patmark.text import lemmatizer_version

    return lemmatizer_version("simplemma")


CUTTERS: Mapping[str, Cutter] = {
    "zh": Cutter(_chinese, "", zh_words_version),
    "ja": Cutter(_japanese, "", mecab_version),
    "en": Cutter(_english, " ", _simplemma_version),
}


def cut(text: str, language: str) -> list[Piece]:
    """The pieces of a text in order, without blanks; full-width letters become plain ones."""
    return CUTTERS[language].cut(unicodedata.normalize("NFKC", text))
