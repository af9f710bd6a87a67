"""A report as one HTML file that needs no network: style, script and data are all inside."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import Any
from urllib.parse import urlencode

from patmark._version import __version__
from patmark.data import Cell, Column, Estimate, Explorer, Headline, Report, Table
from patmark.report.explorer_data import checks_of, embeddable_json, facets_of, payload
from patmark.report.formatting import (
    interval_text,
    is_number,
    number_text,
    numeric_columns,
    value_text,
)

_SCRIPTS = ("diff.js", "marks.js", "query.js", "cards.js", "explorer.js", "report.js")


@dataclass(frozen=True, slots=True)
class Bar:
    """A value drawn on a scale, all in percent of its length; ``ci`` is (left, width)."""

    left: float
    width: float
    ci: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell as the page shows it."""

    text: str
    interval: str = ""
    numeric: bool = False
    n: int = 0
    bar: Bar | None = None
    link: str = ""


def to_html(report: Report) -> str:
    """The whole report, with the segment explorer when the report has segments."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("patmark.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    theme, script = _read("theme.js"), "".join(map(_read, _SCRIPTS))
    script = f'(() => {{\n"use strict";\n{script}}})();'
    page = environment.get_template("report.html.j2").render(
        report=report,
        version=__version__,
        css=Markup(_read("report.css") + _read("explorer.css")),
        theme=Markup(theme),
        script=Markup(script),
        script_hashes=" ".join(f"'{_digest(text)}'" for text in (theme, script)),
        headlines=[_headline_view(each) for each in report.headlines],
        tables=[_table_view(table, report.explorer) for table in report.tables],
        explorer=_explorer_view(report.explorer) if report.explorer else None,
        data=Markup(embeddable_json(payload(report.explorer))) if report.explorer else "",
    )
    return page.encode("utf-8", "replace").decode("utf-8")


def bar_of(cell: Cell, scale: tuple[float, float]) -> Bar | None:
    """The bar of a number on a scale, from zero where the scale has one; None for no number."""
    value = cell.value if isinstance(cell, Estimate) else cell
    if not isinstance(value, int | float) or value != value or scale[0] >= scale[1]:
        return None
    start, end = sorted((_percent(0.0, scale), _percent(value, scale)))
    ci = None
    if isinstance(cell, Estimate) and cell.ci and all(side == side for side in cell.ci):
        low, high = (_percent(side, scale) for side in cell.ci)
        ci = (low, round(high - low, 2))
    return Bar(start, round(end - start, 2), ci)


def _percent(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return round(100 * (min(max(value, low), high) - low) / (high - low), 2)


def _read(name: str) -> str:
    return (resources.files("patmark.report") / "templates" / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """The name by which the content policy of the page allows this script and no other."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


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


def _table_view(table: Table, explorer: Explorer | None) -> dict[str, Any]:
    links = _links(explorer)
    return {
        "title": table.title,
        "note": table.note,
        "columns": list(zip(table.columns, numeric_columns(table), strict=True)),
        "rows": [
            [
                _cell_view(cell, column, links)
                for column, cell in zip(table.columns, row, strict=True)
            ]
            for row in table.rows
        ],
    }


def _cell_view(cell: Cell, column: Column, links: dict[tuple[str, str], str]) -> CellView:
    if isinstance(cell, str):
        return CellView(cell, link=links.get((column.title.lower(), cell), ""))
    return CellView(
        text=value_text(cell, column.decimals),
        interval=interval_text(cell, column.decimals),
        numeric=is_number(cell),
        n=cell.n if isinstance(cell, Estimate) else 0,
        bar=bar_of(cell, column.scale) if column.scale else None,
    )


def _links(explorer: Explorer | None) -> dict[tuple[str, str], str]:
    """Where a word in a table leads: (column title, word) to a view of the explorer."""
    if explorer is None:
        return {}
    links = {
        (facet.name.lower(), option): "#" + urlencode({f"facet.{facet.name}": option})
        for facet in facets_of(explorer)
        for option, _ in facet.options
    }
    links |= {
        ("system", name): "#" + urlencode({"system": str(position)})
        for position, name in enumerate(explorer.systems)
    }
    return links | {
        ("segment", segment.id): "#" + urlencode({"q": f"={segment.id}"})
        for segment in explorer.test_set
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
