"""Authentication: cookies, sessions, and the checks that every protected route begins with."""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, HTTPException, Request
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from patmark.human.campaign.records import Session
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.store.store import Store
from patmark.human.campaign.web.page_view import PageViews
from patmark.web import LOOPBACK_NAMES, FailureLimit

EVALUATOR_COOKIE = "patmark-session"
ORGANISER_COOKIE = "patmark-organiser"
"""A separate cookie, so that an organiser may try an evaluator's link without leaving."""
MANAGER_COOKIE = "patmark-manager"
"""The cookie of an organiser of all campaigns, in addition to that of a single one."""
_ORGANISER_PATHS = ("/organiser", "/api/organiser")
CSRF_HEADER = "X-CSRF-Token"
CSRF_FIELD = "csrf"
_MOST_FIELDS = 50
_IPV6_NETWORK = 64
_A_YEAR = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Settings of a server: host names, duration of sessions, limits.

    ``hosts`` are the names under which it may be called, with a port if it is neither the one on
    which the server listens nor that of http or https; any other Host header is refused, so that a
    foreign page cannot reach a server on loopback under a name of its own. ``secure``
    marks cookies for TLS only: set it when a proxy in front of the server speaks TLS. ``proxies``
    are the addresses of proxies that are believed when they say from where a request comes.
    ``tries_per_address`` and ``tries_in_all`` are the wrong links that are looked at within
    ``tries_seconds``; valid ones always enter. ``joins_per_address`` are the people who may join by
    the common link from one address in that time.
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
    joins_per_address: int = 60


@dataclass(frozen=True, slots=True)
class AppState:
    """State that all routes share."""

    store: Store
    settings: WebSettings
    failures: FailureLimit
    joins: FailureLimit
    views: PageViews = field(default_factory=PageViews)


@dataclass(frozen=True, slots=True)
class EvaluatorRequest:
    """A request of a known evaluator."""

    request: Request
    store: Store
    session: Session
    campaign: str
    evaluator: str

    def state(
        self, page: str = "", *, only_training: bool = False, all_texts: bool = False
    ) -> CampaignState:
        """Return the part of the campaign that the evaluator sees, and note the page's language."""
        state = self.store.state_of(
            self.campaign, self.evaluator, page, only_training=only_training, all_texts=all_texts
        )
        self.request.state.planned_language = state.language_of(self.evaluator)
        return state


@dataclass(frozen=True, slots=True)
class OrganiserRequest:
    """A request of an organiser of a campaign; the log of ``store`` names who it is."""

    store: Store
    session: Session
    campaign: str

    def state(self) -> CampaignState:
        """Return the whole state of the campaign."""
        return self.store.state(self.campaign)


@dataclass(frozen=True, slots=True)
class ManagerRequest:
    """A request of an organiser of all campaigns."""

    store: Store
    session: Session


class NoSession(Exception):
    """The request has no valid session; a page explains how to get one."""


def app_state(request: Request) -> AppState:
    """Return the state that all routes share."""
    state: AppState = request.app.state.shared
    return state


ALL_CAMPAIGNS = "/campaigns"
"""The page that belongs to no campaign."""
_CAMPAIGN_PATH = re.compile(r"/c/([\w-]+)(?=/|$)")


class CampaignPaths:
    """Addresses of a campaign begin with ``/c/ID``, so that its cookies are separate.

    So campaigns in two tabs know nothing of each other. Routes are written without that
    beginning; redirects inside a campaign get it here, and templates write ``{{ root }}``.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the campaign of a request."""
        found = _CAMPAIGN_PATH.match(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        root = found[0]

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                place = headers.get("location", "")
                if place.startswith("/") and not place.startswith((f"{root}/", ALL_CAMPAIGNS)):
                    headers["location"] = root + place
            await send(message)

        await self._app({**scope, "root_path": root, "campaign": found[1]}, receive, sent)


def campaign_root(campaign: str | None) -> str:
    """Return the prefix of addresses of a campaign; empty for those of the database."""
    return "" if campaign is None else f"/c/{campaign}"


def root_of(request: Request) -> str:
    """Return the prefix of addresses of the campaign of a request."""
    root: str = request.scope.get("root_path", "")
    return root


def route_of(request: Request) -> str:
    """Return the path of a request inside its campaign."""
    path: str = request.scope["path"]  # not that of the URL, which the Host header is a part of
    return path.removeprefix(root_of(request))


def cookie_of(request: Request) -> str:
    """Return the name of the cookie with the session of a request."""
    if "campaign" not in request.scope:
        return MANAGER_COOKIE
    return ORGANISER_COOKIE if route_of(request).startswith(_ORGANISER_PATHS) else EVALUATOR_COOKIE


def session_of(request: Request) -> Session | None:
    """Return the session of the cookie if it has not ended; read once per request."""
    if not hasattr(request.state, "session"):
        request.state.session = _found_session(request)
    session: Session | None = request.state.session
    return session


def _found_session(request: Request) -> Session | None:
    """Return the session of the campaign; on organiser's pages also that for all campaigns."""
    campaign, name = request.scope.get("campaign"), cookie_of(request)
    names = (name, MANAGER_COOKIE) if name == ORGANISER_COOKIE else (name,)
    for cookie in names:
        owner = None if cookie == MANAGER_COOKIE else campaign
        token = read_cookie(request, cookie, owner)
        found = app_state(request).store.session(token) if token else None
        if found is not None and found.campaign == owner:
            return found
    return None


def evaluator_request(request: Request) -> EvaluatorRequest:
    """Return the evaluator behind a request; send anybody else to the entrance."""
    session = session_of(request)
    if session is None or session.campaign is None or session.evaluator is None:
        raise NoSession
    store = app_state(request).store
    return EvaluatorRequest(request, store, session, session.campaign, session.evaluator)


def pseudonym(evaluator: EvaluatorRequest) -> str:
    """Return a name that separates the unsent answers of two evaluators on one device."""
    name = f"{evaluator.campaign}\0{evaluator.evaluator}".encode()
    return hashlib.sha256(name).hexdigest()[:16]


def return_cookie(evaluator: str) -> str:
    """Return the name of the cookie with the return code of an evaluator who joined."""
    return f"patmark-return-{hashlib.sha256(evaluator.encode()).hexdigest()[:8]}"


def writing_evaluator(request: Request) -> EvaluatorRequest:
    """Return the evaluator behind a write, which must repeat the secret of the session."""
    found = evaluator_request(request)
    _check_csrf(found.session, request.headers.get(CSRF_HEADER))
    return found


def organiser_request(request: Request) -> OrganiserRequest:
    """Return the organiser behind a request; send anybody else to the entrance."""
    session = session_of(request)
    campaign = request.scope.get("campaign")
    if session is None or session.organiser is None or campaign is None:
        raise NoSession
    store = app_state(request).store.acting_for(session.organiser)
    return OrganiserRequest(store, session, campaign)


def manager_request(request: Request) -> ManagerRequest:
    """Return the organiser of all campaigns behind a request; send others to the entrance."""
    session = session_of(request)
    if session is None or session.organiser is None or session.campaign is not None:
        raise NoSession
    return ManagerRequest(app_state(request).store.acting_for(session.organiser), session)


async def form_fields(request: Request) -> dict[str, str]:
    """Return the fields of a posted form; the last one of a name counts."""
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
    """Return the secret that a write repeats, in a header or a form field."""
    given = request.headers.get(CSRF_HEADER)
    if given is None and "form" in request.headers.get("content-type", ""):
        given = (await form_fields(request)).get(CSRF_FIELD)
    return given


def csrf_checked(request: Request, given: Annotated[str | None, Depends(_posted_token)]) -> None:
    """Refuse a write that does not repeat the secret of its session."""
    session = session_of(request)
    if session is None:
        raise NoSession
    _check_csrf(session, given)


def _check_csrf(session: Session, given: str | None) -> None:
    if given is None or not hmac.compare_digest(given.encode(), session.csrf.encode()):
        raise HTTPException(403, "the security token is missing or out of date: reload the page")


def cookie_place(request: Request, name: str, campaign: str | None) -> tuple[str, str]:
    """Return the name and the path of a cookie of a campaign, or of the database.

    Behind TLS the name binds the cookie to this very host, which asks for the path ``/``; so the
    campaign is a part of the name.
    """
    if not app_state(request).settings.secure:
        return name, campaign_root(campaign) or "/"
    return f"__Host-{name}-{campaign}" if campaign else f"__Host-{name}", "/"


def read_cookie(request: Request, name: str, campaign: str | None = None) -> str:
    """Return the content of a cookie; empty if there is none."""
    return request.cookies.get(cookie_place(request, name, campaign)[0], "")


def write_cookie(
    request: Request,
    response: Response,
    name: str,
    value: str,
    campaign: str | None = None,
    seconds: int = _A_YEAR,
) -> None:
    """Set a cookie with a lifetime; scripts cannot read it."""
    own, path = cookie_place(request, name, campaign)
    secure = app_state(request).settings.secure
    response.set_cookie(
        own, value, max_age=seconds, httponly=True, secure=secure, samesite="lax", path=path
    )


def set_session(
    request: Request,
    response: Response,
    cookie: str,
    campaign: str | None,
    token: str,
    seconds: int,
) -> None:
    """Give the browser a session in a campaign, or for all, instead of the one before."""
    if before := read_cookie(request, cookie, campaign):
        app_state(request).store.close_session(before)
    write_cookie(request, response, cookie, token, campaign, seconds)


def forget_session(request: Request, response: Response) -> None:
    """End the session of a request, and let the browser forget it."""
    session = session_of(request)
    cookie, campaign = cookie_of(request), request.scope.get("campaign")
    if session is not None and session.is_organiser and session.campaign is None:
        cookie, campaign = MANAGER_COOKIE, None
    if token := read_cookie(request, cookie, campaign):
        app_state(request).store.close_session(token)
    own, path = cookie_place(request, cookie, campaign)
    secure = app_state(request).settings.secure
    response.delete_cookie(own, path=path, secure=secure, httponly=True, samesite="lax")


def address_of(request: Request) -> str:
    """Return the address of a client; for IPv6 the network, as one machine may use all of it."""
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
Manager = Annotated[ManagerRequest, Depends(manager_request)]
Fields = Annotated[dict[str, str], Depends(form_fields)]
Shared = Annotated[AppState, Depends(app_state)]
WRITES = [Depends(csrf_checked)]
"""The dependencies of every route that changes something."""
