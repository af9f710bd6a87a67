"""A report as one HTML file that needs no network: style, script and data are all inside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias
from urllib.parse import urlencode

from patmark.data import Cell, Chart, Column, Explorer, Headline, Intervals, Report, Table
from patmark.report.explorer_data import checks_of, embeddable_json, facets_of, payload
from patmark.report.formatting import interval_text, number_text, numeric_columns
from patmark.report.intervals import ForestView, forest_view
from patmark.report.page import (
    FINDINGS_SHOWN,
    CellView,
    bar_of,
    cell_view,
    check_links,
    render_page,
)
from patmark.report.scatter import ChartView, chart_view
from patmark.report.sections import menu_of, sections_of

_Views: TypeAlias = dict[tuple[str, str], tuple[str, str]]

_STYLES = ("report.css", "filters.css", "explorer.css", "charts.css")
_SCRIPTS = (
    "shell.js",
    "sections.js",
    "diff.js",
    "marks.js",
    "query.js",
    "cards.js",
    "explorer.js",
    "report.js",
)


def to_html(report: Report) -> str:
    """The whole report, with the segment explorer when the report has segments."""
    from markupsafe import Markup

    check_links({link.text: link.address for link in report.links})
    explorer, sections = report.explorer, sections_of(report)
    views = _views(explorer)
    return render_page(
        "report.html.j2",
        _STYLES,
        _SCRIPTS,
        shown=report,
        headlines=[_headline_view(each) for each in report.headlines],
        tables=[_table_view(table, views) for table in report.tables],
        charts=[_chart_view(chart) for chart in report.charts],
        sections=sections,
        menu=menu_of(report, sections),
        findings_shown=FINDINGS_SHOWN,
        findings_title="Warnings" if _only_warnings(report) else "Result",
        explorer=_explorer_view(explorer) if explorer else None,
        data=Markup(embeddable_json(payload(explorer))) if explorer else "",
    )


def _only_warnings(report: Report) -> bool:
    return all(finding.startswith("Warning:") for finding in report.findings)


def _chart_view(chart: Chart) -> ChartView | ForestView:
    return forest_view(chart) if isinstance(chart, Intervals) else chart_view(chart)


def _headline_view(headline: Headline) -> dict[str, Any]:
    decimals = headline.decimals
    return {
        "system": headline.system,
        "label": headline.label,
        "grade": headline.grade,
        "meaning": headline.meaning,
        "value": number_text(headline.estimate.value, decimals),
        "interval": interval_text(headline.estimate, decimals),
        "n": headline.estimate.n,
        "bar": bar_of(headline.estimate, headline.scale),
    }


def _table_view(table: Table, views: _Views) -> dict[str, Any]:
    return {
        "title": table.title,
        "note": table.note,
        "columns": list(zip(table.columns, numeric_columns(table), strict=True)),
        "rows": [
            [
                _cell_view(cell, column, views)
                for column, cell in zip(table.columns, row, strict=True)
            ]
            for row in table.rows
        ],
    }


def _cell_view(cell: Cell, column: Column, views: _Views) -> CellView:
    view = cell_view(cell, column)
    found = views.get((column.title.lower(), cell)) if isinstance(cell, str) else None
    return view if found is None else replace(view, link="#" + urlencode([found]))


def _views(explorer: Explorer | None) -> _Views:
    """Where a word in a table leads: (column title, word) to a field and value of the explorer."""
    if explorer is None:
        return {}
    views = {
        (facet.name.lower(), option): (f"facet.{facet.name}", option)
        for facet in facets_of(explorer)
        for option, _ in facet.options
    }
    views |= {
        ("system", name): ("system", str(position))
        for position, name in enumerate(explorer.systems)
    }
    return views | {
        ("segment", segment.id): ("q", f"={segment.id}") for segment in explorer.test_set
    }


def _explorer_view(explorer: Explorer) -> dict[str, Any]:
    return {
        "size": len(explorer.test_set),
        "systems": explorer.systems,
        "measures": tuple(explorer.values),
        "facets": facets_of(explorer),
        "checks": checks_of(explorer),
        "has_references": any(explorer.test_set.reference_lists),
    }
