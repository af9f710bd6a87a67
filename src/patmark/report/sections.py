"""The order of a page: what stands alone, what is folded into a section, what the menu lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from patmark.data import Report

MOST_LINKS = 12

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
    def contents(self) -> str:
        """What is inside, in words."""
        counts = ((len(self.charts), "chart"), (len(self.tables), "table"))
        return ", ".join(f"{count} {what}{'s'[: count > 1]}" for count, what in counts if count)


@dataclass(frozen=True, slots=True)
class Menu:
    """Links (anchor, words) to the parts of a page; ``short`` is the choice for a wide screen."""

    links: tuple[Link, ...]
    short: tuple[Link, ...]


def sections_of(report: Report) -> tuple[Section, ...]:
    """Tables in their order, then charts; a section stands where the first of its parts does.

    The first section is open. Charts of a section come before its tables.
    """
    names = [part.section for part in (*report.tables, *report.charts)]
    folded = [name for name in dict.fromkeys(names) if name]
    sections = []
    for place, name in enumerate(names):
        if not name:
            sections.append(_alone(place, len(report.tables)))
        elif name not in names[:place]:
            sections.append(_folded(report, name, folded.index(name)))
    return tuple(sections)


def menu_of(report: Report, sections: Sequence[Section]) -> Menu:
    """Links to all parts of the page. The short menu gives up sections, not what ends the page."""
    own = tuple((section.anchor, _name(report, section)) for section in sections)
    last = (
        ("segments", "Segments", report.explorer),
        ("notes", "Notes", report.notes),
        ("signatures", "Signatures", report.signatures),
    )
    end = tuple((anchor, name) for anchor, name, content in last if content)
    room = MOST_LINKS - len(end)
    return Menu((*own, *end), (*(own if len(own) <= room else own[: room - 1]), *end))


def _name(report: Report, section: Section) -> str:
    """The title of the section, or of the only thing in it."""
    if section.title:
        return section.title
    parts = [report.tables[place].title for place in section.tables]
    return [*parts, *(report.charts[place].title for place in section.charts)][0]


def _alone(place: int, tables: int) -> Section:
    """A table, or a chart for places after all tables."""
    if place < tables:
        return Section(f"table-{place + 1}", "", tables=(place,))
    return Section(f"chart-{place - tables + 1}", "", charts=(place - tables,))


def _folded(report: Report, name: str, position: int) -> Section:
    return Section(
        f"section-{position + 1}",
        name,
        tuple(place for place, chart in enumerate(report.charts) if chart.section == name),
        tuple(place for place, table in enumerate(report.tables) if table.section == name),
        opened=position == 0,
    )
