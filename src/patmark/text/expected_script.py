"""Texts whose script cannot be that of the language that was named."""

from __future__ import annotations

from collections.abc import Sequence

from patmark.text.scripts import has_cjk, has_kana

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
