"""The application: all routes behind the guards, and pages for what goes wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response

from patmark.campaign.store.store import Store
from patmark.campaign.web import (
    entrance,
    evaluator,
    organiser,
    saving,
)
from patmark.campaign.web.guards import FAILED, HEALTH, FailureLimit, Guards
from patmark.campaign.web.rendering import asset_response, message_page
from patmark.campaign.web.sessions import AppState, NoSession, Shared, WebSettings

_THREADS = 4
_NO_TELEMETRY: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}


def create_app(store: Store, settings: WebSettings | None = None) -> FastAPI:
    """The application over a store, which stays open: whoever opened it must close it."""
    settings = settings or WebSettings()
    app = FastAPI(
        title="patmark",
        lifespan=_few_threads,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        telemetry=_NO_TELEMETRY,
    )
    failures = FailureLimit(
        settings.tries_per_address, settings.tries_in_all, settings.tries_seconds
    )
    app.state.shared = AppState(store, settings, failures)
    app.add_middleware(
        Guards,
        hosts=settings.hosts,
        largest_body=settings.largest_body,
        secure=settings.secure,
    )
    for part in (saving, entrance, evaluator, organiser):
        app.include_router(part.router)
    app.include_router(organiser.decisions)
    app.add_api_route("/static/{mark}/{name}", asset_response, response_model=None)
    app.add_api_route(HEALTH, _health, response_model=None)
    app.add_exception_handler(NoSession, _no_session)
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
    """Whether pages can be served: the database answers."""
    if shared.store.is_there():
        return PlainTextResponse("ok\n")
    return PlainTextResponse("the database does not answer\n", 503)


def _is_script(request: Request) -> bool:
    return request.url.path.startswith("/api/")


def _no_session(request: Request, error: Exception) -> Response:
    """Scripts get a status; people get a page that tells them where to find the entrance."""
    if _is_script(request):
        return JSONResponse({"detail": "no session"}, 401)
    return message_page(request, "closed", 401)


def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    reason = error.detail if isinstance(error, HTTPException) else ""
    headers = error.headers if isinstance(error, HTTPException) else None
    if _is_script(request):
        return JSONResponse({"detail": reason}, status, headers)
    if status == 404:
        return message_page(request, "missing", 404)
    return message_page(request, "failed", status, reason=reason)


def _invalid(request: Request, error: Exception) -> Response:
    """Say what was wrong with a body, without repeating what it held."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    said = "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in found[:5])
    if _is_script(request):
        return JSONResponse({"detail": said}, 422)
    return message_page(request, "failed", 422, reason=said)
