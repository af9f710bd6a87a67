"""Defaults of campaigns: database, port and address of the server."""

from __future__ import annotations

import os

DATABASE = "campaign.db"
DEFAULT_PORT = 8000


def default_database() -> str:
    """Return the database that is used if none is named: PATMARK_DB, or campaign.db."""
    return os.environ.get("PATMARK_DB") or DATABASE


def local_address(port: int = DEFAULT_PORT) -> str:
    """Return the address of a server on this machine."""
    return f"http://127.0.0.1:{port}"
