"""The words of tercom's option -N (normalise), without and with its Asian support.

These follow tercom 0.10.0. sacreBLEU's copy differs: it keeps ``<skipped>``, joins lines broken
at a hyphen the other way round, splits at every Unicode blank, and leaves runs of kana glued to
one another, since its rules for them can match only at the start of a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_ASCII_MARKS = re.compile(r"([{-~\[-` -&(-+:-@/])")
_POSSESSIVE = re.compile(r"'s ")
_MARK_AFTER_NON_DIGIT = re.compile(r"([^0-9])([.,])")
_MARK_BEFORE_NON_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])-")
_WORD = re.compile(r"[^ \t\n\v\f\r]+")

_IDEOGRAPH = (
    "\u4e00-\u9fff\u3400-\u4dbf"  # unified, extension A
    "\u31c0-\u31ef\u2e80-\u2eff"  # strokes, radicals
    "\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f"  # compatibility
    "\u3200-\u32ff"  # enclosed letters and months
)
_ASIAN_MARK = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
    "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
)
_ASIAN_CHARACTER = re.compile(f"([{_IDEOGRAPH}{_ASIAN_MARK}])")
_KANA_RUN = re.compile("([\u3040-\u309f]+|[\u30a0-\u30ff]+|[\u31f0-\u31ff]+)")


def tokenize_tercom(texts: Sequence[str]) -> list[list[str]]:
    """Words and marks by mteval-v11's rules, with ``'s`` as a word."""
    return _split_lines(_western(texts))


def tokenize_tercom_asian(texts: Sequence[str]) -> list[list[str]]:
    """The same, with each ideograph and Asian mark and each run of one kana script by itself."""
    return _split_lines(_ASIAN_CHARACTER.sub(r" \1 ", _KANA_RUN.sub(r" \1 ", _western(texts))))


def _western(texts: Sequence[str]) -> str:
    """All texts, one per line; a blank at both ends keeps the rules from looking across lines."""
    joined = "\n".join(f" {_single_line(text)} " for text in texts)
    for entity, character in _ENTITIES:
        joined = joined.replace(entity, character)
    joined = _ASCII_MARKS.sub(r" \1 ", joined)
    joined = _POSSESSIVE.sub(" 's ", joined)
    joined = _MARK_AFTER_NON_DIGIT.sub(r"\1 \2 ", joined)
    joined = _MARK_BEFORE_NON_DIGIT.sub(r" \1 \2", joined)
    return _DASH_AFTER_DIGIT.sub(r"\1 - ", joined)


def _single_line(text: str) -> str:
    return text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")


def _split_lines(joined: str) -> list[list[str]]:
    return [_WORD.findall(line) for line in joined.split("\n")] if joined else []
