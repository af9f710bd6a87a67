"""A report as one HTML file that needs no network: style, scripts and data are inside."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlencode, urlsplit

import numpy as np

from patmark._version import __version__
from patmark.data import SEVERITY_NAMES, Estimate, is_warning, severity_rank
from patmark.errors import UsageError
from patmark.languages import has_han, has_kana, language_of as language_by_script
from patmark.report.charts import (
    BarsView,
    ChartView,
    ForestView,
    bars_view,
    chart_view,
    forest_view,
)
from patmark.report.formatting import (
    DASH,
    cell_text,
    cell_value,
    english,
    interval_text,
    is_number,
    label_count,
    message_text,
    number_text,
    numeric_columns,
    row_label,
    value_text,
)
from patmark.report.json import fields_json, plain
from patmark.report.model import (
    Bars,
    Cell,
    Chart,
    Column,
    Explorer,
    Headline,
    Heat,
    Intervals,
    MarkedText,
    Rated,
    Report,
    Table,
)
from patmark.wording import (
    DEFAULT_LANGUAGE,
    Text,
    script_words,
    setting,
    speaker,
    tr,
    tr_n,
    translated,
)

if TYPE_CHECKING:
    from jinja2 import Environment

FINDINGS_SHOWN = 6
LONGEST_TABLE = 200
ROWS_SHOWN = 100
_MOST_SYSTEMS, _MOST_OUTPUTS = 12, 25_000
_PACKED_FROM = 1 << 18
_DIGITS = 5
# titles may break into lines here: claim-clarity, but not BLEU-1
_LINE_BREAK = re.compile(r"(?<=\s)|(?<=-)(?=\w{3})")


@dataclass(frozen=True, slots=True)
class Bar:
    """A value drawn on a scale, all in percent of its length; ``ci`` is (left, width)."""

    left: float
    width: float
    ci: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell as a page shows it."""

    text: str
    interval: str = ""
    numeric: bool = False
    n: int = 0
    bar: Bar | None = None
    link: str = ""
    shade: float | None = None
    grade: str = ""
    mark: str = ""
    parts: tuple[tuple[str, str], ...] = ()


def render_page(
    template: str, styles: Sequence[str], scripts: Sequence[str], language: str, **content: Any
) -> str:
    """Render a page from a template, with these style sheets and scripts inside.

    The content policy of the page allows its own scripts by their hash, and nothing else.
    """
    from markupsafe import Markup

    theme = template_text("theme.js")
    script = f'(() => {{\n"use strict";\n{"".join(map(template_text, scripts))}}})();'
    page = (
        _environment(language)
        .get_template(template)
        .render(
            version=__version__,
            words=Markup(embeddable_json(script_words([script], language))),
            css=Markup("".join(map(template_text, styles))),
            theme=Markup(theme),
            script=Markup(script),
            script_hashes=Markup(" ".join(f"'{_digest(text)}'" for text in (theme, script))),
            **content,
        )
    )
    return page.encode("utf-8", "replace").decode("utf-8")


def render_part(template: str, language: str = DEFAULT_LANGUAGE, **content: Any) -> str:
    """Render a template that is no page."""
    return _environment(language).get_template(template).render(**content)


@cache
def _environment(language: str) -> Environment:
    """Return the template environment of a language; each template is compiled once."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("patmark.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"language": language, "tr": speaker(language)}
    environment.globals["tr_n"] = lambda *forms, **values: translated(
        tr_n(*forms, **values), language
    )
    environment.filters["said"] = lambda text: translated(text, language)
    environment.tests["warning"] = is_warning
    environment.filters["message"] = partial(message_text, language=language)
    environment.filters["significant"] = significant_text
    environment.filters["language"] = language_of
    environment.filters["pieces"] = _LINE_BREAK.split
    return environment


def check_links(addresses: Mapping[str, str]) -> None:
    """Refuse addresses with a scheme or a host, which could lead anywhere."""
    wrong = [name for name, address in addresses.items() if any(urlsplit(address)[:2])]
    if wrong:
        raise UsageError(f"a link must be relative to the page: {', '.join(wrong)}")


def cell_view(cell: Cell, column: Column) -> CellView:
    """Return a cell with its interval, and with a bar if the column has a scale."""
    if isinstance(cell, MarkedText):
        return CellView(cell, parts=cell.parts)
    if isinstance(cell, str):
        return CellView(cell)
    if isinstance(cell, Rated):
        plain = cell_view(Estimate(cell.value, cell.ci, cell.n), column)
        return replace(plain, grade=cell.grade, mark=cell.mark)
    return CellView(
        text=value_text(cell, column.decimals, p_value=column.p_value),
        interval=interval_text(cell, column.decimals),
        numeric=is_number(cell),
        n=cell.n if isinstance(cell, Estimate) else 0,
        bar=bar_of(cell, column.scale) if column.scale else None,
    )


def bar_of(cell: Cell, scale: tuple[float, float]) -> Bar | None:
    """Return the bar of a number, from zero if the scale has one; None for other cells."""
    value = cell_value(cell)
    if not isinstance(value, int | float) or value != value or scale[0] >= scale[1]:
        return None
    start, end = sorted((_percent(0.0, scale), _percent(value, scale)))
    ci = None
    shown = cell.ci if isinstance(cell, Estimate) and not cell.without_width else None
    if shown and not any(map(math.isnan, shown)):
        low, high = (_percent(side, scale) for side in shown)
        ci = (low, round(high - low, 2))
    return Bar(start, round(end - start, 2), ci)


def significant_text(value: float) -> str:
    """Format a number with five significant digits; NaN is a dash."""
    if math.isnan(value):
        return DASH
    return np.format_float_positional(value, _DIGITS, fractional=False, trim="-")


def language_of(text: str) -> str | None:
    """Guess the language of a text: kana are Japanese, Han alone Chinese, others None.

    It chooses the shapes of the characters. A Japanese text without kana is taken for Chinese.
    """
    return language_by_script(None, text) if has_kana(text) or has_han(text) else None


def _percent(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return round(100 * (min(max(value, low), high) - low) / (high - low), 2)


def template_text(name: str) -> str:
    """Read a file of the template directory."""
    return (resources.files("patmark.report") / "templates" / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """Return the hash by which the content policy of the page allows a script."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


NO_VALUE = "(none)"
_SIGNIFICANT_DIGITS = 6
_SIDES = ("source", "hypothesis", "reference")


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter: its values, each with its number of segments."""

    name: str
    title: str
    options: tuple[tuple[str, int], ...]


def facets_of(explorer: Explorer) -> tuple[Facet, ...]:
    """Return the facets with their values in alphabetical order, numbers by size."""
    return tuple(
        Facet(
            english(name),
            name,
            tuple(sorted(Counter(map(_facet_value, values)).items(), key=_natural)),
        )
        for name, values in explorer.facets.items()
    )


def _natural(option: tuple[str, int]) -> list[tuple[int, int, str]]:
    """Return a sort key that puts ``11–20 words`` after ``1–10 words``."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", option[0])
        if part
    ]


def checks_of(explorer: Explorer) -> tuple[str, ...]:
    """Return the measures with findings."""
    return tuple(
        measure
        for measure, by_system in explorer.evidence.items()
        if any(found for by_segment in by_system for found in by_segment)
    )


def legend_of(explorer: Explorer) -> tuple[tuple[int, str], ...]:
    """Return the severities of the findings, worst first, as levels and words."""
    found = {
        evidence.severity or tr("finding")
        for by_system in explorer.evidence.values()
        for by_segment in by_system
        for evidences in by_segment
        for evidence in evidences
    }
    return tuple(sorted((severity_rank(one), SEVERITY_NAMES.get(one, one)) for one in found))


def payload(explorer: Explorer) -> dict[str, Any]:
    """Return the data of the segment explorer, column by column to keep the file small.

    Hypotheses of one segment are adjacent, because similar texts compress well.
    """
    tests = explorer.test_set

    def indexed(facet: Facet) -> dict[str, Any]:
        options = {option: place for place, (option, _) in enumerate(facet.options)}
        values = [options[_facet_value(one)] for one in explorer.facets[facet.title]]
        return fields_json(facet, "name", "title", options=list(options), values=values)

    return {
        "systems": list(explorer.systems),
        "languages": {"source": tests.source_language or "", "target": tests.target_language},
        "ids": [segment.id for segment in tests],
        "documents": list(tests.documents),
        "sources": [segment.source for segment in tests],
        "references": [list(segment.references) for segment in tests],
        "hypotheses": list(zip(*explorer.hypotheses, strict=True)),
        "measures": [
            {
                "name": name,
                "higherIsBetter": explorer.higher_is_better.get(name, True),
                "values": plain(
                    [[float(f"{one:.{_SIGNIFICANT_DIGITS}g}") for one in row] for row in values]
                ),
            }
            for name, values in explorer.values.items()
        ],
        "noValue": NO_VALUE,
        "facets": [indexed(facet) for facet in facets_of(explorer)],
        **_findings(explorer),
    }


def carried(name: str, value: object) -> str:
    """Embed data under a name as JSON, or compressed if they are large."""
    content = embeddable_json(value)
    if len(content) < _PACKED_FROM:
        return f'<script id="{name}" type="application/json">{content}</script>'
    packed = base64.b64encode(zlib.compress(content.encode("utf-8", "replace"))).decode("ascii")
    return f'<script id="{name}" type="text/plain">{packed}</script>'


def embeddable_json(value: object) -> str:
    """Return JSON that cannot end the script element it stands in, whatever the texts contain."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _facet_value(value: str | None) -> str:
    return NO_VALUE if value is None else value


def _findings(explorer: Explorer) -> Mapping[str, Any]:
    """Return rows [check, system, segment, side, start, end, message, level], and the messages."""
    checks = checks_of(explorer)
    messages: dict[str, int] = {}
    rows = [
        [
            check,
            system,
            segment,
            _SIDES.index(evidence.side),
            evidence.start,
            evidence.end,
            messages.setdefault(evidence.message, len(messages)),
            severity_rank(evidence.severity),
        ]
        for check, name in enumerate(checks)
        for system, by_segment in enumerate(explorer.evidence[name])
        for segment, found in enumerate(by_segment)
        for evidence in found
    ]
    return {
        "checks": list(checks),
        "messages": list(messages),
        "findings": rows,
    }


Link: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Section:
    """Charts and tables that stand together, by their place in the report.

    Without a title it is a single table or chart that is not folded.
    """

    anchor: str
    title: str
    charts: tuple[int, ...] = ()
    tables: tuple[int, ...] = ()
    opened: bool = False

    @property
    def contents(self) -> Text:
        """The contents in words."""
        charts, tables = len(self.charts), len(self.tables)
        parts = (
            (charts, tr_n("{n} chart", "{n} charts", n=charts)),
            (tables, tr_n("{n} table", "{n} tables", n=tables)),
        )
        return tr("{parts}", parts=tuple(text for count, text in parts if count))


@dataclass(frozen=True, slots=True)
class Menu:
    """Links (anchor, words) to every part of a page, by heading."""

    links: tuple[Link, ...]
    headings: tuple[Link, ...]


def sections_of(report: Report) -> tuple[Section, ...]:
    """Return tables, then charts; a section has the place of its first part.

    The first section is open. Charts of a section come before its tables.
    """
    names = [part.section for part in (*report.tables, *report.charts)]
    folded = [name for name in dict.fromkeys(names) if name]
    count, sections = len(report.tables), []
    for place, name in enumerate(names):
        if not name and place < count:
            sections.append(Section(f"table-{place + 1}", "", tables=(place,)))
        elif not name:
            sections.append(Section(f"chart-{place - count + 1}", "", charts=(place - count,)))
        elif name not in names[:place]:
            number, charts = folded.index(name), names[count:]
            sections.append(
                Section(
                    f"section-{number + 1}",
                    name,
                    tuple(at for at, of in enumerate(charts) if of == name),
                    tuple(at for at, of in enumerate(names[:count]) if of == name),
                    opened=not number,
                )
            )
    return tuple(sections)


def menu_of(report: Report, sections: Sequence[Section]) -> Menu:
    """Return links to the headings of a page that have content, and to all its parts."""
    alone = [section for section in sections if not section.title]
    folded = [section for section in sections if section.title]
    headings = (
        ("glance", tr("At a glance"), report.findings or leading(report)),
        ("results", tr("Results"), alone),
        ("details", tr("In detail"), folded),
        ("segments", tr("Segment by segment"), report.explorer),
        ("method", tr("How it was done"), report.notes or report.signatures),
    )
    own = tuple((section.anchor, _name(report, section)) for section in (*alone, *folded))
    last = (
        ("segments", tr("Segments"), report.explorer),
        ("notes", tr("Notes"), report.notes),
        ("signatures", tr("Signatures"), report.signatures),
    )
    end = tuple((anchor, name) for anchor, name, content in last if content)
    return Menu((*own, *end), tuple((anchor, name) for anchor, name, some in headings if some))


def _name(report: Report, section: Section) -> str:
    if section.title:
        return section.title
    parts = [report.tables[place].title for place in section.tables]
    return [*parts, *(report.charts[place].title for place in section.charts)][0]


_CHECK = "a check"  # no title of a column
_Views: TypeAlias = Mapping[tuple[str, str], tuple[str, str]]

_STYLES = ("report.css", "filters.css", "explorer.css", "charts.css")
_SCRIPTS = (
    "shell.js",
    "sections.js",
    "diff.js",
    "marks.js",
    "query.js",
    "cards.js",
    "explorer.js",
    "rows.js",
    "report.js",
)


def to_html(report: Report) -> str:
    """Render the whole report, with the segment explorer if the report has segments."""
    from markupsafe import Markup

    if report.review:
        from patmark.report.review_page import review_html

        return review_html(report)
    check_links({link.text: link.address for link in report.links})
    explorer, sections = report.explorer and explored(report.explorer), sections_of(report)
    left_out = report.explorer and _systems_left_out(report.explorer, explorer or report.explorer)
    headlines = leading(report)
    cards = headlines[: None if report.headlines else MOST_CARDS]
    answered = not all(map(is_warning, report.findings))
    views = _views(explorer)
    return render_page(
        "report.html.j2",
        _STYLES,
        _SCRIPTS,
        report.language,
        shown=report,
        sentence=headline_sentence(headlines) if report.headlines or not answered else None,
        headlines=[_headline_view(each) for each in cards],
        hidden=len(headlines) - len(cards),
        tables=[table_view(table, views) for table in report.tables],
        charts=[chart_view_of(chart) for chart in report.charts],
        sections=sections,
        menu=menu_of(report, sections),
        findings_shown=FINDINGS_SHOWN,
        explorer=_explorer_view(explorer) if explorer else None,
        left_out=left_out,
        data=Markup("".join(_data(report, explorer, views))),
    )


def _data(report: Report, explorer: Explorer | None, views: _Views) -> Iterator[str]:
    if explorer:
        yield carried("data", payload(explorer))
    for number, table in enumerate(report.tables, 1):
        if _is_long(table):
            yield carried(f"rows-{number}", packed_rows(table, views))


def explored(explorer: Explorer) -> Explorer:
    """Return the explorer with as many systems as a page can hold: the best, in their order.

    The best have the best mean of the segment scores of the first measure; without measures, the
    first systems are shown.
    """
    most = max(_MOST_SYSTEMS, _MOST_OUTPUTS // max(1, len(explorer.test_set)))
    if len(explorer.systems) <= most:
        return explorer
    if not explorer.values:
        return explorer.among(range(most))
    name, values = next(iter(explorer.values.items()))
    counts = np.count_nonzero(~np.isnan(values), axis=1)
    means = np.nansum(values, axis=1) / np.where(counts, counts, np.nan)
    higher_is_better = explorer.higher_is_better.get(name, True)
    ranked = np.argsort(-means if higher_is_better else means, kind="stable")  # NaN last
    return explorer.among(sorted(ranked[:most].tolist()))


def _systems_left_out(whole: Explorer, shown: Explorer) -> Text | None:
    if len(shown.systems) == len(whole.systems):
        return None
    if not whole.values:
        return tr(
            "Outputs of the first {shown} of {n} systems; a page of fewer systems shows the "
            "outputs of each.",
            shown=len(shown.systems),
            n=len(whole.systems),
        )
    return tr(
        "Outputs of {shown} of {n} systems, the best by the mean {measure} of their segments. "
        "{segments} writes the segment scores of all systems; a page of fewer systems shows the "
        "outputs of each.",
        shown=len(shown.systems),
        n=len(whole.systems),
        measure=next(iter(whole.values)),
        segments=setting("segments"),
    )


def chart_view_of(chart: Chart) -> ChartView | ForestView | BarsView:
    """Return everything that the template needs to draw a chart."""
    if isinstance(chart, Bars):
        return bars_view(chart)
    return forest_view(chart) if isinstance(chart, Intervals) else chart_view(chart)


def _headline_view(headline: Headline) -> dict[str, Any]:
    estimate = headline.estimate
    return {
        **fields_json(headline, "system", "label", "grade", "mark", "meaning", "n=estimate.n"),
        "value": number_text(estimate.value, headline.decimals),
        "interval": interval_text(estimate, headline.decimals),
        "bar": bar_of(estimate, headline.scale) if headline.scale else None,
    }


def table_view(table: Table, views: _Views = MappingProxyType({})) -> dict[str, Any]:
    """Return a table as pages show it; ``views`` link cells to segments."""
    return {
        "title": table.title,
        "note": table.note,
        "columns": list(zip(table.columns, numeric_columns(table), strict=True)),
        "length": len(table.rows),
        "rows": [
            [
                _cell_view(cell, column, views)
                for column, cell in zip(table.columns, row, strict=True)
            ]
            for row in table.rows[: ROWS_SHOWN if _is_long(table) else None]
        ],
    }


def _is_long(table: Table) -> bool:
    """Return True if the page holds only the first rows and a script adds the others."""
    return len(table.rows) > LONGEST_TABLE


def packed_rows(table: Table, views: _Views) -> list[dict[str, Any]]:
    """Pack a long table column by column: its distinct cells, and the index of each row's cell.

    A cell is a text, or a list of text, interval, n, link, shade, bar, grade and mark without
    empty ends.
    """
    packed = []
    for place, (column, numeric) in enumerate(
        zip(table.columns, numeric_columns(table), strict=True)
    ):
        known: dict[Any, int] = {}
        places = [
            known.setdefault(_packed_cell(row[place], column, views), len(known))
            for row in table.rows
        ]
        packed.append(
            {
                "number": numeric,
                "lower": not column.higher_is_better,
                "cells": list(known),
                "places": places,
            }
        )
    return packed


def _packed_cell(cell: Cell, column: Column, views: _Views) -> str | tuple[Any, ...]:
    if column.scale is None and not isinstance(cell, str | Estimate | Heat):
        return value_text(cell, column.decimals, p_value=column.p_value)
    view = _cell_view(cell, column, views)
    bar = view.bar and (view.bar.left, view.bar.width, *(view.bar.ci or ()))
    parts = [
        view.text, view.interval, view.n or None, view.link, view.shade, bar, view.grade, view.mark,
    ]  # fmt: skip
    while len(parts) > 1 and parts[-1] in ("", None):
        parts.pop()
    return tuple(parts) if len(parts) > 1 else view.text


def _cell_view(cell: Cell, column: Column, views: _Views) -> CellView:
    view = cell_view(cell, column)
    if isinstance(cell, Heat):
        known = [views.get(("system", cell.system)), views.get((_CHECK, cell.check))]
        opened = [found for found in known if found is not None]
        link = "#" + urlencode(opened) if cell.value and len(opened) == len(known) else ""
        return replace(view, shade=round(100 * cell.shade), link=link)
    found = views.get((english(column.title).lower(), cell)) if isinstance(cell, str) else None
    return view if found is None else replace(view, link="#" + urlencode([found]))


def _views(explorer: Explorer | None) -> _Views:
    """Map (column title, word) to the field and value of the explorer that it links to."""
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
    views |= {
        (_CHECK, name): ("findings", str(position))
        for position, name in enumerate(checks_of(explorer))
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
        "legend": legend_of(explorer),
    }


MOST_CARDS = 6
"""Values of a table that become cards; headlines of a report all do."""
_MOST_NAMES = 3


def leading(report: Report) -> tuple[Headline, ...]:
    """Return the headlines, else the best values by the first measure of the first table."""
    if report.headlines or not report.tables:
        return report.headlines
    table = report.tables[0]
    measured = [
        place
        for place in range(len(table.columns))
        if any(isinstance(row[place], Estimate) for row in table.rows)
    ]
    if not measured:
        return ()
    column, labels = table.columns[measured[0]], label_count(table)
    found = [
        Headline(
            row_label(row, labels),
            column.title,
            cell,
            decimals=column.decimals,
            scale=column.scale,
            higher_is_better=column.higher_is_better,
        )
        for row in table.rows
        if isinstance(cell := row[measured[0]], Estimate) and not math.isnan(cell.value)
    ]
    found.sort(key=lambda one: one.estimate.value, reverse=column.higher_is_better)
    return tuple(found)


def headline_sentence(shown: tuple[Headline, ...]) -> Text | None:
    """Name the best of the leading values, without a claim of significance."""
    if len({one.label for one in shown}) != 1:
        return None
    choose = max if shown[0].higher_is_better else min
    best = choose(shown, key=lambda one: one.estimate.value)
    value = cell_text(best.estimate, best.decimals)
    if len(shown) == 1:
        return tr(
            "{system}: {measure} {value}.", system=best.system, measure=best.label, value=value
        )
    alone = value_text(best.estimate, best.decimals)
    names = tuple(one.system for one in shown if value_text(one.estimate, one.decimals) == alone)
    if len(names) > _MOST_NAMES:
        return tr(
            "Best by {measure}: {n} of {all} have {value}.",
            measure=best.label,
            n=len(names),
            all=len(shown),
            value=alone,
        )
    return tr(
        "Best by {measure}: {systems}, {value}.",
        measure=best.label,
        systems=names,
        value=value if len(names) == 1 else alone,
    )
