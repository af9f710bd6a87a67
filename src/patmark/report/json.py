"""Conversion of results to JSON; NaN and infinity are null."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from pathlib import PurePath
from typing import Any

import numpy as np

from patmark.data import Notice
from patmark.report.formatting import message_text


def to_json_text(value: object) -> str:
    """Return a result as the text of a JSON document."""
    return json.dumps(plain(value), ensure_ascii=False, indent=2, allow_nan=False)


def plain(value: object) -> Any:
    """Convert a value to mappings, lists, texts, numbers and None.

    NaN and infinity become None, notices texts, and other dataclasses objects of their fields.
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
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
