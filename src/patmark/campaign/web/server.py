"""Running the application."""

from __future__ import annotations

import gc
import logging
import re
from dataclasses import replace
from typing import Any

from patmark.campaign.store.store import Store
from patmark.campaign.web.app import create_app
from patmark.campaign.web.guards import BoundedHttp, HostName
from patmark.campaign.web.sessions import LOOPBACK_NAMES, WebSettings
from patmark.errors import UsageError

DEFAULT_PORT = 8000
_NEW_OBJECTS = 50_000
_SECRET = re.compile(r"(/(?:e|o)/+|[?&]name=)[^/?&\s]+", re.IGNORECASE)
_EVERYWHERE = ("0.0.0.0", "::", "[::]", "")


class WithoutSecrets(logging.Filter):
    """Takes private links and names of people out of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Hide what is private in a record, which stays."""
        if isinstance(record.args, tuple):
            record.args = tuple(_hidden(value) for value in record.args)
        record.msg = _hidden(record.msg)
        return True


def _hidden(value: object) -> object:
    return _SECRET.sub(r"\1…", value) if isinstance(value, str) else value


def serve(
    store: Store,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    settings: WebSettings | None = None,
    log_level: str = "info",
) -> None:
    """Serve until interrupted; on this machine only, unless ``host`` says otherwise.

    A server for others must be told under which names it is called (``settings.hosts``).
    """
    import uvicorn

    settings = replace(settings or WebSettings(), hosts=host_names(host, settings))
    app = create_app(store, settings)
    spare_the_collector()
    hiding = WithoutSecrets()
    for name in ("uvicorn.access", "uvicorn.error"):
        logging.getLogger(name).addFilter(hiding)
    uvicorn.run(app, host=host, port=port, log_level=log_level, **server_options(settings))


def server_options(settings: WebSettings) -> dict[str, Any]:
    """How uvicorn serves the application, wherever it listens."""
    return {
        "http": BoundedHttp,
        "ws": "none",
        "server_header": False,
        # Anybody can write X-Forwarded-For; it is believed only if a known proxy says so.
        "proxy_headers": bool(settings.proxies),
        "forwarded_allow_ips": list(settings.proxies),
    }


def spare_the_collector() -> None:
    """Let the garbage collector of Python run seldom, and never look at what was imported.

    The answers of a large campaign are hundreds of thousands of small records that live long and
    hold no cycles; looking through all of them each time a few more were made took a third of the
    time of a page. What holds no cycle is freed at once as ever.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def host_names(host: str, settings: WebSettings | None = None) -> tuple[str, ...]:
    """The names to which a server on ``host`` answers: those it was told, and no others.

    Told none, it is called by the address on which it listens. Refuses to listen to everybody
    without knowing by which names.
    """
    told = settings.hosts if settings else ()
    for name in told:
        if HostName.of(name) is None:
            raise UsageError(
                f"--name {name!r}: expected a name as judge.example.org, with a port if it is not "
                "the usual one: judge.example.org:8443"
            )
    if told and told != LOOPBACK_NAMES:
        return told
    if host in _EVERYWHERE:
        raise UsageError(
            f"a server that listens on {host or 'all addresses'} must know the names by which "
            "browsers call it: give them with --name"
        )
    own = HostName.of(host)
    is_loopback = own is None or own.name in LOOPBACK_NAMES
    return LOOPBACK_NAMES if is_loopback else (host,)
