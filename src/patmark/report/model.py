"""The content of reports, independent of their format: headlines, tables, charts, segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from patmark.data import Estimate, Evidence, FloatArray, Message, TestSet
from patmark.report.result import Result
from patmark.wording import DEFAULT_LANGUAGE, tr


@dataclass(frozen=True, slots=True)
class Heat:
    """A number on a shade from 0 to 1 that links to the findings of a check for a system."""

    value: float
    shade: float
    system: str
    check: str


@dataclass(frozen=True, slots=True)
class Rated(Estimate):
    """An estimate with its grade; a mark qualifies the grade."""

    grade: str = ""
    mark: str = ""


class UpperBound(float):
    """A p-value that is known only to be at most this number."""


class MarkedText(str):
    """A text of which parts were removed or added; as a string they stand in [-…-] and {+…+}.

    ``parts`` are pairs of "same", "removed" or "added" and a text.
    """

    __slots__ = ("parts",)
    parts: tuple[tuple[str, str], ...]

    def __new__(cls, parts: Iterable[tuple[str, str]]) -> MarkedText:
        kept = tuple((kind, text) for kind, text in parts)
        marks = {"removed": "[-{}-]", "added": "{{+{}+}}"}
        made = super().__new__(cls, "".join(marks.get(k, "{}").format(t) for k, t in kept))
        made.parts = kept
        return made


Cell: TypeAlias = str | int | float | Estimate | Heat | None
Way: TypeAlias = str | Callable[[Any], Cell]
"""The cell of a record: a field by name, or a function of the record."""


def entry(field_name: str, key: object) -> Callable[[Any], Cell]:
    """Return the cell of an entry of a mapping in a field; None for a record that lacks it."""

    def cell(record: Any) -> Cell:
        found: Cell = getattr(record, field_name).get(key)
        return found

    return cell


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. ``scale`` = (low, high) asks for a bar where bars can be drawn.

    A ``p_value`` that would be rounded to zero is shown as less than the smallest number.
    """

    title: str
    decimals: int = 2
    scale: tuple[float, float] | None = None
    higher_is_better: bool = True
    p_value: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. An Estimate cell shows its interval, None a dash.

    Tables and charts of one ``section`` stand together where a report can be folded.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    section: str = ""

    @classmethod
    def of_records(
        cls,
        title: str,
        records: Iterable[Any],
        columns: Mapping[Column, Way] | Iterable[tuple[Column, Way]],
        note: str = "",
        section: str = "",
    ) -> Table:
        """Make a row of each record; a column shows a field, or a function of the record.

        The name of a field may go through another one, as ``test.wins``. Pairs of a column and its
        way may repeat a title, for instance that of a system.
        """
        pairs = list(columns.items() if isinstance(columns, Mapping) else columns)
        ways = [attrgetter(way) if isinstance(way, str) else way for _, way in pairs]
        rows = tuple(tuple(way(one) for way in ways) for one in records)
        return cls(title, tuple(column for column, _ in pairs), rows, note, section)


@dataclass(frozen=True, slots=True)
class Graded:
    """A value with its group, 1 the best; None for no group."""

    value: float
    group: int | None


@dataclass(frozen=True, slots=True)
class PaperDifference:
    """One value minus another, and the p of the difference."""

    delta: float
    p: float


PaperCell: TypeAlias = Cell | Graded | PaperDifference


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table for a paper: a row begins with the name of a system or pair, then a measure each.

    The best value of a measure is bold among the rows that are named by ``systems``.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[PaperCell, ...], ...]
    note: str = ""
    systems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Headline:
    """The main number of a system."""

    system: str
    label: str
    estimate: Estimate
    grade: str | None = None
    meaning: str = ""
    mark: str = ""
    decimals: int = 1
    scale: tuple[float, float] | None = (0.0, 100.0)
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Point:
    """A system in a chart; points of one group share a mark and a regression line."""

    x: float
    y: float
    label: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """A value on the x axis that a chart marks with an upright line."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points with a regression line over all of them, and one per group of at least three.

    ``regression`` False leaves the lines out, where groups are no kinds of systems.
    """

    title: str
    x_title: str
    y_title: str
    points: tuple[Point, ...]
    note: str = ""
    section: str = ""
    regression: bool = True
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """A line of a forest plot: a value between the ends of its interval (NaN for no interval)."""

    label: str
    value: float
    low: float
    high: float
    significant: bool | None = False


@dataclass(frozen=True, slots=True)
class Intervals:
    """A forest plot: values with their intervals, one below the other, with a line at zero.

    ``tested`` is True if the values are differences that may be significant.
    """

    title: str
    x_title: str
    rows: tuple[Interval, ...]
    note: str = ""
    section: str = ""
    decimals: int = 2
    tested: bool = True


@dataclass(frozen=True, slots=True)
class StackedBar:
    """A bar of shares that add up to one, with its sample size."""

    label: str
    shares: tuple[float, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars one below the other, each cut into the same ``parts``, such as grades, best first."""

    title: str
    x_title: str
    parts: tuple[str, ...]
    rows: tuple[StackedBar, ...]
    note: str = ""
    section: str = ""
    decimals: int = 2


Chart: TypeAlias = Scatter | Intervals | Bars


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another page; the address is relative to the page that shows it."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class RankedRun:
    """A run on a leaderboard: one cell and one text of letters or ranks per column.

    ``resources`` are letters, with a question mark where in doubt; None if nothing is said of
    them. ``link`` leads to the run's own report, relative to the page; empty if there is none.
    """

    id: str
    group: str
    priority: int
    kind: str | None
    resources: tuple[str, ...] | None
    description: str
    cells: tuple[Cell, ...]
    letters: tuple[str, ...]
    link: str = ""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All runs of a task, best first.

    ``resource_names`` explains the resource letters, ``letters_note`` the letters of scores.
    ``findings`` are sentences that a reader must not miss; they come first.
    """

    title: str
    subtitle: str
    columns: tuple[Column, ...]
    runs: tuple[RankedRun, ...]
    signatures: Mapping[str, str]
    resource_names: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()
    letters_note: str = ""
    findings: tuple[Message, ...] = ()
    links: tuple[Link, ...] = ()
    language: str = DEFAULT_LANGUAGE


@dataclass(frozen=True, slots=True, eq=False)
class Explorer:
    """Every segment with the outputs of all systems.

    ``facets`` give one value per segment to filter by (label, IPC …); ``hypotheses`` are
    (systems × segments); ``values`` map a measure to an array (systems, segments), NaN where it
    does not apply; ``evidence`` maps a measure to findings per system and segment.
    """

    test_set: TestSet
    systems: tuple[str, ...]
    hypotheses: tuple[tuple[str | None, ...], ...]
    values: Mapping[str, FloatArray]
    higher_is_better: Mapping[str, bool]
    facets: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    evidence: Mapping[str, tuple[tuple[tuple[Evidence, ...], ...], ...]] = field(
        default_factory=dict
    )

    def among(self, systems: Sequence[int]) -> Explorer:
        """Return the explorer of some systems, by position."""
        return replace(
            self,
            systems=tuple(self.systems[place] for place in systems),
            hypotheses=tuple(self.hypotheses[place] for place in systems),
            values={name: values[list(systems)] for name, values in self.values.items()},
            evidence={
                name: tuple(found[place] for place in systems)
                for name, found in self.evidence.items()
            },
        )


FINDING_TITLES: Mapping[str, str] = MappingProxyType(
    {"error": tr("error"), "warning": tr("warning"), "info": tr("information")}
)
"""Severities of findings in documents, the worst first, with their names for readers."""


def finding_rank(severity: str) -> int:
    """Return the place of a severity; that of the worst is 0."""
    return list(FINDING_TITLES).index(severity)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A finding in a document pair, with its offsets in both texts and a reviewer's verdict.

    ``key`` identifies the finding in a saved review; ``title`` names its kind for readers.
    """

    key: Mapping[str, object]
    title: str
    severity: Literal["error", "warning", "info"]
    message: str
    place: str
    source: tuple[int, int] | None = None
    target: tuple[int, int] | None = None
    verdict: Literal["", "accepted", "rejected"] = ""


@dataclass(frozen=True, slots=True)
class ReviewedPair:
    """Two texts side by side: linked passages (``beads``) and findings."""

    name: str
    languages: tuple[str, str]
    texts: tuple[str, str]
    beads: tuple[tuple[tuple[int, int] | None, tuple[int, int] | None], ...]
    items: tuple[ReviewItem, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Report(Result):
    """A whole report: the input of all writers.

    ``findings`` are sentences that state the result; they come first in every format. ``links``
    lead to related pages; ``paper`` replaces the tables in LaTeX. The first ``brief`` tables, or
    those of ``summary``, are shown on a terminal. ``review`` are texts side by side; the HTML page
    is then one for reviewers.
    """

    title: str
    subtitle: str
    headlines: tuple[Headline, ...]
    tables: tuple[Table, ...]
    signatures: Mapping[str, str]
    notes: tuple[Message, ...] = ()
    explorer: Explorer | None = None
    charts: tuple[Chart, ...] = ()
    findings: tuple[Message, ...] = ()
    links: tuple[Link, ...] = ()
    paper: tuple[PaperTable, ...] = ()
    brief: int = 2
    summary: tuple[Table, ...] = ()
    language: str = DEFAULT_LANGUAGE
    review: tuple[ReviewedPair, ...] = ()

    def to_report(self) -> Report:
        return self
