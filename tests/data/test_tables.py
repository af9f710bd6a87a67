"""Test sets and runs in CSV, workbooks and DataFrames; columns are found by name."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

from patmark.data import TestSet, read_run, read_test_set, table_test_set
from patmark.errors import InputError, UsageError

_HEAD = ["id", "document", "source", "reference", "reference_2", "system:A", "ipc"]
_ROWS = [
    ["1", "P1", "阀门。", 'The "valve".', "A valve.", "Valve,\nshut.", "F16K"],
    ["2", "P1", "弹簧。", "The spring.", "", "", "F16F"],
]


def _csv(path: Path, *rows: list[str]) -> Path:
    import csv

    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def _xlsx(path: Path, *rows: list[Any]) -> Path:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.create_sheet("other").append(["not", "read"])
    book.save(path)
    return path


_each_form = pytest.mark.parametrize("write", [_csv, _xlsx], ids=["csv", "xlsx"])


def _named(write: Any, folder: Path, name: str, *rows: list[Any]) -> Path:
    path: Path = write(folder / f"{name}.{write.__name__[1:]}", *rows)
    return path


@_each_form
def test_columns_find_their_places(write: Any, tmp_path: Path) -> None:
    test_set, [run] = read_test_set(_named(write, tmp_path, "t", _HEAD, *_ROWS), "en", "zh")
    first, second = test_set
    assert (first.id, first.document, first.source) == ("1", "P1", "阀门。")
    assert first.references == ('The "valve".', "A valve.")
    assert second.references == ("The spring.",)
    assert first.meta == {"ipc": "F16K"}
    assert (run.system, run.hypotheses) == ("A", ("Valve,\nshut.", ""))


@_each_form
def test_one_system_may_stand_beside_the_references(write: Any, tmp_path: Path) -> None:
    head, row = ["id", "reference", "hypothesis"], ["1", "A valve.", "Valve."]
    _, [run] = read_test_set(_named(write, tmp_path, "mine", head, row), "en")
    assert (run.system, run.hypotheses) == ("mine", ("Valve.",))


def test_cells_of_a_workbook_that_are_no_text_are_what_they_show(tmp_path: Path) -> None:
    rows = [[1, 12.0, "r", None], [2.5, date(2020, 1, 2), "r", True], [None, None, None, None]]
    path = _xlsx(tmp_path / "t.xlsx", ["id", "document", "reference", "flag"], *rows)
    test_set, _ = read_test_set(path, "en")
    assert [one.id for one in test_set] == ["1", "2.5"]
    assert test_set.documents == ("12", "2020-01-02 00:00:00")
    assert test_set[0].meta == {"flag": ""}


@_each_form
@pytest.mark.parametrize(
    ("head", "rows", "line", "message"),
    [
        (["id", "source"], [["1", "s"]], 1, "expected a header line with the columns 'id' and"),
        (["id", "reference", "documnet"], [], 1, "'documnet'; did you mean 'document'?"),
        (["ID", "reference"], [], 1, "unknown column 'ID'; did you mean 'id'?"),
        (["id", "reference", "systems:A"], [], 1, "did you mean 'system:A'?"),
        (["id", "reference", "Sources"], [], 1, "did you mean 'source'?"),
        (["id", "reference", "id"], [], 1, "column 'id' occurs 2 times"),
        (["id", "reference"], [], 2, "has a header but no rows"),
        (["id", "reference"], [["1", "r"], ["1", "s"]], 3, "id '1' is already on line 2"),
        (["id", "reference"], [[" ", "r"]], 2, "empty id"),
        (["id", "reference"], [["1", " "]], 2, "empty reference"),
    ],
)
def test_a_broken_table(
    write: Any, head: list[str], rows: list[list[str]], line: int, message: str, tmp_path: Path
) -> None:
    path = _named(write, tmp_path, "t", head, *rows)
    with pytest.raises(InputError) as caught:
        read_test_set(path, "en")
    problem = next(one for one in caught.value.problems if message in one.message)
    assert (problem.path, problem.line) == (str(path), line)


def test_a_column_of_another_name_is_kept_and_not_questioned(tmp_path: Path) -> None:
    head = ["id", "reference", "resource", "label", "note:x"]
    test_set, _ = read_test_set(_csv(tmp_path / "t.csv", head, ["1", "r", "a", "b", "c"]), "en")
    assert test_set[0].meta == {"resource": "a", "label": "b", "note:x": "c"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not a zip", "is not a workbook that can be read"),
        (b"PK\x03\x04 cut off", "is not a workbook that can be read"),
    ],
)
def test_a_broken_workbook(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_test_set(path, "en")


def test_an_empty_sheet_and_a_cell_without_a_column_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is empty: its first sheet has no cells"):
        read_test_set(_xlsx(tmp_path / "e.xlsx"), "en")
    path = _xlsx(tmp_path / "t.xlsx", ["id", "reference"], ["1", "r", "stray"])
    with pytest.raises(InputError, match=r"t\.xlsx:2: has a cell beyond the last column"):
        read_test_set(path, "en")


def test_a_sheet_without_names_is_refused(tmp_path: Path) -> None:
    path = _xlsx(tmp_path / "t.xlsx", [None, None], ["id", "reference"], ["1", "A valve."])
    with pytest.raises(InputError, match=r"t\.xlsx:1: its first row has no names of columns"):
        read_test_set(path, "en")


def test_a_formula_without_a_result_is_refused(tmp_path: Path) -> None:
    """openpyxl stores no results, as other programs that write workbooks."""
    path = _xlsx(tmp_path / "t.xlsx", ["id", "reference"], ["1", "r"], ["2", '="a"&"b"'])
    with pytest.raises(InputError, match=r"t\.xlsx:3: cell B3 holds a formula without"):
        read_test_set(path, "en")


def test_a_formula_is_what_it_gave_when_the_workbook_was_saved(tmp_path: Path) -> None:
    path = _xlsx(tmp_path / "t.xlsx", ["id", "reference"], ["1", '="a"&"b"'])
    saved = tmp_path / "saved.xlsx"
    with ZipFile(path) as old, ZipFile(saved, "w") as new:
        for name in old.namelist():
            content = old.read(name).replace(b'<c r="B2">', b'<c r="B2" t="str">')
            new.writestr(name, content.replace(b"</f><v></v>", b"</f><v>ab</v>"))
    [segment] = read_test_set(saved, "en")[0]
    assert segment.references == ("ab",)


def test_quotation_marks_of_other_programs_stay(tmp_path: Path) -> None:
    text = "'-5 V' is applied to the gate"
    path = _csv(tmp_path / "t.csv", ["id", "reference", "hypothesis"], ["1", text, text])
    [segment], [run] = read_test_set(path, "en")
    assert (segment.references, run.hypotheses) == ((text,), (text,))


@_each_form
def test_a_run_is_matched_by_id(write: Any, tmp_path: Path) -> None:
    test_set = TestSet.of(["A valve.", "A spring."])
    head = ["hypothesis", "id", "source"]
    run = read_run(
        _named(write, tmp_path, "b", head, ["Spring.", "2", "x"], ["Valve.", "1", "y"]), test_set
    )
    assert (run.system, run.hypotheses) == ("b", ("Valve.", "Spring."))
    part = _named(write, tmp_path, "c", ["id", "hypothesis"], ["2", "Spring."])
    assert read_run(part, test_set, "C", allow_partial=True).hypotheses == (None, "Spring.")
    for rows, message in (
        ([["2", "Spring."]], "no hypothesis for segment '1'"),
        ([["2", "a"], ["2", "b"]], "id '2' is already on line 2"),
        ([["3", "a"]], "unknown id '3'"),
    ):
        with pytest.raises(InputError, match=message):
            read_run(_named(write, tmp_path, "d", ["id", "hypothesis"], *rows), test_set)
    with pytest.raises(InputError, match="columns 'id' and 'hypothesis'"):
        read_run(_named(write, tmp_path, "e", ["id", "translation"], ["1", "x"]), test_set)
    with pytest.raises(InputError, match="'hypotheses'; did you mean 'hypothesis'"):
        read_run(_named(write, tmp_path, "f", ["id", "hypotheses"], ["1", "x"]), test_set)


_COLUMNS = {
    "source": ["阀门。", "弹簧。"],
    "references": [["A valve.", "The valve."], ["A spring."]],
    "system:A": ["Valve.", None],
    "document": [7, 7],
}


class _Dataset:
    """As Hugging Face's Dataset: names of columns, and columns by name."""

    column_names = tuple(_COLUMNS)

    def __getitem__(self, name: str) -> list[Any]:
        return list(_COLUMNS[name])  # type: ignore[call-overload]


def _frame(kind: str) -> Any:
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in zip(*_COLUMNS.values(), strict=True)]
    if kind in ("pandas", "polars"):
        return pytest.importorskip(kind).DataFrame(_COLUMNS)
    if kind == "arrow":
        return pytest.importorskip("pyarrow").table(_COLUMNS)
    return {"dict": _COLUMNS, "rows": rows, "dataset": _Dataset()}[kind]


@pytest.mark.parametrize("kind", ["dict", "rows", "dataset", "pandas", "polars", "arrow"])
def test_whatever_has_columns_is_a_table(kind: str) -> None:
    test_set, [run] = table_test_set(_frame(kind), "en", "zh")
    assert [segment.id for segment in test_set] == ["1", "2"]
    assert test_set.reference_lists == (("A valve.", "The valve."), ("A spring.",))
    assert (test_set.sources, test_set.documents) == (("阀门。", "弹簧。"), ("7", "7"))
    assert (run.system, run.hypotheses) == ("A", ("Valve.", None))


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(UsageError, match=r"expected a table: .* found int"):
        table_test_set(3, "en")
    with pytest.raises(UsageError, match="column 'reference' must be a list"):
        table_test_set({"reference": "A valve."}, "en")
    with pytest.raises(InputError, match="different lengths: id 2, reference 2, source 1"):
        table_test_set({"reference": ["a", "b"], "source": ["x"]}, "en")
    with pytest.raises(InputError, match="table:2: source: expected a text, found int: 5"):
        table_test_set({"reference": ["a", "b"], "source": ["x", 5]}, "en")
    with pytest.raises(InputError, match="'refrence'; did you mean 'reference'"):
        table_test_set({"refrence": ["a"]}, "en")
