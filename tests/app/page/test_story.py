"""People at the desk, in a real browser: with a mouse, with the keyboard alone, on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from patmark.examples import example_path

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.browser
expect = playwright.expect

_DROP = """(files) => {
  const moved = new DataTransfer();
  for (const { name, text } of files) moved.items.add(new File([text], name));
  return moved;
}"""
# Chromium drops keys that are pressed before the first frame of a page.
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_WIDER = "() => document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def new_page(browser: Any, desk: str) -> Iterator[Callable[..., Any]]:
    """Opens the desk, empty; nothing may be written to the console."""
    contexts, problems = [], []

    def opened(width: int = 1280, locale: str = "en-GB") -> Any:
        size = {"width": width, "height": 900}
        contexts.append(browser.new_context(viewport=size, locale=locale, reduced_motion="reduce"))
        page = contexts[-1].new_page()
        page.set_default_timeout(90_000)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(desk)
        for one in page.request.get(f"{desk}files").json():
            page.request.delete(f"{desk}files/{one['id']}")
        page.reload()
        page.evaluate(_PAINTED)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


def drop(page: Any, *names: str) -> None:
    """Drop bundled examples on the page, as from a file manager."""
    files = [
        {"name": Path(name).name, "text": example_path(name).read_text(encoding="utf-8")}
        for name in names
    ]
    moved = page.evaluate_handle(_DROP, files)
    page.locator("#drop").dispatch_event("drop", {"dataTransfer": moved})
    expect(page.locator("#files li")).to_have_count(len(names))


def check(page: Any) -> None:
    """No serious finding of axe-core, and nothing beyond the edge."""
    found = axe.Axe().run(page).response["violations"]
    assert [one["help"] for one in found if one["impact"] in ("serious", "critical")] == []
    assert page.evaluate(_WIDER) <= 0


def test_drop_a_translation_and_its_reference_and_read_the_report(
    new_page: Callable[..., Any],
) -> None:
    page = new_page()
    check(page)
    drop(page, "ja_en/atlas.en", "ja_en/reference.en", "ja_en/source.ja")
    kinds = [select.input_value() for select in page.locator("#files select").all()]
    assert kinds == ["hypothesis", "reference", "source"]
    expect(page.get_by_label("Translated from")).to_have_value("ja")
    expect(page.get_by_label("Translated into")).to_have_value("en")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#state")).to_have_text("Done.")
    check(page)
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Read the report").click()
    report = popup.value
    expect(report.locator("h1")).to_have_text("Translation quality")
    expect(report.locator("body")).to_contain_text("BLEU")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download the report").click()
    assert saved.value.suggested_filename == "report.html"
    assert "BLEU" in Path(saved.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("locale", "start", "done", "read"),
    [
        ("zh-CN", "开始", "完成。", "查看报告"),
        ("ja-JP", "始める", "完了しました。", "レポートを読む"),
    ],
)
def test_in_chinese_and_japanese(
    new_page: Callable[..., Any], locale: str, start: str, done: str, read: str
) -> None:
    page = new_page(width=400, locale=locale)
    drop(page, "en_zh/atlas.zh", "en_zh/reference.zh")
    check(page)
    assert page.locator("html").get_attribute("lang") == locale[:2]
    page.get_by_role("button", name=start, exact=True).click()
    expect(page.locator("#state")).to_have_text(done)
    expect(page.locator("#talk")).to_be_empty()
    check(page)
    with page.expect_popup() as popup:
        page.get_by_role("link", name=read).click()
    expect(popup.value.locator("body")).to_contain_text("BLEU")
    assert popup.value.locator("html").get_attribute("lang") == locale[:2]


def test_with_the_keyboard_alone(new_page: Callable[..., Any], tmp_path: Path) -> None:
    page = new_page()
    page.locator("#pick").focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    names = ("atlas.en", "borealis.en", "reference.en")
    chooser.value.set_files([example_path(f"ja_en/{name}") for name in names])
    expect(page.locator("#files li")).to_have_count(3)
    task = page.locator("[name=task]:checked")
    expect(task).to_have_value("compare")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.main')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("Done.")
    assert page.evaluate("document.activeElement.id") == "read"
    with page.expect_popup() as popup:
        page.keyboard.press("Enter")
    expect(popup.value.locator("body")).to_contain_text("borealis")


def test_on_a_phone_what_went_wrong_is_said(new_page: Callable[..., Any]) -> None:
    page = new_page(width=400)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_have_text("Drop or choose files first.")
    drop(page, "ja_en/atlas.en", "en_zh/reference.zh")
    check(page)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#failure")).to_contain_text("reference.zh has")
    check(page)
    page.get_by_role("button", name="Remove atlas.en").click()
    expect(page.locator("#files li")).to_have_count(1)


def test_claims_are_checked_by_the_rules_of_an_office(new_page: Callable[..., Any]) -> None:
    page = new_page()
    text = "1. A pump comprising a housing.\n2. The pump of claim 9, wherein it is steel.\n"
    draft = {"name": "draft.txt", "mimeType": "text/plain", "buffer": text.encode()}
    page.set_input_files("#pick", draft)
    expect(page.locator("[name=task]:checked")).to_have_value("lint")
    page.get_by_label("Rules of").select_option("epo")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#answer")).to_contain_text("dependency-missing")
    expect(page.get_by_role("link", name="Download the tables (CSV)")).to_be_hidden()


@pytest.mark.parametrize(("name", "task"), [("a.XHTML", "check"), ("a.txt", "score")])
def test_a_whole_document_suggests_the_check(
    new_page: Callable[..., Any], name: str, task: str
) -> None:
    page = new_page()
    moved = page.evaluate_handle(_DROP, [{"name": name, "text": "<p>A pump has a housing.</p>"}])
    page.locator("#drop").dispatch_event("drop", {"dataTransfer": moved})
    expect(page.locator("#files li")).to_have_count(1)
    assert (
        page.evaluate(
            "() => document.querySelector('[name=task]:checked, select[name=task]').value"
        )
        == task
    )
