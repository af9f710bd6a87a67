"""A language that the script of the texts contradicts."""

from __future__ import annotations

import pytest

from patmark.text.scripts import foreign_script

ZH = ["一种泵，包括壳体。"] * 8 + ["H2O"] * 2
JA = ["ポンプは、筐体を備える。"] * 8 + ["図1"] * 2
EN = ["A pump comprises a housing."] * 9 + ["α-Fe 鋼"]


@pytest.mark.parametrize(
    ("texts", "language", "written"),
    [
        (ZH, "zh", ""), (JA, "ja", ""), (EN, "en", ""), (EN, "de", ""), ([], "zh", ""),
        (JA, "zh", "in Japanese"), (EN, "zh", "in another script"), (ZH, "ja", "in Chinese"),
        (ZH[:9], "ja", ""), (ZH, "en", "in Chinese or Japanese"),
    ],
)  # fmt: skip
def test_scripts(texts: list[str], language: str, written: str) -> None:
    assert foreign_script(texts, language) == written
