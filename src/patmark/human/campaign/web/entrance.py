"""Coming and going: a link becomes a session, what is asked before the start, a session ends.

Opening a link changes nothing, so that a preview of the link in a chat does no harm. Its button
exchanges the link for a cookie, and the link leaves the address bar.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeVar

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.errors import UsageError
from patmark.human.campaign.enrolment import Enrolment
from patmark.human.campaign.records import CampaignInfo, Refused
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.web.rendering import (
    assets,
    in_language,
    keep_language,
    language_of,
    message_page,
    name_reader,
    render,
    to_markup,
)
from patmark.human.campaign.web.sessions import (
    ALL_CAMPAIGNS,
    EVALUATOR_COOKIE,
    MANAGER_COOKIE,
    ORGANISER_COOKIE,
    WRITES,
    AppState,
    Evaluator,
    EvaluatorRequest,
    Fields,
    Shared,
    address_of,
    campaign_root,
    forget_session,
    pseudonym,
    read_cookie,
    return_cookie,
    session_of,
    set_session,
    write_cookie,
)
from patmark.wording import tr

router = APIRouter()
_Found = TypeVar("_Found")
_LONGEST_SECRET = 200


class LinkRefused(Exception):
    """A link that leads nowhere, with the page that says so."""

    def __init__(self, page: Response) -> None:
        super().__init__("the link is refused")
        self.page = page


@router.get("/e/{token}")
def show_entrance(request: Request, token: str, shared: Shared) -> Response:
    """Show the page behind a private link."""
    found = behind_link(request, token, shared, shared.store.evaluator_of)
    name_reader(request, found.campaign, found.name)
    return render(
        request,
        "entrance.html.j2",
        form=shared.store.form(found.campaign),
        campaign=shared.store.campaign(found.campaign),
        entry=f"{campaign_root(found.campaign)}/e/{token}",
    )


@router.post("/e/{token}")
def enter(request: Request, token: str, shared: Shared) -> Response:
    """Exchange a private link for a session."""
    found = behind_link(request, token, shared, shared.store.evaluator_of)
    return _entered(request, shared, found.campaign, found.name)


def _entered(request: Request, shared: AppState, campaign: str, evaluator: str) -> Response:
    seconds = shared.settings.session_seconds
    session = shared.store.open_session(campaign, evaluator, seconds)
    response = RedirectResponse(f"{campaign_root(campaign)}/", 303)
    set_session(request, response, EVALUATOR_COOKIE, campaign, session, seconds)
    return response


@router.post("/leave", dependencies=WRITES)
@router.post("/organiser/leave", dependencies=WRITES)
def leave(request: Request) -> Response:
    """End the session of an evaluator, or that of the organiser."""
    response = RedirectResponse("/left", 303)
    forget_session(request, response)
    return response


@router.get("/left")
def show_left(request: Request) -> Response:
    """Say good-bye."""
    return message_page(
        request,
        tr("You have left"),
        tr("Your answers are saved. To go on, open your private link again."),
        200,
    )


@router.post("/language")
def choose_language(request: Request, fields: Fields) -> Response:
    """Remember the language of the interface on this device, and go back."""
    back = fields.get("back", "/")
    is_local = back.startswith("/") and not back.startswith("//") and "\\" not in back
    response = RedirectResponse(back if is_local and back.isprintable() else "/", 303)
    keep_language(request, response, fields.get("language", ""))
    return response


def behind_link(
    request: Request, secret: str, shared: AppState, find: Callable[[str], _Found | None]
) -> _Found:
    """Return the owner of a link as ``find`` knows it, or raise the page that refuses the link.

    Nobody guesses 256 bits, so a valid link always enters, whoever failed from where before: the
    limit is for wrong ones alone. Each is looked up alike, by its hash, before anything is decided.
    """
    found = find(secret) if len(secret) <= _LONGEST_SECRET else None
    if found is not None:
        return found
    address = address_of(request)
    if seconds := shared.failures.wait(address):
        raise LinkRefused(_please_wait(request, seconds))
    shared.failures.failed(address)
    text = tr(
        "The link is wrong, has expired or was withdrawn. Please ask the organiser for a new one."
    )
    raise LinkRefused(message_page(request, tr("This link does not work"), text, 404))


def _please_wait(request: Request, seconds: int) -> Response:
    text = tr("Please wait {minutes} min and try again.", minutes=-(-seconds // 60))
    response = message_page(request, tr("Too many attempts"), text, 429)
    response.headers["Retry-After"] = str(seconds)
    return response


@router.get("/o/{secret}")
def show_organiser_entrance(request: Request, secret: str, shared: Shared) -> Response:
    """Show the page behind the organiser's link; opening it changes nothing."""
    found = behind_link(request, secret, shared, shared.store.organiser_of)
    return render(
        request,
        "organiser_entrance.html.j2",
        title=shared.store.campaign(found.campaign).name if found.campaign else None,
        entry=f"{campaign_root(found.campaign)}/o/{secret}",
    )


@router.post("/o/{secret}")
def enter_as_organiser(request: Request, secret: str, shared: Shared) -> Response:
    """Exchange the link for a session."""
    found = behind_link(request, secret, shared, shared.store.organiser_of)
    seconds = shared.settings.organiser_seconds
    session = shared.store.open_organiser_session(found.campaign, seconds, found.name)
    root, is_manager = campaign_root(found.campaign), found.campaign is None
    response = RedirectResponse(ALL_CAMPAIGNS if is_manager else f"{root}/organiser", 303)
    cookie = MANAGER_COOKIE if is_manager else ORGANISER_COOKIE
    set_session(request, response, cookie, found.campaign, session, seconds)
    return response


# Joining by the common link, and enrolment before the start

PLATFORM_NAMES = ("id", "PROLIFIC_PID", "workerId", "participant")
"""Query parameters in which crowd platforms pass the id of a person."""
_LONGEST_NAME = 100
_FULL = (
    tr("All places are taken"),
    tr("Thank you for coming. As many people take part as are needed."),
)


@router.get("/j/{secret}")
def show_join(request: Request, secret: str, shared: Shared) -> Response:
    """Show the page behind the common link; opening it changes nothing."""
    found = behind_link(request, secret, shared, shared.store.joined_by)
    named = (request.query_params.get(name, "") for name in PLATFORM_NAMES)
    return _join_page(request, shared, found, secret, next(filter(None, named), ""))


def _join_page(
    request: Request,
    shared: AppState,
    campaign: CampaignInfo,
    secret: str,
    name: str,
    *,
    asks_code: bool = False,
) -> Response:
    return render(
        request,
        "join.html.j2",
        403 if asks_code else 200,
        form=shared.store.form(campaign.id),
        campaign=campaign,
        entry=f"{campaign_root(campaign.id)}/j/{secret}",
        id=name[:_LONGEST_NAME],
        asks_code=asks_code,
    )


@router.post("/j/{secret}")
def join(request: Request, secret: str, shared: Shared, fields: Fields) -> Response:
    """Add an evaluator: the one whom a platform names, or one with a random name.

    A name belongs to the browser that came with it first, or to whoever knows its return code.
    """
    found = behind_link(request, secret, shared, shared.store.joined_by)
    address = address_of(request)
    if seconds := shared.failures.wait(address) or shared.joins.wait(address):
        return _please_wait(request, seconds)
    name = fields.get("id", "").strip()[:_LONGEST_NAME]
    session = session_of(request)
    if not name and session is not None and session.evaluator is not None:
        return RedirectResponse(f"{campaign_root(found.id)}/", 303)
    name = name or f"guest-{secrets.token_hex(4)}"
    typed = fields.get("code", "").strip().upper()
    given = typed or read_cookie(request, return_cookie(name), found.id)
    try:
        code = shared.store.join(found.id, name, given)
    except Refused as error:
        if error.reason == "full":
            return message_page(request, *_FULL, 409)
        if typed:
            shared.failures.failed(address)
        return _join_page(request, shared, found, secret, name, asks_code=True)
    except UsageError as error:
        raise HTTPException(409, error.args[0]) from error
    if code != given:
        shared.joins.failed(address)
    response = _entered(request, shared, found.id, name)
    write_cookie(request, response, return_cookie(name), code, found.id)
    return response


@router.get("/start")
def show_start(evaluator: Evaluator) -> Response:
    """Show the questions before the start."""
    state = evaluator.state()
    if state.standing(evaluator.evaluator).enrolled:
        return RedirectResponse("/next", 303)
    return _start_page(evaluator, state, {}, ())


@router.post("/start", dependencies=WRITES)
def start(evaluator: Evaluator, fields: Fields) -> Response:
    """Keep consent and background, once all of it is there."""
    state = evaluator.state()
    asked = Enrolment.of(state.settings)
    if problems := asked.problems(fields):
        return _start_page(evaluator, state, fields, problems)
    evaluator.store.enrol(evaluator.campaign, evaluator.evaluator, asked.answers(fields))
    return RedirectResponse("/guideline", 303)


def _start_page(
    evaluator: EvaluatorRequest,
    state: CampaignState,
    fields: dict[str, str],
    problems: tuple[str, ...],
) -> Response:
    asked = Enrolment.of(state.settings)
    language = language_of(evaluator.request)
    consent = in_language(asked.consent, language)
    return render(
        evaluator.request,
        "start.html.j2",
        422 if problems else 200,
        form=state.form,
        campaign=state.info,
        consent=to_markup(consent) if consent else "",
        questions=asked.questions,
        fields=fields,
        problems=problems,
        words=assets.words(language),
        who=pseudonym(evaluator),
    )
