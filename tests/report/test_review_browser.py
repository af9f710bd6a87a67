"""The page of a check in a real browser: reading, filters, verdicts by key, the saved review."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import patmark
from axe import violations
from command_line import patmark as run
from patmark.report import in_language, to_html

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
SOURCE = """背景技术
阀门是已知的。它们通常由不锈钢制成，并且价格昂贵。
具体实施方式
壳体10具有入口12和出口14。阀体16的长度为5mm以上。温度不超过80℃。
弹簧18位于阀座20的上游侧。
"""
TARGET = """BACKGROUND ART
Valves are known.
DESCRIPTION OF EMBODIMENTS
The housing 10 has an inlet 12 and an outlet 14. The valve body 16 has a length of 5 mm or less. \
The temperature does not exceed 60 °C.
The spring 18 is located on the upstream side of the valve seat 20.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files and the pages of their check in three languages."""
    made = tmp_path_factory.mktemp("check")
    (made / "valve.zh.txt").write_text(SOURCE, encoding="utf-8")
    (made / "valve.en.txt").write_text(TARGET, encoding="utf-8")
    report = patmark.check(made / "valve.zh.txt", made / "valve.en.txt").to_report()
    for language in ("en", "zh", "ja"):
        page = to_html(in_language(report, language))
        (made / f"{language}.html").write_text(page, encoding="utf-8")
    return made


def test_a_reviewer_judges_by_keys_and_the_check_states_the_precision(
    page: Any, folder: Path, tmp_path: Path
) -> None:
    page.goto((folder / "en.html").as_uri())
    status = page.get_by_role("status")
    playwright.expect(status).to_contain_text("3 of 3 findings shown")
    for key in ("j", "a", "j", "a", "j", "r"):
        page.keyboard.press(key, delay=150)
    playwright.expect(status).to_contain_text("3 judged, 2 accepted")
    page.reload()
    playwright.expect(page.get_by_role("status")).to_contain_text("3 judged, 2 accepted")
    page.keyboard.press("k")
    page.keyboard.press("u")
    playwright.expect(page.get_by_role("status")).to_contain_text("2 judged, 2 accepted")
    page.keyboard.press("r")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save review").click()
    review = tmp_path / "review.json"
    saved.value.save_as(review)
    content = json.loads(review.read_text(encoding="utf-8"))
    verdicts = [one["verdict"] for one in content["documents"][0]["findings"]]
    assert verdicts == ["accepted", "accepted", "rejected"]
    done = run(folder, "check", "valve.zh.txt", "valve.en.txt", "--review", review, "--full")
    assert done.returncode == 0 and "Precision by the review" in done.stdout


def test_filters_hide_findings_rows_and_marks(page: Any, folder: Path) -> None:
    page.goto((folder / "en.html").as_uri())
    page.locator("select[name=kind]").select_option("limit")
    playwright.expect(page.get_by_role("status")).to_contain_text("1 of 3 findings shown")
    playwright.expect(page.locator(".review mark:not(.off)")).to_have_text(
        ["5mm以上", "5 mm or less"], use_inner_text=True
    )
    page.locator("select[name=rows]").select_option("found")
    assert page.locator(".review .row:visible").count() == 1
    page.locator("select[name=kind]").select_option("")
    page.locator(".review mark", has_text="60").click()
    assert page.locator(".finding.current").inner_text().startswith("error number")


@pytest.fixture(scope="module")
def long_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with more findings than fit on a screen, in rows of many heights."""
    made = tmp_path_factory.mktemp("long")
    rows = [
        f"第{n}部件的长度为{n}5mm，{'它由钢制成，' * (n % 7)}并且是平的。" for n in range(2, 42)
    ]
    words = [
        f"The part of number {n} has a length of {n}{5 if n % 3 else 6} mm, "
        f"{'it is made of steel, ' * (n % 7)}and is flat."
        for n in range(2, 42)
    ]
    for name, lines in (("a.zh.txt", rows), ("a.en.txt", words)):
        (made / name).write_text("\n".join(lines), encoding="utf-8")
    report = patmark.check(made / "a.zh.txt", made / "a.en.txt").to_report()
    (made / "page.html").write_text(to_html(report), encoding="utf-8")
    return made / "page.html"


@pytest.mark.parametrize("width", [1300, 820])
def test_the_filters_never_cover_what_is_jumped_to(page: Any, long_page: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 500})
    page.goto(long_page.as_uri())
    seen = set()
    for key in "jjjjjjjjjjkkkkjj":
        page.keyboard.press(key, delay=50)
        bar = page.locator(".filters").bounding_box()
        note = page.locator(".finding.current").bounding_box()
        assert bar["y"] + bar["height"] <= note["y"] < 500
        seen.add(page.locator(".finding.current").get_attribute("id"))
    assert len(seen) > 8
    page.locator(".worst a").nth(4).click()
    bar = page.locator(".filters").bounding_box()
    assert bar["y"] + bar["height"] <= page.locator(".finding:target").bounding_box()["y"]


def test_the_first_part_says_what_was_compared_and_quotes_the_worst_findings(
    page: Any, folder: Path
) -> None:
    page.goto((folder / "en.html").as_uri())
    titles = page.locator("h2").all_inner_texts()
    assert titles[:3] == ["Result", "Documents", "Most severe findings"]
    verdict = page.locator("#findings li").first
    assert verdict.inner_text() == "Verdict: fail (3 errors, 0 warnings)"
    compared = page.locator("table").first.inner_text()
    assert "valve.zh.txt" in compared and "valve.en.txt" in compared and "zh-en" in compared
    omitted, limit, _ = page.locator(".worst li").all_inner_texts()
    assert "它们通常由不锈钢制成，并且价格昂贵。" in omitted and "no counterpart" in omitted
    assert "阀体16的长度为5mm以上。" in limit and "a length of 5 mm or less." in limit
    assert page.locator(".worst li").nth(1).locator("mark").all_inner_texts() == [
        "5mm以上", "5 mm or less",
    ]  # fmt: skip
    page.get_by_role("link", name="limit").click()
    assert page.locator(".finding:target").inner_text().startswith("error limit")


def test_a_printed_page_keeps_both_texts_side_by_side(page: Any, folder: Path) -> None:
    page.goto((folder / "en.html").as_uri())
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    boxes = [page.locator(".row .side").nth(n).bounding_box() for n in (0, 1)]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] < boxes[1]["x"]
    assert not page.locator(".filters").is_visible()


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(page: Any, folder: Path, language: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto((folder / f"{language}.html").as_uri())
    assert violations(page) == []
    page.set_viewport_size({"width": 400, "height": 800})
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not page.evaluate(wide)


@pytest.mark.parametrize("content", ["{", "[]", '{"format": "other", "version": 1}'])
def test_a_file_that_is_no_review_is_refused(folder: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "review.json").write_text(content, encoding="utf-8")
    review = tmp_path / "review.json"
    done = run(folder, "check", "valve.zh.txt", "valve.en.txt", "--review", review)
    assert done.returncode == 2 and "review.json" in done.stderr
