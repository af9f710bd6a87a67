"""Language codes: one spelling for each language that patmark treats in its own way."""

from __future__ import annotations

import re

from patmark.errors import UsageError

_SAME = {
    "cn": "zh", "chi": "zh", "zho": "zh", "cmn": "zh", "chinese": "zh",
    "jp": "ja", "jpn": "ja", "japanese": "ja",
    "eng": "en", "english": "en",
}  # fmt: skip
_CODE = re.compile(r"[a-z]{2,3}")
_REGIONS = frozenset({"hans", "hant", "tw", "hk", "sg", "us", "gb"})


def language_code(name: str) -> str:
    """The code of a language: ``zh-CN``, ``ZH``, ``cn`` and ``chinese`` are all ``zh``."""
    first = re.split(r"[-_]", name.strip().lower())[0]
    code = _SAME.get(first, first)
    if not _CODE.fullmatch(code):
        raise UsageError(f"{name!r} is not a language; write a code such as en, zh or ja")
    return code


def language_pair(text: str) -> tuple[str | None, str]:
    """Source and target of ``ja-en``; a single language is the target."""
    parts = [part for part in re.split(r"[-_]", text.strip().lower()) if part not in _REGIONS]
    codes = [language_code(part) for part in parts]
    if len(codes) > 1 and codes[0] == "zh" and parts[1] == "cn":  # zh-CN is one language
        codes.pop(1)
    if len(codes) > 1 and codes[-1] == "zh" and parts[-2:] == ["zh", "cn"]:
        codes.pop()
    if not 1 <= len(codes) <= 2:
        raise UsageError(f"{text!r} is not a language pair; write e.g. ja-en, or en")
    return (codes[0] if len(codes) == 2 else None), codes[-1]
