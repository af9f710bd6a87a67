"""Numbers, intervals and times as the organiser's pages show them."""

from __future__ import annotations

import math

from patmark.human.campaign.records import to_the_minute

NOTHING = "–"


def number(value: float | None, digits: int = 2) -> str:
    """Format a number, or a dash where there is none."""
    return NOTHING if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def interval(ci: tuple[float, float] | None, digits: int = 2) -> str:
    """Format an interval in brackets, or a dash."""
    if ci is None or not all(map(math.isfinite, ci)):
        return NOTHING
    return f"[{ci[0]:.{digits}f}, {ci[1]:.{digits}f}]"


def moment(time: str | None) -> str:
    """Format a time to the minute, or a dash."""
    return to_the_minute(time) or NOTHING
