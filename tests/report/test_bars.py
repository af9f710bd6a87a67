"""Bars that are cut into parts: places, words and numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from patmark.data import Estimate
from patmark.report import Bars, Report, StackedBar, to_html
from patmark.report.charts import bars_view
from patmark.report.html import Bar, bar_of

CHART = Bars(
    "Figure 2: adequacy",
    "judgements",
    ("good", "fair", "bad"),
    (
        StackedBar("atlas", (0.5, 0.3, 0.2), 3.25),
        StackedBar("a system with a name that is much longer than its bar is high", (0, 0, 1), 1.0),
    ),
    "Drawn from Table 5.",
)


def test_parts_fill_the_bar_from_the_left() -> None:
    for drawing in bars_view(CHART).drawings:
        left, _, right, bottom = drawing.plot
        atlas, other = drawing.lines
        assert [part.name for part in atlas.parts] == ["good", "fair", "bad"]
        assert atlas.parts[0].x == left
        for part, behind in zip(atlas.parts, atlas.parts[1:], strict=False):
            assert part.x + part.width == pytest.approx(behind.x)
            assert part.strength > behind.strength
        assert atlas.parts[-1].x + atlas.parts[-1].width == pytest.approx(right)
        assert atlas.parts[0].width == pytest.approx((right - left) / 2)
        assert atlas.y + atlas.height <= other.y and other.y + other.height <= bottom
        assert bottom < drawing.height
        assert [tick.text for tick in drawing.ticks] == ["0 %", "25 %", "50 %", "75 %", "100 %"]


def test_names_are_beside_wide_bars_and_above_narrow_ones() -> None:
    large, small = bars_view(CHART).drawings
    assert large.plot[0] > 0 and large.plot[2] < large.width
    assert small.plot[0] == 0 and small.plot[2] == small.width
    for line in small.lines:
        assert line.name.y + 15 * (len(line.name.lines) - 1) < line.y


def test_the_page_has_names_shares_and_numbers() -> None:
    page = to_html(Report("t", "", (), (), {}, charts=(CHART,)))
    assert "<title>atlas, good: 50.0 %</title>" in page
    assert '<td class="number">50.0</td><td class="number">30.0</td>' in page
    assert ">3.25</tspan>" in page and "Drawn from Table 5." in page
    assert "each cut into good, fair, bad by its share of judgements" in page


def test_without_bars_there_is_no_drawing() -> None:
    empty = replace(CHART, rows=())
    assert bars_view(empty).drawings == ()
    assert "There are no bars." in to_html(Report("t", "", (), (), {}, charts=(empty,)))


def test_an_interval_without_width_is_not_drawn_whatever_the_scale() -> None:
    alike, small = Estimate(50.0, (50.0, 50.0), 9), Estimate(5e-13, (4e-13, 6e-13), 9)
    assert bar_of(alike, (0.0, 100.0)) == Bar(0.0, 50.0, None)
    assert alike.without_width and not small.without_width
    drawn = bar_of(small, (0.0, 1e-12))
    assert drawn is not None and drawn.ci == (40.0, 20.0)
