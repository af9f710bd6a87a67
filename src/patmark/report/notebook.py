"""Notebooks: a report of a few tables, without scripts or style sheet, and a bar of progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from patmark.report.formatting import (
    cell_text,
    interval_text,
    message_texts,
    numeric_columns,
    title_text,
    value_text,
)
from patmark.report.model import Headline, Report, Table
from patmark.wording import speaker


def light_html(report: Report, rest: str) -> str:
    """Render title, findings and tables; ``rest`` names the hidden parts."""
    from markupsafe import Markup

    tr = speaker(report.language)
    parts = [_p("<strong>{}</strong>", report.title)]
    parts += [_p("{}", report.subtitle)] if report.subtitle else []
    parts += [_p("{}", text) for text in message_texts(report.findings, report.language)]
    parts += [_headline(one, tr) for one in report.headlines]
    parts += [_table(one) for one in report.tables]
    parts += [
        _p("<small>{}</small>", text) for text in message_texts(report.notes, report.language)
    ]
    parts += [_p("<small>{}: {}</small>", name, text) for name, text in report.signatures.items()]
    if rest:
        more = tr('Also: {rest}. .write_report("report.html") has everything.', rest=rest)
        parts.append(_p("<small>{}</small>", more))
    return str(Markup("\n").join(parts))


def _p(form: str, *values: str) -> str:
    from markupsafe import Markup

    return Markup(f'<p style="margin:.3em 0">{form}</p>').format(*values)


def _headline(headline: Headline, tr: Callable[..., str]) -> str:
    word = tr("grade")
    grade = f" · {word} {headline.grade}" if headline.grade is not None else ""
    meaning = f" ({headline.meaning})" if headline.meaning else ""
    value = cell_text(headline.estimate, headline.decimals)
    form = "<strong>{}</strong> {}: <strong>{}</strong>{}"
    return _p(form, headline.system, headline.label, value, grade + meaning)


_CELL = "text-align:{};padding:.1em .6em"


def _table(table: Table) -> str:
    from markupsafe import Markup, escape

    styles = [_CELL.format("right" if numeric else "left") for numeric in numeric_columns(table)]
    head = Markup().join(
        Markup('<th style="{}">{}</th>').format(style, title_text(column))
        for style, column in zip(styles, table.columns, strict=True)
    )
    rows = []
    for row in table.rows:
        cells = []
        for style, column, cell in zip(styles, table.columns, row, strict=True):
            text = escape(value_text(cell, column.decimals, p_value=column.p_value))
            interval = interval_text(cell, column.decimals)
            text += Markup(" <small>{}</small>").format(interval) if interval else ""
            cells.append(Markup('<td style="{}">{}</td>').format(style, text))
        rows.append(Markup("<tr>{}</tr>").format(Markup().join(cells)))
    return Markup(
        '<table><caption style="text-align:left"><strong>{}</strong></caption>'
        "<thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table>{}"
    ).format(
        table.title,
        head,
        Markup("\n").join(rows),
        Markup(_p("<small>{}</small>", table.note) if table.note else ""),
    )


_QUIET_SECONDS, _LEAST_PAUSE = 1.0, 0.2


@contextmanager
def notebook_progress() -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield a function that moves a bar (step, done, total); None outside notebooks.

    The bar appears when work takes more than a second, and is gone when the work is done.
    """
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    if python is None or not hasattr(shell, "kernel"):
        yield None
        return
    from markupsafe import Markup

    display, html = python.display.display, python.display.HTML
    shown: list[Any] = []
    last = time.monotonic() + _QUIET_SECONDS - _LEAST_PAUSE

    def advance(name: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _LEAST_PAUSE:
            return
        last = now
        ends = Markup(' max="{}" value="{}"').format(total, done) if total else ""
        counted = f"{done} of {total}" if total else done or ""
        bar = html(Markup("<progress{}></progress> {} {}").format(ends, name, counted))
        if shown:
            shown[0].update(bar)
        else:
            shown.append(display(bar, display_id=True))

    try:
        yield advance
    finally:
        for handle in shown:
            handle.update(html(""))
