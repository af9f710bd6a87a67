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
_ISO_639_1 = """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de
    dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia
    id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo
    lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl
    ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
    tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""


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


def is_known(code: str) -> bool:
    """Whether a code names a language in ISO 639-1; others are allowed, but may be misspelt."""
    return code in _ISO_639_1.split()


def language_warnings(source: str | None, target: str) -> list[str]:
    """A warning for each side whose code names no language."""
    sides = {"source": source, "target": target}
    return [
        f"Warning: {code!r}, the {side} language, is not a two-letter code of ISO 639-1. Its "
        "texts are taken for words with blanks between them; correct the code if it is misspelt."
        for side, code in sides.items()
        if code is not None and not is_known(code)
    ]
