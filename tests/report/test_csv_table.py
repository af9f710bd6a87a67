"""CSV in long form."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from patmark.data.scores import Estimate
from patmark.report.frames import to_csv
from patmark.report.model import Column, Report, Table


def test_one_line_per_cell(small_report: Report) -> None:
    assert to_csv(small_report) == (
        "table,row,column,value,low,high,n\n"
        "Headlines,sys_A,Overall,81.25,80.0,82.5,222\n"
        "Headlines,sys_A,grade,A,,,\n"
        "Headlines,B,Overall,49.0,,,222\n"
        "By label,normal_sentence,Accuracy,53.2,51.0,55.4,120\n"
        "By label,normal_sentence,Errors,0.125,,,\n"
        "By label,normal_sentence,n,120,,,\n"
        "By label,a|b [c] *d*,Accuracy,NaN,,,0\n"
        "By label,a|b [c] *d*,Errors,,,,\n"
        "By label,a|b [c] *d*,n,0,,,\n"
    )


def test_commas_quotes_and_line_breaks_read_back() -> None:
    awkward = 'a, "b"\nc'
    table = Table(awkward, (Column("x"), Column("y")), ((awkward, Estimate(1 / 3, None, 3)),))
    rows = list(csv.DictReader(io.StringIO(to_csv(Report("", "", (), (table,), {})))))
    assert [(row["table"], row["row"]) for row in rows] == [(awkward, awkward)]
    assert float(rows[0]["value"]) == 1 / 3


class _CountedRows(tuple[tuple[str, float], ...]):
    """Rows that count how often somebody goes through them."""

    times = 0

    def __iter__(self) -> Iterator[tuple[str, float]]:
        type(self).times += 1
        return super().__iter__()


def test_the_time_of_a_table_grows_with_its_rows_not_with_their_square() -> None:
    rows = _CountedRows((f"row {number}", float(number)) for number in range(200))
    table = Table("long", (Column("x"), Column("y")), rows)
    text = to_csv(Report("", "", (), (table,), {}))
    assert text.count("\n") == 201
    assert _CountedRows.times <= 4
