"""Links by which people come in: their forms, and all links of a campaign."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from patmark.wording import tr

if TYPE_CHECKING:
    from patmark.human.campaign.plan import Plan
    from patmark.human.campaign.records import Created

THE_ORGANISER = tr("(organiser)")
WHOEVER_COMES = tr("(whoever comes)")


def evaluator_link(address: str, token: str) -> str:
    """Return the private link of an evaluator."""
    return f"{address}/e/{token}"


def organiser_link(address: str, secret: str) -> str:
    """Return the private link of an organiser."""
    return f"{address}/o/{secret}"


def join_link(address: str, secret: str) -> str:
    """Return the common link for joining."""
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


def merge_table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV for a mail merge."""
    written = StringIO()
    table = csv.DictWriter(written, columns, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return written.getvalue()


_MERGED = ("evaluator", "address", "language", "pages", "deadline", "link")


def mail_merge(made: Mapping[str, Any], plan: Plan) -> str:
    """Return the links of evaluators as CSV for a mail merge; the organiser's stands last.

    It has no address, so that no merge sends it to anybody.
    """
    named = {one["name"]: one for one in plan.settings.get("evaluators", ())}
    rows = []
    for name, link in made["evaluators"].items():
        own = named.get(name, {})
        rows.append(
            {
                "evaluator": name,
                "address": own.get("address"),
                "language": own.get("language"),
                "pages": len(plan.pages_of(name)) or "",
                "deadline": own.get("deadline") or plan.settings.get("deadline"),
                "link": link,
            }
        )
    for name, link in named_links(made).items():
        if name not in made["evaluators"]:
            rows.append({"evaluator": str(name), "link": link})
    return merge_table(_MERGED, rows)


DATABASE = "campaign.db"
DEFAULT_PORT = 8000


def default_database() -> str:
    """Return the database that is used if none is named: PATMARK_DB, or campaign.db."""
    return os.environ.get("PATMARK_DB") or DATABASE


def local_address(port: int = DEFAULT_PORT) -> str:
    """Return the address of a server on this machine."""
    return f"http://127.0.0.1:{port}"
