from __future__ import annotations

import pytest

from patmark.collections.retrieval.ipc import ipc_level, ipc_prefixes
from patmark.errors import UsageError

_FULL = {"section": "H", "class": "H01", "subclass": "H01L", "group": "H01L 21"}


@pytest.mark.parametrize(
    "code",
    ["H01L 21/336", "H01L21/336", "h01l 21/336", "H01L-021/336", "H01L0021336000",
     "Ｈ０１Ｌ　２１/３３６", "H01L 21/00 (2006.01)", "H01L  21:00", "H01L 21", "H01L 21/336;",
     "H01L  21/336       20060101AFI20190101BHJP", "H01L  21/00        20060101 C I20051008RMEP",
     "H01L21/336,301@Z", "H01L21/336 301 D", "H01L 21/336A"],
)  # fmt: skip
def test_spellings_of_a_group(code: str) -> None:
    assert ipc_prefixes(code) == _FULL


@pytest.mark.parametrize(("code", "levels"), [("H", 1), ("H01", 2), ("H01L", 3)])
def test_short_codes_reach_fewer_levels(code: str, levels: int) -> None:
    assert ipc_prefixes(code) == dict(list(_FULL.items())[:levels])


@pytest.mark.parametrize(
    "code",
    [
        "",
        "X01L",
        "H1L",
        "H01L/21",
        "257/310",
        "H01L 21/336 junk",
        "C07D 401/12 // A61K 31/00",
        "A61K 31/00-31/80",
    ],
)
def test_other_texts_are_no_codes(code: str) -> None:
    assert ipc_prefixes(code) is None


def test_levels_by_name() -> None:
    assert ipc_level("off") is None
    assert ipc_level("subclass") == "subclass"
    with pytest.raises(UsageError, match="section, class, subclass, group, off"):
        ipc_level("subgroup")
