"""Nothing is lost: no connection, a crash, two windows, an ended session."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from campaign_site import MakeSite, Site, invented_plan, press
from patmark.human.campaign import Answer

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
expect = playwright.expect
FAILED = "Failed to load resource: net::"


def is_saved(page: Any) -> None:
    expect(page.locator("#saving.waiting")).to_have_count(0)


def forgive(problems: list[str], beginning: str) -> None:
    """Take expected lines out of the console."""
    problems[:] = [line for line in problems if not line.startswith(beginning)]


def test_without_connection(page: Any, site: Site, problems: list[str]) -> None:
    """Answers wait on the device and are sent in order; the page waits with them."""
    site.begin(page)
    first, second = site.page_ids()[:2]
    press(page, "5")
    is_saved(page)
    page.context.set_offline(True)
    press(page, "4 u 3")
    expect(page.get_by_role("alert")).to_contain_text("No connection")
    press(page, "2 Enter")
    expect(page.locator("#saving")).to_contain_text("the page changes when they are saved")
    assert page.url.endswith(first)
    assert site.values() == {"A|adequacy": "5"}
    page.context.set_offline(False)
    page.wait_for_url(f"**/page/{second}")
    assert site.values(page=first) == {"A|adequacy": "5", "B|adequacy": "3", "C|adequacy": "2"}
    forgive(problems, FAILED)


def test_fast_changes_are_no_conflict(page: Any, site: Site) -> None:
    site.begin(page)
    press(page, "5 u 4 u 3 k 2")
    is_saved(page)
    assert site.values() == {"A|adequacy": "2"}
    expect(page.get_by_role("alert")).to_be_empty()


def test_a_crash_before_the_save(page: Any, site: Site, problems: list[str]) -> None:
    page.route("**/api/answer", lambda route: route.abort())
    site.begin(page)
    first = site.page_ids()[0]
    press(page, "4 2")
    expect(page.locator("#saving")).to_have_text("No connection: 2 kept here")
    page.unroute("**/api/answer")
    page.route("**/api/answer", lambda route: route.abort())
    page.reload()
    expect(page.locator("#q-A-adequacy input[value='4']")).to_be_checked()
    assert site.values() == {}
    page.unroute("**/api/answer")
    page.goto(f"{site.root}/page/{site.page_ids()[1]}")
    is_saved(page)
    assert site.values(page=first) == {"A|adequacy": "4", "B|adequacy": "2"}
    forgive(problems, FAILED)


def test_a_lost_acknowledgement(page: Any, site: Site, problems: list[str]) -> None:
    """The server has stored the answer, but its word did not arrive: stored once."""
    site.begin(page)
    answered = []

    def lose_first(route: Any) -> None:
        if answered:
            route.continue_()
        else:
            answered.append(route.fetch())
            route.abort()

    page.route("**/api/answer", lose_first)
    press(page, "4")
    expect(page.locator("#saving")).to_have_text("Saved")
    history = site.store.history(site.campaign, site.page_ids()[0])
    assert [one.answer.value for one in history] == ["4"]
    forgive(problems, FAILED)


def test_two_windows(new_page: Callable[..., Any], site: Site) -> None:
    one = new_page()
    site.begin(one)
    other = new_page(one.context)
    other.goto(one.url)
    press(one, "5")
    is_saved(one)
    expect(other.get_by_role("alert")).to_contain_text("changed in another window")
    expect(other.locator("#q-A-adequacy input[value='5']")).to_be_checked()


def test_two_devices(page: Any, site: Site) -> None:
    """The last answer counts, but the one that it replaced is shown and can be brought back."""
    site.begin(page)
    first = site.page_ids()[0]
    site.store.save(site.campaign, "rater-1", Answer(first, "A", "adequacy", "1"))
    press(page, "5")
    expect(page.get_by_role("alert")).to_contain_text("another window (1)")
    assert site.values() == {"A|adequacy": "5"}
    press(page, "u")
    is_saved(page)
    assert site.values() == {"A|adequacy": "1"}


def test_an_ended_session(page: Any, site: Site, problems: list[str]) -> None:
    site.begin(page)
    page.context.clear_cookies()
    press(page, "5")
    expect(page.get_by_role("alert")).to_contain_text("Your session has ended")
    site.begin(page)
    expect(page.locator("#q-A-adequacy input[value='5']")).to_be_checked()
    is_saved(page)
    assert site.values() == {"A|adequacy": "5"}
    forgive(problems, "Failed to load resource: the server responded with a status of 401")


def test_a_closed_campaign(page: Any, site: Site, problems: list[str]) -> None:
    site.begin(page)
    press(page, "5")
    is_saved(page)
    site.store.close_campaign(site.campaign)
    press(page, "4")
    expect(page.get_by_role("alert")).to_contain_text("refused")
    assert page.locator("#q-B-adequacy input:checked").count() == 0
    page.reload()
    expect(page.locator("main")).to_contain_text("This campaign is closed")
    expect(page.locator("#q-A-adequacy input[value='5']")).to_be_checked()
    expect(page.locator("#q-A-adequacy input[value='5']")).to_be_disabled()
    assert site.values() == {"A|adequacy": "5"}
    forgive(problems, "Failed to load resource: the server responded with a status of 409")


def test_remarks_and_time(page: Any, site: Site) -> None:
    site.begin(page)
    first = site.page_ids()[0]
    page.wait_for_timeout(1100)
    press(page, "5 c")
    page.keyboard.type("u j 5: see <b>")
    page.get_by_role("checkbox", name="Please look at this page").check()
    is_saved(page)
    [remark] = site.store.state_of(site.campaign, "rater-1").remarks
    assert remark.page == first
    assert (remark.text, remark.flagged) == ("u j 5: see <b>", True)
    (answer,) = site.store.answers(site.campaign, "rater-1", first)
    assert answer.answer.seconds is not None
    assert 1.0 <= answer.answer.seconds < 60
    page.reload()
    expect(page.get_by_label("Comment", exact=True)).to_have_value("u j 5: see <b>")
    page.goto(f"{site.root}/review")
    expect(page.locator(".review")).to_contain_text("flagged")


def test_keys_while_composing(page: Any, site: Site) -> None:
    """Keys that belong to an input method, or to the browser, give no answer."""
    site.begin(page)
    fire = """(options) => document.body.dispatchEvent(
      new KeyboardEvent("keydown", { key: "5", bubbles: true, cancelable: true, ...options }))"""
    for options in ({"isComposing": True}, {"keyCode": 229}, {"ctrlKey": True}, {"altKey": True}):
        assert page.evaluate(fire, options) is True
    time.sleep(0.2)
    assert page.locator("input:checked").count() == 0
    assert page.evaluate(fire, {}) is False
    is_saved(page)
    assert site.values() == {"A|adequacy": "5"}


def test_tab_is_never_trapped(page: Any, make_site: MakeSite) -> None:
    site = make_site(invented_plan("error-spans", 1, target="ja"))
    site.begin(page)
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
        if seen[-1] == "next":
            break
    assert seen[-1] == "next"
    assert "marking" in seen
    press(page, "?")
    expect(page.get_by_role("dialog")).to_be_visible()
    press(page, "5 Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
