"""What the commands for campaigns share: where campaigns are kept, and how links are written."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias
from urllib.parse import urlsplit

import typer

from patmark.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from patmark.campaign.store import Store

DATABASE = "campaign.db"
PORT = 8000
ADDRESS = f"http://127.0.0.1:{PORT}"
_THIS_MACHINE = ("127.0.0.1", "localhost")

Db: TypeAlias = Annotated[
    str,
    typer.Option(
        "--db",
        envvar="PATMARK_DB",
        help="Where campaigns are kept: a file, or a URL as postgresql://user@host/name.",
    ),
]
ChosenCampaign: TypeAlias = Annotated[
    str | None,
    typer.Option("--campaign", help="Id or name of a campaign, if the database has several."),
]
BaseUrl: TypeAlias = Annotated[
    str, typer.Option("--base-url", help="The address under which evaluators reach the server.")
]


@contextmanager
def open_store(db: str, *, create: bool = False) -> Iterator[Store]:
    """The database of campaigns, closed again at the end of the block."""
    try:
        from patmark.campaign.store import Store
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "a library", "human") from None
    with Store.open(db, create=create) as store:
        yield store


def checked_address(base_url: str) -> str:
    """An address to which links can be added."""
    expected = f"--base-url {base_url!r}: expected an address as https://judge.example.org"
    try:
        parts = urlsplit(base_url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UsageError(expected) from None
    if parts.scheme not in ("http", "https") or not has_host or parts.query or parts.fragment:
        raise UsageError(expected)
    if parts.path.strip("/"):
        raise UsageError(f"--base-url {base_url!r}: the pages must lie at the root of the server")
    return f"{parts.scheme}://{parts.netloc}"


def serve_command(address: str, db: str) -> str:
    """What starts a server that the links lead to. A URL of a database may hold a password."""
    parts = urlsplit(address)
    command = "patmark human serve"
    is_direct = parts.scheme == "http" and parts.hostname in _THIS_MACHINE
    if is_direct and parts.port not in (None, PORT):
        command += f" --port {parts.port}"
    if db != DATABASE:
        command += " --db " + ("…" if "://" in db else shlex.quote(db))
    return command


def evaluator_link(address: str, token: str) -> str:
    """The private link of an evaluator."""
    return f"{address}/e/{token}"


def organiser_link(address: str, secret: str) -> str:
    """The private link of the organiser."""
    return f"{address}/o/{secret}"
