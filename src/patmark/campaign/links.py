"""Links by which people come in: their forms, and all links of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from patmark.wording import tr

if TYPE_CHECKING:
    from patmark.campaign.records import Created

THE_ORGANISER = tr("(organiser)")
WHOEVER_COMES = tr("(whoever comes)")


def evaluator_link(address: str, token: str) -> str:
    """Return the private link of an evaluator."""
    return f"{address}/e/{token}"


def organiser_link(address: str, secret: str) -> str:
    """Return the private link of an organiser."""
    return f"{address}/o/{secret}"


def join_link(address: str, secret: str) -> str:
    """Return the common link, by which everybody may take part."""
    return f"{address}/j/{secret}"


def created_links(address: str, created: Created) -> dict[str, Any]:
    """Return all links of a new campaign, by role."""
    return {
        "organiser": organiser_link(address, created.organiser_secret),
        **({"join": join_link(address, created.join)} if created.join else {}),
        "evaluators": {
            name: evaluator_link(address, token) for name, token in created.links.items()
        },
    }


def named_links(made: Mapping[str, Any]) -> dict[str, str]:
    """Return the links by the people for whom they are."""
    common = {WHOEVER_COMES: made["join"]} if "join" in made else {}
    return {THE_ORGANISER: made["organiser"], **common, **made["evaluators"]}


def links_text(made: Mapping[str, Any]) -> str:
    """Return the links in two columns, one line for each."""
    from rich.cells import cell_len, set_cell_size

    named = named_links(made)
    width = max(map(cell_len, named))
    return "".join(f"{set_cell_size(name, width)}  {link}\n" for name, link in named.items())
