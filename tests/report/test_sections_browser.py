"""Folded sections, the menu and wide tables in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from patmark.report.html import to_html
from patmark.report.model import Column, Interval, Intervals, Report, Table

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect
pytestmark = pytest.mark.browser

MEASURES = tuple(f"Measure {n}" for n in range(17))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Seventeen measures, each with a chart, a wide table and a narrow one."""
    wide = tuple(Column(f"a long title {n}") for n in range(20))
    tables = [Table("Scores", wide, (tuple(f"cell {n}" for n in range(20)),))]
    charts = []
    for name in MEASURES:
        tables.append(Table(f"Differences by {name}", wide, (("A", *[0.5] * 19),), "", name))
        tables.append(Table(f"Ranks by {name}", wide[:2], (("A", 1),), "", name))
        row = Interval("A system with a long name − another system", 1.0, 0.5, 1.5, True)
        charts.append(Intervals(f"Chart of {name}", "difference", (row,) * 3, "", name))
    report = Report(
        "Title", "", (), tuple(tables), {"BLEU": "v:1"}, ("a note",), None, tuple(charts),
        ("A is better than B.",),
    )  # fmt: skip
    file: Path = tmp_path_factory.mktemp("sections") / "sections.html"
    file.write_text(to_html(report), encoding="utf-8")
    return file.as_uri()


def opened(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        "details.folded[open]", "found => found.map((one) => one.id)"
    )
    return found


def in_sight(page: Any, selector: str) -> None:
    expect(page.locator(selector)).to_be_in_viewport()


def test_an_address_opens_its_section(page: Any, address: str) -> None:
    page.goto(f"{address}#table-11")
    in_sight(page, "#table-11")
    assert opened(page) == ["section-1", "section-5"]
    page.goto(f"{address}#chart-9")
    in_sight(page, "#chart-9")
    assert opened(page) == ["section-1", "section-5", "section-9"]
    page.goto(f"{address}#%E0%A4%A")
    page.goto(f"{address}#signatures")
    in_sight(page, "#signature-text")


def test_a_link_opens_its_section_each_time(page: Any, address: str) -> None:
    page.goto(address)
    for _ in range(2):
        page.get_by_text("All 20 sections").click()
        page.get_by_role("navigation").get_by_text("Measure 2", exact=True).first.click()
        in_sight(page, "#section-3 h4 >> nth=0")
        page.locator("#section-3 > summary").click()
        assert opened(page) == ["section-1"]
        page.evaluate("scrollTo(0, 0)")


def test_the_whole_menu_unfolds_and_closes(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(address)
    links = page.get_by_role("navigation").get_by_role("link")
    assert links.count() == 0
    page.get_by_text("All 20 sections").click()
    assert links.count() == 20
    links.nth(15).click()
    in_sight(page, "#section-15 > summary")
    assert links.count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_wide_screen_shows_the_headings(page: Any, address: str) -> None:
    page.goto(address)
    names = page.get_by_role("navigation").get_by_role("link").all_inner_texts()
    assert names == ["At a glance", "Results", "In detail", "How it was done"]


def test_the_printer_gets_everything(page: Any, address: str) -> None:
    page.goto(address)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("main details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert opened(page) == ["section-1"]


@pytest.mark.parametrize("width", [1280, 360])
def test_a_wide_table_says_so(page: Any, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(address)
    hint = page.locator("#table-2 .sideways")
    expect(hint).to_be_visible()
    expect(page.locator("#table-3 .sideways")).to_be_hidden()
    frame = page.locator("#table-2 .scroll")
    expect(frame).to_have_class("scroll more-right")
    frame.evaluate("frame => { frame.scrollLeft = frame.scrollWidth; }")
    expect(frame).to_have_class("scroll more-left")
    name = frame.locator("tbody th").bounding_box()
    assert abs(name["x"] - frame.bounding_box()["x"]) <= 1  # the first column stays


def test_a_closed_table_says_so_when_it_is_opened(page: Any, address: str) -> None:
    page.goto(f"{address}#table-6")
    expect(page.locator("#table-6 .sideways")).to_be_visible()


@pytest.mark.parametrize(("width", "shown"), [(1280, "large"), (360, "small")])
def test_a_forest_plot_is_drawn_to_fit(page: Any, address: str, width: int, shown: str) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(address)
    drawing = page.get_by_role("img", name="Chart of Measure 0")
    assert drawing.count() == 1
    assert shown in drawing.get_attribute("class")
    around = drawing.bounding_box()
    for words in drawing.locator("text").all():
        box = words.bounding_box()
        assert box["x"] >= around["x"] - 1
        assert box["x"] + box["width"] <= around["x"] + around["width"] + 1
        assert box["height"] > 9


_PARTS = "ClaimQuality content length structure repetition coverage BLEU-1 contradictions errors"


@pytest.mark.parametrize("width", [1100, 1600])
def test_eleven_columns_fit_a_laptop(page: Any, tmp_path: Path, width: int) -> None:
    """They take the margins of a wide page; nothing is cut, and the page itself never scrolls."""
    titles = ("system", *_PARTS.split(), "claim-consistency")
    numbers = tuple(Column(title, 3, (0.0, 1.0)) for title in titles[1:])
    texts = tuple(map(Column, ("system", "finding", "reference", "text")))
    long = "a housing having an inlet and a rotor " * 20
    tables = (
        Table("Scores", (Column("system"), *numbers), (("A", *[0.5] * len(numbers)),)),
        Table("Findings", texts, (("A", long, long, long),)),
    )
    file = tmp_path / "wide.html"
    file.write_text(to_html(Report("Title", "", (), tables, {})), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(file.as_uri())
    cut = "found => found.map((one) => one.scrollWidth > one.clientWidth)"
    assert page.eval_on_selector_all(".scroll", cut) == [False, False]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    widths = page.eval_on_selector_all(".scroll", "found => found.map((one) => one.clientWidth)")
    assert (widths[1] > 1216) == (width == 1600)
