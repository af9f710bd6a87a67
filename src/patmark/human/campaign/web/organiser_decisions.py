"""Decisions of an organiser: closing, evaluators, exclusions, reassignment, consensus."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.human.campaign.links import evaluator_link
from patmark.human.campaign.web.downloads import results_page
from patmark.human.campaign.web.links import field_text, refusals, server_address, shown_links
from patmark.human.campaign.web.sessions import WRITES, Fields, Organiser, OrganiserRequest
from patmark.wording import tr

decisions = APIRouter(prefix="/organiser", dependencies=WRITES)
_QUALIFIED = {"mark": None, "yes": True, "no": False}
_LONGEST_NAME = 100


@decisions.post("/close")
def close(organiser: Organiser) -> Response:
    """Accept no more answers."""
    organiser.store.close_campaign(organiser.campaign)
    return RedirectResponse("/organiser", 303)


@decisions.post("/publish")
def publish(organiser: Organiser) -> Response:
    """Publish the results of a closed campaign as they are now."""
    with refusals():
        organiser.store.publish(organiser.campaign, results_page(organiser.state()))
    return RedirectResponse("/organiser/ranking", 303)


@decisions.post("/withdraw")
def withdraw(organiser: Organiser) -> Response:
    """Take the published results back."""
    organiser.store.publish(organiser.campaign, None)
    return RedirectResponse("/organiser/ranking", 303)


@decisions.post("/reopen")
def reopen(organiser: Organiser) -> Response:
    """Accept answers again."""
    organiser.store.reopen(organiser.campaign)
    return RedirectResponse("/organiser", 303)


@decisions.post("/add")
def add_evaluator(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Add an evaluator, and show the link this once."""
    name, like = field_text(fields, "name", _LONGEST_NAME).strip(), field_text(fields, "like")
    with refusals():
        token, _ = organiser.store.add_evaluator(organiser.campaign, name, like or None)
    return _shown_link(request, organiser, name, token, replaced=False)


@decisions.post("/address")
def mail_address(organiser: Organiser, fields: Fields) -> Response:
    """Store the mail address of an evaluator, or forget it."""
    name, address = field_text(fields, "name"), field_text(fields, "address").strip()
    with refusals():
        organiser.store.set_mail_address(organiser.campaign, name, address or None)
    return _back(fields)


@decisions.post("/link")
def new_link(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Show a new link this once; the old one ends."""
    name = field_text(fields, "name")
    with refusals():
        token = organiser.store.new_token(organiser.campaign, name)
    return _shown_link(request, organiser, name, token, replaced=True)


@decisions.post("/revoke")
def revoke(organiser: Organiser, fields: Fields) -> Response:
    """End all access of an evaluator."""
    with refusals():
        organiser.store.revoke(organiser.campaign, field_text(fields, "name"))
    return _back(fields)


@decisions.post("/qualify")
def qualify(organiser: Organiser, fields: Fields) -> Response:
    """Decide whether an evaluator may judge, or leave it to the pass mark."""
    decision = field_text(fields, "qualified")
    if decision not in _QUALIFIED:
        raise HTTPException(422, "expected mark, yes or no")
    with refusals():
        organiser.store.set_qualified(
            organiser.campaign, field_text(fields, "name"), _QUALIFIED[decision]
        )
    return _back(fields)


@decisions.post("/exclude")
def exclude(organiser: Organiser, fields: Fields) -> Response:
    """Leave the answers of an evaluator out of all results, for a reason."""
    with refusals():
        organiser.store.exclude(
            organiser.campaign, field_text(fields, "name"), field_text(fields, "reason")
        )
    return _back(fields)


@decisions.post("/include")
def include(organiser: Organiser, fields: Fields) -> Response:
    """Count the answers of an evaluator again."""
    with refusals():
        organiser.store.include(
            organiser.campaign, field_text(fields, "name"), field_text(fields, "reason")
        )
    return _back(fields)


@decisions.post("/reassign")
def reassign(organiser: Organiser, fields: Fields) -> Response:
    """Give open pages of one evaluator to another."""
    giver, taker, count = (field_text(fields, name) for name in ("name", "to", "count"))
    if not (count.isascii() and count.isdecimal() and int(count)):
        raise HTTPException(422, tr("expected how many pages, from 1 up"))
    with refusals():
        organiser.store.reassign_open_pages(organiser.campaign, giver, taker, int(count))
    return _back(fields)


@decisions.post("/agree")
def agree(organiser: Organiser, fields: Fields) -> Response:
    """Fix the common result for one text, or take it back."""
    key, value, note = (field_text(fields, name) for name in ("item", "value", "note"))
    with refusals():
        organiser.store.agree(organiser.campaign, key, value or None, note)
    phase, page = field_text(fields, "phase"), field_text(fields, "page")
    return RedirectResponse(f"/organiser/consensus?phase={quote(phase)}&page={quote(page)}", 303)


def _back(fields: Fields) -> Response:
    return RedirectResponse(f"/organiser/person?name={quote(field_text(fields, 'name'))}", 303)


def _shown_link(
    request: Request, organiser: OrganiserRequest, name: str, token: str, *, replaced: bool
) -> Response:
    address = server_address(request, organiser.store.address(organiser.campaign))
    campaign = organiser.store.campaign(organiser.campaign)
    links = {name: evaluator_link(address, token)}
    return shown_links(request, campaign, links, replaced=replaced)
