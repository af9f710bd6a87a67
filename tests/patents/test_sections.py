"""Headings to sections."""

from __future__ import annotations

import pytest

from patmark.patents.sections import SECTIONS, classify_heading, element_section, plain_heading


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("BACKGROUND OF THE INVENTION", "background"),
        ("BRIEF DESCRIPTION OF THE PRIOR ART", "background"),
        ("2. Description of Related Art", "background"),
        ("1. Field of the Invention", "field"),
        ("TECHNICAL FIELD", "field"),
        ("CROSS-REFERENCE TO RELATED APPLICATION(S) ", "related"),
        ("STATEMENT REGARDING FEDERALLY SPONSORED RESEARCH", "related"),
        ("SUMMARY OF THE INVENTION", "summary"),
        ("Technical Problem", "summary"),
        ("Advantageous Effects of Invention", "summary"),
        ("BRIEF DESCRIPTION OF THE DRAWINGS", "drawings"),
        ("BRIEF DESCRIPTION OF THE SEVERAL VIEWS OF THE DRAWINGS", "drawings"),
        ("DETAILED DESCRIPTION OF THE PREFERRED EMBODIMENTS", "embodiments"),
        ("Description of Embodiments", "embodiments"),
        ("BEST MODE FOR CARRYING OUT THE INVENTION", "embodiments"),
        ("Industrial Applicability", "industrial"),
        ("Reference Signs List", "signs"),
        ("Sequence Listing", "sequences"),
        ("技术领域", "field"),
        ("背景技术", "background"),
        ("发明内容", "summary"),
        ("实用新型内容", "summary"),
        ("附图说明", "drawings"),
        ("具体实施方式", "embodiments"),
        ("【技術分野】", "field"),
        ("【背景技術】", "background"),
        ("【従来の技術】", "background"),
        ("【発明が解決しようとする課題】", "summary"),
        ("【課題を解決するための手段】", "summary"),
        ("【図面の簡単な説明】", "drawings"),
        ("【発明を実施するための形態】", "embodiments"),
        ("【実施例】", "embodiments"),
        ("【産業上の利用可能性】", "industrial"),
        ("【符号の説明】", "signs"),
        ("【発明の分野】", "field"),
        ("発明の技術分野", "field"),
        ("背景", "background"),
        ("【発明の背景】", "background"),
        ("関連技術の説明", "background"),
        ("発明の要旨", "summary"),
        ("【発明の詳細な説明】", "embodiments"),
        ("发明背景", "background"),
        ("发明领域", "field"),
        ("附图简述", "drawings"),
        ("附图的简要描述", "drawings"),
        ("发明概要", "summary"),
        ("发明详述", "embodiments"),
        ("优选实施方式的详细描述", "embodiments"),
        ("工业上的可利用性", "industrial"),
        ("【發明所屬之技術領域】", "field"),
        ("【先前技術】", "background"),
        ("【發明內容】", "summary"),
        ("【圖式簡單說明】", "drawings"),
        ("【實施方式】", "embodiments"),
        ("【主要元件符號說明】", "signs"),
        ("Stand der Technik", "background"),
        ("Description des dessins", "drawings"),
    ],
)
def test_headings(heading: str, section: str) -> None:
    assert classify_heading(heading) == section
    assert section in SECTIONS


@pytest.mark.parametrize(
    "heading",
    [
        "Braking System for a Fork Lift Truck",
        "A. Preparation of the polymer",
        "",
        "描述",
        "x" * 500,
    ],
)
def test_headings_inside_a_section(heading: str) -> None:
    assert classify_heading(heading) is None


def test_a_sentence_is_no_heading() -> None:
    assert plain_heading("Examples of such polymers are given in the field of optics.") is None
    assert plain_heading("背景技术") == "background"


@pytest.mark.parametrize(
    ("name", "section"),
    [("BackgroundArt", "background"), ("background-art", "background"), ("BRFSUM", "summary"),
     ("description-of-drawings", "drawings"), ("DETD", "embodiments"), ("p", None)],
)  # fmt: skip
def test_elements(name: str, section: str | None) -> None:
    assert element_section(name) == section
