"""Results as JSON text: null for every number that is not finite."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def to_json_text(value: Any) -> str:
    """A result as indented JSON."""
    return json.dumps(_plain(value), ensure_ascii=False, indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
