"""What a server says unasked is never the answer to the next request."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from chat_asking import ask, client_for
from chat_server import Reply, said, serving
from patmark.llm import RetryPolicy
from raw_server import PLAIN, RawServer, talk
from tls import Serve, trusted

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
    ("when", "kept"),
    [
        ("with the response", [200, 500]),
        ("while idle", [200, 200]),
        ("after the next request", [200, 500]),
    ],
)
def test_surplus_bytes_leak_into_the_next_answer_of_a_kept_connection_and_not_into_ours(
    encrypted: bool, when: str, kept: list[int], tls: tuple[ssl.SSLContext, Path]
) -> None:
    """If httpx notices all of them one day, connections can be kept."""
    server_side, certificate = tls

    async def asked_by_plain_httpx() -> list[int]:
        side = server_side if encrypted else None
        listening = await asyncio.start_server(_Unasked(when), "localhost", 0, ssl=side)
        port = listening.sockets[0].getsockname()[1]
        url = f"http{'s' * encrypted}://localhost:{port}/"
        trust = ssl.create_default_context(cafile=str(certificate))
        found = []
        async with httpx.AsyncClient(trust_env=False, verify=trust) as client:
            for _ in range(2):
                found.append((await client.get(url, timeout=60)).status_code)
                await asyncio.sleep(0.1)
        listening.close()
        await asyncio.sleep(0.05)
        return found

    assert asyncio.run(asked_by_plain_httpx()) == kept
    with trusted(certificate):
        trust = server_side if encrypted else None
        ours = talk(_Unasked(when), "/a", "/b", trust=trust, pause=0.1, method="GET")
    assert [status for status, _, _ in ours] == [200, 200]


def test_a_late_answer_is_no_answer_to_another_request() -> None:
    def late_at_first(body: dict[str, Any], seen: int) -> Reply:
        prompt = body["messages"][-1]["content"]
        return replace(said("re: " + prompt), delay=1.8 if prompt == "row 0" else 0.1)

    with serving(late_at_first) as server:
        client = client_for(server, concurrency=1, timeout=1.5, policy=RetryPolicy(retries=0))
        batch = client.ask_all(ask(*_PROMPTS[:10]))
    texts = [one.answer.text if one.answer else one.failure for one in batch.outcomes]
    assert texts == ["no answer within 1.5 seconds", *(f"re: {row}" for row in _PROMPTS[1:10])]
