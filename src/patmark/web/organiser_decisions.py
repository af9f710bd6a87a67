"""What the organiser decides in the browser. Each decision stands in the log of the campaign."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.errors import PatmarkError
from patmark.protocols import common_items, pages_for_newcomer, pages_to_move, read_campaign_data
from patmark.web.organiser_words import organiser_phrases
from patmark.web.rendering import language_of, render
from patmark.web.sessions import WRITES, Fields, Organiser, OrganiserVisit

router = APIRouter(prefix="/organiser", dependencies=WRITES)
_QUALIFIED = {"mark": None, "yes": True, "no": False}
_LONGEST_NAME = 100
_LONGEST_TEXT = 2000


@router.post("/close")
def close(visit: Organiser) -> Response:
    """Accept no more answers."""
    visit.store.close_campaign(visit.campaign)
    return RedirectResponse("/organiser", 303)


@router.post("/reopen")
def reopen(visit: Organiser) -> Response:
    """Accept answers again."""
    visit.store.reopen(visit.campaign)
    return RedirectResponse("/organiser", 303)


@router.post("/add")
def add_evaluator(request: Request, visit: Organiser, fields: Fields) -> Response:
    """Add an evaluator, and show the link this once."""
    name, like = _text(fields, "name", _LONGEST_NAME).strip(), _text(fields, "like")
    with _refusals():
        pages = pages_for_newcomer(visit.store.plan(visit.campaign), name, like or None)
        token = visit.store.add_evaluator(visit.campaign, name, pages)
    return _shown_link(request, visit, name, token)


@router.post("/link")
def new_link(request: Request, visit: Organiser, fields: Fields) -> Response:
    """A new link, shown this once; the old one ends."""
    name = _text(fields, "name")
    with _refusals():
        token = visit.store.new_token(visit.campaign, name)
    return _shown_link(request, visit, name, token)


@router.post("/revoke")
def revoke(visit: Organiser, fields: Fields) -> Response:
    """End all access of an evaluator."""
    with _refusals():
        visit.store.revoke(visit.campaign, _text(fields, "name"))
    return _back(fields)


@router.post("/qualify")
def qualify(visit: Organiser, fields: Fields) -> Response:
    """Decide whether an evaluator may judge, or leave it to the pass mark."""
    decision = _text(fields, "qualified")
    if decision not in _QUALIFIED:
        raise HTTPException(422, "expected mark, yes or no")
    with _refusals():
        visit.store.set_qualified(visit.campaign, _text(fields, "name"), _QUALIFIED[decision])
    return _back(fields)


@router.post("/exclude")
def exclude(visit: Organiser, fields: Fields) -> Response:
    """Leave the answers of an evaluator out of all results, for a reason."""
    with _refusals():
        visit.store.exclude(visit.campaign, _text(fields, "name"), _text(fields, "reason"))
    return _back(fields)


@router.post("/include")
def include(visit: Organiser, fields: Fields) -> Response:
    """Count the answers of an evaluator again."""
    with _refusals():
        visit.store.include(visit.campaign, _text(fields, "name"), _text(fields, "reason"))
    return _back(fields)


@router.post("/reassign")
def reassign(visit: Organiser, fields: Fields) -> Response:
    """Give open pages of one evaluator to another."""
    giver, taker, count = (_text(fields, name) for name in ("name", "to", "count"))
    if not (count.isascii() and count.isdecimal() and int(count)):
        raise HTTPException(422, "expected how many pages, from 1 up")
    data = read_campaign_data(visit.store, visit.campaign)
    with _refusals():
        moved = pages_to_move(data.plan, data.given, giver, taker, int(count))
        if not moved:
            raise HTTPException(422, f"{taker} can take no page of {giver}")
        visit.store.reassign(visit.campaign, [page.id for page in moved], taker)
    return _back(fields)


@router.post("/agree")
def agree(visit: Organiser, fields: Fields) -> Response:
    """Fix the common result for one text, or take it back."""
    key, value, note = (_text(fields, name) for name in ("item", "value", "note"))
    data = read_campaign_data(visit.store, visit.campaign)
    item = next((one for one in common_items(data) if one.key == key), None)
    if item is None or value not in ("", *item.possible):
        raise HTTPException(422, "there is no such common item, or no such value")
    with _refusals():
        visit.store.set_consensus(
            visit.campaign, item.segment, item.systems, item.question, value or None, note
        )
    phase, page = _text(fields, "phase"), _text(fields, "page")
    return RedirectResponse(f"/organiser/consensus?phase={quote(phase)}&page={quote(page)}", 303)


@contextmanager
def _refusals() -> Iterator[None]:
    """What cannot be done, as a page that says why."""
    try:
        yield
    except PatmarkError as error:
        raise HTTPException(422, str(error)) from error


def _text(fields: Fields, name: str, longest: int = _LONGEST_TEXT) -> str:
    text = fields.get(name, "").replace("\r\n", "\n")
    if len(text) > longest:
        raise HTTPException(422, f"{name}: at most {longest} characters")
    return text


def _back(fields: Fields) -> Response:
    return RedirectResponse(f"/organiser/person?name={quote(_text(fields, 'name'))}", 303)


def _shown_link(request: Request, visit: OrganiserVisit, name: str, token: str) -> Response:
    """The link in the answer itself: it is never in an address, a log or a cache."""
    scheme = "https" if visit.room.settings.secure else request.url.scheme
    return render(
        request,
        "organiser_link.html.j2",
        o=organiser_phrases(language_of(request)),
        campaign=visit.store.campaign(visit.campaign),
        name=name,
        link=f"{scheme}://{request.url.netloc}/e/{token}",
    )
