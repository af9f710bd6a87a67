"""What a server says unasked is never the answer to the next request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chat_asking import ask, client_for
from chat_server import Reply, said, serving
from patmark.llm import RetryPolicy
from tls import Serve

_FOREIGN = said("foreign").body
_UNASKED = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(_FOREIGN), _FOREIGN)
_PROMPTS = [f"row {number}" for number in range(40)]


def _twice(body: dict[str, Any], seen: int) -> Reply:
    return replace(said("re: " + body["messages"][-1]["content"]), surplus=_UNASKED)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_connection_with_surplus_bytes_is_dropped(serve: Serve, concurrency: int) -> None:
    with serve(_twice) as server:
        batch = client_for(server, concurrency=concurrency).ask_all(ask(*_PROMPTS))
    texts = [one.answer.text if one.answer else one.failure for one in batch.outcomes]
    assert texts == [f"re: {prompt}" for prompt in _PROMPTS]


def test_a_late_answer_is_no_answer_to_another_request() -> None:
    def late_at_first(body: dict[str, Any], seen: int) -> Reply:
        prompt = body["messages"][-1]["content"]
        return replace(said("re: " + prompt), delay=1.8 if prompt == "row 0" else 0.1)

    with serving(late_at_first) as server:
        client = client_for(server, concurrency=1, timeout=1.5, policy=RetryPolicy(retries=0))
        batch = client.ask_all(ask(*_PROMPTS[:10]))
    texts = [one.answer.text if one.answer else one.failure for one in batch.outcomes]
    assert texts == ["no answer within 1.5 seconds", *(f"re: {row}" for row in _PROMPTS[1:10])]
