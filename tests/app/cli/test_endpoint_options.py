"""Keys and limits that all commands share which ask a service."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

from patmark.app.cli.output import warn_of_endpoint
from patmark.app.commands import EndpointRequest
from patmark.app.commands.endpoint import Model
from patmark.errors import UsageError
from patmark.llm import Budget, ClientSettings, MemoryCache, Prices, RetryPolicy
from patmark.wording import as_option, settings_worded

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
    client = EndpointRequest(api_key_keyring="bench/me").client_of("http://far.example/v1")
    warn_of_endpoint(client, "claims")
    told = capsys.readouterr().err
    assert client.endpoint.api_key == KEY
    assert "is not encrypted: claims and the API key can be read" in " ".join(told.split())
    assert "is not sent" not in told and KEY not in told


@pytest.mark.usefixtures("_ring")
def test_a_key_comes_from_one_place() -> None:
    with pytest.raises(UsageError, match="api_key_env= has no effect with api_key_keyring="):
        EndpointRequest(api_key_env="MY_KEY", api_key_keyring="bench").client_of(
            "http://localhost:1"
        )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"price_in": 1.0}, "--price-in and --price-out go together"),
        ({"budget_cost": 1.0}, "--budget-cost needs --price-in and --price-out"),
        ({"cache": "folder", "no_cache": True}, "--cache has no effect with --no-cache"),
    ],
)
def test_what_does_not_go_together(given: dict[str, Any], message: str) -> None:
    with settings_worded(as_option), pytest.raises(UsageError, match=message):
        EndpointRequest(**given).client_of("http://localhost:1")
    with pytest.raises(UsageError, match="--extra"), settings_worded(as_option):
        _ = Model(extra="[1]").extra_fields


def test_what_is_given_is_used() -> None:
    spending = {"price_in": 1.0, "price_out": 2.0, "budget_tokens": 10, "budget_cost": 1.0}
    request = EndpointRequest(no_cache=True, concurrency=3, timeout=5.0, retries=1, **spending)
    client = request.client_of("http://localhost:1", reasks=7)
    assert client.settings == ClientSettings(
        3, 5.0, 7, RetryPolicy(retries=1), Budget(10, 1.0), Prices(1.0, 2.0)
    )
    assert isinstance(client.cache, MemoryCache)
    assert EndpointRequest().client_of("http://localhost:1").settings == ClientSettings()
    assert Model(extra='{"top_k": 1}').extra_fields == {"top_k": 1} and Model().extra_fields == {}
