"""Dates as patent files write them."""

from __future__ import annotations

import re
from datetime import date

_DATE = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})", re.ASCII)
EXPECTED = "a date such as 1995-06-29 or 19950629"


def parse_date(text: str) -> date:
    """A day, with or without separators; a ValueError says what was expected."""
    match = _DATE.fullmatch(text.strip())
    if match is not None:
        try:
            return date(int(match[1]), int(match[3]), int(match[4]))
        except ValueError:
            pass
    raise ValueError(f"expected {EXPECTED}, found {text.strip()[:40]!r}")
