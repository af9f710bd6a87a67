"""Keys, addresses, budgets and other limits of the client."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from chat_asking import ask, client_for, echo
from chat_server import Reply, refused, said, serving
from patmark.errors import UsageError
from patmark.llm import Budget, ChatRequest, ClientSettings, Endpoint, Message, Prices
from tls import Serve


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def _written(folder: Path) -> str:
    """All that is in the files of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return "".join(path.read_text(encoding="utf-8", errors="replace") for path in files)


def test_budgets_stop_before_they_are_exceeded(tmp_path: Path) -> None:
    # A prompt of 18 letters is estimated at 6 + 4 tokens, an answer at max_tokens = 5.
    asked = ask(*(f"{number:018d}" for number in range(6)), max_tokens=5)
    with serving(echo) as server:
        settings = {"budget": Budget(tokens=50), "concurrency": 1}
        batch = client_for(server, cache=tmp_path, **settings).ask_all(asked)
        assert (batch.spent.tokens, len(server.bodies)) == (45, 3)
        reasons = {one.failure for one in batch.failures}
        assert reasons == {"not asked: the budget of 50 tokens would be exceeded"}
        again = client_for(server, cache=tmp_path, **settings).ask_all(asked)
    assert not again.failures
    assert (again.recalled.answers, again.spent.answers) == (3, 3)


def test_budgets_need_what_they_are_counted_with() -> None:
    with serving(echo) as server:
        with pytest.raises(UsageError, match="max_tokens="):
            client_for(server, budget=Budget(tokens=9)).ask_all(ask("a"))
        with pytest.raises(UsageError, match="price_in="):
            client_for(server, budget=Budget(cost=9.0))
        settings = {"budget": Budget(cost=0.0), "prices": Prices(1.0, 1.0)}
        batch = client_for(server, **settings).ask_all(ask("a", max_tokens=1))
    assert len(batch.failures) == 1 and not server.bodies


def test_the_key_is_sent_and_never_shown(tmp_path: Path) -> None:
    key = "sk-0123456789abcdef"

    def reply(body: dict[str, Any], seen: int) -> Reply:
        bad = body["messages"][-1]["content"] == "bad"
        return refused(400, f"the key {key} is odd") if bad else said(f"your key is {key}")

    with serving(reply) as server:
        client = client_for(server, cache=tmp_path, api_key=key)
        batch = client.ask_all(ask("good", "bad"))
    assert set(server.keys) == {f"Bearer {key}"}
    assert batch.outcomes[1].failure == "status 400: the key *** is odd"
    kept = _written(tmp_path)
    assert "your key is ***" in kept
    assert key not in kept + repr(batch) + repr(client.endpoint)


def test_without_a_key_no_header_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", " secret-of-the-day\n")
    assert Endpoint.with_key_from("http://a", "A_KEY").api_key == "secret-of-the-day"
    with pytest.raises(UsageError, match="holds none") as caught:
        Endpoint.with_key_from("http://a", "sk-a-key-in-the-wrong-place")
    assert "sk-" not in str(caught.value)
    with serving(echo) as server:
        client_for(server).ask_all(ask("a"))
    assert server.keys == [None]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://api.openai.com/v1", "sk-of-openai"),
        ("http://api.openai.com/v1", ""),
        ("https://api.openai.com.example.org/v1", ""),
        ("https://api.example.org/v1", ""),
        ("http://localhost:8000/v1", ""),
    ],
)
def test_the_usual_key_goes_to_its_owner_only(
    url: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    assert Endpoint.with_key_from(url).api_key == key
    assert Endpoint.with_key_from(url, "OPENAI_API_KEY").api_key == "sk-of-openai"


@pytest.mark.parametrize(
    ("url", "readable"),
    [
        ("https://a/v1", False), ("http://a/v1", True), ("http://10.0.0.1/v1", True),
        ("http://localhost/v1", False), ("http://127.0.0.2:1/v1", False),
        ("http://[::1]:1/v1", False), ("http://localhost.example.org", True),
    ],
)  # fmt: skip
def test_open_connections_to_other_machines_are_known(url: str, readable: bool) -> None:
    assert Endpoint(url).is_readable_on_the_way is readable


@pytest.mark.parametrize("key", ["EMPTY", 'a"b\\c', "k<&>y/+", 'sk-"0123456789"-abcdef'])
def test_errors_hide_every_key_however_it_is_written(key: str) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        words = body["messages"][-1]["content"]
        spelled = {
            "plain": key,
            "json": json.dumps(key),
            "html": html.escape(key),
            "url": quote(key, safe=""),
            "late": "x " * 145 + key,
        }
        return refused(400, f"wrong: {spelled[words]}")

    with serving(reply) as server:
        asked = ask("plain", "json", "html", "url", "late")
        batch = client_for(server, api_key=key).ask_all(asked)
    for outcome in batch.outcomes:
        assert outcome.failure is not None and "***" in outcome.failure
        assert key not in outcome.failure and key[:4] not in outcome.failure


def test_a_short_key_does_not_change_answers() -> None:
    with serving(lambda body, seen: said("Clarity: 80")) as server:
        batch = client_for(server, api_key="8").ask_all(ask("a"))
    assert batch.outcomes[0].answer is not None
    assert batch.outcomes[0].answer.text == "Clarity: 80"


@pytest.mark.parametrize(
    ("url", "full"),
    [
        ("http://a:1/v1", "http://a:1/v1/chat/completions"),
        ("http://a:1/v1/", "http://a:1/v1/chat/completions"),
        ("https://a/x?api-version=3", "https://a/x/chat/completions?api-version=3"),
    ],
)
def test_addresses(url: str, full: str) -> None:
    assert Endpoint(url).url == full
    assert "?" not in Endpoint(url).shown


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://a", "http://", "http://me:pw@host"])
def test_bad_addresses(url: str) -> None:
    with pytest.raises(UsageError, match="base URL"):
        Endpoint(url)


def test_a_key_that_cannot_be_sent_is_not_printed() -> None:
    with pytest.raises(UsageError) as caught:
        Endpoint("http://a", "line\nbreak")
    assert "line" not in str(caught.value)


@pytest.mark.parametrize(
    "settings", [{"concurrency": 0}, {"timeout": 0.0}, {"timeout": float("nan")}, {"reasks": -1}]
)
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ClientSettings(**settings)


@pytest.mark.parametrize(
    "url",
    [
        "http://a/v1?api_key=abcdef123",
        "http://a/v1?x=1&key=abcdef123",
        "http://a/v1?x=sk-abcdef123",
        "http://a/v1?key=abcdef123&key=",
        "http://a/sk-abcdef123/v1",
        "http://a/v1/key/abcdef123",
        "http://a/v1/api_key=abcdef123",
        "http://a/%73k-abcdef123/v1",
        "http://a/proxy/AIzaSyB1x-abcdef123-Q0uXw7kLm2N/v1",
        "http://a/Zk3abcdef123Wq90LmTt7Y/v1",
        "http://a/0123456789ghijklmnopqrstuv0abcdef123/v1",
    ],
)
def test_a_key_in_an_address_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UsageError, match="looks like a key") as error:
        Endpoint(url)
    assert "abcdef123" not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://a/accounts/0123456789abcdef0123456789abcdef/ai/v1",
        "https://a/123e4567-e89b-12d3-a456-426614174000/v1",
        "https://a/models/Qwen2.5-72B-Instruct-GPTQ-Int4/v1",
        "https://a/openai/deployments/translation-of-patents-2026/",
        "https://a/v1/token/completions",
        "https://a/translate/{source}?from={source_code}",
    ],
)
def test_names_in_an_address_are_no_keys(url: str) -> None:
    assert Endpoint(url).base_url == url


def test_the_key_itself_in_the_address_is_refused() -> None:
    with pytest.raises(UsageError, match="looks like a key") as error:
        Endpoint("http://a/v1/correct-horse-battery", "correct-horse-battery")
    assert "horse" not in str(error.value)


_SPELLINGS: dict[str, Callable[[str], str]] = {"plain": str, "capitals": str.upper}


@pytest.mark.parametrize("spell", _SPELLINGS.values(), ids=_SPELLINGS)
@pytest.mark.parametrize("key", ["sk-0123456789abcdef", "Zk?>~~pq/+9<&x", "my-own-key-77"])
def test_a_key_is_hidden_however_a_server_repeats_it(
    key: str, spell: Callable[[str], str], tmp_path: Path, serve: Serve
) -> None:
    spelt = spell(key)

    def reply(body: dict[str, Any], seen: int) -> Reply:
        prompt = body["messages"][-1]["content"]
        if prompt == "page":
            return Reply(status=400, body=f"<p>{spelt}</p>".encode())
        return refused(400, f"wrong: {spelt}") if prompt == "bad" else said(f"your key: {spelt}")

    with serve(reply) as server:
        batch = client_for(server, cache=tmp_path, api_key=key).ask_all(ask("good", "bad", "page"))
    kept = _written(tmp_path)
    shown = [kept, *(one.failure or "" for one in batch.outcomes[1:])]
    core = spelt[len(spelt) // 3 : -len(spelt) // 3]
    assert all("***" in text and core not in text for text in shown), shown


@pytest.mark.parametrize(
    "extra",
    [
        {"eos_token": "</s>"},
        {"tokenizer": {"pad_token": "<pad>", "bos_token": "<s>"}},
        {"prompt_cache_key": "patents"},
    ],
)
def test_a_token_of_the_vocabulary_is_no_secret(extra: dict[str, Any]) -> None:
    assert ChatRequest("m", (Message("user", "a"),), extra=extra).body()["messages"]


@pytest.mark.parametrize(
    "extra",
    [{"token": "abcdef123"}, {"x": [{"api_key": "abcdef123"}]}, {"eos_token": "sk-abcdef123"}],
)
def test_a_key_among_extra_fields_is_refused(extra: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="looks like a key") as error:
        ChatRequest("m", (Message("user", "a"),), extra=extra)
    assert "abcdef123" not in str(error.value)


def test_a_key_as_the_name_of_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="looks like a key") as error:
        ChatRequest("sk-abcdef123", (Message("user", "a"),))
    assert "abcdef123" not in str(error.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://Localhost:80/v1/", "http://localhost/v1"),
        ("https://a.example/v1", "https://A.example:443/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/"),
    ],
)
def test_one_server_has_one_identity(one: str, other: str) -> None:
    assert Endpoint(one).identity == Endpoint(other, "key").identity


@pytest.mark.parametrize(
    "other",
    [
        "http://localhost:8001/v1",
        "https://localhost:8000/v1",
        "http://localhost:8000/v2",
        "http://other:8000/v1",
        "http://localhost:8000/v1?deployment=b",
    ],
)
def test_two_servers_have_two_identities(other: str) -> None:
    assert Endpoint("http://localhost:8000/v1?deployment=a").identity != Endpoint(other).identity
