"""The organiser's secret link becomes a session, in the same way as that of an evaluator."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from patmark.web.entrance import behind_link
from patmark.web.organiser_words import organiser_phrases
from patmark.web.rendering import language_of, render
from patmark.web.sessions import SharedRoom, set_session

router = APIRouter()


@router.get("/o/{secret}")
def show_entrance(request: Request, secret: str, room: SharedRoom) -> Response:
    """The page behind the organiser's link; opening it changes nothing."""
    found = behind_link(request, secret, room, room.store.organiser_of)
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
    found = behind_link(request, secret, room, room.store.organiser_of)
    if isinstance(found, Response):
        return found
    seconds = room.settings.organiser_seconds
    session = room.store.open_session(found, None, seconds)
    response = RedirectResponse("/organiser", 303)
    set_session(request, response, session, seconds)
    return response
