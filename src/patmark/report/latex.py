"""A report as LaTeX tables, to be read into a paper with ``\\input``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_lowercase

from patmark.data import Estimate
from patmark.report.formatting import (
    DASH,
    INFINITE,
    interval_text,
    number_text,
    numeric_columns,
    p_text,
    shared_signatures,
    value_text,
)
from patmark.report.language import in_language
from patmark.report.model import (
    Cell,
    Column,
    Difference,
    Graded,
    PaperCell,
    PaperTable,
    Report,
    Table,
)

_P_DECIMALS = 4
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
    """Tables in booktabs style, notes and signatures as lists.

    Where a report has tables for papers, these stand for all others. It is always English.
    """
    report = in_language(report, "en")
    blocks = [f"{_PREAMBLE}\n% {_one_line(report.title)}"]
    if report.paper:
        blocks += [part for table in report.paper for part in _paper_tables(table)]
    else:
        if report.headlines:
            blocks.append(_tabular(_headline_table(report)))
        blocks += [_tabular(table) for table in report.tables]
    return "\n\n".join([*blocks, *_closing(report)]) + "\n"


def _closing(report: Report) -> list[str]:
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
    return _table_environment(
        table.title,
        "".join("r" if numeric else "l" for numeric in numeric_columns(table)),
        [_column_title(column) for column in table.columns],
        [
            [_cell(cell, column) for column, cell in zip(table.columns, row, strict=True)]
            for row in table.rows
        ],
        table.note,
    )


def _table_environment(
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


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _column_title(column: Column) -> str:
    """The title of a column, with an arrow where smaller numbers are better."""
    title = escape(column.title)
    return title if column.higher_is_better else rf"{title} $\downarrow$"


def _cell(cell: Cell, column: Column) -> str:
    if isinstance(cell, str):
        return escape(cell)
    value = _latex_number(value_text(cell, column.decimals, p_value=column.p_value))
    interval = interval_text(cell, column.decimals)
    return rf"{value} {{\footnotesize {_latex_number(interval)}}}" if interval else value


def _latex_number(text: str) -> str:
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


def _paper_tables(table: PaperTable) -> Iterator[str]:
    """The table, cut into parts where it is too wide for a page."""
    cells = [cell for _, row in table.rows for cell in row]
    graded = any(isinstance(cell, Graded) for cell in cells)
    for title, part in _parts(len(table.heads), _abreast(cells)):
        heads = [escape(head) for head in table.heads[part]]
        lines = [line for column, row in table.rows for line in _paper_lines(column, row[part])]
        alignment = "l" + ("l" if graded else "r") * len(heads)
        yield _table_environment(
            table.title + title, alignment, ["measure", *heads], lines, table.note
        )


def _abreast(cells: Sequence[PaperCell]) -> int:
    """How many columns fit on a page."""
    if any(isinstance(cell, Difference) for cell in cells):
        return 4
    return 3 if any(isinstance(cell, Estimate) and cell.ci for cell in cells) else 6


def _parts(count: int, abreast: int) -> Iterator[tuple[str, slice]]:
    """Runs of columns that fit side by side, each with what to add to the title."""
    parts = math.ceil(count / abreast)
    for part in range(parts):
        title = f", part {part + 1} of {parts}" if parts > 1 else ""
        yield title, slice(part * abreast, (part + 1) * abreast)


def _paper_lines(column: Column, cells: Sequence[PaperCell]) -> Iterator[list[str]]:
    """The values of a measure, and a line of intervals where there are any."""
    yield [_column_title(column), *(_paper_cell(cell, column.decimals) for cell in cells)]
    plain = [None if isinstance(cell, Graded | Difference) else cell for cell in cells]
    intervals = [interval_text(cell, column.decimals) for cell in plain]
    if any(intervals):
        small = (rf"{{\footnotesize {_latex_number(text)}}}" if text else "" for text in intervals)
        yield ["", *small]


def _paper_cell(cell: PaperCell, decimals: int) -> str:
    match cell:
        case Graded(value, group):
            letter = "" if group is None else f"$^{{{_letter(group)}}}$"
            return _latex_number(number_text(value, decimals)) + letter
        case Difference(delta, p):
            sign = "$+$" if delta > 0 else ""
            shown = _latex_number(number_text(delta, decimals))
            return f"{sign}{shown} ({_latex_number(p_text(p, _P_DECIMALS))})"
    return _latex_number(value_text(cell, decimals))


def _letter(group: int) -> str:
    """a for the first group, to z, then numbers."""
    return ascii_lowercase[group - 1] if group <= len(ascii_lowercase) else str(group)
