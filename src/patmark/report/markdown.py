"""A report as Markdown, with tables as GitHub reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from patmark.report.formatting import (
    cell_text,
    message_texts,
    numeric_columns,
    shared_signatures,
    title_text,
)
from patmark.report.model import Cell, Column, Headline, Report, Table
from patmark.wording import speaker

_SPECIAL = re.compile(r"[\\`*<>\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_LIST_OR_HEADING = re.compile(r"^(\d*)([-+#.)])(?=\s|#|$)")


def to_markdown(report: Report) -> str:
    """Return the whole report without the segments."""
    tr = speaker(report.language)
    blocks = [f"# {_escape(report.title)}"]
    if report.subtitle:
        blocks.append(_escape(report.subtitle))
    if report.findings:
        blocks.append(_list(message_texts(report.findings, report.language)))
    if report.headlines:
        blocks.append("\n".join(_headline(one, tr) for one in report.headlines))
    for table in report.tables:
        blocks += _table(table)
    if report.notes:
        notes = message_texts(report.notes, report.language)
        blocks += ["## " + tr("Notes"), _list(notes)]
    if report.signatures:
        lines = (
            f"- {_escape(names)}: {_code(signature)}"
            for names, signature in shared_signatures(report.signatures)
        )
        blocks += ["## " + tr("Signatures"), "\n".join(lines)]
    return "\n\n".join(blocks) + "\n"


def _list(texts: Iterable[str]) -> str:
    return "\n".join(f"- {_escape(text)}" for text in texts)


def _headline(headline: Headline, tr: Callable[..., str]) -> str:
    number = cell_text(headline.estimate, headline.decimals)
    line = f"- **{_escape(headline.system)}**: {_escape(headline.label)} {number}"
    if headline.grade is not None:
        line += ", " + tr("grade") + f" **{_escape(headline.grade)}**"
    return f"{line} ({_escape(headline.meaning)})" if headline.meaning else line


def _table(table: Table) -> Iterator[str]:
    yield f"## {_escape(table.title)}"
    lines = [_row(_escape(title_text(column)) for column in table.columns)]
    lines.append(_row("---:" if numeric else "---" for numeric in numeric_columns(table)))
    for row in table.rows:
        lines.append(
            _row(_cell(cell, column) for column, cell in zip(table.columns, row, strict=True))
        )
    yield "\n".join(lines)
    if table.note:
        yield f"*{_escape(table.note)}*"


def _cell(cell: Cell, column: Column) -> str:
    if isinstance(cell, str):
        return _escape(cell)
    return cell_text(cell, column.decimals, p_value=column.p_value).replace("<", r"\<")


def _row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    """Escape a text for Markdown, on one line; an underscore within a word is harmless."""
    line = _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
    return _LIST_OR_HEADING.sub(r"\1\\\2", line)


def _code(text: str) -> str:
    """Return inline code whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{' '.join(text.split())}{pad}{fence}"
