"""Scatter charts: lines, ticks, labels, and the drawing in the page."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pages import Page
from patmark.report.charts import (
    COLOURS,
    FONT_SIZE,
    MARK_RADIUS,
    SHAPES,
    Box,
    Label,
    chart_view,
    groups_of,
    nice_ticks,
    place_labels,
    regression,
    text_width,
)
from patmark.report.frames import to_csv
from patmark.report.html import to_html
from patmark.report.latex import to_latex
from patmark.report.markdown import to_markdown
from patmark.report.model import Limit, Point, Report, Scatter

NAN = float("nan")
ATTACK = "\"'></title><script>alert(1)</script>"
POINTS = (
    Point(28.0, 2.9, "A-1", "SMT"),
    Point(31.0, 3.4, "A-2", "SMT"),
    Point(25.5, 2.1, "B-1", "SMT"),
    Point(20.0, 3.6, "RULES-1", "RBMT"),
    Point(18.0, 3.7, "RULES-2", "RBMT"),
    Point(NAN, 3.0, "LATE-1", "RBMT"),
)
CHART = Scatter("BLEU and adequacy", "BLEU", "Adequacy", POINTS, "Pearson −0.41.")
finite = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))


def page_of(*charts: Scatter) -> Page:
    return Page(to_html(Report("Charts", "", (), (), {}, charts=charts)))


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(finite, finite), min_size=3, max_size=30))
def test_the_line_is_that_of_polyfit(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    line = regression([Point(a, b, "") for a, b in pairs])
    if np.ptp(x) < 1e-3:
        return
    slope, intercept = np.polyfit(x - x.mean(), y, 1)
    assert line is not None
    assert (line.low, line.high) == (x.min(), x.max())
    for at in (line.low, line.high):
        wanted = slope * (at - x.mean()) + intercept
        assert math.isclose(line.at(at), wanted, rel_tol=1e-6, abs_tol=1e-6 * (1 + np.abs(y).max()))


def test_lines_need_three_points_and_two_places() -> None:
    assert regression(POINTS[:2]) is None
    assert regression([Point(0.1, y, "") for y in (1.0, 2.0, 3.0)]) is None
    smt, rules = groups_of(POINTS[:5])
    assert smt.line == regression(POINTS[:3])
    assert rules.line is None


def test_a_single_group_has_only_the_line_over_all() -> None:
    (group,) = groups_of(POINTS[:3])
    assert group.line is None
    assert len(chart_view(replace(CHART, points=POINTS[:3])).drawings[0].strokes) == 1


def test_many_groups_differ_in_shape_or_colour() -> None:
    count = len(SHAPES) * COLOURS
    groups = groups_of([Point(1.0, 1.0, "", f"group {n}") for n in range(count)])
    assert len({(group.shape, group.colour) for group in groups}) == count
    for first, second in combinations(groups[:COLOURS], 2):
        assert first.shape != second.shape
        assert first.colour != second.colour


@settings(deadline=None, derandomize=True)
@given(finite, st.floats(1e-3, 1e6), st.integers(4, 10))
def test_ticks_are_round_and_inside(low: float, width: float, most: int) -> None:
    ticks = nice_ticks(low, low + width, most)
    assert 1 < len(ticks) <= most
    assert all(low <= tick.at <= low + width for tick in ticks)
    for tick in ticks:
        assert math.isclose(
            float(tick.text.replace(",", "")), tick.at, rel_tol=1e-9, abs_tol=1e-6 * width
        )


def test_tick_texts() -> None:
    assert [tick.text for tick in nice_ticks(0.17, 0.36, 8)] == [
        "0.175", "0.200", "0.225", "0.250", "0.275", "0.300", "0.325", "0.350",
    ]  # fmt: skip
    assert [tick.text for tick in nice_ticks(-1200, 900, 5)] == ["-1,000", "-500", "0", "500"]


def box_of(label: Label, text: str) -> Box:
    left = label.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor] * text_width(text)
    half = FONT_SIZE / 2
    return (left, label.y - half, left + text_width(text), label.y + half)


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


places = st.tuples(st.floats(0, 300), st.floats(0, 200))


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(["A-1", "清华大学-1", "BASELINE"]), places), max_size=40))
def test_labels_overlap_nothing(marks: list[tuple[str, tuple[float, float]]]) -> None:
    texts = [text for text, _ in marks]
    labels = place_labels(texts, [place for _, place in marks], (0.0, 0.0, 300.0, 200.0))
    boxes = [
        (own, box_of(label, text))
        for own, (label, text) in enumerate(zip(labels, texts, strict=True))
        if label
    ]
    for (_, first), (_, second) in combinations(boxes, 2):
        assert not overlap(first, second)
    for own, box in boxes:
        assert box[0] >= 0
        assert box[2] <= 300
        for other, (_, (x, y)) in enumerate(marks):
            around = (x - MARK_RADIUS, y - MARK_RADIUS, x + MARK_RADIUS, y + MARK_RADIUS)
            assert other == own or not overlap(box, around)


def test_a_lonely_mark_is_named_and_crowded_ones_are_counted() -> None:
    crowd = tuple(Point(1.0, 1.0, f"name {n}", "") for n in range(12))
    alone, crowded = (
        chart_view(replace(CHART, points=points)).drawings for points in (POINTS[:1], crowd)
    )
    assert [drawing.unnamed for drawing in alone] == [0, 0]
    assert all(drawing.unnamed > 0 for drawing in crowded)
    page = page_of(replace(CHART, points=crowd))
    assert "no room for a name" in page.text
    assert all(page.text.count(point.label) >= 2 for point in crowd)


def test_the_page_draws_and_tells() -> None:
    page = page_of(CHART)
    drawings = [names for tag, names in page.elements if names.get("role") == "img"]
    assert len(drawings) == 2
    ids = [names["id"] for _, names in page.elements if "id" in names]
    assert len(ids) == len(set(ids))
    for names in drawings:
        assert set((names["aria-labelledby"] or "").split()) <= set(ids)
    assert page.text.count("A-1 (SMT): BLEU 28, Adequacy 2.9") == 2
    assert "1 of 6 points left out, without both numbers: LATE-1." in page.text
    assert "Pearson −0.41." in page.text
    assert ("a", {"href": "#chart-1"}) in page.elements
    marks = [names["class"] for tag, names in page.elements if tag == "path" and "class" in names]
    assert marks.count("stroke all") == 2 + 1
    assert marks.count("stroke colour-1") == 2 + 1
    assert "stroke colour-2" not in marks


def test_lines_stay_inside_the_plot() -> None:
    for drawing in chart_view(CHART).drawings:
        left, top, right, bottom = drawing.plot
        for stroke in drawing.strokes:
            for x, y in (stroke.start, stroke.end):
                assert left <= x <= right
                assert top <= y <= bottom


@pytest.mark.parametrize("points", [(), (Point(NAN, 1.0, "A"), Point(1.0, math.inf, "B"))])
def test_no_numbers_no_drawing(points: tuple[Point, ...]) -> None:
    page = page_of(replace(CHART, points=points))
    assert "No point has both numbers." in page.text
    assert not [tag for tag, _ in page.elements if tag == "svg"]


def test_hostile_words_stay_words() -> None:
    page = page_of(Scatter(ATTACK, ATTACK, ATTACK, (Point(1.0, 2.0, ATTACK, ATTACK),), ATTACK))
    assert len(page.scripts) == 2
    assert f"{ATTACK} ({ATTACK}): {ATTACK} 1, {ATTACK} 2" in page.text


def test_other_writers_leave_charts_out(small_report: Report) -> None:
    charted = replace(small_report, charts=(CHART,))
    for write in (to_csv, to_latex, to_markdown):
        assert write(charted) == write(small_report)


def test_lines_can_be_left_out() -> None:
    assert chart_view(CHART).line is not None and chart_view(CHART).groups[0].line is not None
    without = chart_view(replace(CHART, regression=False))
    assert without.line is None and all(group.line is None for group in without.groups)
    assert all(not drawing.strokes for drawing in without.drawings)
    page = page_of(replace(CHART, regression=False))
    assert "egression" not in page.text


@settings(deadline=None, derandomize=True)
@given(st.lists(st.floats(-50, 100), min_size=1, max_size=4))
def test_limits_stand_where_their_numbers_are(places: list[float]) -> None:
    limits = tuple(Limit(x, f"at {x:.1f}") for x in places)
    for drawing in chart_view(replace(CHART, limits=limits)).drawings:
        left, top, right, _ = drawing.plot
        assert len(drawing.uprights) == len(limits)
        assert len({each.label.y for each in drawing.uprights}) == len(limits)
        for each in drawing.uprights:
            assert left <= each.x <= right and 0 < each.label.y < top
            towards_middle = each.label.x > each.x
            assert towards_middle == (each.x < (left + right) / 2)
        ordered = sorted(drawing.uprights, key=lambda each: each.limit.x)
        assert [each.x for each in ordered] == sorted(each.x for each in ordered)


def test_limits_are_named_in_the_page() -> None:
    page = page_of(replace(CHART, limits=(Limit(22.0, f"safe {ATTACK}"),)))
    assert "safe " in page.text and len(page.scripts) == 2
    limits = [names for _, names in page.elements if names.get("class") == "limit"]
    assert len(limits) == 2  # in the large and in the small drawing
