"""The number of open items of each shared pool, so that no page counts them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table, and count the items of the pools that there are."""
    op.create_table(
        "pools",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("campaign", sa.Integer, nullable=False),
        sa.Column("open_items", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_pools"),
        sa.ForeignKeyConstraint(
            ["campaign"], ["campaigns.number"], name="fk_pools_campaign", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("campaign", name="uq_pools_campaign"),
    )
    op.execute(
        "INSERT INTO pools (campaign, open_items) SELECT campaign, "
        "SUM(CASE WHEN phase = 'main' AND taken < times THEN 1 ELSE 0 END) "
        "FROM items GROUP BY campaign"
    )
