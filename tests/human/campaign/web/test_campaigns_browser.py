"""Several campaigns in one browser: two tabs, and the dashboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from campaign_site import Site, running
from patmark.human.campaign import begin_demo
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import create_app

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Site, str]]:
    """The two campaigns of the demo, and the link of whoever organises both."""
    path: Path = tmp_path_factory.mktemp("demo") / "demo.db"
    with Store.open(str(path), create=True) as store, running(create_app(store)) as address:
        secret, made = begin_demo(store, address)
        first, second = (
            Site(address, store, one.campaign, one.links, one.organiser_secret)
            for one in made.values()
        )
        yield first, second, f"{address}/o/{secret}"


def _enter(page: Any, link: str) -> None:
    page.goto(link)
    with page.expect_navigation():
        page.locator("main button").first.click()


def test_two_campaigns_in_two_tabs(browser: Any, demo: tuple[Site, Site, str]) -> None:
    """An evaluator of one and an organiser of another; each tab keeps to its campaign."""
    first, second, _ = demo
    context = browser.new_context(viewport={"width": 1300, "height": 900}, locale="en-GB")
    graded, compared, desk = (context.new_page() for _ in range(3))
    for page, link in (
        (graded, first.link("e5")),
        (compared, second.link("e5")),
        (desk, f"{second.address}/o/{second.organiser_secret}"),
    ):
        _enter(page, link)
    for page, site in ((graded, first), (compared, second)):
        page.goto(f"{site.root}/next")
        assert page.url.startswith(f"{site.root}/page/")
        before = len(site.store.answers(site.campaign, "e5"))
        with page.expect_response("**/api/answer") as answered:
            page.locator("main fieldset.question label").first.click()
        assert answered.value.status == 200
        assert answered.value.url.startswith(site.root)
        assert len(site.store.answers(site.campaign, "e5")) == before + 1
    desk.reload()
    assert desk.locator("h1").inner_text() == second.store.campaign(second.campaign).name
    with graded.expect_navigation():
        graded.get_by_role("button", name="Leave").click()
    for page, is_in in ((graded, False), (compared, True), (desk, True)):
        page.reload()
        assert (page.get_by_role("button", name="Leave").count() == 1) == is_in
    context.close()


def test_the_dashboard_leads_everywhere(browser: Any, demo: tuple[Site, Site, str]) -> None:
    first, _, link = demo
    context = browser.new_context(viewport={"width": 1300, "height": 900}, locale="en-GB")
    page = context.new_page()
    _enter(page, link)
    assert page.locator("#campaigns tbody tr").count() == 2
    with page.expect_navigation():
        page.get_by_role("link", name="Adequacy of three systems, zh to en").click()
    assert page.url == f"{first.root}/organiser"
    page.goto(f"{first.root}/organiser/campaign")
    page.get_by_label("Name of the new campaign").fill("Second round")
    with page.expect_navigation():
        page.get_by_role("button", name="Clone").click()
    assert page.locator("input.link").count() == 7
    with page.expect_navigation():
        page.get_by_role("button", name="日本語").click()
    assert page.locator("input.link").count() == 7
    with page.expect_navigation():
        page.get_by_role("button", name="English").click()
    with page.expect_navigation():
        page.get_by_role("link", name="Campaigns", exact=True).click()
    with page.expect_navigation():
        page.get_by_role("link", name="Second round").click()
    page.goto(page.url + "/campaign")
    page.get_by_label("To delete it, type its name: Second round").fill("Second round")
    with page.expect_navigation():
        page.get_by_role("button", name="Delete for ever").click()
    assert page.url == f"{first.address}/campaigns"
    assert page.locator("#campaigns tbody tr").count() == 2
    context.close()
