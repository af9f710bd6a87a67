"""Running the application."""

from __future__ import annotations

import gc
import logging
import re
from dataclasses import replace

from patmark.errors import UsageError
from patmark.human.store import Store
from patmark.web.app import create_app
from patmark.web.settings import LOOPBACK_NAMES, WebSettings

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
    port: int = 8765,
    settings: WebSettings | None = None,
    log_level: str = "info",
) -> None:
    """Serve until interrupted; on this machine only, unless ``host`` says otherwise.

    A server for others must be told under which names it is called (``settings.hosts``).
    """
    import uvicorn

    from patmark.web.http_protocol import BoundedHttp

    settings = settings or WebSettings()
    check_host(host, settings)
    if host not in (*_EVERYWHERE, *settings.hosts):
        settings = replace(settings, hosts=(*settings.hosts, host))
    app = create_app(store, settings)
    # What is loaded now stays: the collector need not walk through it again and again.
    gc.collect()
    gc.freeze()
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


def check_host(host: str, settings: WebSettings) -> None:
    """Refuse to listen to everybody without knowing by which names."""
    if host in _EVERYWHERE and settings.hosts == LOOPBACK_NAMES:
        raise UsageError(
            f"a server that listens on {host or 'all addresses'} must know the names by which "
            "browsers call it: give them with --name"
        )
