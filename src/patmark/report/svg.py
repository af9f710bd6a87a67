"""A chart of a report as a drawing of its own, for notebooks, papers and slides."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from patmark.data import Estimate, FilePath, ending, write_atomically
from patmark.errors import UsageError, near
from patmark.report.charts import BarsView, ChartView, ForestView, text_width, wrapped
from patmark.report.formatting import cell_value, dotted, label_count, row_label
from patmark.report.html import chart_view_of, render_part, template_text
from patmark.report.model import Cell, Chart, Heat, Interval, Intervals, Report, Table
from patmark.wording import DEFAULT_LANGUAGE, speaker

_LINE, _MARK, _GAP = 20.0, 30.0, 18.0
_COLOUR = re.compile(r"--([\w-]+): light-dark\((#\w+), #\w+\);")


class Svg(str):
    """The text of an SVG drawing, which a notebook shows as the drawing."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<Svg, {len(self):,} characters; save(path) writes it>"

    def save(self, path: FilePath) -> None:
        """Write the drawing into a file, whose name must end in .svg."""
        if ending(path) != ".svg":
            raise UsageError(f"{path}: drawings are SVG; give a name that ends in .svg")
        write_atomically(path, str(self))


def chosen_chart(report: Report, what: str | int) -> Chart:
    """Return a chart by title or position, or the values of a column by its title."""
    charts: list[Chart] = list(report.charts)
    if isinstance(what, int):
        charts = charts or list(_value_charts(report))
        if not -len(charts) <= what < len(charts):
            raise UsageError(f"there is no chart {what}; there are {len(charts)}")
        return charts[what]
    charts += _value_charts(report)
    for chart in charts:
        if what in (chart.title, chart.x_title):
            return chart
    known = [*dict.fromkeys(chart.title for chart in charts)]
    raise UsageError(
        f"no chart and no column of numbers is called {what!r}{near(what, known)}; "
        f"there are: {', '.join(known)}"
    )


def _value_charts(report: Report) -> Iterator[Intervals]:
    """Yield a chart for every column of numbers, those with intervals first."""
    charts = [chart for table in report.tables for chart in _column_charts(table)]
    yield from sorted(charts, key=lambda chart: all(math.isnan(row.low) for row in chart.rows))


def _column_charts(table: Table) -> Iterator[Intervals]:
    labels = label_count(table)
    for place, column in enumerate(table.columns[labels:], labels):
        rows = tuple(
            _interval(row_label(row, labels), row[place])
            for row in table.rows
            if isinstance(row[place], int | float | Estimate | Heat)
        )
        if any(math.isfinite(row.value) for row in rows):
            title = dotted(column.title, table.title)
            yield Intervals(
                title, column.title, rows, table.note, decimals=column.decimals, tested=False
            )


def _interval(label: str, cell: Cell) -> Interval:
    low, high = (cell.ci if isinstance(cell, Estimate) else None) or (math.nan, math.nan)
    return Interval(label, float(cell_value(cell) or 0), low, high, None)


@dataclass(frozen=True, slots=True)
class _KeyEntry:
    """A mark of the chart and its meaning, at a place."""

    x: float
    y: float
    text: str
    of: Any


def to_svg(chart: Chart, language: str = DEFAULT_LANGUAGE) -> Svg:
    """Draw a chart with its title and key, in the light colours of reports."""
    from markupsafe import Markup

    view = chart_view_of(chart)
    if not view.drawings:
        raise UsageError(f"{chart.title}: there are no numbers to draw")
    drawing: Any = view.drawings[0]
    size = drawing.size if isinstance(view, ChartView) else drawing
    title = wrapped(chart.title, size.width * 0.85)
    key = _placed(_key(view, language), size.width, _LINE * len(title) + 6)
    top = (key[-1].y + _LINE if key else _LINE * len(title)) + 8
    return Svg(
        render_part(
            "chart.svg.j2",
            language,
            chart=view,
            drawing=drawing,
            title=title,
            key=key,
            top=top,
            width=size.width,
            height=size.height,
            css=Markup(_style()),
        )
    )


def _key(view: ChartView | ForestView | BarsView, language: str) -> list[tuple[str, Any]]:
    tr = speaker(language)
    if isinstance(view, BarsView):
        return list(view.parts)
    if isinstance(view, ChartView):
        named = len(view.groups) > 1 or view.groups[0].name
        return [(group.name or tr("no group"), group) for group in view.groups] if named else []
    if not view.of.tested:
        return []
    words = {True: tr("significant"), False: tr("not significant"), None: tr("no verdict")}
    return [(words[verdict], verdict) for verdict, count in view.verdicts if count]


def _placed(entries: Sequence[tuple[str, Any]], width: float, top: float) -> list[_KeyEntry]:
    placed, x, y = [], 0.0, top
    for text, of in entries:
        wide = _MARK + text_width(text)
        if x and x + wide > width:
            x, y = 0.0, y + _LINE
        placed.append(_KeyEntry(x, y, text, of))
        x += wide + _GAP
    return placed


@cache
def _style() -> str:
    """Return the style of charts with colours written out, since few programs know variables."""
    own = template_text("charts.css")
    colours = dict(_COLOUR.findall(template_text("report.css") + own))
    rules = own[own.index("}") + 1 : own.index("@media")]
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], rules)
