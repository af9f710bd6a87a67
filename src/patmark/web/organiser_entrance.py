"""The organiser's secret link becomes a session, in the same way as that of an evaluator."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from patmark.web.organiser_words import organiser_phrases
from patmark.web.rendering import language_of, message_page, render
from patmark.web.sessions import Room, SharedRoom, address_of, end_session, set_session

router = APIRouter()
_LONGEST_SECRET = 200


@router.get("/o/{secret}")
def show_entrance(request: Request, secret: str, room: SharedRoom) -> Response:
    """The page behind the organiser's link; opening it changes nothing."""
    found = _known(request, secret, room)
    if isinstance(found, Response):
        return found
    return render(
        request,
        "organiser_entrance.html.j2",
        o=organiser_phrases(language_of(request)),
        campaign=room.store.campaign(found),
    )


@router.post("/o/{secret}")
def enter(request: Request, secret: str, room: SharedRoom) -> Response:
    """Exchange the link for a session."""
    found = _known(request, secret, room)
    if isinstance(found, Response):
        return found
    seconds = room.settings.organiser_seconds
    session = room.store.open_session(found, None, seconds)
    response = RedirectResponse("/organiser", 303)
    end_session(request, response)
    set_session(response, session, room.settings, seconds)
    return response


def _known(request: Request, secret: str, room: Room) -> str | Response:
    """The campaign of a secret, or the page that says why there is none."""
    address = address_of(request)
    seconds = room.failures.wait(address)
    if seconds:
        response = message_page(request, "limit", 429, minutes=-(-seconds // 60))
        response.headers["Retry-After"] = str(seconds)
        return response
    found = room.store.organiser_of(secret) if len(secret) <= _LONGEST_SECRET else None
    if found is None:
        room.failures.failed(address)
        return message_page(request, "unknown", 404)
    return found
