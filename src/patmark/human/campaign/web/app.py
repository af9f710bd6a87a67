"""The application: all routes behind the guards, pages for what goes wrong, and how it runs."""

from __future__ import annotations

import gc
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from patmark._version import __version__
from patmark.errors import UsageError
from patmark.human.campaign.links import DEFAULT_PORT
from patmark.human.campaign.records import NoCampaign
from patmark.human.campaign.store.store import Store
from patmark.human.campaign.web import (
    decisions,
    downloads,
    entrance,
    evaluator,
    links,
    organiser,
    saving,
)
from patmark.human.campaign.web.rendering import CLOSED, assets, message_page
from patmark.human.campaign.web.sessions import (
    AppState,
    CampaignPaths,
    NoSession,
    Shared,
    WebSettings,
    route_of,
)
from patmark.web import (
    FAILED,
    HEALTH,
    LOOPBACK_NAMES,
    NO_TELEMETRY,
    SERVER_OPTIONS,
    FailureLimit,
    Guards,
    HostName,
)
from patmark.wording import setting, tr

_THREADS = 4
_MOST_JOINS = 1_000_000


def create_app(store: Store, settings: WebSettings | None = None) -> FastAPI:
    """Create the application over a store, which its opener must close."""
    settings = settings or WebSettings()
    app = FastAPI(
        title="patmark",
        lifespan=_few_threads,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        telemetry=NO_TELEMETRY,
    )
    failures = FailureLimit(
        settings.tries_per_address, settings.tries_in_all, settings.tries_seconds
    )
    joins = FailureLimit(settings.joins_per_address, _MOST_JOINS, settings.tries_seconds)
    app.state.shared = AppState(store, settings, failures, joins)
    app.add_middleware(CampaignPaths)
    app.add_middleware(
        Guards,
        hosts=settings.hosts,
        largest_body=settings.largest_body,
        secure=settings.secure,
    )
    for part in (saving, entrance, evaluator, organiser, decisions, downloads, links):
        app.include_router(part.router)
    app.include_router(decisions.decisions)
    app.add_api_route("/static/{mark}/{name}", assets.response, response_model=None)
    app.add_api_route(HEALTH, _health, response_model=None)
    app.add_exception_handler(NoSession, _no_session)
    app.add_exception_handler(entrance.LinkRefused, lambda request, error: error.page)
    app.add_exception_handler(NoCampaign, lambda request, _: _refused(request, HTTPException(404)))
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, lambda request, error: FAILED)
    return app


@asynccontextmanager
async def _few_threads(app: FastAPI) -> AsyncIterator[None]:
    """Let few threads work at once: more of them would only wait for each other."""
    current_default_thread_limiter().total_tokens = _THREADS
    yield


def _health(shared: Shared) -> Response:
    """Report if the database answers, and the version of patmark."""
    is_there = shared.store.is_there()
    health = {
        "status": "ok" if is_there else "the database does not answer",
        "version": __version__,
    }
    return JSONResponse(health, 200 if is_there else 503)


def _is_script(request: Request) -> bool:
    return route_of(request).startswith("/api/")


def _no_session(request: Request, error: Exception) -> Response:
    """Respond without a session: a status for scripts, a page about the entrance for people."""
    if _is_script(request):
        return JSONResponse({"detail": "no session"}, 401)
    return message_page(request, *CLOSED, 401)


def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    reason = error.detail if isinstance(error, HTTPException) else ""
    headers = error.headers if isinstance(error, HTTPException) else None
    if _is_script(request):
        return JSONResponse({"detail": reason}, status, headers)
    if status == 404:
        return message_page(
            request,
            tr("There is no such page"),
            tr("The page does not exist, or it is not one of yours."),
            404,
        )
    return _failed(request, status, reason)


def _invalid(request: Request, error: Exception) -> Response:
    """Return the error of a request body, without repeating its content."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    problems = "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in found[:5])
    if _is_script(request):
        return JSONResponse({"detail": problems}, 422)
    return _failed(request, 422, problems)


def _failed(request: Request, status: int, reason: str) -> Response:
    text = tr("The request was refused: {reason}", reason=reason)
    return message_page(request, tr("This did not work"), text, status)


_NEW_OBJECTS = 50_000
_SECRET = re.compile(
    rf"(/[eoj]/+)[^/?&\s]+|([?&](?:name|{'|'.join(entrance.PLATFORM_NAMES)})=)[^&\s]+",
    re.IGNORECASE,
)
_EVERYWHERE = ("0.0.0.0", "::", "[::]", "")


class WithoutSecrets(logging.Filter):
    """Log filter that removes private links and names of people."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask private parts of a record, and keep the record."""
        if isinstance(record.args, tuple):
            record.args = tuple(_hidden(value) for value in record.args)
        record.msg = _hidden(record.msg)
        return True


def _hidden(value: object) -> object:
    return _SECRET.sub(r"\1\2…", value) if isinstance(value, str) else value


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
    tune_garbage_collector()
    hiding = WithoutSecrets()
    for name in ("uvicorn.access", "uvicorn.error"):
        logging.getLogger(name).addFilter(hiding)
    uvicorn.run(app, host=host, port=port, log_level=log_level, **server_options(settings))


def server_options(settings: WebSettings) -> dict[str, Any]:
    """Return the options of uvicorn."""
    return {
        **SERVER_OPTIONS,
        # Anybody can write X-Forwarded-For; it is believed only if a known proxy says so.
        "proxy_headers": bool(settings.proxies),
        "forwarded_allow_ips": list(settings.proxies),
    }


def tune_garbage_collector() -> None:
    """Let the garbage collector of Python run seldom, and never inspect imported objects.

    The answers of a large campaign are hundreds of thousands of small records without cycles.
    Inspecting all of them whenever a few more were made took a third of the time of a page.
    Objects without cycles are freed at once, as before.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)


def host_names(host: str, settings: WebSettings | None = None) -> tuple[str, ...]:
    """Return the host names that a server on ``host`` accepts.

    Without named hosts, it is the address on which the server listens. A server that listens to
    everybody must know its names.
    """
    hosts = settings.hosts if settings else ()
    for name in hosts:
        if HostName.of(name) is None:
            raise UsageError(
                f"{setting('name')} {name!r}: expected a name as judge.example.org, with a port if "
                "it is not the usual one: judge.example.org:8443"
            )
    if hosts and hosts != LOOPBACK_NAMES:
        return hosts
    if host in _EVERYWHERE:
        raise UsageError(
            f"a server that listens on {host or 'all addresses'} must know the names by which "
            f"browsers call it: give them with {setting('name')}"
        )
    own = HostName.of(host)
    is_loopback = own is None or own.name in LOOPBACK_NAMES
    return LOOPBACK_NAMES if is_loopback else (host,)
