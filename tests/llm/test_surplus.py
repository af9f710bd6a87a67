"""What a server says unasked is never the answer to the next request."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

import httpcore
import pytest

from chat_asking import ask, client_for
from chat_server import Reply, said
from patmark.llm.transport import Backend
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


def test_what_comes_at_the_last_moment_before_a_request_is_no_answer_to_it() -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(_UNASKED)
        with suppress(ConnectionError):
            await reader.read()
        writer.close()

    async def main() -> None:
        listening = await asyncio.start_server(speak, "127.0.0.1", 0)
        stream = await Backend().connect_tcp("127.0.0.1", listening.sockets[0].getsockname()[1])
        try:
            while not stream.get_extra_info("is_readable"):
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.01)
            await stream.write(b"GET / HTTP/1.1\r\n\r\n")
            with pytest.raises(httpcore.ReadError, match="before it was asked"):
                await stream.read(1000)
        finally:
            await stream.aclose()
            listening.close()
            await asyncio.sleep(0.01)

    asyncio.run(main())
