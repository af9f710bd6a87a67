"""When to ask again: exponential back-off with jitter, and what servers say about their limits."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from patmark.errors import UsageError

_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?"
                       r"(?:(\d+(?:\.\d+)?)ms)?")  # fmt: skip
_SECONDS = (3600.0, 60.0, 1.0, 0.001)
_LIMITED = ("requests", "tokens")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait. ``patience`` is the longest wait that a server may ask for.

    Between two attempts pass ``first_wait`` seconds, then twice as many each time up to
    ``longest_wait``, cut at random by up to half so that workers do not return all at once.
    """

    retries: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    patience: float = 600.0

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise UsageError(f"the number of retries must not be negative: {self.retries}")
        if min(self.first_wait, self.longest_wait, self.patience) < 0:
            raise UsageError("waiting times must not be negative")

    def wait(self, retry: int, asked: float | None, rng: random.Random) -> float:
        """Seconds before a retry, counted from 0; never less than the server asked for."""
        longest = min(self.longest_wait, self.first_wait * 2.0 ** min(retry, 60))
        own = longest * rng.uniform(0.5, 1.0)
        return own if asked is None else max(own, asked)


def asked_wait(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a refusing server asks to wait, or None if it does not say."""
    asked = [
        _milliseconds(headers.get("retry-after-ms")),
        _seconds_or_date(headers.get("retry-after"), now),
        exhausted_wait(headers),
    ]
    known = [seconds for seconds in asked if seconds is not None]
    return max(known) if known else None


def exhausted_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds until a limit that is used up is renewed; None while something remains."""
    waits = []
    for what in _LIMITED:
        remaining = _number(headers.get(f"x-ratelimit-remaining-{what}"))
        reset = parse_duration(headers.get(f"x-ratelimit-reset-{what}"))
        if remaining is not None and remaining <= 0 and reset is not None:
            waits.append(reset)
    return max(waits) if waits else None


def parse_duration(text: str | None) -> float | None:
    """Seconds of a duration like 1s, 6m0s, 20ms or 1.5; None for anything else."""
    if not text or (number := _number(text)) is not None:
        return number if text else None
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return None
    parts = zip(match.groups(), _SECONDS, strict=True)
    return sum(float(part) * seconds for part, seconds in parts if part)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _milliseconds(text: str | None) -> float | None:
    number = _number(text)
    return None if number is None else number / 1000


def _seconds_or_date(text: str | None, now: datetime | None) -> float | None:
    """Retry-After has two forms: seconds, and a date."""
    if text is None or (number := _number(text)) is not None:
        return number if text is not None else None
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
