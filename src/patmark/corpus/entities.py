"""Characters that SGML and XML files of patent offices write by name.

The names are those of ISO 8879 (public sets isolat, isonum, isopub, isotech, isobox, isogrk) and
a few of the USPTO. Python's table of HTML names holds most of the ISO sets; the Greek letters of
isogrk1, which older US files use for α, β, μ, are added here.
"""

from __future__ import annotations

from functools import cache
from html.entities import html5

_GREEK_NAMES = "a b g d e z ee th i k l m n x o p r s t u ph kh ps oh"
_GREEK_LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
_GREEK_CAPITALS = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"
_USPTO = {
    "sfgr": "ς",
    "gsdot": "⋅",
    "apse": "≃",
    "cuberoot": "∛",
    "Circlesolid": "●",
    "thinsp": "\u2009",
    "emsp14": "\u2005",
    "mgr": "μ",
}


@cache
def entity_table() -> dict[str, str]:
    """Name (without & and ;) to character."""
    table = {name[:-1]: text for name, text in html5.items() if name.endswith(";")}
    for name, small, capital in zip(
        _GREEK_NAMES.split(), _GREEK_LETTERS, _GREEK_CAPITALS, strict=True
    ):
        table[f"{name}gr"] = small
        table[f"{name.upper()}gr"] = capital
    return table | _USPTO
