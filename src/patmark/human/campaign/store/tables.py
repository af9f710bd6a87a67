"""Tables of the database, and the encoding of their values.

Answers, remarks, consensus and events are only ever added. Secrets are kept as hashes, forms and
pages as JSON. Numbers are keys inside the database and never leave it; times are ISO 8601 in UTC,
so they sort as text.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

from pydantic import TypeAdapter
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
    false,
    text,
)

from patmark.errors import UsageError
from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import Page
from patmark.human.campaign.records import PageInfo

_SECRET_BYTES = 32

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
    Column("archived", Text),
    Column("form_id", Text, nullable=False),
    Column("form_version", Integer, nullable=False),
    Column("form", Text, nullable=False),
    Column("source_language", Text),
    Column("target_language", Text, nullable=False),
    Column("seed", Text, nullable=False),
    Column("pass_mark", Float),
    Column("settings", Text, nullable=False),
    Column("notes", Text, nullable=False),
    Column("join_hash", Text),
    Index(None, "join_hash"),
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
    Column("enrolled", Text),
    Column("background", Text),
    Column("return_hash", Text),
    UniqueConstraint("campaign", "name"),
)
"""``return_hash`` is the hash of the return code of a person who joined by the common link."""

organisers = Table(
    "organisers",
    metadata,
    _number(),
    _belongs_to("campaign", nullable=True),
    Column("name", Text, nullable=False),
    Column("token_hash", Text, unique=True),
    Column("added", Text, nullable=False),
    Column("revoked", Text),
    UniqueConstraint("campaign", "name"),
)
"""Organisers without a campaign organise all campaigns of the database."""

sessions = Table(
    "sessions",
    metadata,
    Column("hash", Text, primary_key=True),
    _belongs_to("evaluator", nullable=True),
    _belongs_to("organiser", nullable=True),
    Column("expires", Text, nullable=False),
    Index(None, "evaluator"),
    Index(None, "organiser"),
)

items = Table(
    "items",
    metadata,
    _number(),
    _belongs_to("campaign"),
    Column("position", Integer, nullable=False),
    Column("phase", Text, nullable=False),
    Column("segment", Text, nullable=False),
    Column("systems", Text, nullable=False),
    Column("times", Integer, nullable=False),
    Column("follows", Integer, ForeignKey("items.number", ondelete="CASCADE")),
    Column("distance", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("taken", Integer, nullable=False, server_default="0"),
    UniqueConstraint("campaign", "position"),
    Index(None, "follows"),
)
"""Items of a shared pool; an item becomes a page of everybody who takes it.

``taken`` counts its pages, without those that were released or belong to excluded evaluators.
"""
pools = Table(
    "pools",
    metadata,
    _number(),
    _belongs_to("campaign"),
    Column("open_items", Integer, nullable=False),
    UniqueConstraint("campaign"),
)
"""The number of main items that are still open; pages read it instead of counting items."""
IS_OPEN = text("phase = 'main' AND taken < times")
Index(
    "ix_items_open",
    items.c.campaign,
    items.c.systems,
    items.c.position,
    sqlite_where=IS_OPEN,
    postgresql_where=IS_OPEN,
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
    Column("item", Integer),
    Column("claimed", Text),
    Column("released", Text),
    Column("content", Text),
    Column("done", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("campaign", "id"),
    Index(None, "evaluator", "position"),
    Index(None, "item", "evaluator"),
)
"""Pages and their evaluators. A released page no longer belongs to its evaluator, and answers to
it do not count. A page of a pool names its item and the time when it was claimed. Items are never
deleted alone, and so need no foreign key, which SQLite cannot add to a table. ``content`` names the
judged outputs on main pages alone; ``done`` is the value of ``page_is_done`` after the last save.
"""
IS_HELD = text("released IS NULL")
Index(
    "uq_pages_evaluator_content",
    pages.c.evaluator,
    pages.c.content,
    unique=True,
    sqlite_where=IS_HELD,
    postgresql_where=IS_HELD,
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
    Column("answered", Text),
    UniqueConstraint("page", "candidate", "question", "revision"),
    UniqueConstraint("evaluator", "client"),
)
"""``answered`` is the time of an answer that waited on a device before it was saved."""

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

publications = Table(
    "publications",
    metadata,
    _number(),
    _belongs_to("campaign"),
    Column("at", Text, nullable=False),
    Column("page", Text, nullable=False),
    UniqueConstraint("campaign"),
)
"""Results of closed campaigns as a page for everybody."""

events = Table(
    "events",
    metadata,
    _number(),
    _belongs_to("campaign", nullable=True),
    Column("evaluator", Integer, ForeignKey("evaluators.number", ondelete="SET NULL")),
    Column("at", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("organiser", Text),
    Column("action", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Index(None, "campaign"),
    Index(None, "evaluator"),
)


def storable(value: str) -> str:
    """Return the same text; refuse NUL and lone surrogates, which PostgreSQL cannot store."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError("the text holds half a character (a lone surrogate)") from None
    if "\0" in value:
        raise UsageError("the text holds a NUL character")
    return value


def now(later: float = 0.0) -> str:
    """Return the time in UTC with milliseconds, or some seconds later."""
    moment = datetime.now(UTC) + timedelta(seconds=later)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_between(earlier: str, later: str) -> float:
    """Return the seconds between two such times."""
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


def new_secret() -> str:
    """Return 256 random bits for an address or a cookie."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def hash_of(secret: str) -> str:
    """Return the hash of a secret, which is stored and looked up.

    A plain hash is enough because nobody can list 256 random bits; and the time of a lookup by
    hash tells nothing about the secret.
    """
    return _digest("secret", secret)


def csrf_of(session: str) -> str:
    """Return the token against forged requests; it follows from the session."""
    return _digest("csrf", session)


def _digest(purpose: str, secret: str) -> str:
    return hashlib.sha256(f"{purpose}:{secret}".encode(errors="replace")).hexdigest()


_COLUMNS = ("id", "evaluator", "position", "phase", "segment")
"""Fields of a page that have columns of their own."""


def to_json(value: Any) -> str:
    """Encode as compact JSON; records and mappings of any kind become objects."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def unpack_form(text: str) -> Form:
    """Decode a form."""
    form: Form = _adapter(Form).validate_json(text)
    return form


def pack_page(page: Page) -> str:
    """Encode a page without the fields that have columns of their own."""
    return to_json({name: value for name, value in _plain(page).items() if name not in _COLUMNS})


def unpack_page(info: PageInfo, body: str) -> Page:
    """Decode the page of a row."""
    own = {name: getattr(info, name) for name in _COLUMNS}
    page: Page = _adapter(Page).validate_python(json.loads(body) | own)
    return page


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, date):  # YAML makes dates of some strings
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be kept in the database")
