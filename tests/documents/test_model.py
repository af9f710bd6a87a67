"""A document's text, its blocks and their places in the file."""

from __future__ import annotations

import pytest

from patmark.documents import Place, TextBlock, WholeDocument
from patmark.wording import translated


def document() -> WholeDocument:
    first = TextBlock(0, 3, "heading", Place(page=1, paragraph=1))
    second = TextBlock(4, 9, "claim", Place(page=2, paragraph=2))
    return WholeDocument("a.pdf", "One\nTwo 3\n", (first, second), "en")


def test_an_offset_has_the_place_of_its_block() -> None:
    found = [document().place(offset).page for offset in (0, 2, 3, 4, 9, 10)]
    assert found == [1, 1, 1, 2, 2, 2]


def test_plain_text_has_places_by_line() -> None:
    assert WholeDocument("a.txt", "One\nTwo").place(5) == Place(line=2)


def test_a_place_is_worded_in_every_language() -> None:
    place = Place(page=3, paragraph=12)
    assert place.label == "page 3, paragraph 12"
    assert translated(place.label, "zh") == "第 3 页、第 12 段"
    assert translated(Place(segment="s7").label, "ja") == "セグメント s7"
    assert Place().label == ""


@pytest.mark.parametrize(
    ("place", "labels"),
    [
        (Place(page=2, claim=3), ("page 2, claim 3", "第 2 页、权利要求 3", "2 ページ、請求項 3")),
        (
            Place(paragraph=9, cell=(2, 1, 4)),
            ("table 2, row 1, column 4", "表 2 第 1 行第 4 列", "表 2 の 1 行 4 列"),
        ),
        (Place(paragraph=9, footnote=1), ("footnote 1", "脚注 1", "脚注 1")),
        (Place(paragraph=9, endnote=2), ("endnote 2", "尾注 2", "文末脚注 2")),
        (
            Place(paragraph=9, printed="[0012]"),
            ("paragraph [0012]", "段落 [0012]", "段落 [0012]"),
        ),
    ],
)
def test_the_most_exact_unit_names_a_place(place: Place, labels: tuple[str, str, str]) -> None:
    assert tuple(translated(place.label, one) for one in ("en", "zh", "ja")) == labels
