"""Several organisers with names, campaigns in an archive, and a log that outlives a campaign.

Sessions are made anew: everybody opens their link once more.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Turn the one link of each campaign into that of an organiser called organiser."""
    op.create_table(
        "organisers",
        sa.Column("number", sa.Integer, autoincrement=True),
        sa.Column("campaign", sa.Integer),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("token_hash", sa.Text),
        sa.Column("added", sa.Text, nullable=False),
        sa.Column("revoked", sa.Text),
        sa.PrimaryKeyConstraint("number", name="pk_organisers"),
        _key("organisers", "campaign"),
        sa.UniqueConstraint("token_hash", name="uq_organisers_token_hash"),
        sa.UniqueConstraint("campaign", "name", name="uq_organisers_campaign_name"),
    )
    op.execute(
        "INSERT INTO organisers (campaign, name, token_hash, added) "
        "SELECT number, 'organiser', organiser_hash, created FROM campaigns"
    )
    with op.batch_alter_table("campaigns") as campaigns:
        campaigns.drop_constraint("uq_campaigns_organiser_hash", type_="unique")
        campaigns.drop_column("organiser_hash")
        campaigns.add_column(sa.Column("archived", sa.Text))
    with op.batch_alter_table("events") as events:
        events.alter_column("campaign", existing_type=sa.Integer, nullable=True)
        events.add_column(sa.Column("organiser", sa.Text))
    op.drop_table("sessions")
    op.create_table(
        "sessions",
        sa.Column("hash", sa.Text),
        sa.Column("evaluator", sa.Integer),
        sa.Column("organiser", sa.Integer),
        sa.Column("expires", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_sessions"),
        _key("sessions", "evaluator"),
        _key("sessions", "organiser"),
    )
    for column in ("evaluator", "organiser"):
        op.create_index(f"ix_sessions_{column}", "sessions", [column])


def _key(table: str, column: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{column}s.number"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )
