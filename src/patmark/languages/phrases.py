"""Sentences and noun-like phrases with their places, for work on terms.

A phrase is one to four adjacent content words. There is no parser: function words and the commonest
verbs of patent language break phrases, which is enough to find candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from patmark.languages.scripts import HAN
from patmark.languages.tokenizers import (
    WORD_TOKENIZERS,
    japanese_words,
    tokenize_all,
    tokenizer_signature,
)

LONGEST_PHRASE = 4

_ENGLISH_END = re.compile(r"(?<!\bFIG)(?<!\bFig)(?<!\bNo)(?<!\d)[.!?](?=\s)|[;；。]|\n")
_CJK_END = re.compile(r"[。！？；;\n]")
_ENGLISH_WORD = re.compile(r"[A-Za-z]+")
_CJK_CONTENT = re.compile(rf"[{HAN}]+|[\u30a1-\u30ff]{{2,}}")
_GAP = re.compile(r"[ -]?")
_ENGLISH_STOP_WORDS = """
a about according after all also an and any are arranged as at based be been before being
between both by can claim claims comprise comprises comprising configured connected
corresponding could described disclosed disclosure discloses disposed each either embodiment
embodiments etc example fig figure first following for formed from further had has have having
in include includes including into invention is it its last least less may method model more
most not obtained of on one or other over plurality present provided provides relates
respectively said same second set should shown so some step steps such than that the their then
thereof these they third this those through to two under until up use used using utility via was
well were when wherein which while will with within would he him his her hers i me mine my our ours
she thee their theirs them thou thy us we who whom whose ye you your yours there here
"""
_ENGLISH_STOP = frozenset(_ENGLISH_STOP_WORDS.split())
# the plural ending is es: processes, gases, boxes; not: cases, pulses, sizes
_WITH_E = (
    "sses", "xes", "zzes", "ches", "shes", "gases", "biases", "lenses", "buses", "viruses",
    "ratuses", "statuses", "focuses",
)  # fmt: skip
_IRREGULAR = {"axes": "axis", "lens": "lens", "series": "series", "species": "species"}
_CJK_STOP_WORDS = """
所述 上述 该 其 中 的 和 与 或 在 是 为 有 一种 包括 其中 根据 可以 设置 用于 进行
本发明 以及 具有 本 权利 要求 特征 在于 通过 实施 实施例 方式 具体 进一步 优选 其他 多个
至少 一个 两个 第一 第二 第三 之间 方法 以 对 及 将 由 于 从 到 使 时 后 前 上 下
内 外 并 且 等 各 每 不 可 能 也 还 则 而 被 把 向 分别 如 图 示 提供 公开 涉及
采用 使用 形成 连接 位于 相 此 这 一 二 三 两 个 种 我 我们 你 你们 您 他 她 它 他们 她们
它们 自己 谁 什么 这些 那 那些 这个 那个 这样 这里 那里 就 都 很 前記 上記 請求 項 記載 特徴 これ
それ こと もの 及び 又は 備える 有する 発明 実施 形態 第 図 示す する いる ある
"""
_CJK_STOP = frozenset(_CJK_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class ContentWord:
    """A content word: its place and its form without case and plural."""

    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Content words side by side."""

    start: int
    end: int
    forms: tuple[str, ...]


def rough_sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a text; semicolons and line ends also end one.

    The splitter knows few abbreviations and no brackets. The sentence splitter is
    better, but would change scores that depend on this one.
    """
    ends = [
        match.end() for match in (_ENGLISH_END if language == "en" else _CJK_END).finditer(text)
    ]
    spans = zip([0, *ends], [*ends, len(text)], strict=True)
    return [(start, end) for start, end in spans if text[start:end].strip()]


def content_words_version(language: str) -> str:
    """Return the tokenizer of :func:`content_words` in a language, for signatures."""
    if language == "en":
        return "english"
    return tokenizer_signature(WORD_TOKENIZERS[language])


def has_content_words(language: str) -> bool:
    """Return True if the function words of a language are known."""
    return language == "en" or language in WORD_TOKENIZERS


def content_words(texts: Sequence[str], language: str) -> list[list[ContentWord]]:
    """Return the content words of each text, in order."""
    if language == "en":
        return [list(_english_words(text)) for text in texts]
    tokens = tokenize_all(tuple(texts), WORD_TOKENIZERS[language])
    return [list(_cjk_words(text, parts)) for text, parts in zip(texts, tokens, strict=True)]


def _english_words(text: str) -> Iterator[ContentWord]:
    for match in _ENGLISH_WORD.finditer(text):
        word = match.group().lower()
        if len(word) > 1 and word not in _ENGLISH_STOP:
            yield ContentWord(match.start(), match.end(), singular(word))


def _cjk_words(text: str, tokens: Sequence[str]) -> Iterator[ContentWord]:
    place = 0
    for token in tokens:
        start = text.find(token, place)
        if start < 0:
            continue
        place = start + len(token)
        if token not in _CJK_STOP and _CJK_CONTENT.fullmatch(token):
            yield ContentWord(start, place, token)


@lru_cache(maxsize=2**16)
def is_common_noun(word: str, language: str) -> bool:
    """Return True if the tokenizer's dictionary lists a Chinese or Japanese word as common noun."""
    if language == "zh":
        import rjieba

        return list(rjieba.tag(word)) == [(word, "n")]
    return [found.features[:2] for found in japanese_words(word)] == [["名詞", "一般"]]


@lru_cache(maxsize=2**16)
def singular(word: str) -> str:
    """Return an English word in lower case without its plural ending, by rule."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(_WITH_E):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def phrases(
    text: str, words: Sequence[ContentWord], gap: re.Pattern[str] | None = None
) -> Iterator[Phrase]:
    """Yield all phrases of one to four words; Chinese and Japanese words must be adjacent.

    ``gap`` is what may stand between two words: by default a blank or a hyphen, in ASCII text.
    """
    for first in range(len(words)):
        forms: tuple[str, ...] = ()
        for last in range(first, min(first + LONGEST_PHRASE, len(words))):
            if last > first and not _side_by_side(text, words[last - 1], words[last], gap):
                break
            forms = (*forms, words[last].form)
            yield Phrase(words[first].start, words[last].end, forms)


def _side_by_side(
    text: str, left: ContentWord, right: ContentWord, gap: re.Pattern[str] | None
) -> bool:
    if left.end == right.start:
        return True
    if gap is not None:
        return gap.fullmatch(text, left.end, right.start) is not None
    latin = text[left.end - 1].isascii() and text[right.start].isascii()
    return latin and _GAP.fullmatch(text, left.end, right.start) is not None
