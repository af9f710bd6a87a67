"""The organiser in a real browser: from the link to the export."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from campaign_site import MakeSite, Site
from example_campaigns import ADEQUACY, answers
from patmark.human.campaign import Answer, plan_campaign, read_campaign

pytestmark = pytest.mark.browser
_TABS = ("Training and checks", "Agreement", "Consensus", "Ranking", "Log", "Progress")


@pytest.fixture
def judged(make_site: MakeSite) -> Site:
    """Everybody has answered everything but the last page of e3."""
    plan = plan_campaign(read_campaign(ADEQUACY))
    site = make_site(plan)
    for place, name in enumerate(plan.evaluators):
        own = plan.pages_of(name)
        for page in own[: -1 if name == "e3" else None]:
            given = answers(plan, [page], 1000 * place + page.position)
            site.store.save_many(site.campaign, name, given)
    flagged = plan.pages_of("e1")[4]
    site.store.save_remark(site.campaign, "e1", flagged.id, "cut off <b>", True)
    return site


def _enter(page: Any, site: Site) -> None:
    page.goto(f"{site.address}/o/{site.organiser_secret}")
    _press(page, page.locator("main button"))
    page.wait_for_url("**/organiser")
    assert site.organiser_secret not in page.url


def _press(page: Any, control: Any) -> None:
    """Press what leads to another page, or to this one anew, and wait for it."""
    with page.expect_navigation():
        control.click()


def _open(page: Any, name: str) -> None:
    _press(page, page.get_by_role("link", name=name, exact=True).first)


def test_the_story_of_an_organiser(
    page: Any, judged: Site, tmp_path: Path, problems: list[str]
) -> None:
    _enter(page, judged)
    assert "20 of 21 pages" in page.locator("#all-said").inner_text()
    assert "cut off <b>" in page.locator(".flags").inner_text()
    for tab in _TABS:
        _open(page, tab)
        assert page.locator("nav [aria-current=page]").inner_text() == tab
    _open(page, "Ranking")
    ranking = page.locator("section:not(#enough) table").first
    systems = ranking.locator("tbody th").all_inner_texts()
    assert systems == ["atlas", "borealis", "cobalt"]

    _open(page, "Consensus")
    item = page.locator(".common").first
    item.locator("select").select_option("4")
    item.get_by_label("Note").fill("原文可能不完整")
    _press(page, item.get_by_role("button"))
    assert page.locator(".common").first.locator("select").input_value() == "4"

    _open(page, "Progress")
    _open(page, "e2")
    page.get_by_label("Reason").fill("hurried")
    _press(page, page.get_by_role("button", name="Exclude from all results"))
    assert "hurried" in page.locator(".notice").inner_text()

    _open(page, "Progress")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Judgements (CSV)").click()
    waiting.value.save_as(tmp_path / "j.csv")
    assert {line[:2] for line in (tmp_path / "j.csv").read_text().splitlines()[1:]} == {"e1", "e3"}

    page.get_by_label("Pseudonym").fill("e4")
    page.locator("select[name=like]").select_option("e1")
    _press(page, page.get_by_role("button", name="Add"))
    link = page.locator("input.link").input_value()
    assert re.fullmatch(rf"{judged.address}/e/[\w-]{{43}}", link)

    _open(page, "Back")
    _press(page, page.get_by_role("button", name="Close the campaign"))
    page.get_by_role("button", name="Open the campaign again").wait_for()
    _press(page, page.get_by_role("button", name="Leave"))
    with page.expect_console_message(lambda message: "401" in message.text):
        page.goto(f"{judged.root}/organiser")
    assert page.locator("#people").count() == 0
    assert "401" in problems.pop()


def test_numbers_renew_themselves(browser: Any, new_page: Callable[..., Any], judged: Site) -> None:
    page = new_page(browser.new_context(locale="en-GB"))
    page.clock.install()
    _enter(page, judged)
    shown = judged.store.plan(judged.campaign).pages_of("e3")[-1]
    judged.store.save_many(judged.campaign, "e3", [
        Answer(shown.id, one.label, "adequacy", "3") for one in shown.candidates
    ])  # fmt: skip
    with page.expect_response("**/api/organiser/progress"):
        page.clock.fast_forward(15_500)
    page.get_by_text("21 of 21 pages").wait_for()
    assert "7/7" in page.locator("tr[data-name=e3]").inner_text()


@pytest.mark.parametrize("language", ["en-GB", "ja-JP"])
def test_phone(new_page: Callable[..., Any], judged: Site, language: str) -> None:
    page = new_page(width=360, locale=language, color_scheme="dark")
    _enter(page, judged)
    for path in ("", "/person?name=e1", "/checks", "/agreement", "/consensus", "/ranking", "/log"):
        page.goto(f"{judged.root}/organiser{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.locator("html").get_attribute("lang") == language[:2]
        small = page.evaluate(
            """() => [...document.querySelectorAll("main :is(a, button, select, input, summary)")]
                .filter((one) => one.type !== "hidden" && one.getBoundingClientRect().height < 43.5)
                .map((one) => one.outerHTML)"""
        )
        assert small == []
