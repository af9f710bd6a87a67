"""Forms and pages as JSON text, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from patmark.campaign.form import Form
from patmark.campaign.plan import Page
from patmark.campaign.records import PageInfo

_COLUMNS = ("id", "evaluator", "position", "phase", "segment")
"""Fields of a page that have columns of their own."""


def to_json(value: Any) -> str:
    """Compact JSON; records and mappings of any kind become objects."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def unpack_form(text: str) -> Form:
    """The form that was packed."""
    form: Form = _adapter(Form).validate_json(text)
    return form


def pack_page(page: Page) -> str:
    """What a page shows and expects, without what has a column of its own."""
    return to_json({name: value for name, value in _plain(page).items() if name not in _COLUMNS})


def unpack_page(info: PageInfo, body: str) -> Page:
    """The page of a row of the table."""
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
