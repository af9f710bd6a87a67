"""Keys and limits that all commands share which ask a service."""

from __future__ import annotations

import sys
import types

import pytest

from patmark.cli.options import Model, Service, Spending, warn_of_endpoint
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
    endpoint = Service(api_key_keyring="bench/me").endpoint("http://far.example/v1")
    warn_of_endpoint(endpoint, "claims")
    told = capsys.readouterr().err
    assert endpoint.api_key == KEY
    assert "is not encrypted: claims and the API key can be read" in " ".join(told.split())
    assert "is not sent" not in told and KEY not in told


@pytest.mark.usefixtures("_ring")
def test_a_key_comes_from_one_place() -> None:
    with pytest.raises(UsageError, match="--api-key-env has no effect with --api-key-keyring"):
        Service(api_key_env="MY_KEY", api_key_keyring="bench").endpoint("http://localhost:1")


def test_what_does_not_go_together() -> None:
    with pytest.raises(UsageError, match="--price-in and --price-out go together"):
        _ = Spending(price_in=1.0).prices
    with pytest.raises(UsageError, match="--budget-cost needs"):
        _ = Spending(budget_cost=1.0).budget
    with pytest.raises(UsageError, match="--cache has no effect with --no-cache"):
        _ = Service(cache="folder", no_cache=True).kept_answers
    with pytest.raises(UsageError, match="--extra"):
        _ = Model(extra="[1]").extra_fields


def test_what_is_given_is_used() -> None:
    spending = Spending(price_in=1.0, price_out=2.0, budget_tokens=10, budget_cost=1.0)
    assert spending.prices is not None and spending.budget.cost == 1.0
    assert Spending().prices is None
    assert isinstance(Service(no_cache=True).kept_answers, MemoryCache)
    assert Model(extra='{"top_k": 1}').extra_fields == {"top_k": 1} and Model().extra_fields == {}
