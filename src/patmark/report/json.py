"""Conversion of results to JSON; NaN and infinity are null."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from operator import attrgetter
from pathlib import PurePath
from typing import Any

import numpy as np

from patmark.data import Notice
from patmark.report.formatting import message_text


def to_json_text(value: object) -> str:
    """Return a result as the text of a JSON document."""
    return json.dumps(plain(value), ensure_ascii=False, indent=2, allow_nan=False)


def fields_json(value: Any, *names: str, **more: object) -> dict[str, Any]:
    """Return attributes of an object for JSON: the named ones, or else all fields; then ``more``.

    ``key=name`` gives an attribute another key, and a name may go through another one, as in
    ``"p=test.p"``.

    >>> fields_json(Notice("note", "few", "so few"), "code", "message=text", n=2)
    {'code': 'few', 'message': 'so few', 'n': 2}
    """
    keys = [name.partition("=")[::2] for name in names or [one.name for one in fields(value)]]
    found = {key: attrgetter(name or key)(value) for key, name in keys}
    return {key: plain(one) for key, one in (found | more).items()}


def plain(value: object) -> Any:
    """Convert a value to mappings, lists, texts, numbers and None.

    NaN and infinity become None, and notices texts. Objects with a ``to_json`` give its value,
    other dataclasses objects of their fields.
    """
    match value:
        case None | bool() | str():
            return value
        case Enum():
            return plain(value.value)
        case int():
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else None
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case set() | frozenset():
            return [plain(item) for item in sorted(value)]
        case np.ndarray() | np.generic():
            return plain(value.tolist())
        case date():
            return value.isoformat()
        case PurePath():
            return str(value)
    if isinstance(value, Notice):
        return message_text(value)
    if hasattr(value, "to_json"):
        return plain(value.to_json())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
