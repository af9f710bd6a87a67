"""Servers that refuse a parameter are asked in the form that they take, which is remembered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chat_asking import ask, client_for, echo
from chat_server import Reply, serving
from patmark.llm import Budget
from patmark.llm.refused_parameters import RefusedParameters

_LIMIT = {
    "error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
}
_TEMPERATURE = {
    "error": {
        "message": "Unsupported value: 'temperature' does not support 0 with this model. Only the "
        "default (1) value is supported.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_value",
    }
}
_PROMPTS = [f"row {number}" for number in range(40)]


def _error(body: object, status: int = 400) -> Reply:
    return Reply(status, json.dumps(body).encode())


def _reasoning(body: dict[str, Any], seen: int) -> Reply:
    """Answer as OpenAI's reasoning models do."""
    if "max_tokens" in body:
        return _error(_LIMIT)
    if body.get("temperature", 1) != 1:
        return _error(_TEMPERATURE)
    return echo(body, seen)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_limit_is_renamed_and_a_temperature_dropped_once_for_all_requests(
    concurrency: int,
) -> None:
    with serving(_reasoning) as server:
        client = client_for(server, concurrency=concurrency)
        batch = client.ask_all(ask(*_PROMPTS, temperature=0.0, max_tokens=50))
        first = len(server.bodies)
        again = client.ask_all(ask("later", temperature=0.0, max_tokens=50))
        assert len(server.bodies) == first + 1
    assert not batch.failures and not again.failures
    answered = [body for body in server.bodies if "max_completion_tokens" in body]
    assert all(body["max_completion_tokens"] == 50 for body in answered)
    assert batch.tries == first <= len(_PROMPTS) + concurrency + 1
    assert batch.spent.answers == len(_PROMPTS) and batch.spent.completion_tokens == 5 * 40
    assert [one.code for one in batch.notices] == ["parameter-renamed", "parameter-dropped"]


def test_budgets_hold_and_refusals_are_no_answers() -> None:
    with serving(_reasoning) as server:
        client = client_for(server, concurrency=4, budget=Budget(tokens=500))
        batch = client.ask_all(ask(*_PROMPTS, temperature=0.0, max_tokens=50))
    answers = [one for one in batch.outcomes if one.answer]
    assert 0 < len(answers) < len(_PROMPTS) and batch.spent.tokens <= 500
    assert batch.spent.answers == len(answers) == client.ledger.spent.answers
    assert all("budget of 500 tokens" in str(one.failure) for one in batch.failures)


def test_a_server_without_any_limit_is_given_up_since_budgets_rest_on_it() -> None:
    def refuses(body: dict[str, Any], seen: int) -> Reply:
        name = next((one for one in body if one.endswith("_tokens")), None)
        return (
            _error({"error": {"message": f"Unknown parameter: {name}"}}) if name else echo(body, 0)
        )

    with serving(refuses) as server:
        client = client_for(server, budget=Budget(tokens=10**6))
        [outcome] = client.ask_all(ask("a", max_tokens=50)).outcomes
    assert outcome.answer is None and "max_completion_tokens" in str(outcome.failure)
    assert all(any(name.endswith("_tokens") for name in body) for body in server.bodies)


def test_answers_are_kept_under_the_request_that_was_made() -> None:
    [request] = ask("a", temperature=0.0, max_tokens=50)
    with serving(_reasoning) as server:
        client = client_for(server)
        client.ask_all([request])
        before = len(server.bodies)
        assert client.ask_all([request]).cache_hits.count == 1
        assert len(server.bodies) == before


def test_what_one_model_refuses_another_is_still_sent() -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        return _reasoning(body, seen) if body["model"] == "m" else echo(body, seen)

    with serving(reply) as server:
        client = client_for(server)
        client.ask_all(ask("a", max_tokens=50))
        [request] = ask("b", max_tokens=50)
        client.ask_all([type(request)("other", request.messages, max_tokens=50)])
    assert "max_tokens" in server.bodies[-1]


_EXTRA = "Extra inputs are not permitted"
_VLLM = {
    "message": f"[{{'type': 'extra_forbidden', 'loc': ('body', 'NAME'), 'msg': '{_EXTRA}'}}]",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
_DETAIL = {"type": "extra_forbidden", "loc": ["body", "NAME"], "msg": _EXTRA, "input": 5}
_SHAPES = {
    "vLLM": {"object": "error", **_VLLM},
    "vLLM, new": {"error": _VLLM},
    "llama.cpp": {"error": {"code": 400, "message": "Unsupported param: NAME", "type": "x"}},
    "Ollama": {"error": {"message": "NAME is not supported by this model", "param": None}},
    "Ollama, text": {"error": 'unknown field "NAME"'},
    "FastAPI": {"detail": [_DETAIL]},
    "details": {"detail": "NAME is not allowed for this deployment"},
}


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("name", ["max_tokens", "temperature"])
def test_the_errors_of_local_servers_are_understood(shape: str, name: str) -> None:
    error = json.loads(json.dumps(_SHAPES[shape]).replace("NAME", name))

    def reply(body: dict[str, Any], seen: int) -> Reply:
        return (
            _error(error, 422 if "detail" in error else 400) if name in body else echo(body, seen)
        )

    with serving(reply) as server:
        [outcome] = client_for(server).ask_all(ask("a", temperature=0.0, max_tokens=9)).outcomes
    assert outcome.answer is not None and outcome.tries == 2
    last = server.bodies[-1]
    assert ("temperature" in last, last.get("max_completion_tokens", last.get("max_tokens"))) == (
        name != "temperature", 9,
    )  # fmt: skip


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "max_tokens is too large: 9. This model supports at most 4.",
                   "param": "max_tokens", "code": None}},
        {"error": {"message": "temperature must be from 0 to 1", "param": "temperature"}},
        {"error": {"message": "This model's maximum context length is 4096 tokens; 'max_tokens' or "
                   "'max_completion_tokens' is too large", "param": None}},
        {"error": {"message": "Unsupported parameter: 'tools'", "param": "tools"}},
        {"detail": [{"type": "missing", "loc": ["body", "prompt"], "msg": "Field required",
                     "input": {"temperature": 0.0, "prompt": "an unknown valve"}}]},
        {"error": {"message": "context too long", "param": None}},
        {"error": "model 'unknown' not found"},
    ],
)  # fmt: skip
def test_other_refusals_change_nothing(error: object) -> None:
    memory = RefusedParameters()
    body = {"model": "m", "temperature": 0.0, "max_tokens": 9}
    assert not memory.learn("m", body, error)
    assert memory.accepted("m", body) == body and memory.notices == ()


@pytest.mark.parametrize("status", [401, 429, 500])
def test_only_bad_requests_are_sent_in_another_form(status: int) -> None:
    with serving(lambda body, seen: _error(_LIMIT, status)) as server:
        client_for(server).ask_all(ask("a", max_tokens=9))
    assert all("max_tokens" in body for body in server.bodies)
