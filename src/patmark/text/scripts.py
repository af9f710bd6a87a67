"""Which script a character belongs to."""

from __future__ import annotations

import re

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f々〇"
KANA = r"\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
CJK = HAN + KANA + HANGUL

_HAN = re.compile(f"[{HAN}]")
_KANA = re.compile(f"[{KANA}]")
_CJK = re.compile(f"[{CJK}]")


def has_han(text: str) -> bool:
    """Whether the text holds a Chinese character (hanzi or kanji)."""
    return _HAN.search(text) is not None


def has_kana(text: str) -> bool:
    """Whether the text holds hiragana or katakana."""
    return _KANA.search(text) is not None


def has_cjk(text: str) -> bool:
    """Whether the text holds a character of a script written without blanks."""
    return _CJK.search(text) is not None
