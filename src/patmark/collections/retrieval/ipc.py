"""Codes of the International Patent Classification, cut at a level."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias, get_args

from patmark.errors import UsageError

IpcLevel: TypeAlias = Literal["section", "class", "subclass", "group"]
LEVELS: tuple[IpcLevel, ...] = get_args(IpcLevel)

_FI = r"(?:[\s,]+\d{3})?(?:\s*@?[A-Z])?"
_VERSION = r"\s+\d{8}[\sA-Z\d]*"
_CODE = re.compile(
    r"(?P<section>[A-HY])(?:(?P<class>\d{2})(?:(?P<subclass>[A-Z])"
    rf"(?:[\s-]*(?P<group>\d{{1,4}})(?:\s*[/:]\s*\d{{1,6}}(?:{_VERSION}|{_FI}))?"
    r"|[\s-]*(?P<padded>\d{4})\d{2,6})?)?)?"
    r"(?:\s*\([\d.]+\))?[,;]?",
    re.ASCII,
)


def ipc_prefixes(code: str) -> dict[IpcLevel, str] | None:
    """Return a code at each level it reaches; None if it is no code of the classification.

    ``H01L 21/336``, ``H01L21/336``, ``H01L-021/336`` and ``H01L0021336000`` are all H, H01, H01L
    and ``H01L 21``. The lowest level is the main group. Text after the subgroup in office files is
    ignored: versions and marks of WIPO ST.8 (``H01L 21/336 20060101AFI20190101BHJP``), and
    additions of the Japanese FI (``H01L 27/108,621 Z``).
    """
    match = _CODE.fullmatch(unicodedata.normalize("NFKC", code).strip().upper())
    if match is None:
        return None
    prefixes: dict[IpcLevel, str] = {"section": match["section"]}
    if match["class"]:
        prefixes["class"] = prefixes["section"] + match["class"]
    if match["subclass"]:
        prefixes["subclass"] = prefixes["class"] + match["subclass"]
    if number := match["group"] or match["padded"]:
        prefixes["group"] = f"{prefixes['subclass']} {int(number)}"
    return prefixes


def ipc_level(name: str) -> IpcLevel | None:
    """Return the level of a name; None for ``off``."""
    for level in LEVELS:
        if name == level:
            return level
    if name == "off":
        return None
    raise UsageError(f"the IPC level {name!r} is unknown; choose from {', '.join(LEVELS)}, off")
