"""What a server says unasked is never the answer to the next request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat_asking import ask, client_for
from chat_server import ChatServer, Reply, said, serving
from tls import own_certificate, trusted

_FOREIGN = said("foreign").body
_UNASKED = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(_FOREIGN), _FOREIGN)
_PROMPTS = [f"row {number}" for number in range(40)]


def _twice(body: dict[str, Any], seen: int) -> Reply:
    return replace(said("re: " + body["messages"][-1]["content"]), surplus=_UNASKED)


@pytest.fixture(params=["http", "https"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ChatServer]:
    tls, certificate = own_certificate(tmp_path) if request.param == "https" else (None, None)
    with (
        trusted(certificate) if certificate else nullcontext(),
        serving(_twice, tls) as chat,
    ):
        yield chat


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_connection_with_surplus_bytes_is_dropped(server: ChatServer, concurrency: int) -> None:
    batch = client_for(server, concurrency=concurrency).ask_all(ask(*_PROMPTS))
    texts = [one.answer.text if one.answer else one.failure for one in batch.outcomes]
    assert texts == [f"re: {prompt}" for prompt in _PROMPTS]
