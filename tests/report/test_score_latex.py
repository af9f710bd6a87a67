"""Scores as LaTeX for a paper."""

from __future__ import annotations

import pytest

from patmark.data.scores import Estimate
from patmark.report.latex import to_latex
from patmark.report.model import Column, PaperTable, Report, Table


def _report(systems: int, ci: tuple[float, float] | None) -> Report:
    columns = (Column("system"), Column("RIBES", 4), Column("TER", 2, higher_is_better=False))
    rows = tuple((f"s_{n}", Estimate(0.5, ci, 9), Estimate(-1.0, None, 9)) for n in range(systems))
    table = Table("Scores", columns, rows, "100 %")
    paper = (PaperTable.turned(table),)
    return Report("A & B", "", (), (table,), {"TER": "TER|v:1"}, paper=paper)


def test_measures_are_rows_with_intervals_below_the_values() -> None:
    lines = to_latex(_report(2, (0.25, 0.75))).splitlines()
    start = lines.index(r"\toprule")
    assert lines[start - 1 : start + 8] == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"measure & s\_0 & s\_1 \\",
        r"\midrule",
        r"RIBES & 0.5000 & 0.5000 \\",
        r" & {\footnotesize [0.2500, 0.7500]} & {\footnotesize [0.2500, 0.7500]} \\",
        r"TER $\downarrow$ & $-$1.00 & $-$1.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert r"\item TER: \texttt{TER\textbar\allowbreak{}v:1}" in lines


@pytest.mark.parametrize(("ci", "abreast"), [((0.25, 0.75), 3), (None, 6)])
def test_no_table_is_wider_than_a_page(ci: tuple[float, float] | None, abreast: int) -> None:
    text = to_latex(_report(7, ci))
    assert max(line.count(" & ") for line in text.splitlines()) == abreast
    assert text.count(r"\begin{table}") == -(-7 // abreast)
    assert all(f"s\\_{n}" in text for n in range(7)) and ", part 2 of " in text
