"""Retries: after which responses, with which backoff, and the waits that servers ask for."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from patmark.errors import UsageError

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_DURATION = "".join(rf"(?:(\d+(?:\.\d+)?){unit}(?![a-z]))?" for unit in _UNITS)
_LIMITED = ("requests", "tokens")
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_HOPELESS = frozenset({401, 402, 403, 404, 405})
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number of retries and the backoff between them.

    The wait begins at ``first_wait`` seconds and doubles up to ``longest_wait``, minus a random
    part of up to half. ``patience`` is the longest wait that a server may ask for.
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
        """Return the seconds before a retry, at least as many as the server ``asked`` for."""
        longest = min(self.longest_wait, self.first_wait * 2.0 ** min(retry, 60))
        own = longest * rng.uniform(0.5, 1.0)
        return own if asked is None else max(own, asked)


def failure_scope(status: int, text: str) -> Literal["transient", "request", "endpoint"]:
    """Return what has failed by a status other than 2xx: this attempt, the request, the endpoint.

    Only a transient failure is tried again. ``text`` is the body of the response, which tells a
    rate limit from a spent account.
    """
    no_credit = status == 429 and any(code in text for code in _NO_CREDIT)
    if no_credit or status in _HOPELESS or 300 <= status < 400:
        return "endpoint"
    return "transient" if status in _TRANSIENT else "request"


def asked_wait(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that a refusing server asks to wait, or None."""
    milliseconds = _number(headers.get("retry-after-ms"))
    asked = [
        None if milliseconds is None else milliseconds / 1000,
        _seconds_or_date(headers.get("retry-after"), now),
        exhausted_wait(headers),
    ]
    return max((seconds for seconds in asked if seconds is not None), default=None)


def exhausted_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until a used-up rate limit is renewed; None while something remains."""
    waits = []
    for what in _LIMITED:
        remaining = _number(headers.get(f"x-ratelimit-remaining-{what}"))
        reset = parse_duration(headers.get(f"x-ratelimit-reset-{what}"))
        if remaining is not None and remaining <= 0 and reset is not None:
            waits.append(reset)
    return max(waits, default=None)


def parse_duration(text: str | None) -> float | None:
    """Return the seconds of a duration like 1s, 6m0s, 20ms or 1.5; None for anything else."""
    if not text or (number := _number(text)) is not None:
        return number if text else None
    match = re.fullmatch(_DURATION, text.strip())
    if match is None:
        return None
    parts = zip(match.groups(), _UNITS.values(), strict=True)
    return sum(float(part) * seconds for part, seconds in parts if part)


def _seconds_or_date(text: str | None, now: datetime | None) -> float | None:
    """Read Retry-After, which holds seconds or a date."""
    if text is None or (number := _number(text)) is not None:
        return number if text is not None else None
    try:
        when = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    """Return a number of at least 0; None for anything else."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
