"""Decisions of organisers: about campaigns, people, pages and results; the list of campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.human.campaign.links import created_links, evaluator_link, named_links, organiser_link
from patmark.human.campaign.settings import parse_renaming
from patmark.human.campaign.store.store import Store
from patmark.human.campaign.web.downloads import results_page
from patmark.human.campaign.web.links import field_text, refusals, server_address, shown_links
from patmark.human.campaign.web.rendering import message_page, render
from patmark.human.campaign.web.sessions import (
    ALL_CAMPAIGNS,
    WRITES,
    Fields,
    Manager,
    Organiser,
    OrganiserRequest,
)
from patmark.wording import tr

router = APIRouter()
decisions = APIRouter(dependencies=[*WRITES, Depends(refusals)])
_LONGEST_NAME = 100
DELETED = (
    tr("Deleted"),
    tr("The campaign and all its answers have been deleted."),
)


@router.get("/campaigns")
def show_campaigns(request: Request, manager: Manager, archived: bool = False) -> Response:
    """Show all campaigns with their progress; those of the archive on request."""
    every = manager.store.overview()
    return render(
        request,
        "campaigns.html.j2",
        campaigns=[one for one in every if (one.state == "archived") == archived],
        archived=archived,
        archive_size=sum(one.state == "archived" for one in every),
        organisers=manager.store.organisers(None),
        events=list(reversed(manager.store.events(None))),
    )


@router.get("/organiser/campaign")
def show_campaign(request: Request, organiser: Organiser) -> Response:
    """Show the organisers of a campaign, and its archive and deletion."""
    return render(
        request,
        "organiser_campaign.html.j2",
        campaign=organiser.store.campaign(organiser.campaign),
        organisers=organiser.store.organisers(organiser.campaign),
    )


@decisions.post("/organiser/archive")
def archive(organiser: Organiser) -> Response:
    """Close the campaign, and list it only on request."""
    organiser.store.archive(organiser.campaign)
    return RedirectResponse("/organiser/campaign", 303)


@decisions.post("/organiser/unarchive")
def unarchive(organiser: Organiser) -> Response:
    """List the campaign with the others again."""
    organiser.store.unarchive(organiser.campaign)
    return RedirectResponse("/organiser/campaign", 303)


@decisions.post("/organiser/delete")
def delete(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Delete the campaign for ever, if its name was typed."""
    if field_text(fields, "name") != organiser.store.campaign(organiser.campaign).name:
        reason = tr("the name of the campaign was not typed as it is; nothing deleted")
        raise HTTPException(422, reason)
    organiser.store.delete_campaign(organiser.campaign)
    if organiser.session.campaign is None:
        return RedirectResponse(ALL_CAMPAIGNS, 303)
    request.state.session = None
    return message_page(request, *DELETED, 200)


@decisions.post("/organiser/clone")
def clone(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Begin a campaign with the same pages and nobody's answers, and show its links this once."""
    name = field_text(fields, "name", _LONGEST_NAME).strip()
    store = organiser.store
    lines = field_text(fields, "rename").splitlines()
    renamed = parse_renaming(line for line in lines if line.strip())
    made = store.clone(organiser.campaign, name, renamed)
    address = server_address(request, store.address(organiser.campaign))
    links = named_links(created_links(address, made))
    return shown_links(request, store.campaign(organiser.campaign), links, replaced=False)


@decisions.post("/organiser/organisers")
def change_organisers(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Add an organiser of the campaign, renew a link or end it."""
    return _changed_organisers(request, organiser.store, organiser.campaign, fields)


@decisions.post("/campaigns/organisers")
def change_managers(request: Request, manager: Manager, fields: Fields) -> Response:
    """Add an organiser of all campaigns, renew a link or end it."""
    return _changed_organisers(request, manager.store, None, fields)


def _changed_organisers(
    request: Request, store: Store, campaign: str | None, fields: Mapping[str, str]
) -> Response:
    action, name = field_text(fields, "action"), field_text(fields, "name", _LONGEST_NAME)
    if action == "revoke":
        store.revoke_organiser(campaign, name)
        return RedirectResponse(ALL_CAMPAIGNS if campaign is None else "/organiser/campaign", 303)
    if action not in ("add", "link"):
        raise HTTPException(422, "expected add, link or revoke")
    change = store.add_organiser if action == "add" else store.new_organiser_secret
    secret = change(campaign, name)
    place = server_address(request, store.address(campaign) if campaign else None)
    found = store.campaign(campaign) if campaign else None
    links = {name: organiser_link(place, secret)}
    return shown_links(request, found, links, replaced=action == "link")


_QUALIFIED = {"mark": None, "yes": True, "no": False}


@decisions.post("/organiser/close")
def close(organiser: Organiser) -> Response:
    """Accept no more answers."""
    organiser.store.close_campaign(organiser.campaign)
    return RedirectResponse("/organiser", 303)


@decisions.post("/organiser/publish")
def publish(organiser: Organiser) -> Response:
    """Publish the results of a closed campaign as they are now."""
    organiser.store.publish(organiser.campaign, results_page(organiser.state()))
    return RedirectResponse("/organiser/ranking", 303)


@decisions.post("/organiser/withdraw")
def withdraw(organiser: Organiser) -> Response:
    """Take the published results back."""
    organiser.store.publish(organiser.campaign, None)
    return RedirectResponse("/organiser/ranking", 303)


@decisions.post("/organiser/reopen")
def reopen(organiser: Organiser) -> Response:
    """Accept answers again."""
    organiser.store.reopen(organiser.campaign)
    return RedirectResponse("/organiser", 303)


@decisions.post("/organiser/add")
def add_evaluator(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Add an evaluator, and show the link this once."""
    name, like = field_text(fields, "name", _LONGEST_NAME).strip(), field_text(fields, "like")
    token, _ = organiser.store.add_evaluator(organiser.campaign, name, like or None)
    return _shown_link(request, organiser, name, token, replaced=False)


@decisions.post("/organiser/address")
def mail_address(organiser: Organiser, fields: Fields) -> Response:
    """Store the mail address of an evaluator, or forget it."""
    name, address = field_text(fields, "name"), field_text(fields, "address").strip()
    organiser.store.set_mail_address(organiser.campaign, name, address or None)
    return _back(fields)


@decisions.post("/organiser/link")
def new_link(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Show a new link this once; the old one ends."""
    name = field_text(fields, "name")
    token = organiser.store.new_token(organiser.campaign, name)
    return _shown_link(request, organiser, name, token, replaced=True)


@decisions.post("/organiser/revoke")
def revoke(organiser: Organiser, fields: Fields) -> Response:
    """End all access of an evaluator."""
    organiser.store.revoke(organiser.campaign, field_text(fields, "name"))
    return _back(fields)


@decisions.post("/organiser/qualify")
def qualify(organiser: Organiser, fields: Fields) -> Response:
    """Decide whether an evaluator may judge, or leave it to the pass mark."""
    decision = field_text(fields, "qualified")
    if decision not in _QUALIFIED:
        raise HTTPException(422, "expected mark, yes or no")
    organiser.store.set_qualified(
        organiser.campaign, field_text(fields, "name"), _QUALIFIED[decision]
    )
    return _back(fields)


@decisions.post("/organiser/exclude")
def exclude(organiser: Organiser, fields: Fields) -> Response:
    """Leave the answers of an evaluator out of all results, for a reason."""
    organiser.store.exclude(
        organiser.campaign, field_text(fields, "name"), field_text(fields, "reason")
    )
    return _back(fields)


@decisions.post("/organiser/include")
def include(organiser: Organiser, fields: Fields) -> Response:
    """Count the answers of an evaluator again."""
    organiser.store.include(
        organiser.campaign, field_text(fields, "name"), field_text(fields, "reason")
    )
    return _back(fields)


@decisions.post("/organiser/reassign")
def reassign(organiser: Organiser, fields: Fields) -> Response:
    """Give open pages of one evaluator to another."""
    giver, taker, count = (field_text(fields, name) for name in ("name", "to", "count"))
    if not (count.isascii() and count.isdecimal() and int(count)):
        raise HTTPException(422, tr("expected how many pages, from 1 up"))
    organiser.store.reassign_open_pages(organiser.campaign, giver, taker, int(count))
    return _back(fields)


@decisions.post("/organiser/agree")
def agree(organiser: Organiser, fields: Fields) -> Response:
    """Fix the common result for one text, or take it back."""
    key, value, note = (field_text(fields, name) for name in ("item", "value", "note"))
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
