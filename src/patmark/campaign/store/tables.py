"""The tables, as the newest migration leaves them.

Answers, remarks, consensus and events are only ever added. Secrets are kept as hashes. Numbers
are keys inside the database and never leave it; times are ISO 8601 in UTC, so they sort as text.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _number() -> Column[int]:
    return Column("number", Integer, primary_key=True, autoincrement=True)


def _belongs_to(table: str, nullable: bool = False) -> Column[int]:
    target = ForeignKey(f"{table}s.number", ondelete="CASCADE")
    return Column(table, Integer, target, nullable=nullable)


campaigns = Table(
    "campaigns",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("closed", Text),
    Column("organiser_hash", Text, nullable=False, unique=True),
    Column("form_id", Text, nullable=False),
    Column("form_version", Integer, nullable=False),
    Column("form", Text, nullable=False),
    Column("source_language", Text),
    Column("target_language", Text, nullable=False),
    Column("seed", Text, nullable=False),
    Column("pass_mark", Float),
    Column("settings", Text, nullable=False),
    Column("notes", Text, nullable=False),
)

evaluators = Table(
    "evaluators",
    metadata,
    _number(),
    _belongs_to("campaign"),
    Column("name", Text, nullable=False),
    Column("token_hash", Text, unique=True),
    Column("expires", Text),
    Column("revoked", Text),
    Column("qualified", Boolean),
    Column("excluded", Text),
    UniqueConstraint("campaign", "name"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("hash", Text, primary_key=True),
    _belongs_to("campaign"),
    _belongs_to("evaluator", nullable=True),
    Column("expires", Text, nullable=False),
    Index(None, "evaluator"),
)

pages = Table(
    "pages",
    metadata,
    _number(),
    _belongs_to("campaign"),
    _belongs_to("evaluator"),
    Column("id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("phase", Text, nullable=False),
    Column("segment", Text, nullable=False),
    Column("labels", Text, nullable=False),
    Column("needed", Integer, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("campaign", "id"),
    Index(None, "evaluator", "position"),
)

answers = Table(
    "answers",
    metadata,
    _number(),
    _belongs_to("page"),
    _belongs_to("evaluator"),
    Column("candidate", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("value", Text),
    Column("detail", Text, nullable=False),
    Column("counts", Boolean, nullable=False),
    Column("client", Text),
    Column("seconds", Float),
    Column("saved", Text, nullable=False),
    UniqueConstraint("page", "candidate", "question", "revision"),
    UniqueConstraint("evaluator", "client"),
)

remarks = Table(
    "remarks",
    metadata,
    _number(),
    _belongs_to("page"),
    _belongs_to("evaluator"),
    Column("text", Text, nullable=False),
    Column("flagged", Boolean, nullable=False),
    Column("saved", Text, nullable=False),
    Index(None, "page"),
    Index(None, "evaluator"),
)

consensus = Table(
    "consensus",
    metadata,
    _number(),
    _belongs_to("campaign"),
    Column("segment", Text, nullable=False),
    Column("systems", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("value", Text),
    Column("note", Text, nullable=False),
    Column("saved", Text, nullable=False),
    Index(None, "campaign"),
)

events = Table(
    "events",
    metadata,
    _number(),
    _belongs_to("campaign"),
    Column("evaluator", Integer, ForeignKey("evaluators.number", ondelete="SET NULL")),
    Column("at", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Index(None, "campaign"),
    Index(None, "evaluator"),
)
