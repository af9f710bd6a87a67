"""Layout of charts: scatter charts, forest plots and bars, with axes and labels."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from patmark.data import Estimate, FloatArray
from patmark.report.formatting import cell_text
from patmark.report.model import Bars, Interval, Intervals, Limit, Point, Scatter, StackedBar

Box: TypeAlias = tuple[float, float, float, float]

FONT_SIZE = 12.0
NARROW = 0.6
MARK_RADIUS = 5.5
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0, 20.0)
_AIR = 2.5


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis and the number written there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Label:
    """Text beside a mark; ``anchor`` is the SVG word for its flush side."""

    x: float
    y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class PlotArea:
    """The plot (left, top, right, bottom) and the numbers that its sides stand for."""

    plot: Box
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the coordinates of a pair of numbers."""
        left, top, right, bottom = self.plot
        across = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        up = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return left + across * (right - left), bottom - up * (bottom - top)


def value_range(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of values with a margin; it is never empty."""
    low, high = min(values), max(values)
    air = 0.06 * (high - low) or 0.1 * abs(low) or 0.5
    return low - air, high + air


def nice_ticks(low: float, high: float, most: int) -> tuple[Tick, ...]:
    """Return at most ``most`` round numbers from low to high; ``at`` is the number itself."""
    power = math.floor(math.log10((high - low) / most))
    steps = (digits * 10.0**power for digits in _STEPS)
    step = next(step for step in steps if _count(low, high, step) <= most)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    decimals += not math.isclose(round(step, decimals), step)
    first = math.ceil(low / step)
    values = [place * step for place in range(first, first + _count(low, high, step))]
    return tuple(Tick(value, f"{value:,.{decimals}f}") for value in values)


def _count(low: float, high: float, step: float) -> int:
    return math.floor(high / step) - math.ceil(low / step) + 1


def text_width(text: str) -> float:
    """Estimate the drawn width of a text: ideographs are square, other characters narrower."""
    return FONT_SIZE * sum(
        1.0 if unicodedata.east_asian_width(character) in "WF" else NARROW for character in text
    )


def wrapped(text: str, width: float) -> tuple[str, ...]:
    """Wrap a text to a width at blanks, or within a word that is longer."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for character in word:
            if lines[-1] and text_width(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return tuple(lines)


def place_labels(
    texts: Sequence[str], places: Sequence[tuple[float, float]], plot: Box
) -> tuple[Label | None, ...]:
    """Place each text near its mark, without overlaps.

    Earlier texts choose first. None means that a text found no free place.
    """
    taken = [
        _box(x - MARK_RADIUS, y - MARK_RADIUS, x + MARK_RADIUS, y + MARK_RADIUS) for x, y in places
    ]
    labels: list[Label | None] = []
    for own, (text, (x, y)) in enumerate(zip(texts, places, strict=True)):
        free = (
            (label, box)
            for label, box in _candidates(x, y, text_width(text))
            if _inside(box, plot) and not _touches(box, taken, own)
        )
        label, box = next(free, (None, None)) if text else (None, None)
        labels.append(label)
        if box is not None:
            taken.append(_box(*box))
    return tuple(labels)


def _box(left: float, top: float, right: float, bottom: float) -> FloatArray:
    return np.array([left, top, right, bottom])


def _candidates(x: float, y: float, width: float) -> list[tuple[Label, Box]]:
    """Return the eight places around a mark, each with the box that the text fills."""
    gap, half = MARK_RADIUS + 3.0, FONT_SIZE / 2 + 1.0
    above, below = y - gap - half, y + gap + half
    centres = [
        (x + gap, y, "start"), (x - gap, y, "end"), (x, above, "middle"), (x, below, "middle"),
        (x + half, above, "start"), (x + half, below, "start"),
        (x - half, above, "end"), (x - half, below, "end"),
    ]  # fmt: skip
    shift = {"start": 0.0, "middle": -width / 2, "end": -width}
    return [
        (
            Label(at, middle, anchor),
            (left - _AIR, middle - half, left + width + _AIR, middle + half),
        )
        for at, middle, anchor in centres
        for left in (at + shift[anchor],)
    ]


def _inside(box: Box, plot: Box) -> bool:
    return box[0] >= plot[0] and box[1] >= plot[1] and box[2] <= plot[2] and box[3] <= plot[3]


def _touches(box: Box, taken: Sequence[FloatArray], own: int) -> bool:
    others = np.array(taken)
    hit = (others[:, 0] < box[2]) & (others[:, 2] > box[0])
    hit &= (others[:, 1] < box[3]) & (others[:, 3] > box[1])
    hit[own] = False
    return bool(hit.any())


LINE_HEIGHT = 15.0
SHAPES = ("circle", "square", "triangle", "diamond", "cross", "wedge", "star", "hexagon")
COLOURS = 7
_LEAST_FOR_A_LINE = 3


@dataclass(frozen=True, slots=True)
class DrawingSize:
    """A drawing of this many units; ``name`` tells the style sheet when to show it."""

    name: str
    width: float
    height: float
    x_ticks: int
    y_ticks: int


SIZES = (DrawingSize("large", 920, 500, 9, 8), DrawingSize("small", 310, 350, 5, 7))


@dataclass(frozen=True, slots=True)
class Line:
    """A least-squares line from ``low`` to ``high`` on the x axis."""

    slope: float
    intercept: float
    low: float
    high: float

    def at(self, x: float) -> float:
        """Return the height of the line at ``x``."""
        return self.slope * x + self.intercept


@dataclass(frozen=True, slots=True)
class Group:
    """Points that share a mark: a shape and a colour number, distinct from neighbours."""

    name: str
    shape: str
    colour: int
    size: int
    line: Line | None


@dataclass(frozen=True, slots=True)
class ScatterMark:
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
class ScatterDrawing:
    """One size of the chart, in its own units. ``plot`` is left, top, right, bottom."""

    size: DrawingSize
    plot: Box
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    x_title: tuple[str, ...]
    y_title: tuple[str, ...]
    strokes: tuple[Stroke, ...]
    uprights: tuple[Upright, ...]
    marks: tuple[ScatterMark, ...]

    @property
    def unnamed(self) -> int:
        """Number of marks whose name found no room."""
        return sum(mark.label is None and bool(mark.point.label) for mark in self.marks)


@dataclass(frozen=True, slots=True)
class ChartView:
    """A chart as the page shows it. ``missing`` are the points that lack a number."""

    of: Scatter
    groups: tuple[Group, ...]
    line: Line | None
    points: tuple[Point, ...]
    missing: tuple[Point, ...]
    drawings: tuple[ScatterDrawing, ...]
    kind: str = "scatter"


def chart_view(chart: Scatter) -> ChartView:
    """Return everything that the template needs to draw a scatter chart in all sizes."""
    points = tuple(point for point in chart.points if _is_finite(point))
    groups, line = groups_of(points), regression(points)
    if not chart.regression:
        groups, line = tuple(replace(group, line=None) for group in groups), None
    lines = _lines(line, groups)
    sizes = SIZES if points else ()
    missing = tuple(point for point in chart.points if not _is_finite(point))
    drawings = tuple(_drawing(chart, points, groups, lines, size) for size in sizes)
    return ChartView(chart, groups, line, points, missing, drawings)


def regression(points: Sequence[Point]) -> Line | None:
    """Fit the least-squares line of y on x; None for fewer than three points or a single x."""
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
    """Return the groups in order of appearance; a single group has no line of its own."""
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
    size: DrawingSize,
) -> ScatterDrawing:
    ends = [line.at(x) for line, _ in lines for x in (line.low, line.high)]
    x_range = value_range([*(point.x for point in points), *(limit.x for limit in chart.limits)])
    y_range = value_range([point.y for point in points] + ends)
    x_ticks = nice_ticks(*x_range, size.x_ticks)
    y_ticks = nice_ticks(*y_range, size.y_ticks)
    x_title = wrapped(f"{chart.x_title} →", size.width)
    y_title = wrapped(f"↑ {chart.y_title}", size.width)
    plot = (
        max(text_width(tick.text) for tick in y_ticks) + 10,
        LINE_HEIGHT * (len(y_title) + len(chart.limits)) + 8,
        size.width - 4,
        size.height - 24 - LINE_HEIGHT * len(x_title),
    )
    frame = PlotArea(plot, x_range, y_range)
    return ScatterDrawing(
        size=size,
        plot=plot,
        x_ticks=tuple(Tick(frame.place(tick.at, 0)[0], tick.text) for tick in x_ticks),
        y_ticks=tuple(Tick(frame.place(0, tick.at)[1], tick.text) for tick in y_ticks),
        x_title=x_title,
        y_title=y_title,
        strokes=tuple(
            Stroke(
                frame.place(line.low, line.at(line.low)),
                frame.place(line.high, line.at(line.high)),
                line,
                group,
            )
            for line, group in lines
        ),
        uprights=_uprights(chart.limits, frame),
        marks=_marks(points, groups, frame),
    )


def _uprights(limits: Sequence[Limit], frame: PlotArea) -> tuple[Upright, ...]:
    """Place the lines of limits, each with a row of text that points to the middle of the plot.

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


def _marks(
    points: Sequence[Point], groups: Sequence[Group], frame: PlotArea
) -> tuple[ScatterMark, ...]:
    places = [frame.place(point.x, point.y) for point in points]
    labels = place_labels([point.label for point in points], places, frame.plot)
    by_name = {group.name: group for group in groups}
    return tuple(
        ScatterMark(x, y, point, by_name[point.group], label)
        for (x, y), point, label in zip(places, points, labels, strict=True)
    )


_WIDEST_NAMES = 320.0
_GAP = 14.0
_STRIP = 22.0
_AXIS = 22.0
_ROWS_IN_SIGHT = 15


class _RowSize(NamedTuple):
    """A size of charts with a line per row; ``beside`` puts names and numbers beside the lines."""

    name: str
    width: float
    ticks: int
    beside: bool


_ROW_SIZES = _RowSize("large", 920.0, 8, True), _RowSize("small", 310.0, 5, False)


@dataclass(frozen=True, slots=True)
class TextLines:
    """Lines of text; ``y`` is the middle of the first one."""

    lines: tuple[str, ...]
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class ForestLine:
    """A row in the drawing, from ``top`` over ``height``; ``ends`` is None for no interval."""

    interval: Interval
    top: float
    height: float
    y: float
    x: float
    ends: tuple[float, float] | None
    name: TextLines
    number: TextLines


@dataclass(frozen=True, slots=True)
class ForestDrawing:
    """One size of the chart, in its own units. ``plot`` is left, top, right, bottom.

    ``bands`` (top, bottom) are what the grid may cross: not the names of the narrow drawing.
    A long drawing has its ticks at the top too (``ticks_above``).
    """

    name: str
    width: float
    height: float
    plot: Box
    bands: tuple[tuple[float, float], ...]
    ticks: tuple[Tick, ...]
    ticks_above: bool
    zero: float
    x_title: tuple[str, ...]
    lines: tuple[ForestLine, ...]


@dataclass(frozen=True, slots=True)
class ForestView:
    """A forest plot as the page shows it. ``missing`` are the rows without a value."""

    of: Intervals
    rows: tuple[Interval, ...]
    missing: tuple[Interval, ...]
    numbers: tuple[str, ...]
    drawings: tuple[ForestDrawing, ...]
    kind: str = "intervals"

    @property
    def significant(self) -> int:
        """Number of significant rows."""
        return sum(row.significant is True for row in self.rows)

    @property
    def verdicts(self) -> tuple[tuple[bool | None, int], ...]:
        """Numbers of rows that are significant, are not, and were not tested."""
        found = [row.significant for row in self.rows]
        return tuple((verdict, found.count(verdict)) for verdict in (True, False, None))


def forest_view(chart: Intervals) -> ForestView:
    """Return everything that the template needs to draw a forest plot in both sizes."""
    rows = tuple(row for row in chart.rows if math.isfinite(row.value))
    numbers = tuple(_number(row, chart.decimals) for row in rows)
    drawings = tuple(_forest(chart, rows, numbers, size) for size in _ROW_SIZES if rows)
    missing = tuple(row for row in chart.rows if not math.isfinite(row.value))
    return ForestView(chart, rows, missing, numbers, drawings)


def _has_interval(row: Interval) -> bool:
    return math.isfinite(row.low) and math.isfinite(row.high)


def _number(row: Interval, decimals: int) -> str:
    ci = (row.low, row.high) if _has_interval(row) else None
    return cell_text(Estimate(row.value, ci), decimals)


def _forest(
    chart: Intervals, rows: Sequence[Interval], numbers: Sequence[str], size: _RowSize
) -> ForestDrawing:
    """Draw a forest plot with names and numbers beside the lines if there is room, else above."""
    left, right = 0.0, size.width
    if size.beside:
        names = [wrapped(row.label, _WIDEST_NAMES) or ("",) for row in rows]
        heights = [_STRIP + LINE_HEIGHT * (len(name) - 1) for name in names]
        left, right = _between(names, numbers, size)
    else:
        names = [wrapped(row.label, size.width) or ("",) for row in rows]
        for place, (name, number) in enumerate(zip(names, numbers, strict=True)):
            if text_width(name[-1]) + _GAP + text_width(number) > size.width:
                names[place] = (*name, "")  # room for the number
        heights = [_STRIP + LINE_HEIGHT * len(name) + 4 for name in names]
    frame = _frame(rows, left, right, heights)
    top, lines = frame.plot[1], []
    for row, name, number, height in zip(rows, names, numbers, heights, strict=True):
        deep = LINE_HEIGHT * (len(name) - 1)
        if size.beside:
            y = number_y = top + height / 2
            first = y - deep / 2
        else:
            y, first = top + height - _STRIP / 2, top + LINE_HEIGHT / 2 + 3
            number_y = first + deep
        x, low, high = (frame.place(value, 0)[0] for value in (row.value, row.low, row.high))
        ends = (low, high) if _has_interval(row) else None
        words = TextLines(name, 0.0, first), TextLines((number,), size.width, number_y)
        lines.append(ForestLine(row, top, height, y, x, ends, *words))
        top += height
    bands = tuple((line.y - _STRIP / 2, line.y + _STRIP / 2) for line in lines)
    ticks = nice_ticks(*frame.x_range, size.ticks)
    x_title = wrapped(f"{chart.x_title} →", size.width)
    return ForestDrawing(
        name=size.name,
        width=size.width,
        height=frame.plot[3] + _AXIS + LINE_HEIGHT * len(x_title) + 4,
        plot=frame.plot,
        bands=((frame.plot[1], frame.plot[3]),) if size.beside else bands,
        ticks=tuple(Tick(frame.place(tick.at, 0)[0], tick.text) for tick in ticks),
        ticks_above=len(lines) > _ROWS_IN_SIGHT,
        zero=frame.place(0.0, 0)[0],
        x_title=x_title,
        lines=tuple(lines),
    )


def _between(
    names: Sequence[Sequence[str]], numbers: Sequence[str], size: _RowSize
) -> tuple[float, float]:
    """Return the sides of a plot that has names on its left and numbers on its right."""
    left = max(text_width(line) for lines in names for line in lines) + _GAP
    return left, size.width - max(map(text_width, numbers)) - _GAP


def _frame(
    rows: Sequence[Interval], left: float, right: float, heights: Sequence[float]
) -> PlotArea:
    """Return the plot area; its range holds every value, every end and zero."""
    ends = [end for row in rows if _has_interval(row) for end in (row.low, row.high)]
    top = _AXIS if len(rows) > _ROWS_IN_SIGHT else 2.0
    x_range = value_range([0.0, *(row.value for row in rows), *ends])
    return PlotArea((left, top, right, top + sum(heights)), x_range, (0.0, 1.0))


_QUARTERS = (0, 25, 50, 75, 100)


@dataclass(frozen=True, slots=True)
class BarPart:
    """A share in the drawing; ``strength`` of its colour is from 0 to 1."""

    name: str
    strength: float
    share: float
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class BarLine:
    """A bar in the drawing, ``height`` tall from ``y`` on."""

    bar: StackedBar
    y: float
    height: float
    parts: tuple[BarPart, ...]
    name: TextLines
    number: TextLines


@dataclass(frozen=True, slots=True)
class BarsDrawing:
    """One size of the chart, in its own units. ``plot`` is left, top, right, bottom."""

    name: str
    width: float
    height: float
    plot: Box
    ticks: tuple[Tick, ...]
    lines: tuple[BarLine, ...]


@dataclass(frozen=True, slots=True)
class BarsView:
    """Bars as the page shows them; ``parts`` are names with the strength of their colour."""

    of: Bars
    parts: tuple[tuple[str, float], ...]
    numbers: tuple[str, ...]
    drawings: tuple[BarsDrawing, ...]
    kind: str = "bars"


def bars_view(chart: Bars) -> BarsView:
    """Return everything that the template needs to draw bars in both sizes."""
    numbers = tuple(cell_text(row.value, chart.decimals) for row in chart.rows)
    strengths = np.linspace(1.0, 0.04, len(chart.parts)).tolist()
    parts = tuple(zip(chart.parts, strengths, strict=True))
    sizes = _ROW_SIZES if chart.rows else ()
    drawings = tuple(_bars(chart.rows, parts, numbers, size) for size in sizes)
    return BarsView(chart, parts, numbers, drawings)


def _bars(
    rows: Sequence[StackedBar],
    parts: Sequence[tuple[str, float]],
    numbers: Sequence[str],
    size: _RowSize,
) -> BarsDrawing:
    """Draw bars with their names beside them if there is room, else above them."""
    beside, width = size.beside, size.width
    names = [wrapped(row.label, _WIDEST_NAMES if beside else width) or ("",) for row in rows]
    left, right = _between(names, numbers, size) if beside else (0.0, width)
    lines, y, bar = [], 4.0, _STRIP - 6
    for row, texts, number in zip(rows, names, numbers, strict=True):
        words = LINE_HEIGHT * len(texts)
        top = y if beside else y + words + 2
        middle = top + bar / 2 if beside else y + LINE_HEIGHT / 2
        first = middle - LINE_HEIGHT * (len(texts) - 1) / 2 if beside else middle
        text_lines = TextLines(texts, 0.0, first), TextLines((number,), width, middle)
        wide = right - left
        starts = (np.cumsum((0.0, *row.shares[:-1])) * wide + left).tolist()
        shares = zip(parts, row.shares, starts, strict=True)
        cut = tuple(BarPart(*part, share, start, share * wide) for part, share, start in shares)
        lines.append(BarLine(row, top, bar, cut, *text_lines))
        y = top + (max(bar, words) if beside else bar) + 6
    ticks = tuple(Tick(left + share / 100 * (right - left), f"{share} %") for share in _QUARTERS)
    height = y + _AXIS + LINE_HEIGHT + 4
    return BarsDrawing(size.name, width, height, (left, 0.0, right, y), ticks, tuple(lines))
