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

    If a report has tables for papers, only these are returned. Labels hold the English title of
    the report and a number.
    """
    fonts = f"\n{_CJK_FONTS}" if report.language != DEFAULT_LANGUAGE else ""
    first = f"{_PREAMBLE}{fonts}\n% {_one_line(report.title)}"
    tr = speaker(report.language)
    if report.paper:
        tables = [part for table in report.paper for part in _paper_tables(table, tr)]
    else:
        headlines = [_headline_table(report, tr)] if report.headlines else []
        tables = [_tabular(table) for table in (*headlines, *report.tables)]
    words = "-".join(re.findall("[a-z0-9]+", english(report.title).lower())) or "report"
    floats = [_float(table, f"tab:{words}-{place}") for place, table in enumerate(tables, start=1)]
    return "\n\n".join([first, *floats, *_closing(report, tr)]) + "\n"


class _Set(NamedTuple):
    """A table that is set already but for its frame: heads and cells are LaTeX."""

    title: str
    alignment: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str


def _closing(report: Report, tr: Speak) -> Iterator[str]:
    for title, messages in ((tr("Findings"), report.findings), (tr("Notes"), report.notes)):
        if messages:
            yield _list(title, map(escape, message_texts(messages, report.language)))
    if report.signatures:
        items = []
        for names, text in shared_signatures(report.signatures):
            breakable = escape(text).replace(r"\textbar{}", r"\textbar\allowbreak{}")
            items.append(rf"{escape(names)}: \texttt{{{breakable}}}")
        yield _list(tr("Signatures"), items)


def _headline_table(report: Report, tr: Speak) -> Table:
    decimals = max(headline.decimals for headline in report.headlines)
    return Table.of_records(
        report.title,
        report.headlines,
        (
            (Column(tr("System"), decimals), "system"),
            (Column(tr("Measure"), decimals), "label"),
            (Column(tr("Score"), decimals), "estimate"),
            (Column(tr("Grade"), decimals), "grade"),
            (Column(tr("Meaning"), decimals), "meaning"),
        ),
        report.subtitle,
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


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _paper_tables(table: PaperTable, tr: Speak) -> Iterator[_Set]:
    """Yield the table, cut into parts if it is too large for a page."""
    cells = [cell for row in table.rows for cell in row[1:]]
    graded = any(isinstance(cell, Graded) for cell in cells)
    abreast = 6  # measures that fit on a page
    if any(isinstance(cell, PaperDifference) for cell in cells):
        abreast = 4
    elif any(isinstance(cell, Estimate) and cell.ci for cell in cells):
        abreast = 3
    best = [_best(table, place) for place in range(len(table.columns))]
    width, height = len(table.columns), len(table.rows)
    parts = [
        ([0, *range(left, min(left + abreast, width))], table.rows[top : top + _MOST_ROWS])
        for left in range(1, width, abreast)
        for top in range(0, height, _MOST_ROWS)
    ]
    for number, (places, rows) in enumerate(parts, start=1):
        whole = {"title": table.title, "part": number, "parts": len(parts)}
        title = tr("{title}, part {part} of {parts}", **whole) if len(parts) > 1 else table.title
        columns = [table.columns[place] for place in places]
        yield _Set(
            title,
            "l" + ("l" if graded else "r") * (len(places) - 1),
            [_column_title(column) for column in columns],
            [
                line
                for row in rows
                for line in _paper_lines(
                    [row[place] for place in places],
                    columns,
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


def _paper_lines(
    row: Sequence[PaperCell], columns: Sequence[Column], best: Sequence[str]
) -> Iterator[list[str]]:
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
            letter = ""  # a for the first group; after z, numbers
            if group is not None:
                letter = ascii_lowercase[group - 1] if group <= len(ascii_lowercase) else str(group)
                letter = f"$^{{{letter}}}$"
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
