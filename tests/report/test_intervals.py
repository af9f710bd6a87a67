"""Forest plots: where lines stand, what is left out, and the drawing in the page."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import given, settings, strategies as st

from pages import Page
from patmark.report.charts import ForestDrawing, Line, forest_view, text_width, wrapped
from patmark.report.html import to_html
from patmark.report.model import Interval, Intervals, Report

NAN = float("nan")
ATTACK = "\"'></title><script>alert(1)</script>"
ROWS = (
    Interval("atlas − cobalt", 4.0, 2.0, 6.0, significant=True),
    Interval("atlas − borealis", -1.0, -3.0, 0.5),
    Interval("borealis − cobalt", 0.25, NAN, NAN),
    Interval("nobody − cobalt", NAN, NAN, NAN),
)
CHART = Intervals("Differences", "difference in BLEU", ROWS, "At 5 %.")
finite = st.floats(-1e6, 1e6).map(lambda value: round(value, 6))
names = st.text(st.sampled_from("ab -_中文"), max_size=80)


def page_of(*charts: Intervals) -> Page:
    return Page(to_html(Report("Charts", "", (), (), {}, charts=charts)))


def number_at(drawing: ForestDrawing, x: float) -> float:
    """The number that a place in the drawing stands for, told by two of its ticks."""
    first, last = drawing.ticks[0], drawing.ticks[-1]
    low, high = (float(tick.text.replace(",", "")) for tick in (first, last))
    return low + (x - first.at) / (last.at - first.at) * (high - low)


def ends(line: Line) -> tuple[float, float]:
    return line.ends if line.ends is not None else (line.x, line.x)


def test_lines_stand_at_their_numbers() -> None:
    view = forest_view(CHART)
    assert [drawing.name for drawing in view.drawings] == ["large", "small"]
    for drawing in view.drawings:
        assert math.isclose(number_at(drawing, drawing.zero), 0, abs_tol=1e-9)
        first = drawing.lines[0]
        assert math.isclose(number_at(drawing, first.x), 4)
        assert [round(number_at(drawing, end), 9) for end in ends(first)] == [2, 6]
        assert drawing.lines[2].ends is None


def test_a_row_without_a_value_is_named() -> None:
    view = forest_view(CHART)
    assert view.missing == ROWS[3:]
    assert view.numbers == ("4.00 [2.00, 6.00]", "-1.00 [-3.00, 0.50]", "0.25")
    assert "1 of 4 left out, without a number: nobody − cobalt." in page_of(CHART).text


def test_nothing_to_draw_is_said() -> None:
    page = page_of(replace(CHART, rows=ROWS[3:]), replace(CHART, rows=()))
    assert page.text.count("No line has a number.") == 2
    assert not [names for _, names in page.elements if "drawing" in (names.get("class") or "")]


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(names, finite, finite, finite), min_size=1, max_size=20))
def test_everything_is_inside(rows: list[tuple[str, float, float, float]]) -> None:
    ordered = [(name, *sorted(numbers)) for name, *numbers in rows]
    made = tuple(Interval(name, value, low, high) for name, low, value, high in ordered)
    for drawing in forest_view(replace(CHART, rows=made)).drawings:
        left, top, right, bottom = drawing.plot
        assert left < right and left <= drawing.zero <= right
        below = top
        for line in drawing.lines:
            assert all(left - 0.01 <= x <= right + 0.01 for x in (line.x, *ends(line)))
            assert math.isclose(line.top, below)
            assert line.top < line.y < line.top + line.height
            below = line.top + line.height
            for words in (line.name, line.number):
                last = words.y + 15 * (len(words.lines) - 1)
                assert line.top < words.y <= last < line.top + line.height
        assert math.isclose(below, bottom) and bottom < drawing.height


@settings(deadline=None, derandomize=True)
@given(names, st.floats(12, 300))
def test_wrapping_keeps_every_character(text: str, width: float) -> None:
    lines = wrapped(text, width)
    assert "".join(lines).replace(" ", "") == "".join(text.split())
    assert all(text_width(line) <= width or len(line) == 1 for line in lines)


def test_names_do_not_cross_the_grid() -> None:
    _, small = forest_view(CHART).drawings
    for line, (top, bottom) in zip(small.lines, small.bands, strict=True):
        assert line.number.y + 6 <= top < line.y < bottom


def test_significance_is_a_shape_and_a_word() -> None:
    page = page_of(CHART)
    drawn = [names for tag, names in page.elements if tag == "g" and names.get("class")]
    assert sum(names["class"] == "line significant" for names in drawn) == 3  # two sizes and a key
    marks = {names["d"] for _, names in page.elements if names.get("class") == "mark"}
    assert len(marks) == 2
    assert "atlas − cobalt: 4.00 [2.00, 6.00], significant" in page.text
    assert "atlas − borealis: -1.00 [-3.00, 0.50], not significant" in page.text


def test_names_stay_texts_and_have_their_language() -> None:
    rows = (Interval(ATTACK, 1.0, 0.0, 2.0), Interval("翻訳の甲", 1.0, 0.0, 2.0))
    page = page_of(Intervals(ATTACK, ATTACK, rows, ATTACK, ATTACK))
    assert len(page.scripts) == 2
    assert page.text.count("alert(1)") > 5
    assert [names for _, names in page.elements if names.get("lang") == "ja"]
    described = [names for tag, names in page.elements if names.get("role") == "img"]
    ids = {names.get("id") for _, names in page.elements}
    assert len(described) == 2
    assert all(set((names["aria-labelledby"] or "").split()) <= ids for names in described)


def test_a_long_chart_has_ticks_above() -> None:
    for size, above in ((15, False), (16, True)):
        view = forest_view(replace(CHART, rows=ROWS[:1] * size))
        assert all(drawing.ticks_above is above for drawing in view.drawings)
