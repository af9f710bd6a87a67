"""Servers and browsers for the tests of the web room, each for as many tests as possible."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from campaign_site import MakeSite, Site, invented_plan, running
from patmark.human.campaign import Plan
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import WebSettings, create_app

_PATIENT = WebSettings(tries_per_address=10_000)


@contextmanager
def sites(folder: Path) -> Iterator[MakeSite]:
    """Begins campaigns: all on one server, but for those that want settings of their own."""
    with ExitStack() as ending:

        def serve(settings: WebSettings) -> tuple[Store, str]:
            store = Store.open(str(folder / f"{secrets.token_hex(8)}.db"), create=True)
            ending.callback(store.close)
            return store, ending.enter_context(running(create_app(store, settings)))

        shared = cache(lambda: serve(_PATIENT))

        def make(plan: Plan, settings: WebSettings | None = None) -> Site:
            store, address = serve(settings) if settings else shared()
            made = store.create_campaign(plan)
            return Site(address, store, made.campaign, made.links, made.organiser_secret)

        yield make


@pytest.fixture(scope="module")
def make_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeSite]:
    """Begins campaigns on a server that ends with the file."""
    with sites(tmp_path_factory.mktemp("sites")) as make:
        yield make


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """Adequacy without training."""
    return make_site(invented_plan("adequacy"))


@pytest.fixture(scope="module")
def lasting_site(make_site: MakeSite) -> Site:
    """The same for tests that leave nothing behind."""
    return make_site(invented_plan("adequacy"))


@dataclass
class Windows:
    """Pages of a browser that one test after the other uses, and what they wrote to the console."""

    browser: Any
    problems: list[str] = field(default_factory=list)
    _free: dict[tuple[Any, ...], list[Any]] = field(default_factory=dict)
    _used: list[tuple[tuple[Any, ...], Any]] = field(default_factory=list)

    def open(self, width: int, locale: str, options: dict[str, Any]) -> Any:
        """A page in a context that no other page of the test shares."""
        key = (width, locale, *sorted(options.items()))
        free = self._free.setdefault(key, [])
        if not free:
            size = {"width": width, "height": 900}
            context = self.browser.new_context(
                viewport=size, locale=locale, reduced_motion="reduce", **options
            )
            free.append(self.another(context))
        self._used.append((key, free.pop()))
        return self._used[-1][1]

    def another(self, context: Any) -> Any:
        """One more page of a context."""
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        return page

    def leave(self) -> None:
        """Let the next test find all pages as if they were new."""
        for key, page in self._used:
            context = page.context
            for other in context.pages:
                if other is not page:
                    other.close()
            context.set_offline(False)
            context.unroute_all()
            page.unroute_all()
            page.goto("about:blank")
            context.clear_cookies()
            page.set_viewport_size({"width": key[0], "height": 900})
            self._free[key].append(page)
        self._used.clear()


@pytest.fixture(scope="module")
def windows(browser: Any) -> Windows:
    """The pages of a file."""
    return Windows(browser)


@pytest.fixture
def problems(windows: Windows) -> list[str]:
    """What pages wrote to their consoles; a test takes out what it expects."""
    windows.problems.clear()
    return windows.problems


@pytest.fixture
def new_page(windows: Windows, problems: list[str]) -> Iterator[Callable[..., Any]]:
    """Gives pages, each in a context of its own unless one is given."""

    def opened(
        context: Any = None, width: int = 1280, locale: str = "en-GB", **options: Any
    ) -> Any:
        if context is not None:
            return windows.another(context)
        return windows.open(width, locale, options)

    yield opened
    windows.leave()
    assert problems == []


@pytest.fixture
def page(new_page: Callable[..., Any]) -> Any:
    """A page that fails the test if anything is written to its console."""
    return new_page()
