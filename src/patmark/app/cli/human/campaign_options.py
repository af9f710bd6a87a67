"""Options for a campaign, its database and the server address of its links."""

from __future__ import annotations

import shlex
from dataclasses import field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from patmark.human.campaign import DEFAULT_PORT, default_database
from patmark.options import Options, Parameter, group

if TYPE_CHECKING:
    from patmark.app.commands import human

_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


@group
class DatabaseOptions(Options, heading="Database"):
    """The database of campaigns."""

    db: str = field(default_factory=default_database)
    """Database of campaigns: a file, or a URL such as postgresql://user@host/name (default:
    PATMARK_DB, or campaign.db)."""

    @property
    def database(self) -> human.DatabaseRequest:
        """The request for the database alone."""
        from patmark.app.commands import human

        return human.DatabaseRequest(**self.changed())


@group
class CampaignOptions(DatabaseOptions):
    """A campaign of a database."""

    campaign: str | None = None
    """Id or name of a campaign, if the database has several."""

    def request(self, address: AddressOptions | None = None) -> human.CampaignRequest:
        """Return the request for the campaign, and the address of its links."""
        from patmark.app.commands import human

        return human.CampaignRequest(**self.changed(), **(address.changed() if address else {}))


@group
class AddressOptions(Options, heading="Links"):
    """Address of the server for evaluators."""

    base_url: str | None = None
    """Public address of the server, stored for later links of the campaign (default: the stored
    one, or http://127.0.0.1:8000)."""


def port_number() -> Any:
    """Return the parameter of a port."""
    from cyclopts.validators import Number

    return Parameter(validator=Number(gte=1, lte=65535))


def serve_command(address: str, db: str) -> str:
    """Return the command that starts the server of an address, without database secrets.

    An https server is assumed to be behind a proxy on the same machine.
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
        if port != DEFAULT_PORT:
            command += f" --port {port}"
    if db != default_database():
        command += " --db " + ("…" if "://" in db else shlex.quote(db))
    return command
