"""Noun phrases of Chinese and Japanese claims, by word lists and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from patmark.claims.model import Span, Term, TermKind
from patmark.text.phrases import Word, content_words
from patmark.text.scripts import HAN

_ORDINAL = r"(?:第(?:[一二三四五六七八九十]{1,3}|\d{1,3}))"
_CHINESE_MARK = re.compile(
    r"(?P<referred>所述[的之]?|该|該|上述的?|前述的?|(?<![其])此)"
    r"|(?P<introduced>一[种種个個]|至少一[个個种種]?|多[个個种種]|若干[个個]?|[两兩二三四]个|一对|一對)"
)
_METHOD = re.compile("方法")
_CHINESE_LEAD = re.compile(rf"{_ORDINAL}?(?:[A-Za-z0-9]{{1,12}}-?)?")
# words of no content that begin a name after a mark: 所述内筒, 该把手
_CHINESE_PREFIXES = frozenset("内外上下前后後左右把")
_SIGN = re.compile(r"\s?\(\s?([A-Za-z]{0,2}\d{1,4}[a-z']{0,2})\s?\)|(\d{1,4}[a-z]?)(?![\d.%°])")
_JAPANESE = re.compile(
    r"(?:(?P<referred>前記|上記|該|当該|前述の|上述の)|(?P<introduced>複数の|少なくとも[一1](?:つの|個の)?|"
    r"[一1]つ(?:の|以上の)|一対の|[一二三四五六七八九十1-9]つの))?"
    rf"(?P<phrase>(?:{_ORDINAL}の?)?[{HAN}\u30a1-\u30fcA-Za-z]{{1,40}})"
)
_JAPANESE_STOP_WORDS = "請求項 記載 特徴 項 場合 以上 以下 前記 上記 一項"
_JAPANESE_STOP = frozenset(_JAPANESE_STOP_WORDS.split())


def chinese_terms(plain: str, text: str, contents: Sequence[Span]) -> list[tuple[Term, ...]]:
    """The terms of each claim; words come from the segmenter."""
    slices = [plain[content.start : content.end] for content in contents]
    return [
        tuple(_chinese(part, text, content.start, _with_methods(part, words)))
        for part, content, words in zip(slices, contents, content_words(slices, "zh"), strict=True)
    ]


def _with_methods(part: str, words: Sequence[Word]) -> list[Word]:
    """The words and 方法, which is a stop word elsewhere but a claim may be about one."""
    methods = [Word(match.start(), match.end(), "方法") for match in _METHOD.finditer(part)]
    return sorted([*words, *methods], key=lambda word: word.start) if methods else list(words)


def _chinese(part: str, text: str, offset: int, words: Sequence[Word]) -> Iterator[Term]:
    """Runs of words that touch; a mark before a run says what kind it is."""
    marks = {match.end(): match for match in _CHINESE_MARK.finditer(part)}
    leads = {place: mark for mark in marks.values() for place in _name_starts(part, mark)}
    for run in _runs(part, words, marks):
        start, end = run[0].start, run[-1].end
        mark = leads.get(start)
        kind: TermKind = "bare"
        if mark is not None:
            kind = "referred" if mark["referred"] else "introduced"
            start = mark.end()
        else:
            start = _ordinal_start(part, start)
        sign = _SIGN.match(part, end)
        yield Term(
            offset + start,
            offset + end,
            text[offset + start : offset + end],
            kind,
            "" if mark is None else mark.group(),
            ("".join(part[start:end].split()),),
            None if sign is None else sign[1] or sign[2],
        )


def _name_starts(part: str, mark: re.Match[str]) -> Iterator[int]:
    """Where the words of a name may start: right after its mark, after an ordinal, after 内."""
    yield mark.end()
    lead = _CHINESE_LEAD.match(part, mark.end())
    start = mark.end() if lead is None else lead.end()
    yield start
    if part[start : start + 1] in _CHINESE_PREFIXES:
        yield start + 1


def _ordinal_start(part: str, start: int) -> int:
    """The start of a run with the ordinal or the Latin letters before it."""
    lead = re.search(
        rf"(?:{_ORDINAL})?(?:[A-Za-z0-9]{{1,12}}-?)?$", part[max(0, start - 18) : start]
    )
    return start if lead is None else start - len(lead.group())


def _runs(
    part: str, words: Sequence[Word], marks: dict[int, re.Match[str]]
) -> Iterator[list[Word]]:
    run: list[Word] = []
    for word in words:
        if run and (run[-1].end != word.start or word.start in marks):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def japanese_terms(plain: str, text: str, content: Span) -> Iterator[Term]:
    """Runs of kanji, katakana and Latin letters; a mark before a run says what kind it is."""
    for match in _JAPANESE.finditer(plain, content.start, content.end):
        phrase = match["phrase"]
        if phrase in _JAPANESE_STOP or (len(phrase) == 1 and match["referred"] is None):
            continue
        start, end = match.span("phrase")
        marker = match["referred"] or match["introduced"] or ""
        kind: TermKind = (
            "referred" if match["referred"] else "introduced" if match["introduced"] else "bare"
        )
        sign = _SIGN.match(plain, end)
        yield Term(
            start, end, text[start:end], kind, marker, (phrase,),
            None if sign is None else sign[1] or sign[2],
        )  # fmt: skip
