"""patmark open: a local page for use without a terminal."""

from __future__ import annotations

from typing import Annotated

from patmark.app.cli.output import say
from patmark.errors import MissingExtra, UsageError
from patmark.options import Options, at_least, group


@group
class PageAddress(Options, heading="Page"):
    """The address of the page, and its browser."""

    port: Annotated[int, at_least(0)] = 0
    """Port to listen on; 0 for any free port."""
    no_browser: bool = False
    """Only print the link."""


def open(*, place: PageAddress = PageAddress()) -> None:
    """Open a local page in the browser: drop files, choose a task, read the report.

    The page runs the commands score, compare, check and claims lint, and shows their reports. It is
    reachable from this machine only, by a link with a secret. Nothing leaves the machine, and all
    files are removed when it stops, with Ctrl-C.

    Example:

      patmark open
    """
    try:
        import uvicorn  # noqa: F401  (checked before any output)

        from patmark.app.page import serve
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "a library", "human") from None
    try:
        serve(place.port, _say_link, browser=not place.no_browser)
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port {place.port} cannot be used: {error}") from None


def _say_link(link: str) -> None:
    say(f"patmark is open at {link}")
    say("nothing leaves this machine; stop with Ctrl-C")
