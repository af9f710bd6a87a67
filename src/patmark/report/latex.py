"""A report as LaTeX tables, to be read into a paper with ``\\input``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from patmark.data import Cell, Column, Estimate, Report, Table
from patmark.report.formatting import (
    DASH,
    interval_text,
    numeric_columns,
    value_text,
)

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
    }
)


def to_latex(report: Report) -> str:
    """Headlines and tables in booktabs style, notes and signatures as lists."""
    blocks = [f"{_PREAMBLE}\n% {_one_line(report.title)}"]
    if report.headlines:
        blocks.append(_tabular(_headline_table(report)))
    blocks += [_tabular(table) for table in report.tables]
    if report.notes:
        blocks.append(_list("Notes", map(_escape, report.notes)))
    if report.signatures:
        items = (
            f"{_escape(name)}: \\texttt{{{_breakable(signature)}}}"
            for name, signature in report.signatures.items()
        )
        blocks.append(_list("Signatures", items))
    return "\n\n".join(blocks) + "\n"


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
    alignment = "".join("r" if numeric else "l" for numeric in numeric_columns(table))
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{_escape(table.title)}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _row(_title(column) for column in table.columns),
        r"\midrule",
        *(
            _row(
                _cell(cell, column.decimals)
                for column, cell in zip(table.columns, row, strict=True)
            )
            for row in table.rows
        ),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if table.note:
        lines.append(rf"\par\smallskip{{\footnotesize {_escape(table.note)}}}")
    return "\n".join([*lines, r"\end{table}"])


def _row(cells: Iterator[str]) -> str:
    return " & ".join(cells) + r" \\"


def _title(column: Column) -> str:
    title = _escape(column.title)
    return title if column.higher_is_better else rf"{title} $\downarrow$"


def _cell(cell: Cell, decimals: int) -> str:
    if isinstance(cell, str):
        return _escape(cell)
    value = _number(value_text(cell, decimals))
    interval = interval_text(cell, decimals) if isinstance(cell, Estimate) else ""
    return rf"{value} {{\footnotesize {_number(interval)}}}" if interval else value


def _number(text: str) -> str:
    """Digits as they are, with a real minus sign; a dash stays a dash."""
    return text.replace("-", "$-$").replace(DASH, "--")


def _list(title: str, items: Iterable[str]) -> str:
    lines = [rf"\paragraph{{{title}}}", r"\begin{itemize}"]
    return "\n".join([*lines, *(rf"\item {item}" for item in items), r"\end{itemize}"])


def _escape(text: str) -> str:
    return _one_line(text).translate(_ESCAPES)


def _breakable(text: str) -> str:
    """A long signature may break after each of its parts."""
    return _escape(text).replace(r"\textbar{}", r"\textbar\allowbreak{}")


def _one_line(text: str) -> str:
    return " ".join(text.split())
