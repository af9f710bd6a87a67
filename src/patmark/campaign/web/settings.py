"""How the server behaves: whom it answers, how long sessions last, how much it takes."""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The settings of a server.

    ``hosts`` are the names under which it may be called; any other Host header is refused, so
    that a foreign page cannot reach a server on loopback under a name of its own. ``secure``
    marks cookies for TLS only: set it when a proxy in front of the server speaks TLS. ``proxies``
    are the addresses of proxies that are believed when they say from where a request comes.
    ``tries_per_address`` and ``tries_in_all`` are the wrong links allowed within
    ``tries_seconds``.
    """

    hosts: tuple[str, ...] = LOOPBACK_NAMES
    secure: bool = False
    proxies: tuple[str, ...] = ()
    session_seconds: int = 7 * 24 * 3600
    organiser_seconds: int = 12 * 3600
    largest_body: int = 256 * 1024
    tries_per_address: int = 20
    tries_in_all: int = 500
    tries_seconds: float = 600.0
