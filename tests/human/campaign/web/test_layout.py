"""What a page shows: light and dark, groups of questions, markup in texts, languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from axe import violations
from campaign_site import MakeSite, Site, invented_plan

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
expect = playwright.expect


def test_screen_in_the_dark(new_page: Callable[..., Any], make_site: MakeSite) -> None:
    site = make_site(invented_plan("acceptability", 1))
    page = new_page(color_scheme="dark")
    site.begin(page)
    assert violations(page) == []
    page.keyboard.press("n")
    assert violations(page) == []
    page.keyboard.press("?")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.locator("html").get_attribute("data-theme") == "light"
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "light"
    assert violations(page) == []


def test_groups_have_legends(page: Any, site: Site) -> None:
    site.begin(page)
    group = page.get_by_role("group", name="Text B: How much of the meaning")
    assert group.get_by_role("radio").count() == 5
    expect(group.get_by_role("radio", name="All of the meaning")).to_have_accessible_description(
        "Every piece arrives, and who does what to what is right for the whole sentence."
    )
    assert page.get_by_role("status").count() >= 1
    assert page.locator("main h2").first.inner_text() == "Source text"


def test_markup_in_texts_is_inert(page: Any, site: Site) -> None:
    """The console stays empty: a script in a text would have been refused aloud, or run."""
    site.begin(page)
    text = page.locator("#candidate-A .text")
    assert "<script>alert(1)</script> &" in text.inner_text()
    assert text.locator("script").count() == 0
    assert "<b>和</b>" in page.locator(".source .text").inner_text()
    page.keyboard.press("d")
    expect(page.locator("#context dd").first).to_have_text("换热器 <i>")


def test_language_can_be_changed_anywhere(page: Any, site: Site) -> None:
    site.begin(page)
    address = page.url
    page.get_by_role("button", name="日本語").click()
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    assert page.url == address
    expect(page.locator("#next")).to_contain_text("次へ")
    expect(page.locator("legend").first).to_contain_text("テキスト A")
