"""Plain text, HTML, Markdown and office XML as whole documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.documents import Place, WholeDocument, read_document
from patmark.errors import InputError, UsageError


def texts(document: WholeDocument) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_plain_text_keeps_every_character_of_the_file(tmp_path: Path) -> None:
    content = "　本发明涉及一种离心泵。\r\n\r\n1. 一种用于输送冷却液的离心泵，包括壳体。\r\n"
    document = read_document(written(tmp_path, "a.txt", content))
    assert document.text == content
    assert (document.name, document.lang, document.blocks) == ("a.txt", "zh", ())
    assert document.place(content.index("1.")) == Place(line=3)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_says_the_encoding(tmp_path: Path, encoding: str) -> None:
    text = "この発明は、冷却液を送るための遠心ポンプに関する。"
    assert read_document(written(tmp_path, "a.txt", text.encode(encoding))).text == text


def test_a_language_as_ending_is_plain_text(tmp_path: Path) -> None:
    assert read_document(written(tmp_path, "patent.zh", "离心泵")).text == "离心泵"


def test_the_language_of_the_caller_counts(tmp_path: Path) -> None:
    assert read_document(written(tmp_path, "a.txt", "FIG. 1"), lang="en-US").lang == "en"
    assert read_document(written(tmp_path, "b.txt", "FIG. 1")).lang is None
    with pytest.raises(UsageError, match="is not a language"):
        read_document(written(tmp_path, "c.txt", "FIG. 1"), lang="xx")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "is empty"),
        ("a.txt", b" \n ", "holds no text"),
        ("a.txt", "遠心ポンプにする".encode("cp932"), "looks like Shift_JIS"),
        ("a.doc", b"x", "save it as .docx"),
        ("a.jpeg", b"x", "unknown ending .jpeg; known are .txt"),
        ("a.html", b"", "is empty"),
        ("a.html", b"<meta charset=klingon><p>x", "unknown encoding klingon"),
        ("a.html", b"<meta charset=shift_jis><p>\x81\x20", "not in it at byte"),
        ("a.xml", b"<notes/>", "no known patent format"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_document(written(tmp_path, name, content))
    assert caught.value.problems[0].path == str(tmp_path / name)


PAGE = """<!DOCTYPE html><html><head><title>no text</title><style>p{}</style></head><body>
<nav><a href="/">Home</a></nav><script>var a = "no text";</script>
<h1>Centrifugal pump</h1>
<p>The pump&nbsp;10 is filled with 10<sup>18</sup> ions of
   H<sub>2</sub>O, at 10<sub>2</sub>.<br>Second line.</p>
<table><tr><th>Part</th><td>Cell <table><tr><td>nested</td></tr></table></td></tr></table>
<h2>Claims</h2>
<ol><li>A pump comprising a housing.</li><li><p>2. The pump of claim 1.</p></li>
<li value="5">The pump of claim 2.<ul><li>with an inner item</li></ul></li><li>Last.</li></ol>
<pre>a
  b</pre>loose <b>te</b>xt<p hidden>unseen</p></body></html>"""


def test_html_gives_blocks_in_order_without_scripts_and_navigation(tmp_path: Path) -> None:
    assert texts(read_document(written(tmp_path, "a.html", PAGE))) == [
        ("heading", "Centrifugal pump"),
        ("paragraph", "The pump\xa010 is filled with 10¹⁸ ions of H2O, at 10₂.\nSecond line."),
        ("table cell", "Part"),
        ("table cell", "Cell"),
        ("table cell", "nested"),
        ("heading", "Claims"),
        ("list item", "1. A pump comprising a housing."),
        ("list item", "2. The pump of claim 1."),
        ("list item", "5. The pump of claim 2."),
        ("list item", "with an inner item"),
        ("list item", "6. Last."),
        ("paragraph", "a\nb"),
        ("paragraph", "loose text"),
    ]


def test_ruby_keeps_its_base(tmp_path: Path) -> None:
    page = "<p><ruby>羽根車<rp>(</rp><rt>はねぐるま</rt><rp>)</rp></ruby>を備える遠心ポンプ。</p>"
    document = read_document(written(tmp_path, "a.html", page))
    assert document.text == "羽根車を備える遠心ポンプ。"


def test_html_is_read_in_the_encoding_that_it_declares(tmp_path: Path) -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><p>①ポンプ</p>'
    assert read_document(written(tmp_path, "a.htm", page.encode("cp932"))).text == "①ポンプ"


def test_an_offset_of_a_page_has_its_paragraph(tmp_path: Path) -> None:
    document = read_document(written(tmp_path, "a.html", PAGE))
    assert document.place(document.text.index("nested")) == Place(paragraph=5, cell=(1, 1, 2))


def test_markdown_loses_its_marks_and_keeps_its_numbers(tmp_path: Path) -> None:
    text = "# 离心泵\n\n本发明涉及\n**离心泵**。\n\n1. 一种泵。\n2. 如权利要求1所述的泵。\n\n"
    content = f"{text}|a|b|\n|-|-|\n|1|2|\n"
    assert texts(read_document(written(tmp_path, "a.md", content))) == [
        ("heading", "离心泵"),
        ("paragraph", "本发明涉及离心泵。"),
        ("list item", "1. 一种泵。"),
        ("list item", "2. 如权利要求1所述的泵。"),
        *(("table cell", cell) for cell in "ab12"),
    ]


def test_office_xml_has_its_sections(tmp_path: Path) -> None:
    document = read_document(written(tmp_path, "us.xml", US))
    assert [(block.section, block.kind, block.place) for block in document.blocks] == [
        ("title", "heading", Place()),
        ("abstract", "paragraph", Place()),
        ("background", "heading", Place(segment="h-0001")),
        ("background", "paragraph", Place(paragraph=2)),
        ("claims", "claim", Place(claim=1)),
        ("claims", "claim", Place(claim=2)),
    ]
    assert document.text.endswith("2. The pump of claim 1, made of steel.")
    assert (document.lang, document.name) == ("en", "us.xml")


def test_a_language_that_the_publication_lacks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no text in ja; it has en"):
        read_document(written(tmp_path, "us.xml", US), lang="ja")


def test_a_file_of_two_publications_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected one publication, found 2"):
        read_document(written(tmp_path, "us.xml", US + US))


def test_claims_in_three_languages_are_three_texts(shared_data: Path) -> None:
    path = shared_data / "patents" / "ep_fulltext" / "v1-5-B1.xml"
    english, german = read_document(path), read_document(path, lang="de")
    [notice] = english.notices
    assert notice.text == "EP3404678B1 has texts in en, de, fr; en is read"
    assert {block.section for block in german.blocks} == {"title", "claims"}
    assert [block.place.claim for block in german.blocks[1:]] == list(range(1, 13))
    assert english.blocks[-1].place == Place(claim=12)


US = """<?xml version="1.0" encoding="UTF-8"?>
<us-patent-application lang="EN" country="US">
<us-bibliographic-data-application><publication-reference><document-id><country>US</country>
<doc-number>20990000001</doc-number><kind>A1</kind><date>20990101</date></document-id>
</publication-reference><invention-title id="t">CENTRIFUGAL PUMP</invention-title>
</us-bibliographic-data-application>
<abstract id="abstract"><p id="p-0001" num="0000">A pump is sealed by a ring.</p></abstract>
<description id="description"><heading id="h-0001" level="1">BACKGROUND</heading>
<p id="p-0002" num="0002">Pumps of this kind leak at the shaft of the motor.</p></description>
<claims id="claims"><claim id="CLM-1" num="1"><claim-text>1. A pump.</claim-text></claim>
<claim id="CLM-2" num="2"><claim-text>2. The pump of claim 1, made of steel.</claim-text></claim>
</claims></us-patent-application>
"""


def test_fenced_lines_of_markdown_stay_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Claims\n\n```\n1. A device.\n2. The device of claim 1.\n```\n")
    assert read_document(path).text == "Claims\n1. A device.\n2. The device of claim 1."


def test_text_in_many_nested_elements_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(f"<p>before</p>{'<div>' * 1000}deep{'</div>' * 1000}<p>after</p>")
    assert read_document(path).text.split() == ["before", "deep", "after"]
    path.write_text(f"<p>before</p>{'<div>' * 9000}deep{'</div>' * 9000}<p>after</p>")
    with pytest.raises(InputError, match="too deeply"):
        read_document(path)


def test_ordered_lists_within_lists_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text(
        "<ol start=3><li>a<ol><li>x</li><li>y</li></ol></li><!-- c --><li value=7>b<li>c</ol>"
    )
    assert read_document(path).text.split("\n")[:5] == ["3. a", "1. x", "2. y", "7. b", "8. c"]
