"""A shared pool of items, pages that are taken from it, and people who join by themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the tables of pools; running campaigns have none, and keep their pages."""
    op.create_table(
        "items",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("campaign", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("segment", sa.Text, nullable=False),
        sa.Column("systems", sa.Text, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("follows", sa.Integer),
        sa.Column("distance", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_items"),
        sa.ForeignKeyConstraint(
            ["campaign"], ["campaigns.number"], name="fk_items_campaign", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["follows"], ["items.number"], name="fk_items_follows", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("campaign", "position", name="uq_items_campaign_position"),
    )
    op.create_index("ix_items_follows", "items", ["follows"])
    op.add_column("pages", sa.Column("item", sa.Integer))
    op.add_column("pages", sa.Column("claimed", sa.Text))
    op.add_column("pages", sa.Column("released", sa.Text))
    op.create_index("ix_pages_item", "pages", ["item"])
    op.add_column("evaluators", sa.Column("enrolled", sa.Text))
    op.add_column("evaluators", sa.Column("background", sa.Text))
    op.execute(
        "UPDATE evaluators SET enrolled = "
        "(SELECT created FROM campaigns WHERE campaigns.number = evaluators.campaign)"
    )
    op.add_column("campaigns", sa.Column("join_hash", sa.Text))
    op.create_index("ix_campaigns_join_hash", "campaigns", ["join_hash"])
