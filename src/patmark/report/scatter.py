"""A scatter chart, worked out: where its marks, lines, ticks and labels stand in the drawing.

Each chart is drawn twice, wide and narrow, because a drawing that merely shrinks cannot be read
on a phone. The page shows the one that fits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from patmark.data import Point, Scatter
from patmark.data.report import Limit
from patmark.report.scatter_layout import (
    Box,
    Frame,
    Label,
    Tick,
    nice_ticks,
    place_labels,
    text_width,
    value_range,
    wrapped,
)

LINE_HEIGHT = 15.0
SHAPES = ("circle", "square", "triangle", "diamond", "cross", "wedge", "star", "hexagon")
COLOURS = 7
_LEAST_FOR_A_LINE = 3


@dataclass(frozen=True, slots=True)
class Size:
    """A drawing of this many units; ``name`` tells the style sheet when to show it."""

    name: str
    width: float
    height: float
    x_ticks: int
    y_ticks: int

    def wrapped(self, text: str) -> tuple[str, ...]:
        """The text in lines that are no wider than the drawing."""
        return wrapped(text, self.width)


SIZES = (Size("large", 920, 500, 9, 8), Size("small", 310, 350, 5, 7))


@dataclass(frozen=True, slots=True)
class Line:
    """A least-squares line from ``low`` to ``high`` on the x axis."""

    slope: float
    intercept: float
    low: float
    high: float

    def at(self, x: float) -> float:
        """The height of the line at ``x``."""
        return self.slope * x + self.intercept


@dataclass(frozen=True, slots=True)
class Group:
    """Points that share a mark: a shape and the number of a colour, both unlike its neighbours'."""

    name: str
    shape: str
    colour: int
    size: int
    line: Line | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A point in the drawing. Without a label there was no room for one."""

    x: float
    y: float
    point: Point
    group: Group
    label: Label | None


@dataclass(frozen=True, slots=True)
class Stroke:
    """A regression line in the drawing; ``group`` is None for the one over all points."""

    start: tuple[float, float]
    end: tuple[float, float]
    line: Line
    group: Group | None


@dataclass(frozen=True, slots=True)
class Upright:
    """The line of a limit in the drawing, with its words above the plot."""

    x: float
    limit: Limit
    label: Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """One size of the chart, in its own units. ``plot`` is left, top, right, bottom."""

    size: Size
    plot: Box
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    x_title: tuple[str, ...]
    y_title: tuple[str, ...]
    strokes: tuple[Stroke, ...]
    uprights: tuple[Upright, ...]
    marks: tuple[Mark, ...]

    @property
    def unnamed(self) -> int:
        """How many marks have a name that found no room."""
        return sum(mark.label is None and bool(mark.point.label) for mark in self.marks)


@dataclass(frozen=True, slots=True)
class ChartView:
    """A chart as the page shows it. ``missing`` are the points that lack a number."""

    title: str
    x_title: str
    y_title: str
    note: str
    groups: tuple[Group, ...]
    line: Line | None
    limits: tuple[Limit, ...]
    points: tuple[Point, ...]
    missing: tuple[Point, ...]
    drawings: tuple[Drawing, ...]
    kind: str = "scatter"


def chart_view(chart: Scatter) -> ChartView:
    """Everything that the template needs to draw a chart in all sizes."""
    points = tuple(point for point in chart.points if _is_finite(point))
    groups, line = groups_of(points), regression(points)
    if not chart.regression:
        groups, line = tuple(replace(group, line=None) for group in groups), None
    lines = _lines(line, groups)
    sizes = SIZES if points else ()
    return ChartView(
        title=chart.title,
        x_title=chart.x_title,
        y_title=chart.y_title,
        note=chart.note,
        groups=groups,
        line=line,
        limits=chart.limits,
        points=points,
        missing=tuple(point for point in chart.points if not _is_finite(point)),
        drawings=tuple(_drawing(chart, points, groups, lines, size) for size in sizes),
    )


def regression(points: Sequence[Point]) -> Line | None:
    """The least-squares line of y on x; None for fewer than three points, or one x for all."""
    if len(points) < _LEAST_FOR_A_LINE:
        return None
    x, y = np.array([(point.x, point.y) for point in points], dtype=float).T
    across = x - x.mean()
    spread = float(across @ across)
    if np.ptp(x) == 0 or spread == 0:
        return None
    slope = float(across @ (y - y.mean())) / spread
    return Line(slope, float(y.mean() - slope * x.mean()), float(x.min()), float(x.max()))


def groups_of(points: Sequence[Point]) -> tuple[Group, ...]:
    """The groups in order of appearance. A single group has no line beside the one over all."""
    names = tuple(dict.fromkeys(point.group for point in points))
    groups = []
    for position, name in enumerate(names):
        members = [point for point in points if point.group == name]
        line = regression(members) if len(names) > 1 else None
        shape, colour = SHAPES[position % len(SHAPES)], position % COLOURS + 1
        groups.append(Group(name, shape, colour, len(members), line))
    return tuple(groups)


def _is_finite(point: Point) -> bool:
    return math.isfinite(point.x) and math.isfinite(point.y)


def _lines(line: Line | None, groups: Sequence[Group]) -> list[tuple[Line, Group | None]]:
    found = [(group.line, group) for group in groups] + [(line, None)]
    return [(each, group) for each, group in found if each is not None]


def _drawing(
    chart: Scatter,
    points: Sequence[Point],
    groups: Sequence[Group],
    lines: Sequence[tuple[Line, Group | None]],
    size: Size,
) -> Drawing:
    ends = [line.at(x) for line, _ in lines for x in (line.low, line.high)]
    x_range = value_range([*(point.x for point in points), *(limit.x for limit in chart.limits)])
    y_range = value_range([point.y for point in points] + ends)
    x_ticks = nice_ticks(*x_range, size.x_ticks)
    y_ticks = nice_ticks(*y_range, size.y_ticks)
    x_title, y_title = size.wrapped(f"{chart.x_title} →"), size.wrapped(f"↑ {chart.y_title}")
    plot = (
        max(text_width(tick.text) for tick in y_ticks) + 10,
        LINE_HEIGHT * (len(y_title) + len(chart.limits)) + 8,
        size.width - 4,
        size.height - 24 - LINE_HEIGHT * len(x_title),
    )
    frame = Frame(plot, x_range, y_range)
    return Drawing(
        size=size,
        plot=plot,
        x_ticks=tuple(Tick(frame.place(tick.at, 0)[0], tick.text) for tick in x_ticks),
        y_ticks=tuple(Tick(frame.place(0, tick.at)[1], tick.text) for tick in y_ticks),
        x_title=x_title,
        y_title=y_title,
        strokes=tuple(_stroke(line, group, frame) for line, group in lines),
        uprights=_uprights(chart.limits, frame),
        marks=_marks(points, groups, frame),
    )


def _stroke(line: Line, group: Group | None, frame: Frame) -> Stroke:
    start, end = (frame.place(x, line.at(x)) for x in (line.low, line.high))
    return Stroke(start, end, line, group)


def _uprights(limits: Sequence[Limit], frame: Frame) -> tuple[Upright, ...]:
    """Each limit has a row of text of its own, which points to the middle of the plot.

    The outermost one has the uppermost row, so that no line crosses the words of another.
    """
    left, top, right, _ = frame.plot
    middle = (left + right) / 2
    placed = [(frame.place(limit.x, 0)[0], limit) for limit in limits]
    placed.sort(key=lambda pair: -abs(pair[0] - middle))
    uprights = []
    for row, (x, limit) in enumerate(placed):
        anchor, shift = ("start", 4) if x < middle else ("end", -4)
        y = top - LINE_HEIGHT * (len(placed) - row - 0.5)
        uprights.append(Upright(x, limit, Label(x + shift, y, anchor)))
    return tuple(uprights)


def _marks(points: Sequence[Point], groups: Sequence[Group], frame: Frame) -> tuple[Mark, ...]:
    places = [frame.place(point.x, point.y) for point in points]
    labels = place_labels([point.label for point in points], places, frame.plot)
    by_name = {group.name: group for group in groups}
    return tuple(
        Mark(x, y, point, by_name[point.group], label)
        for (x, y), point, label in zip(places, points, labels, strict=True)
    )
