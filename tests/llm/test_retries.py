"""Waiting times."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from patmark.errors import UsageError
from patmark.llm import RetryPolicy
from patmark.llm.retries import asked_wait, exhausted_wait, failure_scope, parse_duration


@given(st.integers(0, 2000), st.none() | st.floats(0, 1e4), st.integers())
def test_waits_are_within_bounds(retry: int, asked: float | None, seed: int) -> None:
    policy = RetryPolicy(first_wait=2.0, longest_wait=30.0)
    wait = policy.wait(retry, asked, random.Random(seed))
    longest = min(30.0, 2.0 * 2.0 ** min(retry, 50))
    assert wait >= longest / 2
    assert wait <= max(longest, asked or 0.0)
    assert asked is None or wait >= asked


@pytest.mark.parametrize("settings", [{"retries": -1}, {"first_wait": -0.1}, {"patience": -1}])
def test_bad_policies(settings: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="must not be negative"):
        RetryPolicy(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0), ("6m0s", 360.0), ("20ms", 0.02), ("1h2m3s", 3723.0), ("1.5", 1.5),
        ("8.64s", 8.64), ("1m30ms", 60.03), ("0", 0.0), ("", None), (None, None), ("soon", None),
        ("-3", None), ("nan", None), ("3x", None),
    ],
)  # fmt: skip
def test_durations(text: str | None, seconds: float | None) -> None:
    assert parse_duration(text) == (None if seconds is None else pytest.approx(seconds))


# The date and the seconds are the examples of RFC 9110, section 10.2.3.
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "120"}, 120.0),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 59.0),
        ({"retry-after": "Fri, 31 Dec 1999 20:00:00 GMT"}, 0.0),
        ({"retry-after": "later"}, None),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "1", "retry-after-ms": "1500"}, 1.5),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20s",
          "retry-after": "3"}, 20.0),
        ({"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "6m0s"}, None),
    ],
)  # fmt: skip
def test_what_servers_ask_for(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, datetime(1999, 12, 31, 23, 59, 0, tzinfo=UTC)) == seconds


def test_a_limit_that_is_used_up_pauses_even_after_success() -> None:
    headers = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "2s"}
    assert exhausted_wait(headers) == 2.0
    assert exhausted_wait({"x-ratelimit-remaining-tokens": "0"}) is None


@pytest.mark.parametrize(
    ("status", "text", "scope"),
    [
        (429, "slow down", "transient"), (503, "", "transient"), (529, "", "transient"),
        (429, '{"error": {"code": "insufficient_quota"}}', "endpoint"),
        (401, "", "endpoint"), (404, "", "endpoint"), (307, "", "endpoint"),
        (400, "", "request"), (413, "", "request"), (501, "", "request"),
    ],
)  # fmt: skip
def test_only_transient_failures_are_tried_again(status: int, text: str, scope: str) -> None:
    assert failure_scope(status, text) == scope
