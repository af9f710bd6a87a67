"""Workbooks, read again by the library that people's programs use."""

from __future__ import annotations

import io
import math

import pytest
from openpyxl import Workbook, load_workbook

from patmark.data import Estimate, TestSet
from patmark.errors import UsageError
from patmark.report import Column, Explorer, Headline, Report, Table, in_language, to_xlsx, xlsx


def _book(report: Report) -> Workbook:
    return load_workbook(io.BytesIO(to_xlsx(report)))


def _report(*tables: Table, **more: object) -> Report:
    headline = Headline("atlas", "mean of labels", Estimate(88.0, (84.1, 91.5), 9), "A", "usable")
    return Report("Title", "zh → en", (headline,), tables, {"BLEU": "BLEU|tok:13a"}, **more)  # type: ignore[arg-type]


_SCORES = Table(
    "Scores",
    (Column("system"), Column("TER", 2, higher_is_better=False), Column("p", 4, p_value=True)),
    (
        ("=1+1", Estimate(41.523456, (40.0, 43.0), 120), 0.00001),
        ("甲系统", Estimate(math.nan, None, 0), None),
        ("b\x07", Estimate(math.inf, None, 0), 3),
    ),
    "by document",
)


def test_the_first_sheet_holds_the_answer() -> None:
    report = _report(_SCORES, findings=("atlas beats borealis.",), notes=("A note.",))
    book = _book(report)
    rows = list(book.worksheets[0].iter_rows())
    assert book.sheetnames == ["Summary", "Scores"]
    assert [row[0].value for row in rows if row[0].value] == [
        "Title", "zh → en", "Result", "atlas beats borealis.",
        "atlas: mean of labels 88.0 [84.1, 91.5], grade A (usable)",
        "Scores", "by document", "system", "=1+1", "甲系统", "b\N{REPLACEMENT CHARACTER}",
        "Notes", "A note.", "Sheets", "Scores: Scores (by document)",
        "Signatures", "BLEU: BLEU|tok:13a",
    ]  # fmt: skip
    [score] = [row for row in rows if row[0].value == "=1+1"]
    assert [cell.value for cell in score[:5]] == ["=1+1", 41.523456, 40.0, 43.0, 0.00001]
    assert score[1].number_format == "0.00"


def test_texts_of_the_first_sheet_run_over_its_columns_and_are_as_high_as_they_need() -> None:
    report = _report(_SCORES, findings=("很长的结论。" * 40,))
    sheet = _book(report).worksheets[0]
    row = next(cell.row for (cell, *_) in sheet.iter_rows() if "很长" in str(cell.value))
    [over] = [one for one in sheet.merged_cells.ranges if one.min_row == row]
    assert over.max_col > 5
    assert sheet.row_dimensions[row].height >= 60


def test_headings_speak_the_language_of_the_report() -> None:
    book = _book(in_language(_report(_SCORES, notes=("A note.",)), "zh"))
    lines = [row[0] for row in book.worksheets[0].iter_rows(values_only=True) if row and row[0]]
    assert not {"Result", "Sheets", "Notes", "Signatures"} & set(lines)


def test_a_table_is_a_sheet_with_numbers_formats_and_a_head_that_stays() -> None:
    sheet = _book(_report(_SCORES))["Scores"]
    head, first, second, third = sheet.iter_rows()
    assert [cell.value for cell in head] == ["system", "TER ↓", "TER low", "TER high", "p"]
    assert [cell.value for cell in first] == ["=1+1", 41.523456, 40.0, 43.0, 0.00001]
    assert first[0].data_type == "s"
    assert (first[1].number_format, first[4].number_format) == ("0.00", '[<0.0001]"<0.0001";0.0000')
    assert [cell.value for cell in second] == ["甲系统", "–", None, None, None]
    assert [cell.value for cell in third] == ["b\N{REPLACEMENT CHARACTER}", "∞", None, None, 3]
    assert sheet.freeze_panes == "B2"
    assert sheet.auto_filter.ref == "A1:E4"
    assert head[0].font.bold
    assert sheet.column_dimensions["A"].width == 8


def test_characters_that_no_workbook_can_hold_are_replaced() -> None:
    table = Table("Scores", (Column("a"),), (("x\ufffe\uffff\ud800\udfff\u4e2d",),))
    _, [cell] = _book(_report(table))["Scores"].iter_rows(values_only=True)
    assert cell == "x\ufffd\ufffd\ufffd\ufffd\u4e2d"


def test_empty_texts_are_empty_cells_and_marks_of_xml_are_texts() -> None:
    rows = (("", "<c r='A1'/>"), (" x \n", "&amp;"))
    sheet = _book(_report(Table("A & B", (Column("a"), Column("b")), rows)))["A & B"]
    found = list(sheet.iter_rows(values_only=True))
    assert found[1:] == [(None, "<c r='A1'/>"), (" x \n", "&amp;")]


def test_equal_reports_are_equal_files() -> None:
    assert to_xlsx(_report(_SCORES)) == to_xlsx(_report(_SCORES))


def test_sheets_have_names_that_spreadsheets_take() -> None:
    titles = ["Scores [a/b]: *all*?", "summary", "x" * 40, "x" * 41, "''", "[]"]
    tables = [Table(title, (Column("a"),), ()) for title in titles]
    names = _book(_report(*tables)).sheetnames
    assert names == [
        "Summary", "Scores  a b    all", "summary 2", "x" * 31, "x" * 29 + " 2", "Table", "Table 2",
    ]  # fmt: skip


def test_segments_have_a_sheet_and_what_is_cut_is_told() -> None:
    test_set = TestSet.of(["y" * 40_000], sources=["阀门。"])
    explorer = Explorer(test_set, ("atlas",), (("The valve.",),), {}, {})
    book = _book(_report(explorer=explorer))
    _, row = book["Segments"].iter_rows(values_only=True)
    assert row[:3] == ("atlas", "1", "阀门。")
    assert len(row[3]) == 32_767 and row[3].endswith(" … [cut]")
    said = [cell for (cell, *_) in book["Summary"].iter_rows(values_only=True)]
    assert any("1 text cut at 32,767 characters" in str(line) for line in said)


def test_more_rows_than_a_sheet_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "_MOST_ROWS", 2)
    with pytest.raises(UsageError, match="Scores: 3 rows are more than a sheet can hold"):
        to_xlsx(_report(_SCORES))
