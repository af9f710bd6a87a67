"""Return codes of people who came by the common link, and published results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column and the table, both empty."""
    op.add_column("evaluators", sa.Column("return_hash", sa.Text))
    op.create_table(
        "publications",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("campaign", sa.Integer, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("page", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_publications"),
        sa.ForeignKeyConstraint(
            ["campaign"], ["campaigns.number"], name="fk_publications_campaign", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("campaign", name="uq_publications_campaign"),
    )
