"""The HTML report in a real browser."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from patmark.data.annotations import AnnotatedTexts, Annotation, Annotations, Rating
from patmark.data.model import Run, TestSet
from patmark.data.scores import Estimate
from patmark.evaluation.analysis import analysed_report
from patmark.evaluation.comparison import CompareSettings, compare
from patmark.evaluation.error_marks import WEIGHTS
from patmark.evaluation.error_tables import ErrorAnalysis
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.report.html import to_html
from patmark.report.model import Column, Point, Rated, Report, Scatter, Table

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def stress_address(stress_report: Report, tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("report") / "stress.html"
    file.write_text(to_html(stress_report), encoding="utf-8")
    return file.as_uri()


def status(page: Any, text: str) -> None:
    """Wait until the explorer says so."""
    playwright.expect(page.get_by_role("status")).to_have_text(text)


def field(page: Any, name: str) -> Any:
    """A field of the filter form."""
    return page.locator(f"[name='{name}']")


def shows(page: Any, selector: str, texts: list[str]) -> None:
    """Wait until these texts are shown, and no others."""
    playwright.expect(page.locator(selector)).to_have_text(texts, use_inner_text=True)


def ids(page: Any) -> list[str]:
    shown: list[str] = page.locator(".segment h3").all_inner_texts()
    return shown


def test_filters_and_pages(page: Any, stress_address: str) -> None:
    page.goto(stress_address)
    status(page, "2,500 of 2,500 segments")
    playwright.expect(page.locator(".segment h3")).to_have_count(20)
    field(page, "facet.label").select_option("numbers")
    status(page, "498 of 2,500 segments")
    page.get_by_role("button", name="Next").press("Enter")
    playwright.expect(page.locator(".place")).to_have_text("Page 2 of 25")
    playwright.expect(page).to_have_url(re.compile("facet.label=numbers&page=2"))
    field(page, "q").fill("VALVE opening")
    status(page, "498 of 2,500 segments")
    playwright.expect(page.locator(".place")).to_have_text("Page 1 of 25")
    field(page, "q").fill("no such words")
    status(page, "0 of 2,500 segments")
    playwright.expect(page.get_by_text("No segment matches")).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    status(page, "2,500 of 2,500 segments")


def test_findings_systems_and_scores(page: Any, stress_address: str, stress_report: Report) -> None:
    explorer = stress_report.explorer
    assert explorer is not None
    page.goto(stress_address)
    field(page, "system").select_option("Beta-2")
    field(page, "findings").select_option("any")
    status(page, f"{sum(map(bool, explorer.evidence['TermKept'][1])):,} of 2,500 segments")
    assert page.locator(".segment").first.locator(".row.system").count() == 1
    field(page, "findings").select_option("")
    field(page, "min").fill("50")
    field(page, "max").fill("60")
    beta = explorer.values["BLEU"][1]
    status(page, f"{int(((beta >= 50) & (beta <= 60)).sum()):,} of 2,500 segments")


def test_orders(page: Any, stress_address: str, stress_report: Report) -> None:
    explorer = stress_report.explorer
    assert explorer is not None
    bleu, names = explorer.values["BLEU"], [segment.id for segment in explorer.test_set]
    expected = {
        "low": bleu[2].argsort(kind="stable"),
        "high": (-bleu[2]).argsort(kind="stable"),
    }
    page.goto(f"{stress_address}#system=2&sort=low")
    for order, positions in expected.items():
        field(page, "sort").select_option(order)
        playwright.expect(page.locator(".segment h3").first).to_have_text(names[positions[0]])
        assert bleu[2][[names.index(name) for name in ids(page)]].tolist() == pytest.approx(
            bleu[2][positions[:20]].tolist(), rel=1e-5
        )
    field(page, "sort").select_option("difference")
    page.get_by_label("First system").select_option("Gamma")
    page.get_by_label("Second system").select_option("Alpha")
    largest = int((bleu[2] - bleu[0]).argmax())
    playwright.expect(page.locator(".segment h3").first).to_have_text(names[largest])
    playwright.expect(page.locator(".advantage").first).to_have_text(
        f"{bleu[2][largest] - bleu[0][largest]:+.1f}"
    )


def test_differences_and_missing_answers(page: Any, stress_address: str) -> None:
    page.goto(f"{stress_address}#q=P0010-0")
    status(page, "1 of 2,500 segments")
    alpha, beta, gamma = (page.locator(".row.system").nth(index) for index in range(3))
    playwright.expect(beta.locator("del")).to_have_text(["housing", "a plurality of"])
    playwright.expect(beta.locator("ins")).to_have_text(["shell", "several cooling"])
    assert alpha.locator("ins, del").count() == 0
    assert gamma.locator(".text").get_attribute("lang") == "en"
    page.get_by_text("Plain", exact=True).click()
    playwright.expect(beta.locator(".text")).to_have_text(
        "A heat exchanger comprises a shell and several cooling fins arranged in the housing."
    )
    assert beta.locator("ins, del").count() == 0
    field(page, "q").fill("P0007-3")
    playwright.expect(page.locator(".missing")).to_have_text("no answer")


def test_evidence_after_an_astral_character(page: Any, stress_address: str) -> None:
    page.goto(f"{stress_address}#q=P0011-4&view=plain&system=1")
    hypothesis = page.locator(".row.system mark.finding")
    playwright.expect(hypothesis).to_have_text("welding layer")
    assert "should be “solder layer”" in hypothesis.get_attribute("title")
    playwright.expect(page.locator(".row.given mark.finding")).to_have_text("焊接层")
    assert page.locator(".row.given .text").first.get_attribute("lang") == "zh"
    assert page.locator(".findings li").count() == 2


def test_a_long_document_unfolds(page: Any, stress_address: str) -> None:
    page.goto(f"{stress_address}#q=P0000-0&system=1")
    text = page.locator(".row.system .text")
    playwright.expect(page.locator(".row.system ins").first).to_be_visible()
    assert len(text.inner_text()) < 800
    page.locator(".row.system .more").first.click()
    playwright.expect(page.locator(".row.system .more").first).to_have_text("Show less")
    assert len(text.inner_text()) > 30_000
    assert page.locator(".row.system mark.finding").first.inner_text() in "welding layer 12 mm"


def test_a_word_in_a_table_opens_its_segments(page: Any, stress_address: str) -> None:
    page.goto(stress_address)
    page.get_by_role("link", name="normal_sentence").first.click()
    status(page, "498 of 2,500 segments")
    assert field(page, "facet.label").input_value() == "normal_sentence"
    page.reload()
    status(page, "498 of 2,500 segments")
    page.locator("#signatures > summary").press("Enter")
    page.evaluate("setTimeout = () => 0")  # the button would be itself again after a moment
    page.get_by_role("button", name="Copy").click()
    playwright.expect(page.get_by_role("button", name="Copied")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(page: Any, stress_address: str, scheme: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme=scheme)
    page.goto(stress_address)
    status(page, "2,500 of 2,500 segments")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_differences_always_give_back_both_texts(browser: Any) -> None:
    script = resources.files("patmark.report") / "templates" / "diff.js"
    page = browser.new_page()
    page.add_script_tag(content=script.read_text(encoding="utf-8"))
    failures = page.evaluate(
        """() => {
          let seed = 1;
          const random = (n) => {
            seed = (seed * 48271) % 2147483647;
            return Math.floor((seed / 2147483647) * n);
          };
          const pieces = ["valve ", "阀", "の", "1.5 ", ", ", "𠀀", "\\n", "fin"];
          const text = (size) => Array.from({ length: random(size) },
            () => pieces[random(pieces.length)]).join("");
          const words = (string) => tokenize(string).keys.filter(Boolean).join("|");
          const failures = [];
          for (let round = 0; round < 620; round++) {
            const size = round < 600 ? 40 : 6000;
            const a = text(size), b = text(size), { runs } = diffRuns(a, b);
            const part = (run) => (run.kind === "del" ? a : b).slice(run.start, run.end);
            const without = (kind) => runs.filter((run) => run.kind !== kind).map(part);
            const first = without("ins").map(words).filter(Boolean).join("|");
            if (without("del").join("") !== b || first !== words(a)) failures.push([a, b]);
          }
          return failures;
        }"""
    )
    page.close()
    assert failures == []


@pytest.fixture(scope="module")
def comparison_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A comparison of ten systems on 2,000 segments."""
    rng = random.Random(3)
    parts = ["valve", "rotor", "shaft", "housing", "spring", "lens", "membrane", "nozzle"]
    texts = [" ".join(["the", *rng.choices(parts, k=9), f"({n % 90})"]) for n in range(2000)]
    runs = [
        Run(f"s{k}", tuple(" ".join(w for w in text.split() if rng.random() > k / 30)
                           for text in texts))
        for k in range(10)
    ]  # fmt: skip
    test_set = TestSet.of(texts, documents=[f"patent {n // 20}" for n in range(2000)])
    settings = CompareSettings(Sampling(resamples=50), trials=50)
    evaluation = evaluate(test_set, runs, ["chrF"], settings.sampling)
    comparison = compare(evaluation.scores, test_set.documents, settings)
    file: Path = tmp_path_factory.mktemp("report") / "comparison.html"
    file.write_text(to_html(analysed_report(evaluation, comparison)), encoding="utf-8")
    return file.as_uri()


def test_ten_systems_side_by_side(page: Any, comparison_address: str) -> None:
    page.goto(comparison_address)
    status(page, "2,000 of 2,000 segments")
    assert page.locator(".segments article").first.get_by_text("s9", exact=True).count() == 1
    page.locator("summary", has_text="chrF by kind of segment").click()
    page.locator('td a[href^="#facet.document="], th a[href^="#facet.document="]').first.click()
    status(page, "20 of 2,000 segments")
    page.locator("summary", has_text="s0 against s1").click()
    page.locator('td a[href^="#q=%3D"], th a[href^="#q=%3D"]').first.click()
    status(page, "1 of 2,000 segments")
    page.goto(f"{comparison_address}#q=%3D141")
    status(page, "1 of 2,000 segments")
    shows(page, ".segment h3", ["141"])


@pytest.mark.parametrize(("width", "shown"), [(1280, "large"), (360, "small")])
def test_a_chart_is_drawn_to_fit(page: Any, tmp_path: Path, width: int, shown: str) -> None:
    points = tuple(Point(n * 7 % 20, n, f"SYSTEM-{n}", f"type {n % 5}") for n in range(20))
    report = Report("Charts", "", (), (), {}, charts=(Scatter("Chart", "x", "y", points),))
    file = tmp_path / "chart.html"
    file.write_text(to_html(report), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(file.as_uri())
    drawing = page.get_by_role("img", name="Chart")
    assert drawing.count() == 1
    assert shown in drawing.get_attribute("class")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [label.bounding_box() for label in drawing.locator(".label").all()]
    assert len(boxes) > 5
    assert all(box["height"] > 9 for box in boxes)
    for a, b in combinations(boxes, 2):
        apart = abs(a["x"] - b["x"]) >= (a if a["x"] < b["x"] else b)["width"]
        assert apart or abs(a["y"] - b["y"]) >= 9


def test_a_cell_of_a_heat_map_opens_its_segments_with_the_marks(page: Any, tmp_path: Path) -> None:
    """Characters beyond the basic plane stand before the mark, and the mark is exact."""
    marks = (
        Annotation("A", "2", "ann", 2, 4, "target", "Accuracy/Mistranslation", "major"),
        Annotation("A", "3", "ann", 0, 1, "source", "Accuracy/Omission", "minor"),
        Annotation("A", "3", "ann", 3, 3, "target", "Accuracy/Omission", "minor"),
    )
    rated = tuple(Rating("A", segment, "ann") for segment in "123")
    texts = AnnotatedTexts(
        {segment: f"𠮷換熱器{segment}" for segment in "123"},
        {("A", segment): f"𝒙 valve {segment}" for segment in "123"},
    )
    analysis = ErrorAnalysis(Annotations(rated, marks), WEIGHTS["wmt"], texts)
    tables = tuple(analysis.tables())
    report = Report("Errors", "", (), tables, {}, explorer=analysis.explorer())
    file = tmp_path / "errors.html"
    file.write_text(to_html(report), encoding="utf-8")
    page.goto(file.as_uri())
    status(page, "3 of 3 segments")
    page.locator("tr", has_text="Accuracy/Mistranslation").locator("td.heat a").first.press("Enter")
    status(page, "1 of 3 segments")
    shows(page, ".segment h3", ["2"])
    shows(page, ".segment mark.finding", ["va"])
    page.locator("tr", has_text="Accuracy/Omission").locator("td.heat a").first.click()
    status(page, "1 of 3 segments")
    shows(page, ".segment h3", ["3"])
    shows(page, ".segment mark.finding", ["𠮷"])


def test_a_long_table_shows_more_rows_and_finds_some(page: Any, tmp_path: Path) -> None:
    columns = (Column("better"), Column("worse"), Column("difference"), Column("rated"))
    rows = tuple(
        (f"s{a}", f"s{b}", Estimate(b - a, (0.5, b + 0.5), 9), Rated(b, None, 9, "BCX"[a % 3], "*"))
        for a, b in combinations(range(40), 2)
    )
    report = Report("Many", "", (), (Table("Pairs", columns, rows),), {})
    (tmp_path / "long.html").write_text(to_html(report), encoding="utf-8")
    page.goto((tmp_path / "long.html").as_uri())
    said, body = page.locator("[data-rows] span"), page.locator("tbody tr")
    playwright.expect(said).to_have_text("100 of 780 rows")
    made = "rows => rows.slice(0, 100).map((row) => row.innerHTML).join()"
    before = body.evaluate_all(made)
    page.get_by_role("button", name="500 more").click()
    playwright.expect(said).to_have_text("600 of 780 rows")
    assert body.count() == 600
    assert strip_blanks(body.evaluate_all(made)) == strip_blanks(before)
    page.get_by_role("button", name="180 more").click()
    playwright.expect(page.locator("[data-rows] button")).to_be_hidden()
    page.get_by_label("Search").fill("S39 s7")
    playwright.expect(said).to_have_text("1 of 1 rows")
    assert body.inner_text().split() == [
        "s7",
        "s39",
        "32.00",
        "[0.50,",
        "39.50]",
        "39.00",
        "Grade",
        "C*",
    ]


DAMAGED = "This part cannot be shown: the browser is too old, or the page is damaged"


def with_long_tables(report: Report) -> str:
    """A page with an explorer and four folded long tables."""
    rows = tuple((f"row {number}",) for number in range(300))
    tables = tuple(Table(title, (Column("name"),), rows, section=title) for title in "ABCD")
    return to_html(replace(report, tables=tables))


def test_one_damaged_part_leaves_the_others_whole(
    page: Any, tmp_path: Path, explored_report: Report
) -> None:
    html = with_long_tables(explored_report)
    for name in ("data", "rows-2"):
        opening = f'<script id="{name}" type="application/json">'
        assert opening in html
        html = html.replace(opening, opening + "?")
    (tmp_path / "damaged.html").write_text(html, encoding="utf-8")
    page.goto((tmp_path / "damaged.html").as_uri() + "#table-4")
    said = page.locator("[data-rows] span")
    playwright.expect(said).to_have_text(["100 of 300 rows"] * 3)
    playwright.expect(page.locator("#segments [role=alert]")).to_contain_text(DAMAGED)
    playwright.expect(page.locator("#table-2 [role=alert]")).to_contain_text(DAMAGED)
    playwright.expect(page.locator("#segments form")).to_be_hidden()
    playwright.expect(page.locator("#table-4")).to_be_in_viewport()


def test_a_browser_that_cannot_unpack_says_so(
    page: Any, tmp_path: Path, explored_report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patmark.report.html._PACKED_FROM", 0)
    (tmp_path / "packed.html").write_text(with_long_tables(explored_report), encoding="utf-8")
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto((tmp_path / "packed.html").as_uri())
    said = page.get_by_role("alert", include_hidden=True)
    playwright.expect(said).to_contain_text(["DecompressionStream is not defined"] * 5)


def strip_blanks(html: str) -> str:
    """Elements without what stands between them, and styles without their blanks."""
    return re.sub(r"\s+|;(?=\")", "", html)
