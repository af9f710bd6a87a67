"""Coming by oneself: the common link of a campaign, and what is asked before the start."""

from __future__ import annotations

import secrets

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.campaign.enrolment import Enrolment
from patmark.campaign.records import Refused
from patmark.campaign.state import CampaignState
from patmark.campaign.web.entrance import behind_link
from patmark.campaign.web.rendering import (
    in_language,
    language_of,
    message_page,
    render,
    to_markup,
)
from patmark.campaign.web.sessions import (
    EVALUATOR_COOKIE,
    WRITES,
    Evaluator,
    EvaluatorRequest,
    Fields,
    Shared,
    campaign_root,
    set_session,
)
from patmark.errors import UsageError
from patmark.wording import tr

router = APIRouter()
PLATFORM_NAMES = ("id", "PROLIFIC_PID", "workerId", "participant")
"""Under which names platforms tell who comes."""
_LONGEST_NAME = 100
_FULL = (
    tr("All places are taken"),
    tr("Thank you for coming. As many people take part as are needed."),
)


@router.get("/j/{secret}")
def show_join(request: Request, secret: str, shared: Shared) -> Response:
    """The page behind the common link; opening it changes nothing."""
    found = behind_link(request, secret, shared, shared.store.joined_by)
    if isinstance(found, Response):
        return found
    named = (request.query_params.get(name, "") for name in PLATFORM_NAMES)
    return render(
        request,
        "join.html.j2",
        form=shared.store.form(found.id),
        campaign=found,
        entry=f"{campaign_root(found.id)}/j/{secret}",
        id=next(filter(None, named), "")[:_LONGEST_NAME],
    )


@router.post("/j/{secret}")
def join(request: Request, secret: str, shared: Shared, fields: Fields) -> Response:
    """Become an evaluator: the one whom a platform names, or a new one with a name by lot."""
    found = behind_link(request, secret, shared, shared.store.joined_by)
    if isinstance(found, Response):
        return found
    name = fields.get("id", "").strip()[:_LONGEST_NAME] or f"guest-{secrets.token_hex(4)}"
    try:
        shared.store.join(found.id, name)
    except Refused:
        return message_page(request, *_FULL, 409)
    except UsageError as error:
        raise HTTPException(409, str(error)) from error
    seconds = shared.settings.session_seconds
    session = shared.store.open_session(found.id, name, seconds)
    root = campaign_root(found.id)
    response = RedirectResponse(f"{root}/", 303)
    set_session(request, response, EVALUATOR_COOKIE, root, session, seconds)
    return response


@router.get("/start")
def show_start(evaluator: Evaluator) -> Response:
    """What is asked before the start."""
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
    if not state.standing(evaluator.evaluator).enrolled:
        evaluator.store.enrol(evaluator.campaign, evaluator.evaluator, asked.answers(fields))
    return RedirectResponse("/guideline", 303)


def _start_page(
    evaluator: EvaluatorRequest,
    state: CampaignState,
    fields: dict[str, str],
    problems: tuple[str, ...],
) -> Response:
    asked = Enrolment.of(state.settings)
    consent = in_language(asked.consent, language_of(evaluator.request))
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
    )
