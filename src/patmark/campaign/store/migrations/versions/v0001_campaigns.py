"""The first tables."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    _people()
    _pages()
    _answers()
    _decisions()


def _people() -> None:
    op.create_table(
        "campaigns",
        *_number("campaigns"),
        *_texts("id", "name", "created"),
        sa.Column("closed", sa.Text()),
        *_texts("organiser_hash", "form_id"),
        sa.Column("form_version", sa.Integer(), nullable=False),
        *_texts("form"),
        sa.Column("source_language", sa.Text()),
        *_texts("target_language", "seed"),
        sa.Column("pass_mark", sa.Float()),
        *_texts("settings", "notes"),
        _unique("campaigns", "id"),
        _unique("campaigns", "organiser_hash"),
    )
    op.create_table(
        "evaluators",
        *_number("evaluators"),
        *_link("evaluators", "campaign"),
        *_texts("name"),
        sa.Column("token_hash", sa.Text()),
        sa.Column("expires", sa.Text()),
        sa.Column("revoked", sa.Text()),
        sa.Column("qualified", sa.Boolean()),
        sa.Column("excluded", sa.Text()),
        _unique("evaluators", "token_hash"),
        _unique("evaluators", "campaign", "name"),
    )
    op.create_table(
        "sessions",
        *_texts("hash"),
        *_link("sessions", "campaign"),
        *_link("sessions", "evaluator", nullable=True),
        *_texts("expires"),
        sa.PrimaryKeyConstraint("hash", name="pk_sessions"),
    )
    _index("sessions", "evaluator")


def _pages() -> None:
    op.create_table(
        "pages",
        *_number("pages"),
        *_link("pages", "campaign"),
        *_link("pages", "evaluator"),
        *_texts("id"),
        sa.Column("position", sa.Integer(), nullable=False),
        *_texts("phase", "segment", "labels"),
        sa.Column("needed", sa.Integer(), nullable=False),
        *_texts("body"),
        _unique("pages", "campaign", "id"),
    )
    _index("pages", "evaluator", "position")


def _answers() -> None:
    op.create_table(
        "answers",
        *_number("answers"),
        *_link("answers", "page"),
        *_link("answers", "evaluator"),
        *_texts("candidate", "question"),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("value", sa.Text()),
        *_texts("detail"),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("client", sa.Text()),
        sa.Column("seconds", sa.Float()),
        *_texts("saved"),
        _unique("answers", "page", "candidate", "question", "revision"),
        _unique("answers", "evaluator", "client"),
    )
    op.create_table(
        "remarks",
        *_number("remarks"),
        *_link("remarks", "page"),
        *_link("remarks", "evaluator"),
        *_texts("text"),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        *_texts("saved"),
    )
    _index("remarks", "page")
    _index("remarks", "evaluator")


def _decisions() -> None:
    op.create_table(
        "consensus",
        *_number("consensus"),
        *_link("consensus", "campaign"),
        *_texts("segment", "systems", "question"),
        sa.Column("value", sa.Text()),
        *_texts("note", "saved"),
    )
    _index("consensus", "campaign")
    op.create_table(
        "events",
        *_number("events"),
        *_link("events", "campaign"),
        *_link("events", "evaluator", nullable=True, ondelete="SET NULL"),
        *_texts("at", "actor", "action", "detail"),
    )
    _index("events", "campaign")
    _index("events", "evaluator")


def _number(table: str) -> Iterator[sa.schema.SchemaItem]:
    yield sa.Column("number", sa.Integer(), autoincrement=True, nullable=False)
    yield sa.PrimaryKeyConstraint("number", name=f"pk_{table}")


def _texts(*names: str) -> Iterator[sa.schema.SchemaItem]:
    for name in names:
        yield sa.Column(name, sa.Text(), nullable=False)


def _link(
    table: str, target: str, nullable: bool = False, ondelete: str = "CASCADE"
) -> Iterator[sa.schema.SchemaItem]:
    yield sa.Column(target, sa.Integer(), nullable=nullable)
    yield sa.ForeignKeyConstraint(
        [target], [f"{target}s.number"], name=f"fk_{table}_{target}", ondelete=ondelete
    )


def _unique(table: str, *columns: str) -> sa.UniqueConstraint:
    return sa.UniqueConstraint(*columns, name="_".join(("uq", table, *columns)))


def _index(table: str, *columns: str) -> None:
    op.create_index("_".join(("ix", table, *columns)), table, list(columns))
