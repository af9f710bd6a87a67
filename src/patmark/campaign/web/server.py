"""Running the application; hangs up on requests whose headers do not end."""

from __future__ import annotations

import gc
import logging
import re
from asyncio import TimerHandle, Transport
from dataclasses import replace

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from patmark.campaign.store.store import Store
from patmark.campaign.web.app import create_app
from patmark.campaign.web.sessions import LOOPBACK_NAMES, WebSettings
from patmark.errors import UsageError

DEFAULT_PORT = 8000
_NEW_OBJECTS = 50_000
_SECRET = re.compile(r"(/(?:e|o)/+)[^/?\s]+", re.IGNORECASE)
_EVERYWHERE = ("0.0.0.0", "::", "[::]", "")


class WithoutSecrets(logging.Filter):
    """Takes private links out of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Hide the links of a record, which stays."""
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

    settings = settings or WebSettings()
    check_host(host, settings)
    if host not in (*_EVERYWHERE, *settings.hosts):
        settings = replace(settings, hosts=(*settings.hosts, host))
    app = create_app(store, settings)
    spare_the_collector()
    hiding = WithoutSecrets()
    for name in ("uvicorn.access", "uvicorn.error"):
        logging.getLogger(name).addFilter(hiding)
    uvicorn.run(
        app,
        host=host,
        port=port,
        http=BoundedHttp,
        log_level=log_level,
        server_header=False,
        # Anybody can write X-Forwarded-For; it is believed only if a known proxy says so.
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
    )


def spare_the_collector() -> None:
    """Let the garbage collector of Python run seldom, and never look at what was imported.

    The answers of a large campaign are hundreds of thousands of small records that live long and
    hold no cycles; looking through all of them each time a few more were made took a third of the
    time of a page. What holds no cycle is freed at once as ever.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def check_host(host: str, settings: WebSettings) -> None:
    """Refuse to listen to everybody without knowing by which names."""
    if host in _EVERYWHERE and settings.hosts == LOOPBACK_NAMES:
        raise UsageError(
            f"a server that listens on {host or 'all addresses'} must know the names by which "
            "browsers call it: give them with --name"
        )


LARGEST_HEAD = 64 * 1024
"""Bytes that may come in before the headers of a request end, not counting the last read."""
HEAD_SECONDS = 20.0
"""How long the headers may take, from the connection or the first byte of a later request."""


class BoundedHttp(HttpToolsProtocol):
    """Hangs up on a request whose headers do not end: neither soon enough nor short enough."""

    _waiting_size = 0
    _headers_ended = False
    _hanging_up: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """The first request is awaited."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what comes before the end of the headers."""
        super().data_received(data)
        self._waiting_size = 0 if self._headers_ended else self._waiting_size + len(data)
        if self._waiting_size > LARGEST_HEAD:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Another request begins."""
        self._headers_ended = False
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Only the body may follow, which has limits of its own."""
        self._headers_ended = True
        self._head_came()
        super().on_headers_complete()

    def _await_head(self) -> None:
        if self._hanging_up is None:
            self._hanging_up = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _head_came(self) -> None:
        if self._hanging_up is not None:
            self._hanging_up.cancel()
            self._hanging_up = None
