"""A report as LaTeX tables, to be read into a paper with ``\\input``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from patmark.data import Cell, Column, Report, Table
from patmark.report.formatting import (
    DASH,
    INFINITE,
    interval_text,
    numeric_columns,
    value_text,
)
from patmark.report.signatures import shared_signatures

_T = TypeVar("_T")
_PREAMBLE = (
    "% Needs \\usepackage{booktabs}; compile with LuaLaTeX or XeLaTeX if names are not ASCII."
)
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "_": r"\_",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "[": "{[}",  # a row that starts with [ or * would be read as an argument of \\
        "]": "{]}",
        "*": "{*}",
        "\N{EN DASH}": "--",
        "↓": r"$\downarrow$",
        "→": r"$\rightarrow$",
        "\N{MINUS SIGN}": "$-$",
        "≫": r"$\gg$",
        "∞": r"$\infty$",
        "δ": r"$\delta$",
        "·": r"$\cdot$",
        "…": r"\ldots{}",
        "½": r"\textonehalf{}",
    }
)

_SIGNS = str.maketrans({"-": "$-$", "<": "$<$", INFINITE: r"$\infty$", DASH: "--"})


def to_latex(report: Report) -> str:
    """Headlines and tables in booktabs style, notes and signatures as lists."""
    blocks = [opening(report.title)]
    if report.headlines:
        blocks.append(_tabular(_headline_table(report)))
    blocks += [_tabular(table) for table in report.tables]
    return "\n\n".join([*blocks, *closing(report)]) + "\n"


def opening(title: str) -> str:
    """The comment at the top of a file: what it needs and what it is."""
    return f"{_PREAMBLE}\n% {_one_line(title)}"


def closing(report: Report) -> list[str]:
    """Findings, notes and signatures as lists, where there are any."""
    blocks = []
    if report.findings:
        blocks.append(_list("Findings", map(escape, report.findings)))
    if report.notes:
        blocks.append(_list("Notes", map(escape, report.notes)))
    if report.signatures:
        items = (
            f"{escape(names)}: \\texttt{{{_breakable(signature)}}}"
            for names, signature in shared_signatures(report.signatures)
        )
        blocks.append(_list("Signatures", items))
    return blocks


def _headline_table(report: Report) -> Table:
    decimals = max(headline.decimals for headline in report.headlines)
    titles = ("System", "Measure", "Score", "Grade", "Meaning")
    return Table(
        title=report.title,
        columns=tuple(Column(title, decimals) for title in titles),
        rows=tuple(
            (each.system, each.label, each.estimate, each.grade, each.meaning)
            for each in report.headlines
        ),
        note=report.subtitle,
    )


def _tabular(table: Table) -> str:
    return table_environment(
        table.title,
        "".join("r" if numeric else "l" for numeric in numeric_columns(table)),
        [column_title(column) for column in table.columns],
        [
            [_cell(cell, column) for column, cell in zip(table.columns, row, strict=True)]
            for row in table.rows
        ],
        table.note,
    )


def table_environment(
    title: str, alignment: str, heads: Sequence[str], rows: Iterable[Sequence[str]], note: str
) -> str:
    """A floating table in booktabs style; heads and cells are LaTeX already."""
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{escape(title)}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _row(heads),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if note:
        lines.append(rf"\par\smallskip{{\footnotesize {escape(note)}}}")
    return "\n".join([*lines, r"\end{table}"])


def parts(items: Sequence[_T], abreast: int) -> Iterator[tuple[str, Sequence[_T]]]:
    """Runs of items that fit side by side, each with what to add to the title."""
    count = math.ceil(len(items) / abreast)
    for part in range(count):
        title = f", part {part + 1} of {count}" if count > 1 else ""
        yield title, items[part * abreast : (part + 1) * abreast]


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def column_title(column: Column) -> str:
    """The title of a column, with an arrow where smaller numbers are better."""
    title = escape(column.title)
    return title if column.higher_is_better else rf"{title} $\downarrow$"


def _cell(cell: Cell, column: Column) -> str:
    if isinstance(cell, str):
        return escape(cell)
    value = latex_number(value_text(cell, column.decimals, p_value=column.p_value))
    interval = interval_text(cell, column.decimals)
    return rf"{value} {{\footnotesize {latex_number(interval)}}}" if interval else value


def latex_number(text: str) -> str:
    """Digits as they are, with real signs; a dash stays a dash."""
    return text.translate(_SIGNS)


def _list(title: str, items: Iterable[str]) -> str:
    lines = [rf"\paragraph{{{title}}}", r"\begin{itemize}"]
    return "\n".join([*lines, *(rf"\item {item}" for item in items), r"\end{itemize}"])


def escape(text: str) -> str:
    """Text that LaTeX shows as it is, on one line."""
    return _one_line(text).translate(_ESCAPES)


def _breakable(text: str) -> str:
    """A long signature may break after each of its parts."""
    return escape(text).replace(r"\textbar{}", r"\textbar\allowbreak{}")


def _one_line(text: str) -> str:
    return " ".join(text.split())
