"""What a server says unasked is never the answer to the next request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chat_asking import ask, client_for
from chat_server import Reply, said
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
