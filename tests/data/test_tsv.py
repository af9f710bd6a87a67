"""Tables with tabs."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.data import read_tsv
from patmark.errors import InputError


def saved(folder: Path, *rows: str) -> Path:
    path = folder / "table.tsv"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def table(*rows: list[str]) -> list[str]:
    return ["\t".join(row) for row in rows]


def test_columns_find_their_places(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        *table(
            ["ipc", "id", "system:B", "reference_2", "reference", "source", "document", "system:A"],
            ["A61", "s1", 'b"1', "r1b", '"r1', "源", "P1", "a1"],
            ["", "s2", "", "", r"r2\n\t", "", "", " a2"],
        ),
    )
    test_set, runs = read_tsv(path, "en", "zh")
    first, second = test_set
    assert (first.id, first.document, first.source) == ("s1", "P1", "源")
    assert first.references == ('"r1', "r1b")
    assert first.meta == {"ipc": "A61"}
    assert (second.id, second.document, second.source) == ("s2", None, None)
    assert second.references == (r"r2\n\t",)
    assert [run.system for run in runs] == ["B", "A"]
    assert [run.hypotheses for run in runs] == [('b"1', ""), ("a1", " a2")]
    assert (test_set.target_language, test_set.source_language) == ("en", "zh")
    assert test_set.name == str(path)


def test_references_follow_their_numbers(tmp_path: Path) -> None:
    columns = ["id", "reference_10", "reference_2", "reference_1"]
    path = saved(tmp_path, *table(columns, ["1", "x", "b", "a"]))
    assert read_tsv(path, "en")[0][0].references == ("a", "b", "x")


def test_a_table_without_systems_has_no_runs(tmp_path: Path) -> None:
    assert read_tsv(saved(tmp_path, "id\treference", "1\tr"), "en")[1] == []


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (["1\tref", "2\tref"], 1, "expected a header line with the columns 'id' and 'reference'"),
        (["id\tsource", "1\ts"], 1, "between tabs, found 'id', 'source'"),
        (["reference", "r"], 1, "expected a header line"),
        (["id\treference\tid", "1\tr\t1"], 1, "column 'id' occurs 2 times"),
        (["id\treference\tsystem:A\tsystem:A", "1\tr\th\th"], 1, "column 'system:A' occurs 2"),
        (["id\treference\t", "1\tr\t"], 1, "a column has no name"),
        (["id\treference\tsystem:", "1\tr\th"], 1, "a column has no name"),
        (["id\treference"], 2, "has a header but no rows"),
        (["id\treference", "1\tr", "2"], 3, "expected 2 fields as in the header, found 1 field"),
        (["id\treference", "1\tr\tx"], 2, "expected 2 fields as in the header, found 3 fields"),
        (["id\treference", "1\tr", "", "2\tr"], 3, "found a blank line"),
        (["id\treference", "1\tr", "2\tr", "1\tr"], 4, "id '1' is already on line 2"),
        (["id\treference", " \tr"], 2, "empty id"),
        (["id\treference", "1\t "], 2, "empty reference"),
        (["id\treference\treference_2", "1\t\t"], 2, "empty reference"),
    ],
)
def test_a_broken_table(tmp_path: Path, rows: list[str], line: int, message: str) -> None:
    path = saved(tmp_path, *rows)
    with pytest.raises(InputError) as caught:
        read_tsv(path, "en")
    [problem] = caught.value.problems
    assert (problem.path, problem.line) == (str(path), line)
    assert message in problem.message


def test_all_problems_of_a_table_are_reported(tmp_path: Path) -> None:
    path = saved(tmp_path, "id\treference", "1\t", "2", "1\tr")
    with pytest.raises(InputError) as caught:
        read_tsv(path, "en")
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]


def test_references_may_be_missing_where_that_is_allowed(tmp_path: Path) -> None:
    path = saved(tmp_path, "id\treference\treference_2\tsystem:A", "1\t\tr\ta", "2\t\t\tb")
    test_set, [run] = read_tsv(path, "en", allow_empty_references=True)
    assert [segment.references for segment in test_set] == [("r",), ()]
    assert run.hypotheses == ("a", "b")
    path = saved(tmp_path, "id\tsource\tsystem:A", "1\ts\ta")
    test_set, _ = read_tsv(path, "en", allow_empty_references=True)
    assert [segment.references for segment in test_set] == [()]
    with pytest.raises(InputError, match="expected a header line with the columns 'id' between"):
        read_tsv(saved(tmp_path, "source", "s"), "en", allow_empty_references=True)
