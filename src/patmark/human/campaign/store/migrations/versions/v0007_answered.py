"""The time at which an answer was given that reached the server later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column, empty: known answers count as given when they were saved."""
    op.add_column("answers", sa.Column("answered", sa.Text))
