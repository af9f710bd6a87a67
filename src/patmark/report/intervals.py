"""A forest plot, worked out: where its lines, marks and words stand in the drawing.

Like a scatter chart it is drawn twice. The wide drawing has names and numbers beside the lines,
the narrow one above them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from patmark.data import Estimate, Interval, Intervals
from patmark.report.formatting import cell_text
from patmark.report.scatter import LINE_HEIGHT
from patmark.report.scatter_layout import (
    Box,
    Frame,
    Tick,
    nice_ticks,
    text_width,
    value_range,
    wrapped,
)

_WIDE, _NARROW = 920.0, 310.0
_WIDE_TICKS, _NARROW_TICKS = 8, 5
_WIDEST_NAMES = 320.0
_GAP = 14.0
_STRIP = 22.0
_AXIS = 22.0
_ROWS_IN_SIGHT = 15


@dataclass(frozen=True, slots=True)
class Words:
    """Lines of text; ``y`` is the middle of the first one."""

    lines: tuple[str, ...]
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Line:
    """A row in the drawing, from ``top`` over ``height``; ``ends`` is None for no interval."""

    interval: Interval
    top: float
    height: float
    y: float
    x: float
    ends: tuple[float, float] | None
    name: Words
    number: Words


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
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ForestView:
    """A forest plot as the page shows it. ``missing`` are the rows without a value."""

    title: str
    x_title: str
    note: str
    rows: tuple[Interval, ...]
    missing: tuple[Interval, ...]
    numbers: tuple[str, ...]
    drawings: tuple[ForestDrawing, ...]
    kind: str = "intervals"

    @property
    def significant(self) -> int:
        """How many rows are significant."""
        return sum(row.significant for row in self.rows)


def forest_view(chart: Intervals) -> ForestView:
    """Everything that the template needs to draw a forest plot in both sizes."""
    rows = tuple(row for row in chart.rows if math.isfinite(row.value))
    numbers = tuple(_number(row, chart.decimals) for row in rows)
    drawings = (_wide(chart, rows, numbers), _narrow(chart, rows, numbers)) if rows else ()
    return ForestView(
        title=chart.title,
        x_title=chart.x_title,
        note=chart.note,
        rows=rows,
        missing=tuple(row for row in chart.rows if not math.isfinite(row.value)),
        numbers=numbers,
        drawings=drawings,
    )


def _has_interval(row: Interval) -> bool:
    return math.isfinite(row.low) and math.isfinite(row.high)


def _number(row: Interval, decimals: int) -> str:
    ci = (row.low, row.high) if _has_interval(row) else None
    return cell_text(Estimate(row.value, ci), decimals)


def _wide(chart: Intervals, rows: Sequence[Interval], numbers: Sequence[str]) -> ForestDrawing:
    names = [wrapped(row.label, _WIDEST_NAMES) or ("",) for row in rows]
    left = max(text_width(line) for lines in names for line in lines) + _GAP
    right = _WIDE - max(map(text_width, numbers)) - _GAP
    heights = [_STRIP + LINE_HEIGHT * (len(lines) - 1) for lines in names]
    frame = _frame(rows, left, right, heights)
    lines = []
    for row, name, number, top, height in zip(
        rows, names, numbers, _tops(frame, heights), heights, strict=True
    ):
        middle = top + height / 2
        first = middle - LINE_HEIGHT * (len(name) - 1) / 2
        lines.append(
            _line(
                row, frame, (top, height), middle,
                Words(name, 0.0, first), Words((number,), _WIDE, middle),
            )
        )  # fmt: skip
    return _drawing(
        chart, "large", _WIDE, frame, lines, [(frame.plot[1], frame.plot[3])], _WIDE_TICKS
    )


def _narrow(chart: Intervals, rows: Sequence[Interval], numbers: Sequence[str]) -> ForestDrawing:
    names = [_narrow_name(row.label, number) for row, number in zip(rows, numbers, strict=True)]
    heights = [_STRIP + LINE_HEIGHT * len(name) + 4 for name in names]
    frame = _frame(rows, 0.0, _NARROW, heights)
    lines = []
    for row, name, number, top, height in zip(
        rows, names, numbers, _tops(frame, heights), heights, strict=True
    ):
        first = top + LINE_HEIGHT / 2 + 3
        last = first + LINE_HEIGHT * (len(name) - 1)
        lines.append(
            _line(
                row, frame, (top, height), top + height - _STRIP / 2,
                Words(name, 0.0, first), Words((number,), _NARROW, last),
            )
        )  # fmt: skip
    bands = [(line.y - _STRIP / 2, line.y + _STRIP / 2) for line in lines]
    return _drawing(chart, "small", _NARROW, frame, lines, bands, _NARROW_TICKS)


def _narrow_name(label: str, number: str) -> tuple[str, ...]:
    """The name in lines, with an empty line below where the last one has no room for the number."""
    lines = wrapped(label, _NARROW) or ("",)
    fits = text_width(lines[-1]) + _GAP + text_width(number) <= _NARROW
    return lines if fits else (*lines, "")


def _frame(rows: Sequence[Interval], left: float, right: float, heights: Sequence[float]) -> Frame:
    """The plot below its upper ticks; its range holds every value, every end and zero."""
    ends = [end for row in rows if _has_interval(row) for end in (row.low, row.high)]
    top = _AXIS if len(rows) > _ROWS_IN_SIGHT else 2.0
    x_range = value_range([0.0, *(row.value for row in rows), *ends])
    return Frame((left, top, right, top + sum(heights)), x_range, (0.0, 1.0))


def _tops(frame: Frame, heights: Sequence[float]) -> list[float]:
    return [frame.plot[1] + sum(heights[:position]) for position in range(len(heights))]


def _line(
    row: Interval, frame: Frame, place: tuple[float, float], y: float, name: Words, number: Words
) -> Line:
    ends = None
    if _has_interval(row):
        ends = (frame.place(row.low, 0)[0], frame.place(row.high, 0)[0])
    return Line(row, *place, y, frame.place(row.value, 0)[0], ends, name, number)


def _drawing(
    chart: Intervals,
    name: str,
    width: float,
    frame: Frame,
    lines: Sequence[Line],
    bands: Sequence[tuple[float, float]],
    most: int,
) -> ForestDrawing:
    x_title = wrapped(f"{chart.x_title} →", width)
    return ForestDrawing(
        name=name,
        width=width,
        height=frame.plot[3] + _AXIS + LINE_HEIGHT * len(x_title) + 4,
        plot=frame.plot,
        bands=tuple(bands),
        ticks=tuple(
            Tick(frame.place(tick.at, 0)[0], tick.text) for tick in nice_ticks(*frame.x_range, most)
        ),
        ticks_above=len(lines) > _ROWS_IN_SIGHT,
        zero=frame.place(0.0, 0)[0],
        x_title=x_title,
        lines=tuple(lines),
    )
