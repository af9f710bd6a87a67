"""The whole way of an evaluator in a real browser, by keyboard only."""

from __future__ import annotations

from typing import Any

import pytest

from campaign_site import MakeSite, Site, invented_plan

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
playwright.expect.set_options(timeout=20_000)
pytestmark = pytest.mark.browser
expect = playwright.expect


def enter(page: Any, site: Site, evaluator: str = "rater-1") -> None:
    """Open the private link and press its button."""
    page.goto(site.link(evaluator))
    page.get_by_role("button", name="Start").press("Enter")
    page.wait_for_url(f"{site.address}/")


def begin(page: Any, site: Site, evaluator: str = "rater-1") -> None:
    """Enter and go to the first open page."""
    enter(page, site, evaluator)
    page.goto(f"{site.address}/next")


def is_saved(page: Any) -> None:
    expect(page.locator("#saving")).to_have_text("Saved")


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def test_adequacy_from_link_to_end(page: Any, make_site: MakeSite) -> None:
    """Training with feedback, judging, a reload in the middle, review and change, the end."""
    expected = {"A": {"adequacy": "5"}, "B": {"adequacy": "3"}, "C": {"adequacy": "2"}}
    site = make_site(invented_plan("adequacy", 2, 1, expected, pass_mark=0.6))
    train, first, second = site.page_ids()
    enter(page, site)
    assert site.links["rater-1"] not in page.url
    page.get_by_role("link", name="Read the guidelines and begin").press("Enter")
    expect(page.get_by_role("heading", name="Adequacy")).to_be_visible()
    page.get_by_role("link", name="Go to the first open page").press("Enter")
    page.wait_for_url(f"**/page/{train}")
    press(page, "5 3 1")
    expect(page.locator("#feedback")).to_contain_text("2 of 3 answers")
    expect(page.locator("#q-C-adequacy .feedback")).to_contain_text("The reference answer is 2")
    expect(page.locator("#q-A-adequacy .feedback")).to_contain_text(
        "Right. The reference answer is 5"
    )
    page.keyboard.press("Enter")
    page.wait_for_url("**/training")
    expect(page.locator("main")).to_contain_text("2 of 3 answers agree")
    page.get_by_role("link", name="Go on").press("Enter")

    page.wait_for_url(f"**/page/{first}")
    press(page, "4 2")
    is_saved(page)
    page.reload()
    expect(page.locator("#q-A-adequacy input[value='4']")).to_be_checked()
    expect(page.locator("#q-B-adequacy input[value='2']")).to_be_checked()
    expect(page.locator("#q-C-adequacy")).to_have_class("question kind-grade now")
    press(page, "1 u")
    expect(page.locator("#saving")).to_have_text("Undone")
    assert page.locator("#q-C-adequacy input:checked").count() == 0
    press(page, "3")
    is_saved(page)
    assert site.values(page=first) == {"A|adequacy": "4", "B|adequacy": "2", "C|adequacy": "3"}
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/page/{second}")
    press(page, "k j j j k 5")
    expect(page.locator("#q-B-adequacy input[value='5']")).to_be_checked()
    press(page, "5 5 Enter")
    page.wait_for_url("**/done")

    page.get_by_role("link", name="My answers").first.press("Enter")
    page.get_by_role("link", name="Page 1", exact=True).press("Enter")
    page.wait_for_url(f"**/page/{first}")
    press(page, "5")
    is_saved(page)
    page.goto(f"{site.address}/review")
    expect(page.locator(".review li.panel").nth(1)).to_contain_text("A 5")
    assert site.values(page=first)["A|adequacy"] == "5"
    assert site.store.answers(site.campaign, "rater-2") == []


def test_acceptability_by_its_chart(page: Any, make_site: MakeSite) -> None:
    """The grade follows from the answers; it can also be chosen, and be out of reach."""
    site = make_site(invented_plan("acceptability", 2))
    begin(page, site)
    press(page, "y y y n")
    expect(page.locator("#q-A-acceptability output")).to_have_text("Grade: B")
    press(page, "n")
    expect(page.locator("#q-B-acceptability output")).to_have_text("Grade: F")
    press(page, "5")
    expect(page.locator("#q-C-acceptability output")).to_have_text("Grade: AA")
    is_saved(page)
    first, second = site.page_ids()
    answers = {
        one.answer.candidate: one.answer
        for one in site.store.answers(site.campaign, "rater-1", first)
    }
    steps = {"important": "yes", "understood": "yes", "easy": "yes", "grammar": "no"}
    assert answers["A"].detail == {"steps": steps}
    assert {label: one.value for label, one in answers.items()} == {"A": "B", "B": "F", "C": "AA"}
    press(page, "k k y")
    expect(page.locator("#q-A-acceptability output")).to_have_text("Grade: B")
    page.locator("#q-A-acceptability [data-step='easy'] input[value='no']").click()
    expect(page.locator("#q-A-acceptability output")).to_have_text("Grade: C")
    is_saved(page)
    assert site.values(page=first)["A|acceptability"] == "C"
    page.locator("#next").press("Enter")
    page.wait_for_url(f"**/page/{second}")
    press(page, "x")
    page.keyboard.type("the text is cut off")
    page.keyboard.press("Enter")
    expect(page.locator("#q-A-acceptability .reason")).to_contain_text("cut off")
    press(page, "j n n")
    is_saved(page)
    page.reload()
    expect(page.locator("#q-A-acceptability .reason")).to_contain_text("cut off")
    assert second in site.store.done_pages(site.campaign, "rater-1")
