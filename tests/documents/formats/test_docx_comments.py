"""Comments in Word files: on exactly the words of their span."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import docx
import pytest
from hypothesis import given, settings, strategies as st
from lxml import etree

from docx_files import (
    deleted,
    inserted,
    level,
    lists,
    numbered,
    paragraph,
    text_run,
    write_docx_parts,
)
from patmark.documents import DocumentComment, read_document, write_comments

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def body(path: Path) -> Any:
    with zipfile.ZipFile(path) as archive:
        return etree.fromstring(archive.read("word/document.xml"))


def commented(path: Path) -> dict[str, str]:
    """The text between the marks of each comment, by the text of the comment."""
    texts = {str(one.comment_id): one.text for one in docx.Document(str(path)).comments}
    inside: dict[str, str] = {}
    open_now: set[str] = set()
    for node in body(path).iter():
        if node.tag == f"{W}commentRangeStart":
            open_now.add(node.get(f"{W}id"))
        elif node.tag == f"{W}commentRangeEnd":
            open_now.discard(node.get(f"{W}id"))
        elif node.tag in (f"{W}t", f"{W}delText"):
            for one in open_now:
                inside[one] = inside.get(one, "") + node.text
    return {texts[one]: text for one, text in inside.items()}


def checked(folder: Path, path: Path, *words: str, **options: Any) -> Path:
    """Comment on words and see that the comments enclose them, and that the text stays."""
    document = read_document(path, **options)
    comments = []
    for word in words:
        at = document.text.index(word)
        comments.append(DocumentComment(at, at + len(word), f"on {word}"))
    out = folder / "out.docx"
    write_comments(path, comments, out, **options)
    assert commented(out) == {f"on {word}": word for word in words}
    after = read_document(out, **options)
    assert (after.text, after.blocks) == (document.text, document.blocks)
    return out


def test_a_span_inside_a_run_splits_it_and_keeps_its_properties(tmp_path: Path) -> None:
    file = docx.Document()
    split = file.add_paragraph("本发明涉及一种离")
    split.add_run("心泵，其功率为").bold = True
    split.add_run("10 kW。")
    file.add_paragraph("第二段。")
    path = tmp_path / "a.docx"
    file.save(str(path))
    out = checked(tmp_path, path, "泵，其", "离心泵，其功率为10", "10", "第二段。", "明")
    bold = [run.text for run in docx.Document(str(out)).paragraphs[0].runs if run.bold]
    assert "".join(bold) == "心泵，其功率为"
    assert docx.Document(str(out)).comments.get(0).author == "patmark"


def test_spans_in_revisions_take_comments(tmp_path: Path) -> None:
    path = write_docx_parts(
        tmp_path / "a.docx",
        paragraph("The pump runs ", deleted("at 5 kW "), inserted(text_run("at 7 kW ")), "well."),
    )
    checked(tmp_path, path, "7 kW", "kW well")
    checked(tmp_path, path, "5 kW", revisions="original")


def test_automatic_numbers_and_equations_take_the_nearest_run(tmp_path: Path) -> None:
    equation = "<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>"
    path = write_docx_parts(
        tmp_path / "a.docx",
        paragraph("A pump.", properties=numbered(1)) + paragraph(equation),
        numbering=lists(level(0, "%1.")),
    )
    assert read_document(path).text == "1. A pump.\nx=1"
    comments = [DocumentComment(0, 2, "number"), DocumentComment(12, 13, "equation")]
    write_comments(path, comments, tmp_path / "b.docx")
    assert commented(tmp_path / "b.docx") == {"number": "A pump."}
    texts = [one.text for one in docx.Document(str(tmp_path / "b.docx")).comments]
    assert texts == ["number", "equation"]


def test_a_note_takes_its_comment_at_the_reference(tmp_path: Path) -> None:
    reference = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    path = write_docx_parts(
        tmp_path / "a.docx",
        paragraph("Two", reference, " words"),
        footnotes=f'<w:footnote w:id="2">{paragraph("At 25 °C.")}</w:footnote>',
    )
    at = read_document(path).text.index("25")
    write_comments(path, [DocumentComment(at, at + 2, "in a note")], tmp_path / "b.docx")
    start = next(body(tmp_path / "b.docx").iter(f"{W}commentRangeStart"))
    assert start.getnext()[0].tag == f"{W}footnoteReference"


def test_breaks_and_raised_digits_stay_whole(tmp_path: Path) -> None:
    power = text_run("18", '<w:vertAlign w:val="superscript"/>')
    lines = "<w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r>"
    path = write_docx_parts(tmp_path / "a.docx", paragraph("10", power) + paragraph(lines))
    document = read_document(path)
    assert document.text == "10¹⁸\none\ttwo\nthree"
    at = document.text.index("two")
    comments = [DocumentComment(1, 3, "power"), DocumentComment(at, at + 3, "two")]
    write_comments(path, comments, tmp_path / "b.docx")
    assert commented(tmp_path / "b.docx") == {"power": "018", "two": "two"}
    assert read_document(tmp_path / "b.docx").text == document.text


_spans = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), min_size=1, max_size=4)


@given(_spans)
@settings(max_examples=25, deadline=None)
def test_comments_on_any_spans_enclose_them_and_change_no_text(
    spans: list[tuple[int, int]],
) -> None:
    runs = ["The pump ", "10 has", " a ", "<w:r><w:t>hous</w:t><w:t>ing</w:t></w:r>", " and 水泵"]
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = write_docx_parts(
            folder / "a.docx", paragraph(*runs) + paragraph("A motor.", properties=numbered(1)),
            numbering=lists(level(0, "%1.")),
        )  # fmt: skip
        document = read_document(path)
        line = document.text.index("\n")
        wanted = {}
        for at, (start, length) in enumerate(spans):
            start %= line
            wanted[f"{at}"] = start, min(start + length, line)
        comments = [DocumentComment(*span, text) for text, span in wanted.items()]
        write_comments(path, comments, folder / "b.docx")
        assert read_document(folder / "b.docx").text == document.text
        expected = {text: document.text[slice(*span)] for text, span in wanted.items()}
        assert commented(folder / "b.docx") == expected


@pytest.mark.parametrize("text", ["plain", "<&>\n second line 数"])
def test_a_comment_keeps_its_words(tmp_path: Path, text: str) -> None:
    path = write_docx_parts(tmp_path / "a.docx", paragraph("A pump."))
    write_comments(path, [DocumentComment(0, 1, text)], tmp_path / "b.docx")
    [comment] = docx.Document(str(tmp_path / "b.docx")).comments
    assert comment.text == text
