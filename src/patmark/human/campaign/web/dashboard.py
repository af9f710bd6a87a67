"""All campaigns of a database, and what becomes of each: organisers, archive, clones, deletion."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.human.campaign.links import created_links, named_links, organiser_link
from patmark.human.campaign.settings import parse_renaming
from patmark.human.campaign.store.store import Store
from patmark.human.campaign.web.links import field_text, refusals, server_address, shown_links
from patmark.human.campaign.web.rendering import message_page, render
from patmark.human.campaign.web.sessions import ALL_CAMPAIGNS, WRITES, Fields, Manager, Organiser
from patmark.wording import tr

router = APIRouter()
decisions = APIRouter(dependencies=WRITES)
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
    with refusals():
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
    with refusals():
        if action == "revoke":
            store.revoke_organiser(campaign, name)
            return RedirectResponse(
                ALL_CAMPAIGNS if campaign is None else "/organiser/campaign", 303
            )
        if action not in ("add", "link"):
            raise HTTPException(422, "expected add, link or revoke")
        change = store.add_organiser if action == "add" else store.new_organiser_secret
        secret = change(campaign, name)
    place = server_address(request, store.address(campaign) if campaign else None)
    found = store.campaign(campaign) if campaign else None
    links = {name: organiser_link(place, secret)}
    return shown_links(request, found, links, replaced=action == "link")
