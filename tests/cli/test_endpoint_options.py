"""Keys and limits that all commands share which ask a service."""

from __future__ import annotations

import sys
import types

import pytest

from patmark.cli.endpoint_options import (
    budget_of,
    endpoint_with_key,
    extra_fields,
    kept_answers,
    token_prices,
    warn_of_endpoint,
)
from patmark.errors import UsageError
from patmark.llm import MemoryCache

KEY = "sk-secret-0123456789abcdef"


@pytest.fixture
def _ring(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = types.ModuleType("keyring")
    ring.get_password = lambda service, user: KEY  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", ring)


@pytest.mark.usefixtures("_ring")
def test_a_key_of_the_keyring_that_can_be_read_on_the_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    endpoint = endpoint_with_key("http://far.example/v1", None, "bench/me")
    warn_of_endpoint(endpoint, "claims")
    told = capsys.readouterr().err
    assert endpoint.api_key == KEY
    assert "is not encrypted: claims and the API key can be read" in " ".join(told.split())
    assert "is not sent" not in told and KEY not in told


@pytest.mark.usefixtures("_ring")
def test_a_key_comes_from_one_place() -> None:
    with pytest.raises(UsageError, match="--api-key-env has no effect with --api-key-keyring"):
        endpoint_with_key("http://localhost:1", "MY_KEY", "bench")


def test_what_does_not_go_together() -> None:
    with pytest.raises(UsageError, match="--price-in and --price-out go together"):
        token_prices(1.0, None)
    with pytest.raises(UsageError, match="--budget-cost needs"):
        budget_of(None, 1.0, None)
    with pytest.raises(UsageError, match="--cache has no effect with --no-cache"):
        kept_answers("folder", no_cache=True)
    with pytest.raises(UsageError, match="--extra"):
        extra_fields("[1]")


def test_what_is_given_is_used() -> None:
    prices = token_prices(1.0, 2.0)
    assert prices is not None and budget_of(10, 1.0, prices).cost == 1.0
    assert token_prices(None, None) is None and isinstance(kept_answers(None, True), MemoryCache)
    assert extra_fields('{"top_k": 1}') == {"top_k": 1} and extra_fields(None) == {}
