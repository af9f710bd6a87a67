"""Servers and browsers for the tests of the web room."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from campaign_site import MakeSite, Site, invented_plan, running
from patmark.campaign import Plan
from patmark.campaign.store import Store
from patmark.campaign.web import WebSettings, create_app


@contextmanager
def sites(folder: Path) -> Iterator[MakeSite]:
    """Starts servers that end together."""
    with ExitStack() as ending:

        def make(plan: Plan, settings: WebSettings | None = None) -> Site:
            store = Store.open(str(folder / f"{secrets.token_hex(8)}.db"), create=True)
            ending.callback(store.close)
            created = store.create_campaign(plan)
            address = ending.enter_context(running(create_app(store, settings)))
            return Site(address, store, created.campaign, created.links, created.organiser_secret)

        yield make


@pytest.fixture
def make_site(tmp_path: Path) -> Iterator[MakeSite]:
    """Starts servers that end with the test."""
    with sites(tmp_path) as make:
        yield make


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """Adequacy without training."""
    return make_site(invented_plan("adequacy"))


@pytest.fixture(scope="module")
def lasting_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The same for tests that leave nothing behind."""
    with sites(tmp_path_factory.mktemp("site")) as make:
        yield make(invented_plan("adequacy"), WebSettings(tries_per_address=10_000))


@pytest.fixture
def problems() -> list[str]:
    """What pages wrote to their consoles; a test takes out what it expects."""
    return []


@pytest.fixture
def new_page(
    browser: Any, problems: list[str], make_site: MakeSite
) -> Iterator[Callable[..., Any]]:
    """Opens pages, each in a context of its own unless one is given.

    Sites outlive their pages, which may still save when a test is over.
    """
    contexts: list[Any] = []

    def opened(
        context: Any = None, width: int = 1280, locale: str = "en-GB", **options: Any
    ) -> Any:
        if context is None:
            size = {"width": width, "height": 900}
            context = browser.new_context(
                viewport=size, locale=locale, reduced_motion="reduce", **options
            )
            contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    """A page that fails the test if anything is written to its console."""
    return new_page()
