"""Which script a character belongs to, and texts in a script that cannot be their language's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f々〇"
KANA = r"\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
CJK = HAN + KANA + HANGUL


@cache
def _any_of(characters: str) -> re.Pattern[str]:
    """Compiled when it is first needed."""
    return re.compile(f"[{characters}]")


def has_han(text: str) -> bool:
    """Whether the text holds a Chinese character (hanzi or kanji)."""
    return _any_of(HAN).search(text) is not None


def has_kana(text: str) -> bool:
    """Whether the text holds hiragana or katakana."""
    return _any_of(KANA).search(text) is not None


def has_cjk(text: str) -> bool:
    """Whether the text holds a character of a script written without blanks."""
    return _any_of(CJK).search(text) is not None


_MOST = 0.5  # of the texts
_ENOUGH = 10  # texts without kana that are not Japanese


def foreign_script(texts: Sequence[str], language: str) -> str:
    """What the texts are written in, if that is not the script of the language."""
    if not texts:
        return ""
    cjk = sum(map(has_cjk, texts)) / len(texts)
    if language not in ("zh", "ja", "ko"):
        return "in Chinese or Japanese" if cjk >= _MOST else ""
    if cjk < _MOST / 4:
        return "in another script"
    kana = sum(map(has_kana, texts)) / len(texts)
    if language == "zh" and kana > _MOST:
        return "in Japanese"
    if language == "ja" and kana == 0 and len(texts) >= _ENOUGH:
        return "in Chinese"
    return ""
