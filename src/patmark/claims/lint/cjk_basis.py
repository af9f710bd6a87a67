"""Whether a Chinese or Japanese phrase is written before, its ordinal included.

| referred to | written before |
|---|---|
| 第一齿轮 | 第一齿轮; 第一和第二齿轮; 第1又は第2の歯車 |
| 第二齿轮 | 第一至第三齿轮; 第1乃至第3の歯車 |

Only the first two characters of the noun are compared, because a verb may follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from patmark.text.quantities import parse_han

_NUMERAL = r"(?:[一二三四五六七八九十]{1,3}|\d{1,3})"
_TO = r"(?:至|到|乃至|ないし|から|[~～-])"
_AND = rf"(?:[和及与與或又若並、,と]|以及|および|または|もしくは|ならびに|{_TO})"
_ORDINAL = re.compile(rf"第(?P<order>{_NUMERAL})の?(?=.)")
_RANGE = re.compile(rf"第(?P<first>{_NUMERAL}){_TO}第?(?P<last>{_NUMERAL})の?")
_FARTHEST = 40
_SHORTEST = 2


def is_written(name: str, texts: Iterable[str]) -> bool:
    """Whether a name, or the same noun with other ordinals besides its own, is in one of them."""
    ordinal = _ORDINAL.match(name)
    noun = name[0 if ordinal is None else ordinal.end() :][:_SHORTEST]
    closed_up = ("".join(text.split()) for text in texts)
    if ordinal is None:
        return any(noun in text for text in closed_up)
    order, wanted = ordinal["order"], re.escape(noun)
    listed = re.compile(rf"第{order}(?:の?{wanted}|{_AND}.{{0,{_FARTHEST}}}?{wanted})")
    return any(listed.search(text) or _in_range(order, noun, text) for text in closed_up)


def _in_range(order: str, noun: str, text: str) -> bool:
    return any(
        _value(match["first"]) <= _value(order) <= _value(match["last"])
        and text.startswith(noun, match.end())
        for match in _RANGE.finditer(text)
    )


def _value(numeral: str) -> int:
    """The number; 0, which is in no range, for signs that are none, such as 一三."""
    return int(numeral) if numeral.isdecimal() else parse_han(numeral) or 0
