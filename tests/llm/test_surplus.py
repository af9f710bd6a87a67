"""Bytes that a server sends unasked, and late answers."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat_asking import ask, client_for
from chat_server import Reply, said, serving
from patmark.llm import RetryPolicy
from raw_server import PLAIN, RawServer, talk
from tls import trusted

_PROMPTS = [f"row {number}" for number in range(40)]


class _Unasked(RawServer):
    """Sends a second response: with the first, a little later, or when it is asked again."""

    def __init__(self, when: str) -> None:
        super().__init__(PLAIN)
        self.when = when

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        foreign, held = PLAIN.replace(b"200 OK", b"500 No"), b""
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(held + PLAIN + foreign * (self.when == "with the response"))
                held = foreign * (self.when == "after the next request")
                await asyncio.sleep(0.004)
                writer.write(foreign * (self.when == "while idle"))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@pytest.mark.parametrize("encrypted", [False, True], ids=["http", "https"])
@pytest.mark.parametrize(
    ("when", "found"),
    [
        ("with the response", [200, 500]),
        ("while idle", [200, 200]),
        ("after the next request", [200, 500]),
    ],
)
def test_httpx_notices_surplus_bytes_only_while_a_connection_is_idle(
    encrypted: bool, when: str, found: list[int], tls: tuple[ssl.SSLContext, Path]
) -> None:
    """A known limit of kept connections: a server that answers twice is taken at its word."""
    server_side, certificate = tls
    with trusted(certificate):
        trust = server_side if encrypted else None
        answers = talk(_Unasked(when), "/a", "/b", trust=trust, pause=0.1, method="GET")
    assert [status for status, _, _ in answers] == found


def test_a_late_answer_is_no_answer_to_another_request() -> None:
    def late_at_first(body: dict[str, Any], seen: int) -> Reply:
        prompt = body["messages"][-1]["content"]
        return replace(said("re: " + prompt), delay=1.8 if prompt == "row 0" else 0.1)

    with serving(late_at_first) as server:
        client = client_for(server, concurrency=1, timeout=1.5, policy=RetryPolicy(retries=0))
        batch = client.ask_all(ask(*_PROMPTS[:10]))
    texts = [one.answer.text if one.answer else one.failure for one in batch.outcomes]
    assert texts == ["no answer within 1.5 seconds", *(f"re: {row}" for row in _PROMPTS[1:10])]
