"""Requests and answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from patmark.errors import UsageError
from patmark.llm import ChatAnswer, ChatRequest, Message
from patmark.llm.chat import error_message, parse_answer

_ASKED = ChatRequest("m", (Message("user", "hello"),), temperature=0.5, seed=3)


def test_what_is_not_set_is_not_sent() -> None:
    assert _ASKED.body() == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "temperature": 0.5,
        "seed": 3,
    }


@pytest.mark.parametrize(
    "other",
    [
        {"model": "n"},
        {"messages": (Message("system", "hello"),)},
        {"messages": (Message("user", "hello "),)},
        {"temperature": 0.6},
        {"max_tokens": 5},
        {"seed": 4},
        {"sample": 1},
        {"attempt": 1},
        {"extra": {"top_p": 0.9}},
    ],
)
def test_whatever_changes_an_answer_changes_the_key(other: dict[str, Any]) -> None:
    same = {"model": "m", "messages": (Message("user", "hello"),), "temperature": 0.5, "seed": 3}
    assert ChatRequest(**same).key() == _ASKED.key()
    assert ChatRequest(**same | other).key() != _ASKED.key()


def test_extra_fields_of_servers_are_no_keys() -> None:
    fields = {"max_completion_tokens": 9, "stop_token_ids": [1], "prompt_cache_key": "a"}
    assert ChatRequest("m", _ASKED.messages, extra=fields).body()["stop_token_ids"] == [1]


def test_the_order_of_extra_fields_does_not_change_the_key() -> None:
    one = ChatRequest("m", _ASKED.messages, extra={"a": 1, "b": 2})
    assert one.key() == ChatRequest("m", _ASKED.messages, extra={"b": 2, "a": 1}).key()


def test_asking_again_moves_the_seed() -> None:
    assert _ASKED.again(0) == _ASKED
    seeds = {_ASKED.again(attempt).seed for attempt in range(4)}
    assert len(seeds) == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": " "}, "model is empty"),
        ({"messages": ()}, "at least one message"),
        ({"temperature": 2.5}, "temperature must be from 0 to 2"),
        ({"temperature": float("nan")}, "temperature must be from 0 to 2"),
        ({"max_tokens": 0}, "room for a token"),
        ({"extra": {"seed": 1}}, "'seed' cannot be an extra field"),
        ({"extra": {"api_key": "x"}}, "'api_key' looks like a key"),
        ({"extra": {"headers": {"Authorization": "x"}}}, "'Authorization' looks like a key"),
        ({"extra": {"stop": ["sk-0123"]}}, "'stop' looks like a key"),
    ],
)
def test_requests_that_cannot_be_made(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ChatRequest(**{"model": "m", "messages": _ASKED.messages} | settings)


def _body(message: object, **fields: object) -> dict[str, object]:
    return {"choices": [{"message": message, "finish_reason": "stop"}], **fields}


def test_an_answer_with_everything() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    answer = parse_answer(_body({"content": "yes"}, model="m-1", usage=usage))
    assert answer == ChatAnswer("yes", "stop", None, "m-1", 7, 2)


def test_content_in_parts_refusals_and_null() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    assert parse_answer(_body({"content": parts})).text == "ab"
    refusal = parse_answer(_body({"content": None, "refusal": "I will not."}))
    assert (refusal.text, refusal.refused) == ("", True)


@pytest.mark.parametrize(
    "body",
    [
        [], 3, None, {}, {"choices": []}, {"choices": [None]}, {"choices": [{"text": "x"}]},
        {"choices": "x"}, _body("x"), _body({"content": 5}), {"error": {"message": "overloaded"}},
        _body({"content": "\ud83d"}),
    ],
)  # fmt: skip
def test_bodies_that_are_no_answer(body: object) -> None:
    with pytest.raises(ValueError, match=r"response|message|surrogate"):
        parse_answer(body)


@pytest.mark.parametrize(
    "usage",
    [None, 5, *({"prompt_tokens": one} for one in ("7", -1, 10**400, 1e300, float("nan"), True))],
)
def test_token_counts_that_are_none(usage: object) -> None:
    assert parse_answer(_body({"content": "x"}, usage=usage)).prompt_tokens is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "too  long"}}, "too long"),
        ({"error": "plain"}, "plain"),
        ({"detail": "not found"}, "not found"),
        ({"error": {"code": 7}}, '7'),
        (["odd"], '["odd"]'),
    ],
)  # fmt: skip
def test_error_messages_have_many_forms(body: object, words: str) -> None:
    assert error_message(body) == words


_texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(_texts, st.none() | _texts, st.none() | st.integers(0, 10**9))
def test_answers_survive_json(text: str, reason: str | None, tokens: int | None) -> None:
    answer = ChatAnswer(text, reason, prompt_tokens=tokens)
    assert ChatAnswer.from_json(json.loads(json.dumps(answer.to_json()))) == answer


_KEPT = ChatAnswer("x").to_json()


@pytest.mark.parametrize(
    "fields", [None, {}, {"text": "x"}, _KEPT | {"text": 1}, _KEPT | {"prompt_tokens": "1"}]
)
def test_broken_kept_answers_are_refused(fields: object) -> None:
    with pytest.raises(ValueError, match="field"):
        ChatAnswer.from_json(fields)


def test_a_long_refusal_is_shortened() -> None:
    reason = ChatAnswer("", refusal="No.\n" * 10_000).refusal_reason or ""
    assert reason.startswith("refused: No. No.") and len(reason) < 400
