"""Private links, shown once: in the answer itself, never in an address, a log or a cache."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from patmark.errors import PatmarkError
from patmark.human.campaign.links import THE_ORGANISER, WHOEVER_COMES
from patmark.human.campaign.records import CampaignInfo, NoCampaign
from patmark.human.campaign.web.rendering import keep_language, render
from patmark.human.campaign.web.sessions import WRITES, Fields, Manager, Organiser, app_state
from patmark.wording import LANGUAGES, tr

router = APIRouter(dependencies=WRITES)
_ROLES: Mapping[str, str] = {str(one): one for one in (THE_ORGANISER, WHOEVER_COMES)}
_LONGEST_TEXT = 2000
_LONGEST_LINKS = 200_000


def server_address(request: Request, kept: str | None) -> str:
    """Return the address for links: the stored one, or that of the current request."""
    scheme = "https" if app_state(request).settings.secure else request.url.scheme
    return kept or f"{scheme}://{request.url.netloc}"


def shown_links(
    request: Request, campaign: CampaignInfo | None, links: Mapping[str, str], *, replaced: bool
) -> Response:
    """Show links by the names of their owners, on a page of a campaign or of the database.

    ``replaced`` says that earlier links of the same people have ended.
    """
    return render(
        request,
        "links.html.j2",
        campaign=campaign,
        links={_ROLES.get(name, name): link for name, link in links.items()},
        replaced=replaced,
        kept=json.dumps(links),
    )


@router.post("/organiser/links")
def links_again(request: Request, organiser: Organiser, fields: Fields) -> Response:
    """Show the links of the page in another language; the form of the page holds them."""
    return _again(request, organiser.store.campaign(organiser.campaign), fields)


@router.post("/campaigns/links")
def managers_links_again(request: Request, manager: Manager, fields: Fields) -> Response:
    """Show the links again to organisers of all campaigns."""
    return _again(request, None, fields)


def _again(request: Request, campaign: CampaignInfo | None, fields: Mapping[str, str]) -> Response:
    try:
        links = json.loads(field_text(fields, "links", _LONGEST_LINKS))
    except ValueError:
        links = None
    if not isinstance(links, dict) or not all(isinstance(one, str) for one in links.values()):
        raise HTTPException(422, "expected links by name")
    language = field_text(fields, "language")
    if language in LANGUAGES:
        request.state.language = language
    response = shown_links(request, campaign, links, replaced=bool(fields.get("replaced")))
    keep_language(request, response, language)
    return response


def field_text(fields: Mapping[str, str], name: str, longest: int = _LONGEST_TEXT) -> str:
    """Return the content of a form field; refuse it if it is too long."""
    text = fields.get(name, "").replace("\r\n", "\n")
    if len(text) > longest:
        raise HTTPException(422, tr("{name}: at most {most} characters", name=name, most=longest))
    return text


def refusals() -> Iterator[None]:
    """Turn refusals of the decisions of a router into pages that say why."""
    try:
        yield
    except NoCampaign:
        raise
    except PatmarkError as error:
        raise HTTPException(422, error.args[0] if error.args else str(error)) from error
