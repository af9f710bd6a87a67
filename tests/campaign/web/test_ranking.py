"""A ranking that is not complete yet."""

from __future__ import annotations

from typing import Any

import pytest

from campaign_site import MakeSite, invented_plan

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
playwright.expect.set_options(timeout=60_000)
pytestmark = pytest.mark.browser
expect = playwright.expect


def test_half_a_ranking_survives_a_reload_and_is_no_answer(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("ranking", 1))
    page.goto(site.link())
    page.get_by_role("button", name="Start").click()
    page.goto(f"{site.root}/next")
    page.keyboard.press("3")
    page.keyboard.press("1")
    expect(page.locator("#saving")).to_have_text("Saved")
    assert site.values() == {"|preference": None}
    assert site.store.state_of(site.campaign, "rater-1").done == frozenset()
    page.reload()
    chosen = page.locator("#q-page-preference input:checked")
    expect(chosen).to_have_count(2)
    assert [one.get_attribute("value") for one in chosen.all()] == ["3", "1"]
    page.keyboard.press("3")
    expect(page.locator("#q-page-preference output")).to_have_text("Order: B>A=C")
    page.get_by_role("button", name="Take back").click()
    expect(chosen).to_have_count(0)
    page.keyboard.press("u")
    expect(page.locator("#q-page-preference output")).to_have_text("Order: B>A=C")
    expect(page.locator("#saving.waiting")).to_have_count(0)
    assert site.values() == {"|preference": "B>A=C"}
