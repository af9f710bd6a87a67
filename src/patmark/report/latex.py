r"""A report as LaTeX tables, to be read into a paper with ``\input``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from string import ascii_lowercase
from typing import NamedTuple, TypeAlias

from patmark.data import Estimate
from patmark.report.formatting import (
    DASH,
    INFINITE,
    english,
    interval_text,
    message_texts,
    number_text,
    numeric_columns,
    p_text,
    shared_signatures,
    value_text,
)
from patmark.report.model import (
    Cell,
    Column,
    Graded,
    PaperCell,
    PaperDifference,
    PaperTable,
    Report,
    Table,
)
from patmark.wording import DEFAULT_LANGUAGE, speaker

Speak: TypeAlias = Callable[..., str]
_P_DECIMALS = 4
_MOST_ROWS = 40
_PREAMBLE = (
    "% Needs \\usepackage{booktabs}; compile with LuaLaTeX or XeLaTeX if names are not ASCII."
)
_CJK_FONTS = "% Chinese needs \\usepackage{ctex}, Japanese \\usepackage{luatexja}."
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
        "α": r"$\alpha$",
        "δ": r"$\delta$",
        "κ": r"$\kappa$",
        "±": r"$\pm$",
        "×": r"$\times$",
        "·": r"$\cdot$",
        "…": r"\ldots{}",
        "½": r"\textonehalf{}",
    }
)

_SIGNS = str.maketrans({"-": "$-$", "<": "$<$", INFINITE: r"$\infty$", DASH: "--"})


def to_latex(report: Report) -> str:
    """Return tables in booktabs style, notes and signatures as lists.

    If a report has tables for papers, only these are returned.
    """
    fonts = f"\n{_CJK_FONTS}" if report.language != DEFAULT_LANGUAGE else ""
    first = f"{_PREAMBLE}{fonts}\n% {_one_line(report.title)}"
    tr = speaker(report.language)
    if report.paper:
        tables = [part for table in report.paper for part in _paper_tables(table, tr)]
    else:
        headlines = [_headline_table(report, tr)] if report.headlines else []
        tables = [_tabular(table) for table in (*headlines, *report.tables)]
    floats = _floats(tables, english(report.title))
    return "\n\n".join([first, *floats, *_closing(report, tr)]) + "\n"


class _Set(NamedTuple):
    """A table that is set already but for its frame: heads and cells are LaTeX."""

    title: str
    alignment: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str


def _floats(tables: Sequence[_Set], title: str) -> list[str]:
    """Return floating tables, labelled with the English title of the report and a number."""
    words = "-".join(re.findall("[a-z0-9]+", title.lower())) or "report"
    return [_float(table, f"tab:{words}-{number}") for number, table in enumerate(tables, start=1)]


def _closing(report: Report, tr: Speak) -> list[str]:
    """Return findings, notes and signatures as lists."""
    blocks = []
    for title, messages in ((tr("Findings"), report.findings), (tr("Notes"), report.notes)):
        if messages:
            blocks.append(_list(title, map(escape, message_texts(messages, report.language))))
    if report.signatures:
        items = (
            f"{escape(names)}: \\texttt{{{_breakable(signature)}}}"
            for names, signature in shared_signatures(report.signatures)
        )
        blocks.append(_list(tr("Signatures"), items))
    return blocks


def _headline_table(report: Report, tr: Speak) -> Table:
    decimals = max(headline.decimals for headline in report.headlines)
    titles = (tr("System"), tr("Measure"), tr("Score"), tr("Grade"), tr("Meaning"))
    return Table(
        title=report.title,
        columns=tuple(Column(title, decimals) for title in titles),
        rows=tuple(
            (each.system, each.label, each.estimate, each.grade, each.meaning)
            for each in report.headlines
        ),
        note=report.subtitle,
    )


def _tabular(table: Table) -> _Set:
    return _Set(
        table.title,
        "".join("r" if numeric else "l" for numeric in numeric_columns(table)),
        [_column_title(column) for column in table.columns],
        [
            [_cell(cell, column) for column, cell in zip(table.columns, row, strict=True)]
            for row in table.rows
        ],
        table.note,
    )


def _float(table: _Set, label: str) -> str:
    """Return a floating table in booktabs style."""
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{escape(table.title)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{table.alignment}}}",
        r"\toprule",
        _row(table.heads),
        r"\midrule",
        *map(_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if table.note:
        lines.append(rf"\par\smallskip{{\footnotesize {escape(table.note)}}}")
    return "\n".join([*lines, r"\end{table}"])


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _column_title(column: Column) -> str:
    """Return the title of a column, with an arrow if lower is better."""
    title = escape(column.title)
    return title if column.higher_is_better else rf"{title} $\downarrow$"


def _cell(cell: Cell, column: Column) -> str:
    if isinstance(cell, str):
        return escape(cell)
    value = _latex_number(value_text(cell, column.decimals, p_value=column.p_value))
    interval = interval_text(cell, column.decimals)
    return rf"{value} {{\footnotesize {_latex_number(interval)}}}" if interval else value


def _latex_number(text: str) -> str:
    """Replace the signs of a number by those of LaTeX; a dash stays a dash."""
    return text.translate(_SIGNS)


def _list(title: str, items: Iterable[str]) -> str:
    lines = [rf"\paragraph{{{title}}}", r"\begin{itemize}"]
    return "\n".join([*lines, *(rf"\item {item}" for item in items), r"\end{itemize}"])


def escape(text: str) -> str:
    """Escape a text for LaTeX, on one line."""
    return _one_line(text).translate(_ESCAPES)


def _breakable(text: str) -> str:
    """Escape a signature that may break after each of its parts."""
    return escape(text).replace(r"\textbar{}", r"\textbar\allowbreak{}")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _paper_tables(table: PaperTable, tr: Speak) -> Iterator[_Set]:
    """Yield the table, cut into parts if it is too large for a page."""
    cells = [cell for row in table.rows for cell in row[1:]]
    graded = any(isinstance(cell, Graded) for cell in cells)
    best = [_best(table, place) for place in range(len(table.columns))]
    across = _slices(len(table.columns) - 1, _abreast(cells))
    parts = [(columns, rows) for columns in across for rows in _slices(len(table.rows), _MOST_ROWS)]
    for number, (columns, rows) in enumerate(parts, start=1):
        places = [0, *range(len(table.columns))[1:][columns]]
        whole = {"title": table.title, "part": number, "parts": len(parts)}
        title = tr("{title}, part {part} of {parts}", **whole) if len(parts) > 1 else table.title
        yield _Set(
            title,
            "l" + ("l" if graded else "r") * (len(places) - 1),
            [_column_title(table.columns[place]) for place in places],
            [
                line
                for row in table.rows[rows]
                for line in _paper_lines(
                    [row[place] for place in places],
                    [table.columns[place] for place in places],
                    [best[place] if row[0] in table.systems else "" for place in places],
                )
            ],
            table.note,
        )


def _best(table: PaperTable, place: int) -> str:
    """Return the best value of a column as it is shown; empty if all are equal."""
    column = table.columns[place]
    scores = [row[place] for row in table.rows if row[0] in table.systems]
    values = [cell.value for cell in scores if isinstance(cell, Estimate | Graded)]
    known = [value for value in values if not math.isnan(value)]
    if len({number_text(value, column.decimals) for value in known}) < 2:
        return ""
    return number_text(max(known) if column.higher_is_better else min(known), column.decimals)


def _abreast(cells: Sequence[PaperCell]) -> int:
    """Return the number of measures that fit on a page."""
    if any(isinstance(cell, PaperDifference) for cell in cells):
        return 4
    return 3 if any(isinstance(cell, Estimate) and cell.ci for cell in cells) else 6


def _slices(count: int, most: int) -> list[slice]:
    """Return slices of at most ``most`` items."""
    return [slice(start, start + most) for start in range(0, count, most)]


def _paper_lines(
    row: Sequence[PaperCell], columns: Sequence[Column], best: Sequence[str]
) -> Iterator[list[str]]:
    """Yield the values of a system, and a line of intervals if there are any."""
    yield [_paper_cell(*each) for each in zip(row, columns, best, strict=True)]
    intervals = [
        "" if isinstance(cell, Graded | PaperDifference) else interval_text(cell, column.decimals)
        for cell, column in zip(row, columns, strict=True)
    ]
    if any(intervals):
        yield [rf"{{\footnotesize {_latex_number(text)}}}" if text else "" for text in intervals]


def _paper_cell(cell: PaperCell, column: Column, best: str) -> str:
    match cell:
        case Graded(value, group):
            letter = "" if group is None else f"$^{{{_letter(group)}}}$"
            return _shown(number_text(value, column.decimals), best) + letter
        case PaperDifference(delta, p):
            sign = "$+$" if delta > 0 else ""
            shown = _latex_number(number_text(delta, column.decimals))
            return f"{sign}{shown} ({_latex_number(p_text(p, _P_DECIMALS))})"
        case str():
            return escape(cell)
    return _shown(value_text(cell, column.decimals), best)


def _shown(text: str, best: str) -> str:
    number = _latex_number(text)
    return rf"\textbf{{{number}}}" if text == best else number


def _letter(group: int) -> str:
    """Return a letter for a group, a for the first; after z, numbers."""
    return ascii_lowercase[group - 1] if group <= len(ascii_lowercase) else str(group)
