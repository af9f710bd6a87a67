"""Who is asking: cookies, sessions, and the checks that every protected route begins with."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response

from patmark.campaign.store.records import Session
from patmark.campaign.store.store import Store
from patmark.campaign.web.guards import FailureLimit
from patmark.campaign.web.known_sessions import KnownSessions
from patmark.campaign.web.permissions import Permissions
from patmark.campaign.web.settings import WebSettings

EVALUATOR_COOKIE = "patmark-session"
ORGANISER_COOKIE = "patmark-organiser"
"""Of its own, so that an organiser may try an evaluator's link without leaving."""
_ORGANISER_PATHS = ("/organiser", "/api/organiser", "/o/")
CSRF_HEADER = "X-CSRF-Token"
CSRF_FIELD = "csrf"
_MOST_FIELDS = 50
_IPV6_NETWORK = 64


@dataclass(frozen=True, slots=True)
class Room:
    """What all routes share."""

    store: Store
    settings: WebSettings
    failures: FailureLimit
    permissions: Permissions
    sessions: KnownSessions


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of a known evaluator."""

    room: Room
    session: Session
    campaign: str
    evaluator: str

    @property
    def store(self) -> Store:
        """The store of the campaign."""
        return self.room.store


@dataclass(frozen=True, slots=True)
class OrganiserVisit:
    """A request of the organiser of a campaign."""

    room: Room
    session: Session
    campaign: str

    @property
    def store(self) -> Store:
        """The store of the campaign."""
        return self.room.store


class NoSession(Exception):
    """The request has no valid session; a page explains how to get one."""


async def shared_room(request: Request) -> Room:
    """What all routes share, as a dependency."""
    return room_of(request)


def room_of(request: Request) -> Room:
    """What all routes share, as the application holds it."""
    room: Room = request.app.state.room
    return room


def cookie_of(request: Request) -> str:
    """The name of the cookie with the session of a request."""
    path: str = request.scope["path"]  # not that of the URL, which the Host header is a part of
    return ORGANISER_COOKIE if path.startswith(_ORGANISER_PATHS) else EVALUATOR_COOKIE


def token_of(request: Request) -> str:
    """The secret of the session of a request; empty if there is none."""
    return request.cookies.get(cookie_of(request), "")


def session_of(request: Request) -> Session | None:
    """The session of the cookie, if there is one that has not ended; asked once per request."""
    if not hasattr(request.state, "session"):
        token = token_of(request)
        request.state.session = room_of(request).sessions.read(token) if token else None
    session: Session | None = request.state.session
    return session


async def found_session(request: Request) -> Session | None:
    """As :func:`session_of`, without holding up other requests."""
    if hasattr(request.state, "session"):
        return session_of(request)
    return await run_in_threadpool(session_of, request)


async def evaluator_visit(request: Request) -> Visit:
    """The evaluator behind a request; anybody else is sent to the entrance."""
    return _visit(request, await found_session(request))


async def remembered_session(request: Request) -> Session | None:
    """As :func:`found_session`, from memory if it can be.

    The session may have ended since it was last seen: the store must look at it with the write.
    """
    known = room_of(request).sessions.remembered(token_of(request))
    return known or await found_session(request)


def writing_evaluator(request: Request, session: Session | None) -> Visit:
    """The evaluator behind a write of a script, which repeats the secret of the session."""
    visit = _visit(request, session)
    _check_csrf(visit.session, request.headers.get(CSRF_HEADER))
    return visit


def _visit(request: Request, session: Session | None) -> Visit:
    if session is None or session.is_organiser or session.evaluator is None:
        raise NoSession
    return Visit(room_of(request), session, session.campaign, session.evaluator)


async def organiser_visit(request: Request) -> OrganiserVisit:
    """The organiser behind a request; anybody else is sent to the entrance."""
    session = await found_session(request)
    if session is None or not session.is_organiser:
        raise NoSession
    return OrganiserVisit(room_of(request), session, session.campaign)


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


async def csrf_checked(request: Request) -> None:
    """Every write must repeat the secret of its session, in a header or a form field."""
    session = await found_session(request)
    if session is None:
        raise NoSession
    given = request.headers.get(CSRF_HEADER)
    if given is None and "form" in request.headers.get("content-type", ""):
        given = (await form_fields(request)).get(CSRF_FIELD)
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
        secure=room_of(request).settings.secure,
        samesite="lax",
        path="/",
    )


def forget_session(request: Request, response: Response) -> None:
    """End the session of a request, and let the browser forget it."""
    close_session(request)
    secure = room_of(request).settings.secure
    response.delete_cookie(
        cookie_of(request), path="/", secure=secure, httponly=True, samesite="lax"
    )


def close_session(request: Request) -> None:
    """End the session of a request in the store, whatever the browser keeps."""
    token = token_of(request)
    if token:
        room_of(request).sessions.close(token)


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


EvaluatorVisit = Annotated[Visit, Depends(evaluator_visit)]
Organiser = Annotated[OrganiserVisit, Depends(organiser_visit)]
Fields = Annotated[dict[str, str], Depends(form_fields)]
SharedRoom = Annotated[Room, Depends(shared_room)]
WRITES = [Depends(csrf_checked)]
"""The dependencies of every route that changes something."""
