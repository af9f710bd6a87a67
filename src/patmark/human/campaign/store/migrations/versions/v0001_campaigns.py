"""The tables of patmark 0.1, made by ``tables.py``; a change to them needs a migration here."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Do nothing: no tables came before these."""
