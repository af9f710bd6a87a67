"""Where campaigns are kept, and to which server their links lead."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from patmark.errors import MissingExtra, UsageError
from patmark.options import Options, group

if TYPE_CHECKING:
    from patmark.campaign import CampaignInfo, Store

DATABASE = "campaign.db"
PORT = 8000
ADDRESS = f"http://127.0.0.1:{PORT}"
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def usual_database() -> str:
    """Where campaigns are kept if nothing else is said."""
    return os.environ.get("PATMARK_DB") or DATABASE


@group
class Database(Options, heading="Database"):
    """The database of campaigns."""

    db: str = field(default_factory=usual_database)
    """Where campaigns are kept: a file, or a URL as postgresql://user@host/name (default: the
    variable PATMARK_DB, or campaign.db)."""

    @contextmanager
    def open(self, *, create: bool = False) -> Iterator[Store]:
        """The database of campaigns, closed again at the end of the block."""
        try:
            from patmark.campaign import Store
        except ModuleNotFoundError as error:
            raise MissingExtra(error.name or "a library", "human") from None
        with Store.open(self.db, create=create) as store:
            yield store

    @property
    def shown(self) -> str:
        """The place without a password."""
        from patmark.campaign import database_url, shown

        return shown(database_url(self.db))


@group
class Campaign(Database):
    """A campaign of a database."""

    campaign: str | None = None
    """Id or name of a campaign, if the database has several."""

    def find(self, store: Store) -> CampaignInfo:
        """The campaign that is meant."""
        return store.find(self.campaign)

    @contextmanager
    def found(self) -> Iterator[tuple[Store, CampaignInfo]]:
        """The database, and the campaign that is meant."""
        with self.open() as store:
            yield store, self.find(store)


@group
class Address(Options, heading="Links"):
    """How evaluators reach the server."""

    base_url: str | None = None
    """The address under which evaluators reach the server, kept for later links of the campaign
    (default: the one that was kept, or http://127.0.0.1:8000)."""

    @property
    def address(self) -> str | None:
        """An address to which links can be added, if one was given."""
        return None if self.base_url is None else checked_address(self.base_url)

    @property
    def everywhere(self) -> str:
        """The address of links that belong to no campaign."""
        return self.address or ADDRESS

    def of(self, store: Store, campaign: str) -> str:
        """The address of the links of a campaign; one that is given is kept there."""
        given = self.address
        if given is not None and given != store.address(campaign):
            store.set_address(campaign, given)
        return store.address(campaign) or ADDRESS


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
    """What starts a server that the links lead to. A URL of a database may hold a password.

    A server for https stands behind a proxy, which is taken to run on the same machine.
    """
    parts = urlsplit(address)
    command, host, port = "patmark human serve", parts.hostname or "", parts.port or 80
    if parts.scheme == "https":
        command += f" --behind-tls --name {parts.netloc} --proxy 127.0.0.1"
    else:
        if host not in _THIS_MACHINE:
            command += f" --host 0.0.0.0 --name {host}"
        elif ":" in host:
            command += f" --host {host}"
        if port != PORT:
            command += f" --port {port}"
    if db != usual_database():
        command += " --db " + ("…" if "://" in db else shlex.quote(db))
    return command
