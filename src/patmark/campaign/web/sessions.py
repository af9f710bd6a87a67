"""Who is asking: cookies, sessions, and the checks that every protected route begins with."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, HTTPException, Request
from starlette.responses import Response

from patmark.campaign.records import Session
from patmark.campaign.state import CampaignState
from patmark.campaign.store.store import Store
from patmark.web import LOOPBACK_NAMES, FailureLimit

EVALUATOR_COOKIE = "patmark-session"
ORGANISER_COOKIE = "patmark-organiser"
"""Of its own, so that an organiser may try an evaluator's link without leaving."""
_ORGANISER_PATHS = ("/organiser", "/api/organiser", "/o/")
CSRF_HEADER = "X-CSRF-Token"
CSRF_FIELD = "csrf"
_MOST_FIELDS = 50
_IPV6_NETWORK = 64


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How a server behaves: whom it answers, how long sessions last, how much it takes.

    ``hosts`` are the names under which it may be called, with a port if it is neither the one on
    which the server listens nor that of http or https; any other Host header is refused, so that a
    foreign page cannot reach a server on loopback under a name of its own. ``secure``
    marks cookies for TLS only: set it when a proxy in front of the server speaks TLS. ``proxies``
    are the addresses of proxies that are believed when they say from where a request comes.
    ``tries_per_address`` and ``tries_in_all`` are the wrong links that are looked at within
    ``tries_seconds``; valid ones always enter.
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


@dataclass(frozen=True, slots=True)
class AppState:
    """What all routes share."""

    store: Store
    settings: WebSettings
    failures: FailureLimit


@dataclass(frozen=True, slots=True)
class EvaluatorRequest:
    """A request of a known evaluator."""

    request: Request
    store: Store
    session: Session
    campaign: str
    evaluator: str

    def state(self, page: str = "", *, only_training: bool = False) -> CampaignState:
        """What the evaluator sees of the campaign; the language of the page comes with it."""
        state = self.store.state_of(
            self.campaign, self.evaluator, page, only_training=only_training
        )
        self.request.state.planned_language = state.language_of(self.evaluator)
        return state


@dataclass(frozen=True, slots=True)
class OrganiserRequest:
    """A request of the organiser of a campaign."""

    store: Store
    session: Session
    campaign: str

    def state(self) -> CampaignState:
        """The whole campaign."""
        return self.store.state(self.campaign)


class NoSession(Exception):
    """The request has no valid session; a page explains how to get one."""


def app_state(request: Request) -> AppState:
    """What all routes share, as the application holds it."""
    state: AppState = request.app.state.shared
    return state


def cookie_of(request: Request) -> str:
    """The name of the cookie with the session of a request."""
    path: str = request.scope["path"]  # not that of the URL, which the Host header is a part of
    return ORGANISER_COOKIE if path.startswith(_ORGANISER_PATHS) else EVALUATOR_COOKIE


def session_of(request: Request) -> Session | None:
    """The session of the cookie, if there is one that has not ended; asked once per request."""
    if not hasattr(request.state, "session"):
        token = request.cookies.get(cookie_of(request), "")
        request.state.session = app_state(request).store.session(token) if token else None
    session: Session | None = request.state.session
    return session


def evaluator_request(request: Request) -> EvaluatorRequest:
    """The evaluator behind a request; anybody else is sent to the entrance."""
    session = session_of(request)
    if session is None or session.is_organiser or session.evaluator is None:
        raise NoSession
    store = app_state(request).store
    return EvaluatorRequest(request, store, session, session.campaign, session.evaluator)


def writing_evaluator(request: Request) -> EvaluatorRequest:
    """The evaluator behind a write of a script, which repeats the secret of the session."""
    found = evaluator_request(request)
    _check_csrf(found.session, request.headers.get(CSRF_HEADER))
    return found


def organiser_request(request: Request) -> OrganiserRequest:
    """The organiser behind a request; anybody else is sent to the entrance."""
    session = session_of(request)
    if session is None or not session.is_organiser:
        raise NoSession
    return OrganiserRequest(app_state(request).store, session, session.campaign)


async def form_fields(request: Request) -> dict[str, str]:
    """The fields of a posted form; the last one of a name counts."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "expected a posted form")
    try:
        text = (await request.body()).decode("utf-8")
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise HTTPException(400, "the form could not be read") from error
    if any("\0" in one for values in fields.values() for one in values):
        raise HTTPException(400, "a field holds a NUL character")
    return {name: values[-1] for name, values in fields.items()}


async def _posted_token(request: Request) -> str | None:
    """The secret that a write repeats, in a header or a form field."""
    given = request.headers.get(CSRF_HEADER)
    if given is None and "form" in request.headers.get("content-type", ""):
        given = (await form_fields(request)).get(CSRF_FIELD)
    return given


def csrf_checked(request: Request, given: Annotated[str | None, Depends(_posted_token)]) -> None:
    """Every write must repeat the secret of its session."""
    session = session_of(request)
    if session is None:
        raise NoSession
    _check_csrf(session, given)


def _check_csrf(session: Session, given: str | None) -> None:
    if given is None or not hmac.compare_digest(given.encode(), session.csrf.encode()):
        raise HTTPException(403, "the security token is missing or out of date: reload the page")


def set_session(request: Request, response: Response, token: str, seconds: int) -> None:
    """Give the browser its session instead of the one before; scripts cannot read it."""
    close_session(request)
    response.set_cookie(
        cookie_of(request),
        token,
        max_age=seconds,
        httponly=True,
        secure=app_state(request).settings.secure,
        samesite="lax",
        path="/",
    )


def forget_session(request: Request, response: Response) -> None:
    """End the session of a request, and let the browser forget it."""
    close_session(request)
    secure = app_state(request).settings.secure
    response.delete_cookie(
        cookie_of(request), path="/", secure=secure, httponly=True, samesite="lax"
    )


def close_session(request: Request) -> None:
    """End the session of a request in the store, whatever the browser keeps."""
    token = request.cookies.get(cookie_of(request), "")
    if token:
        app_state(request).store.close_session(token)


def address_of(request: Request) -> str:
    """From where a request comes; of IPv6 the network, all of which one machine may use."""
    host = request.client.host if request.client else "unknown"
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 4:
        return host
    return str(address.ipv4_mapped or ip_network((address, _IPV6_NETWORK), strict=False))


Evaluator = Annotated[EvaluatorRequest, Depends(evaluator_request)]
WritingEvaluator = Annotated[EvaluatorRequest, Depends(writing_evaluator)]
Organiser = Annotated[OrganiserRequest, Depends(organiser_request)]
Fields = Annotated[dict[str, str], Depends(form_fields)]
Shared = Annotated[AppState, Depends(app_state)]
WRITES = [Depends(csrf_checked)]
"""The dependencies of every route that changes something."""
