"""Texts in a real browser, by keyboard alone: references, post-editing, and what is said freely."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from campaign_site import OUTPUTS, MakeSite, Site, invented_plan, is_saved
from campaigns import post_edit_form
from patmark.human.campaign import Plan
from patmark.human.campaign.export import campaign_export, write_export

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
expect = playwright.expect

_NEW = "熱交換器は、𠮷田式フィン（10）を備える。é"  # an astral sign, and é in two code points


def _plan(pages: int = 2, highest: int = 10_000, drafts: bool = True) -> Plan:
    plan = invented_plan("write-reference", pages, target="ja")
    question = replace(plan.form.questions[0], highest=highest)
    shown = plan.pages if drafts else [
        replace(page, candidates=tuple(replace(one, text="") for one in page.candidates))
        for page in plan.pages
    ]  # fmt: skip
    shown = [replace(page, phase="main") for page in shown]
    return replace(plan, form=replace(plan.form, questions=(question,)), pages=tuple(shown))


def _answer(site: Site, place: int = 0) -> Any:
    [stored] = site.store.answers(site.campaign, "rater-1", site.page_ids()[place])
    return stored.answer


def test_from_draft_to_test_set_by_keyboard(page: Any, make_site: MakeSite, tmp_path: Path) -> None:
    """Write, reload in the middle, finish; accept the draft of the second page; change; export."""
    site = make_site(_plan())
    site.begin(page)
    first, second = site.page_ids()
    field = page.locator("textarea.written")
    draft = field.input_value()
    assert draft == page.locator(".candidate .text").inner_text() != ""
    assert field.get_attribute("lang") == "ja"
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(_NEW[:9])
    expect(page.locator("#saving")).to_have_text("Saved")
    assert (_answer(site).value, _answer(site).detail) == (None, {"unfinished": _NEW[:9]})
    page.reload()
    expect(field).to_have_value(_NEW[:9])
    assert site.store.state_of(site.campaign, "rater-1").done == set()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(_NEW[9:])
    page.keyboard.press("Control+Enter")
    expect(page.locator(".finish")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("fieldset.question")).to_be_focused()
    is_saved(page)
    assert (_answer(site).value, dict(_answer(site).detail)) == (_NEW, {})
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/page/{second}")
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    page.keyboard.press("Control+Enter")
    is_saved(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/done")
    page.goto(f"{site.root}/page/{first}")
    expect(field).to_have_value(_NEW)
    page.keyboard.press("Tab")
    field.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("!")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(field).to_be_focused()  # what was changed is open again
    page.keyboard.press("Control+Enter")
    is_saved(page)
    page.keyboard.press("u")
    page.keyboard.press("u")
    expect(field).to_have_value(_NEW)
    is_saved(page)
    target = tmp_path / "references.jsonl"
    write_export(campaign_export(site.store.state(site.campaign)), "testset", target)
    rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [row["references"] for row in rows] == [[_NEW], [draft]]
    assert [row["meta"]["written"][0]["distance"] == 0 for row in rows] == [False, True]


def test_going_on_finishes_what_was_typed_and_leaves_an_untouched_draft_open(
    page: Any, make_site: MakeSite
) -> None:
    site = make_site(_plan())
    site.begin(page)
    first, second = site.page_ids()
    page.locator("#next").click()
    page.wait_for_url(f"**/page/{second}")
    assert site.values() == {}
    page.locator("textarea.written").fill(_NEW)
    page.locator("#next").click()
    page.wait_for_url(f"**/page/{first}")
    assert _answer(site, 1).value == _NEW


def test_too_long_a_text_is_told_kept_and_not_finished(page: Any, make_site: MakeSite) -> None:
    """Characters are counted, not units of UTF-16; nothing is cut off."""
    site = make_site(_plan(1, highest=10, drafts=False))
    site.begin(page)
    expect(page.locator(".candidate h2")).to_have_text("There is no draft")
    field, problem = page.locator("textarea.written"), page.locator(".problem")
    field.focus()
    page.keyboard.press("Control+Enter")
    expect(problem).to_have_text("There is no text yet.")
    page.keyboard.insert_text("𠮷" * 12)
    expect(problem).to_contain_text("Too long: 12 characters, and at most 10 are allowed.")
    page.keyboard.press("Control+Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    is_saved(page)
    assert dict(_answer(site).detail) == {"unfinished": "𠮷" * 12}
    page.locator("#next").click()
    page.wait_for_url("**/page/*")
    expect(field).to_have_value("𠮷" * 12)
    field.focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(problem).to_be_empty()
    page.keyboard.press("Control+Enter")
    is_saved(page)
    assert _answer(site).value == "𠮷" * 10


def test_a_text_survives_a_closed_page_and_an_input_method(
    new_page: Callable[..., Any], make_site: MakeSite
) -> None:
    """Nothing half composed is saved; what was typed a moment before the page closed is."""
    site = make_site(_plan(1, drafts=False))
    page = new_page()
    site.begin(page)
    field = page.locator("textarea.written")
    field.focus()
    typed = """(text) => {
      const field = document.querySelector("textarea.written");
      field.value = text;
      field.dispatchEvent(new InputEvent("input", { isComposing: true, bubbles: true }));
    }"""
    page.evaluate(typed, "ねつ")
    page.wait_for_timeout(1500)
    assert site.values() == {}
    page.evaluate("document.querySelector('textarea.written').value = ''")
    page.keyboard.insert_text("熱交換器")
    page.goto(f"{site.root}/guideline")
    page.goto(f"{site.root}/next")
    expect(field).to_have_value("熱交換器")
    is_saved(page)
    assert dict(_answer(site).detail) == {"unfinished": "熱交換器"}


@pytest.mark.parametrize(
    ("language", "finish", "heading"),
    [("en", "Finished", "Draft"), ("zh", "写完了", "初稿"), ("ja", "書き終えた", "下訳")],
)
def test_the_words_of_the_page(
    new_page: Callable[..., Any], make_site: MakeSite, language: str, finish: str, heading: str
) -> None:
    site = make_site(_plan(1))
    page = new_page(locale=language)
    site.begin(page)
    expect(page.locator(".finish")).to_contain_text(finish)
    expect(page.locator(".candidate h2")).to_have_text(heading)


def test_the_organiser_sees_edits_and_takes_the_test_set(page: Any, make_site: MakeSite) -> None:
    site = make_site(_plan(1))
    site.begin(page)
    page.locator("textarea.written").fill(_NEW)
    page.locator(".finish").click()
    is_saved(page)
    page.goto(f"{site.address}/o/{site.organiser_secret}")
    page.locator("main form button").click()
    row = page.locator("#written tbody tr").first.locator("td").all_inner_texts()
    assert row[:4] == ["1", str(len(_NEW)), "1", "0"]
    with page.expect_download() as started:
        page.get_by_role("link", name="Test set with the written references").click()
    [record] = map(json.loads, Path(started.value.path()).read_text(encoding="utf-8").splitlines())
    assert record["references"] == [_NEW]


def test_post_editing_and_free_texts_of_an_own_form(
    new_page: Callable[..., Any], make_site: MakeSite
) -> None:
    """Mend an output, say why by an input method, reload, go on; all of it stands in the review."""
    plan = invented_plan("mqm", 2)
    site = make_site(replace(plan, form=post_edit_form(required=True)))
    page = new_page()
    site.begin(page)
    draft = OUTPUTS[0][0]
    mended, why, about = (page.locator(f"#q-{name} textarea") for name in
                          ("A-mended", "A-why", "page-page"))  # fmt: skip
    expect(mended).to_have_value(draft)
    assert mended.get_attribute("lang") == "en" and why.get_attribute("lang") is None
    assert page.locator(".finish").count() == 1
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(mended).to_be_focused()
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text("此")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Enter")
    expect(why).to_be_focused()
    ime = page.context.new_cdp_session(page)
    composing = {"text": "nandao", "selectionStart": 6, "selectionEnd": 6}
    ime.send("Input.imeSetComposition", composing)
    page.wait_for_timeout(1500)
    assert "A|why" not in site.values()
    ime.send("Input.insertText", {"text": "难道"})
    is_saved(page)
    page.reload()
    expect(why).to_have_value("难道")
    expect(mended).to_have_value(f"此{draft}")
    about.fill("両方とも良い")
    page.locator("#next").click()
    page.wait_for_url(f"**/page/{site.page_ids()[1]}")
    found = site.values(page=site.page_ids()[0])
    assert found == {
        "A|usable": "3", "A|mended": f"此{draft}", "A|why": "难道", "|page": "両方とも良い",
    }  # fmt: skip
    page.locator("#previous").click()
    page.wait_for_url(f"**/page/{site.page_ids()[0]}")
    about.fill("")
    why.fill("x" * 201)
    expect(page.locator("#q-A-why .problem")).to_contain_text("Too long: 201 characters")
    page.locator("#next").click()
    page.wait_for_url(f"**/page/{site.page_ids()[1]}")
    found = site.values(page=site.page_ids()[0])
    assert found["|page"] is None and found["A|why"] is None
    page.goto(f"{site.root}/review")
    row = page.locator(".review li.panel").first
    expect(row.locator("h2 .badge")).to_have_text("open")
    expect(row).to_contain_text(f"Mend the translation 此{draft}"[:60])
