"""Forms and pages as JSON text, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from patmark.campaign.form import Form
from patmark.campaign.plan import Page

_T = TypeVar("_T")
_OWN_COLUMNS = ("id", "evaluator", "position", "phase", "segment")


def to_json(value: Any) -> str:
    """Compact JSON; records and mappings of any kind become objects."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)


def pack_form(form: Form) -> str:
    """A form as JSON."""
    return to_json(form)


def unpack_form(text: str) -> Form:
    """The form that was packed."""
    return _record(Form, json.loads(text))


def pack_page(page: Page) -> str:
    """What a page shows and expects, without what has a column of its own."""
    data = _plain(page)
    return to_json({name: data[name] for name in data if name not in _OWN_COLUMNS})


def unpack_page(row: Any, evaluator: str) -> Page:
    """The page of a row of the table, and of its evaluator."""
    own = {
        "id": row.id,
        "evaluator": evaluator,
        "position": row.position,
        "phase": row.phase,
        "segment": row.segment,
    }
    return _record(Page, json.loads(row.body) | own)


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, date):  # YAML makes dates of some strings
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be kept in the database")


def _record(kind: type[_T], data: dict[str, Any]) -> _T:
    """A record of some type, whose fields may hold tuples and tuples of records."""
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]
    return kind(**{name: _value(hints[name], value) for name, value in data.items()})


def _value(hint: Any, value: Any) -> Any:
    if get_origin(hint) is not tuple:
        return value
    inner: Any = get_args(hint)[0]
    is_record = is_dataclass(inner)
    return tuple(_record(inner, one) if is_record else one for one in value)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
