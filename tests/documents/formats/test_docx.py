"""Word files: all text in order, with automatic numbers, revisions, notes and equations."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

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
from patmark.documents import Place, WholeDocument, read_document
from patmark.documents.formats import docx as reader
from patmark.errors import InputError


def texts(document: WholeDocument) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def lines(path: Path, **options: Any) -> list[str]:
    return [text for _, text in texts(read_document(path, **options))]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A file of python-docx: headings, a nested table, a list, split runs."""
    import docx

    file = docx.Document()
    file.add_heading("离心泵", 1)
    split = file.add_paragraph("本发明涉及一种离")
    split.add_run("心泵，其功率为").bold = True
    split.add_run("10 kW。")
    table = file.add_table(1, 2)
    table.cell(0, 0).text = "部件"
    table.cell(0, 1).text = "外层"
    table.cell(0, 1).add_table(1, 1).cell(0, 0).text = "内层"
    file.add_paragraph("一种泵。", style="List Number")
    file.add_paragraph("如权利要求1所述的泵。", style="List Number")
    file.add_paragraph("")
    file.add_paragraph("要点", style="List Bullet")
    file.save(str(tmp_path / "made.docx"))
    return tmp_path / "made.docx"


def test_a_file_of_python_docx_is_read_in_order(made: Path) -> None:
    document = read_document(made)
    assert texts(document) == [
        ("heading", "离心泵"),
        ("paragraph", "本发明涉及一种离心泵，其功率为10 kW。"),
        ("table cell", "部件"),
        ("table cell", "外层"),
        ("table cell", "内层"),
        ("list item", "1. 一种泵。"),
        ("list item", "2. 如权利要求1所述的泵。"),
        ("list item", "要点"),
    ]
    assert document.lang == "zh"
    assert document.place(document.text.index("内层")) == Place(paragraph=5, cell=(1, 1, 2))
    assert document.notices == ()


def claims_in_revision(folder: Path) -> Path:
    """Claim 2 is inserted, the old claim 2 deleted; two paragraphs were joined."""
    mark = '<w:rPr><w:{} w:id="9" w:author="a"/></w:rPr>'
    return write_docx_parts(
        folder / "revised.docx",
        paragraph("A pump comprising a housing.", properties=numbered(1))
        + paragraph(deleted("An old claim."), properties=numbered(1) + mark.format("del"))
        + paragraph(inserted(text_run("The pump of claim 1, made of steel.")),
                    properties=numbered(1) + mark.format("ins"))
        + paragraph("The pump of claim 1, ", deleted("driven by 5 "), inserted(text_run("at 7 ")),
                    "kW.", properties=numbered(1))
        + paragraph("First half", properties=mark.format("del"))
        + paragraph(" and second half."),
        numbering=lists(level(0, "%1.")),
    )  # fmt: skip


def test_final_text_has_insertions_and_numbers_as_printed(tmp_path: Path) -> None:
    document = read_document(claims_in_revision(tmp_path))
    assert [text for _, text in texts(document)] == [
        "1. A pump comprising a housing.",
        "2. The pump of claim 1, made of steel.",
        "3. The pump of claim 1, at 7 kW.",
        "First half and second half.",
    ]
    [notice] = document.notices
    assert (notice.level, notice.code) == ("warning", "revisions")
    assert notice.text == "7 tracked changes are read as accepted"
    assert "revisions='original'" in notice.remedy


def test_original_text_has_deletions_and_the_old_numbers(tmp_path: Path) -> None:
    document = read_document(claims_in_revision(tmp_path), revisions="original")
    assert [text for _, text in texts(document)] == [
        "1. A pump comprising a housing.",
        "2. An old claim.",
        "3. The pump of claim 1, driven by 5 kW.",
        "First half",
        " and second half.",
    ]
    assert document.notices[0].text == "7 tracked changes are read as rejected"


def test_moved_text_stands_once(tmp_path: Path) -> None:
    run = text_run("Moved.")
    body = (
        paragraph(f'<w:moveFrom w:id="1" w:author="a">{run}</w:moveFrom>', "Here. ")
        + paragraph("There. ", f'<w:moveTo w:id="2" w:author="a">{run}</w:moveTo>')
    )  # fmt: skip
    path = write_docx_parts(tmp_path / "a.docx", body)
    assert lines(path) == ["Here. ", "There. Moved."]
    assert lines(path, revisions="original") == ["Moved.Here. ", "There. "]


def test_a_deleted_row_is_left_out(tmp_path: Path) -> None:
    row = "<w:tr>{}<w:tc>{}</w:tc></w:tr>"
    gone = '<w:trPr><w:del w:id="1" w:author="a"/></w:trPr>'
    body = (
        f"<w:tbl>{row.format('', paragraph('kept'))}{row.format(gone, paragraph('gone'))}</w:tbl>"
    )
    path = write_docx_parts(tmp_path / "a.docx", body)
    assert lines(path) == ["kept"]
    assert lines(path, revisions="original") == ["kept", "gone"]


def test_numbers_follow_levels_formats_and_restarts(tmp_path: Path) -> None:
    claims = level(0, "【請求項%1】", "decimalFullWidth", '<w:suff w:val="nothing"/>')
    custom = (
        '<w:lvl w:ilvl="0"><w:start w:val="9"/><mc:AlternateContent><mc:Choice Requires="w14">'
        '<w:numFmt w:val="custom" w:format="0001, 0002, 0003, ..."/></mc:Choice></mc:'
        'AlternateContent><w:lvlText w:val="[%1]"/></w:lvl>'
    )
    outline = level(0, "%1.", "upperRoman") + level(1, "%1.%2)", "lowerLetter")
    again = (
        '<w:num w:numId="9"><w:abstractNumId w:val="3"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="4"/></w:lvlOverride></w:num>'
    )
    styles = (
        '<w:style w:type="paragraph" w:styleId="Base"><w:pPr><w:numPr><w:numId w:val="2"/>'
        '</w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Para">'
        '<w:basedOn w:val="Base"/></w:style>'
    )
    path = write_docx_parts(
        tmp_path / "a.docx",
        paragraph("ポンプ。", properties=numbered(1))
        + paragraph("請求項１に記載のポンプ。", properties=numbered(1))
        + paragraph("by style", properties='<w:pStyle w:val="Para"/>')
        + paragraph("by style again", properties='<w:pStyle w:val="Para"/>')
        + paragraph("no number", properties='<w:pStyle w:val="Para"/>' + numbered(0))
        + paragraph("one", properties=numbered(3))
        + paragraph("inner", properties=numbered(3, 1))
        + paragraph("inner", properties=numbered(3, 1))
        + paragraph("two", properties=numbered(3))
        + paragraph("inner", properties=numbered(3, 1))
        + paragraph("four", properties=numbered(9))
        + paragraph("five", properties=numbered(9)),
        numbering=lists(claims, custom, outline, more=again),
        styles=styles,
    )
    assert lines(path) == [
        "【請求項１】ポンプ。", "【請求項２】請求項１に記載のポンプ。",
        "[0009] by style", "[0010] by style again", "no number",
        "I. one", "I.a) inner", "I.b) inner", "II. two", "II.a) inner", "IV. four", "V. five",
    ]  # fmt: skip


def test_text_that_python_docx_leaves_out_is_read(tmp_path: Path) -> None:
    sdt = f"<w:sdt><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>"
    ruby = (
        "<w:r><w:ruby><w:rt><w:r><w:t>はね</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>羽根</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    )
    fraction = (
        "<m:oMath><m:f><m:fPr/><m:num><m:r><m:t>1</m:t></m:r></m:num>"
        "<m:den><m:r><m:t>2</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    symbols = (
        '<w:r><w:sym w:font="Symbol" w:char="F06D"/><w:t>m</w:t><w:tab/><w:noBreakHyphen/>'
        '<w:sym w:font="Wingdings" w:char="F0FC"/><w:br/><w:softHyphen/></w:r>'
    )
    powers = (
        text_run("10") + text_run("18", '<w:vertAlign w:val="superscript"/>')
        + text_run(" H") + text_run("2", '<w:vertAlign w:val="subscript"/>')
        + text_run("O 10") + text_run("2", '<w:vertAlign w:val="subscript"/>')
    )  # fmt: skip
    hidden = text_run("secret", "<w:vanish/>") + text_run("seen", '<w:vanish w:val="0"/>')
    path = write_docx_parts(
        tmp_path / "a.docx",
        sdt + "".join(map(paragraph, [ruby, fraction, symbols + text_run("end"), powers, hidden])),
    )
    document = read_document(path)
    assert [text for _, text in texts(document)] == [
        "in a control", "羽根", "1/2x²", "μm\t-�\nend", "10¹⁸ H2O 10₂", "seen",
    ]  # fmt: skip
    assert {notice.code for notice in document.notices} == {"hidden-text", "unknown-symbols"}


def test_a_text_box_stands_once_after_its_paragraph(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    drawing = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>{box}</wps:txbx>"
        f"</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    path = write_docx_parts(tmp_path / "a.docx", paragraph("before ", drawing, "after"))
    assert lines(path) == ["before after", "boxed"]


def test_notes_stand_at_the_end_with_the_place_of_their_reference(tmp_path: Path) -> None:
    reference = '<w:r><w:{}noteReference w:id="{}"/></w:r>'
    note = '<w:{}note w:id="{}">{}</w:{}note>'
    path = write_docx_parts(
        tmp_path / "a.docx",
        paragraph("One")
        + paragraph("Two", reference.format("foot", 2), " words", reference.format("end", 2))
        + paragraph(f'<w:del w:id="1" w:author="a">{reference.format("foot", 3)}</w:del>', "Three"),
        footnotes=note.format("foot", 0, paragraph("separator"), "foot")
        + note.format("foot", 2, paragraph("At 25 °C."), "foot")
        + note.format("foot", 3, paragraph("Gone."), "foot"),
        endnotes=note.format("end", 2, paragraph("At the end."), "end"),
    )
    document = read_document(path)
    assert texts(document)[3:] == [("footnote", "At 25 °C."), ("footnote", "At the end.")]
    assert document.place(document.text.index("25")) == Place(paragraph=2, footnote=1)
    assert document.place(document.text.index("At the end")) == Place(paragraph=2, endnote=1)


def test_strict_files_are_read_too(tmp_path: Path) -> None:
    plain = write_docx_parts(
        tmp_path / "a.docx",
        paragraph("A pump.", properties=numbered(1)),
        numbering=lists(level(0, "%1.")),
    )
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(tmp_path / "b.docx", "w") as new:
        for name in old.namelist():
            content = old.read(name).decode()
            for part in ("wordprocessingml", "officeDocument"):
                former = f"http://schemas.openxmlformats.org/{part}/2006/"
                content = content.replace(former, f"http://purl.oclc.org/ooxml/{part}/")
            new.writestr(name, content)
    assert lines(tmp_path / "b.docx") == ["1. A pump."]


def test_pages_are_those_that_word_showed_last(tmp_path: Path) -> None:
    new = "<w:r><w:lastRenderedPageBreak/></w:r>"
    path = write_docx_parts(
        tmp_path / "a.docx",
        paragraph("One") + paragraph(new, "Two") + paragraph("Th", new, "ree") + paragraph("Four"),
    )
    document = read_document(path)
    assert [block.place.page for block in document.blocks] == [1, 2, 2, 3]


def bomb(path: Path, levels: int) -> Path:
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(levels))
    write_docx_parts(path, paragraph("x"))
    content = f'<!DOCTYPE w [<!ENTITY e0 "ha">{entities}]><document>&e{levels};</document>'
    warned = pytest.warns(UserWarning, match="Duplicate name")
    with zipfile.ZipFile(path, "a") as archive, warned:
        archive.writestr("word/document.xml", content)
    return path


@pytest.mark.parametrize(
    ("levels", "message"), [(12, "entity amplification"), (1, "declares entities")]
)
def test_an_entity_bomb_is_refused(tmp_path: Path, levels: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_document(bomb(tmp_path / "a.docx", levels))


def test_a_zip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LARGEST_PART", 1 << 20)
    path = write_docx_parts(tmp_path / "a.docx", paragraph(" " * (1 << 21)))
    assert path.stat().st_size < 1 << 14
    with pytest.raises(InputError, match=r"document.xml holds more than 1 MB"):
        read_document(path)


def a_zip_file() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "text")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no zip", "is no Word file"),
        (a_zip_file(), "is a zip file, but no Word document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "protected by a password"),
        (b"", "is no Word file"),
    ],
)
def test_what_is_no_word_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_document(path)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    whole = write_docx_parts(tmp_path / "a.docx", paragraph("x" * 1000)).read_bytes()
    path = tmp_path / "b.docx"
    path.write_bytes(whole[:300] + b"\0" * 40 + whole[340:])
    with pytest.raises(InputError, match=r"b\.docx"):
        read_document(path)
