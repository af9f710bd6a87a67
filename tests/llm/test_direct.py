"""Plain HTTP without a client in between: what a server may do to a connection that is kept."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
from contextlib import suppress

import pytest

from line_server import BODY, PLAIN, LineServer, talk
from patmark.llm import direct
from patmark.llm.lines import Line, Outgoing

LATE = b"HTTP/1.1 408 Late\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def test_a_connection_that_the_server_cut_off_meanwhile_is_opened_again() -> None:
    class CutsOff(LineServer):
        async def __call__(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            at_once = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            await super().__call__(reader, writer)

    server = CutsOff(PLAIN, hang_up=True)
    assert len(talk(server, "/a", "/b", pause=0.05)) == 2
    assert server.connections == 2


@pytest.mark.parametrize("is_closed", [True, False])
def test_what_is_said_on_an_idle_line_is_no_answer_to_the_next_request(is_closed: bool) -> None:
    class Complains(LineServer):
        async def __call__(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            await reader.readuntil(b"\r\n\r\n")
            self.connections += 1
            writer.write(PLAIN)
            await asyncio.sleep(0.02)
            with suppress(ConnectionError):
                writer.write(LATE)
                if not is_closed:
                    await reader.read()
            writer.close()

    server = Complains(PLAIN)
    assert [one[0] for one in talk(server, "/a", "/b", pause=0.1, method="GET")] == [200, 200]
    assert server.connections == 2


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n", "SWITCH"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx", "packed as br"),
    ],
)
def test_what_was_not_asked_for_is_refused(reply: bytes, words: str) -> None:
    with pytest.raises(OSError, match=words):
        talk(LineServer(reply, hang_up=True), "/a")


def test_what_follows_a_response_is_no_answer_to_the_next_request() -> None:
    server = LineServer(PLAIN + PLAIN.replace(b"200 OK", b"500 No"))
    assert [one[0] for one in talk(server, "/a", "/b")] == [200, 200]


def test_an_answer_that_comes_before_everything_is_sent_counts() -> None:
    async def main() -> int:
        hung_up = asyncio.Event()

        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 413 Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            with suppress(ConnectionError):
                await reader.read()
            writer.close()
            hung_up.set()

        listening = await asyncio.start_server(refuse, "localhost", 0)
        url = f"http://localhost:{listening.sockets[0].getsockname()[1]}"
        line = Line()
        status, _, _ = await asyncio.wait_for(line.send(Outgoing(url, {"q": "x" * 5_000_000})), 60)
        await asyncio.wait_for(hung_up.wait(), 60)
        listening.close()
        await asyncio.sleep(0.01)
        return status

    assert asyncio.run(main()) == 413


def _packed(content: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    return head % len(content) + content


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 2000, "more than"),
        (_packed(gzip.compress(b"x" * 2000)), "more than"),
        (_packed(gzip.compress(BODY)[:-4]), "cut off"),
    ],
)
def test_a_response_that_is_too_large_or_not_whole(
    reply: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct, "_LARGEST", 1000)
    with pytest.raises(OSError, match=words):
        talk(LineServer(reply, hang_up=True), "/a")


def test_a_post_without_a_body_says_so() -> None:
    async def main() -> list[bytes]:
        server = LineServer(PLAIN)
        listening = await asyncio.start_server(server, "localhost", 0)
        line = Line()
        url = f"http://localhost:{listening.sockets[0].getsockname()[1]}/a"
        for method in ("POST", "GET"):
            await asyncio.wait_for(line.send(Outgoing(url, None, method)), 60)
        await line.close()
        listening.close()
        await asyncio.sleep(0.01)
        return [head.lower() for head in server.heads]

    posted, got = asyncio.run(main())
    assert b"content-length: 0\r\n" in posted and b"content-length" not in got


def test_which_addresses_are_plain() -> None:
    assert direct.is_plain("http://[::1]:8000/v1/a@b?c=%E5%BC%81")
    for other in ("https://x/v1", "http://user:word@x/v1", "http://x/弁", "http://x/a b"):
        assert not direct.is_plain(other)
