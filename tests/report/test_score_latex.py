"""Scores as LaTeX for a paper."""

from __future__ import annotations

from dataclasses import replace

import pytest

from patmark.data.scores import Estimate
from patmark.report.latex import to_latex
from patmark.report.model import Column, PaperTable, Report, Table


def _report(systems: int, ci: tuple[float, float] | None, measures: int = 1) -> Report:
    columns = (
        Column("system"),
        *(Column("RIBES", 4) for _ in range(measures)),
        Column("TER", 2, higher_is_better=False),
    )
    names = tuple(f"s_{n}" for n in range(systems))
    rows = tuple(
        (name, *[Estimate(0.5, ci, 9)] * measures, Estimate(-float(place), None, 9))
        for place, name in enumerate(names)
    )
    rows = (*rows, ("reference", *[Estimate(0.9)] * measures, Estimate(-99.0)))
    paper = (PaperTable("Scores", columns, rows, "100 %", names),)
    return Report(
        "A & B", "", (), (Table("Scores", columns, rows),), {"TER": "TER|v:1"}, paper=paper
    )


def test_systems_are_rows_with_intervals_below_and_the_best_value_bold() -> None:
    lines = to_latex(_report(2, (0.25, 0.75))).splitlines()
    start = lines.index(r"\toprule")
    assert lines[start - 3 : start + 10] == [
        r"\caption{Scores}",
        r"\label{tab:a-b-1}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"system & RIBES & TER $\downarrow$ \\",
        r"\midrule",
        r"s\_0 & 0.5000 & 0.00 \\",
        r" & {\footnotesize [0.2500, 0.7500]} &  \\",
        r"s\_1 & 0.5000 & \textbf{$-$1.00} \\",
        r" & {\footnotesize [0.2500, 0.7500]} &  \\",
        r"reference & 0.9000 & $-$99.00 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert r"\item TER: \texttt{TER\textbar\allowbreak{}v:1}" in lines


@pytest.mark.parametrize(("ci", "abreast"), [((0.25, 0.75), 3), (None, 6)])
def test_no_table_is_wider_than_a_page(ci: tuple[float, float] | None, abreast: int) -> None:
    text = to_latex(_report(2, ci, measures=7))
    assert max(line.count(" & ") for line in text.splitlines()) == abreast
    assert text.count(r"\begin{table}") == -(-8 // abreast)
    assert text.count(r"s\_1 & ") == -(-8 // abreast) and ", part 2 of " in text
    assert text.count("RIBES") == 7 and text.count("TER $") == 1


def test_no_table_is_longer_than_a_page() -> None:
    text = to_latex(_report(50, None))
    assert text.count(r"\begin{table}") == 2 and r"\label{tab:a-b-2}" in text
    assert all(text.count(rf"s\_{n} & ") == 1 for n in range(50))
    assert text.count(r"\textbf") == 1 and r"s\_49 & 0.5000 & \textbf{$-$49.00} \\" in text


def test_a_title_without_latin_letters_has_a_label_too() -> None:
    report = replace(_report(1, None), title="翻译")
    assert r"\label{tab:report-1}" in to_latex(report)
