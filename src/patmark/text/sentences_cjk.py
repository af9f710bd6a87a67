"""Ends of sentences in Chinese and Japanese.

A sentence ends at 。！？ outside brackets and quotations. Older Japanese documents write ． for 。:
it ends a sentence after a Chinese character or kana, or, where a part has no 。 at all, after any
character but before a Chinese character or kana.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from patmark.text.scripts import CJK
from patmark.text.sentences_lines import find_brackets

_CLOSERS = r"[」』）)】〕》”’\"]*"
_STOP = rf"[。｡！？]|(?<=[{CJK}）)」])[．.!?](?![\d０-９A-Za-zＡ-Ｚａ-ｚ])"
_END = re.compile(rf"(?:{_STOP})+{_CLOSERS}")
_END_WITH_DOTS = re.compile(
    rf"(?:{_STOP}|(?<=[A-Za-zＡ-Ｚａ-ｚ\d０-９])．(?=\s*(?:[{CJK}]|\Z)))+{_CLOSERS}"
)
_LABEL = re.compile(r"[\s(（]*[A-Za-zＡ-Ｚａ-ｚ\d０-９一二三四五六七八九十]{1,3}[)）]?[.．、]\s*")
_QUOTES = "「『“"


def cjk_cuts(text: str, start: int, end: int) -> Iterator[int]:
    """Where sentences end between two places of a text."""
    brackets = find_brackets(text, start, end)
    dotted = text.find("．", start, end) >= 0 and text.find("。", start, end) < 0
    first = start
    for match in (_END_WITH_DOTS if dotted else _END).finditer(text, start, end):
        while first < match.start() and text[first].isspace():
            first += 1
        if _LABEL.fullmatch(text, first, match.end()):
            continue
        pair = brackets.around(match.start())
        if pair is not None:
            quoted = text[pair[0]] in _QUOTES
            if quoted or pair[0] != first or pair[1] >= match.end():
                continue
        yield match.end()
        first = match.end()
