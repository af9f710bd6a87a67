"""Connections to servers that speak HTTP in all the ways servers do, byte by byte."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
from contextlib import suppress
from pathlib import Path

import pytest

from patmark.errors import UsageError
from patmark.llm import Endpoint
from patmark.llm.chat import HttpRequest
from patmark.llm.transport import HttpResponse, open_client, send
from raw_server import (
    BODY,
    CHUNKED,
    CONTINUED,
    GZIPPED,
    PACKED,
    PLAIN,
    UNTIL_CLOSE,
    RawServer,
    talk,
)
from tls import own_certificate, trusted

LATE = b"HTTP/1.1 408 Late\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("reply", "hang_up"),
    [(PLAIN, False), (CHUNKED, False), (GZIPPED, False), (CONTINUED, False), (UNTIL_CLOSE, True)],
)
def test_every_way_to_send_a_response(reply: bytes, hang_up: bool) -> None:
    server = RawServer(reply, hang_up=hang_up)
    answers = talk(server, "/a", "/b")
    assert [(status, content) for status, _, content in answers] == [(200, BODY)] * 2
    assert server.connections == (2 if hang_up else 1)
    assert server.bodies == ['{"q":"弁"}'.encode()] * 2


def test_what_is_sent() -> None:
    server = RawServer(PLAIN)
    [(_, headers, _)] = talk(server, "/v1/弁?q=a%20b&x=1", method="GET")
    head = server.heads[0].decode("ascii")
    assert head.startswith("GET /v1/%E5%BC%81?q=a%20b&x=1 HTTP/1.1\r\n")
    assert "X-Key: abc\r\n" in head and "Host: localhost:" in head
    assert "Content-Length" not in head and server.bodies == [b""]
    assert headers["x-seen"] == "A b"


def test_a_connection_that_the_server_closed_meanwhile_is_opened_again() -> None:
    server = RawServer(PLAIN, hang_up=True)
    assert len(talk(server, "/a", "/b", pause=0.05)) == 2
    assert server.connections == 2


def test_an_address_of_ipv6() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert [one[2] for one in talk(RawServer(PLAIN), "/a", "/b", host="[::1]")] == [BODY] * 2


def test_a_client_may_ask_another_server() -> None:
    async def main() -> list[int]:
        servers = [RawServer(PLAIN), RawServer(PLAIN)]
        listening = [await asyncio.start_server(one, "localhost", 0) for one in servers]
        client = open_client("http://localhost")
        for one in listening:
            url = f"http://localhost:{one.sockets[0].getsockname()[1]}/a"
            await asyncio.wait_for(send(client, HttpRequest(url, {})), 60)
        await client.aclose()
        for one in listening:
            one.close()
        await asyncio.sleep(0.01)
        return [one.connections for one in servers]

    assert asyncio.run(main()) == [1, 1]


def test_a_redirect_is_not_followed() -> None:
    server = RawServer(b"HTTP/1.1 307 Go\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")
    assert [one[0] for one in talk(server, "/a")] == [307]
    assert len(server.heads) == 1


def test_a_request_that_is_given_up_leaves_the_client_usable() -> None:
    async def main() -> bytes:
        served = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal served
            served += 1
            await reader.readuntil(b"\r\n\r\n")
            writer.write(PLAIN if served > 1 else PLAIN[:-3])
            await writer.drain()
            await reader.read()
            writer.close()

        listening = await asyncio.start_server(serve, "localhost", 0)
        out = HttpRequest(f"http://localhost:{listening.sockets[0].getsockname()[1]}", None, "GET")
        client = open_client(out.url)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(send(client, out), 0.1)
        _, _, content = await asyncio.wait_for(send(client, out), 60)
        await client.aclose()
        listening.close()
        await asyncio.sleep(0.01)
        return content

    assert asyncio.run(main()) == BODY


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"", "disconnected|closed"),
        (PLAIN[:-3], "closed"),
        (CHUNKED[:-8], "closed"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "illegal"),
        (GZIPPED.replace(PACKED, b"x" * len(PACKED)), "decompress"),
        (b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200_000 + b"\r\n\r\n", "too long"),
    ],
)
def test_what_is_no_response_is_an_error_with_words(reply: bytes, words: str) -> None:
    with pytest.raises(OSError, match=words):
        talk(RawServer(reply, hang_up=True), "/a")


def test_a_certificate_is_checked(tmp_path: Path) -> None:
    server_side, certificate = own_certificate(tmp_path)
    with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
        talk(RawServer(PLAIN), "/a", trust=server_side)
    with trusted(certificate):
        answers = talk(RawServer(PLAIN), "/a", "/b", trust=server_side)
    assert [one[2] for one in answers] == [BODY] * 2


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    server = RawServer(PLAIN)

    async def main() -> HttpResponse:
        listening = await asyncio.start_server(server, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("no_proxy", "direct.example")
        url = "http://far.example/v1"
        client = open_client(url)
        try:
            return await send(client, HttpRequest(url, {"q": 1}))
        finally:
            await client.aclose()
            listening.close()
            await asyncio.sleep(0.01)

    assert asyncio.run(main())[2] == BODY
    assert server.heads[0].startswith(b"POST http://far.example/v1 HTTP/1.1")


def test_a_proxy_is_asked_for_a_way_to_an_encrypted_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server_side, certificate = own_certificate(tmp_path)
    asked: list[bytes] = []

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                writer.write(data)
        writer.close()

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        host, port = asked[-1].split()[1].decode().split(":")
        there = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Go\r\n\r\n")
        await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer))

    async def main() -> list[HttpResponse]:
        listening = await asyncio.start_server(RawServer(PLAIN), "localhost", 0, ssl=server_side)
        between = await asyncio.start_server(proxy, "127.0.0.1", 0)
        port = between.sockets[0].getsockname()[1]
        monkeypatch.setenv("https_proxy", f"http://user:pass@127.0.0.1:{port}")
        monkeypatch.setenv("no_proxy", "")
        url = f"https://localhost:{listening.sockets[0].getsockname()[1]}/v1"
        client = open_client(url)
        try:
            return [await send(client, HttpRequest(url, {"q": 1})) for _ in range(2)]
        finally:
            await client.aclose()
            listening.close()
            between.close()
            await asyncio.sleep(0.05)

    with trusted(certificate):
        assert [one[2] for one in asyncio.run(main())] == [BODY] * 2
    assert len(asked) == 1 and asked[0].startswith(b"CONNECT localhost:")
    assert b"Proxy-Authorization: Basic dXNlcjpwYXNz" in asked[0]


def test_a_server_that_is_excepted_from_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "localhost")
    assert len(talk(RawServer(PLAIN), "/a")) == 1


@pytest.mark.parametrize(
    "environment",
    [
        {"http_proxy": "gopher://127.0.0.1:9", "no_proxy": "localhost"},
        {"https_proxy": "gopher://x"},
    ],
    ids=["excepted", "other"],
)
def test_a_proxy_that_cannot_be_used_does_no_harm_where_none_is_needed(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert len(talk(RawServer(PLAIN), "/a")) == 1


def test_a_proxy_that_cannot_be_used_is_an_error_of_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "gopher://127.0.0.1:9")
    with pytest.raises(UsageError, match="the proxy that the environment names"):
        open_client("http://far.example/v1")


@pytest.mark.parametrize("host", ["a..b", "x" * 70, "no-such-host.invalid"])
def test_a_server_that_cannot_be_found(host: str) -> None:
    with pytest.raises(OSError):
        asyncio.run(send(open_client(f"http://{host}/v1"), HttpRequest(f"http://{host}/v1", {})))


@pytest.mark.parametrize(
    "url", ["http://x:99999/v1", "http://x:zero/v1", "http://x:0", "http://[::1", "http:///v1"]
)
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(UsageError, match="must look like"):
        Endpoint(url)


def test_a_connection_that_the_server_cut_off_meanwhile_is_opened_again() -> None:
    class CutsOff(RawServer):
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
def test_what_is_said_on_an_idle_connection_is_no_answer_to_the_next_request(
    is_closed: bool,
) -> None:
    class Complains(RawServer):
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
        talk(RawServer(reply, hang_up=True), "/a")


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
        client = open_client(url)
        status, _, _ = await asyncio.wait_for(
            send(client, HttpRequest(url, {"q": "x" * 5_000_000})), 60
        )
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
def test_a_response_that_is_too_large_or_not_whole(reply: bytes, words: str) -> None:
    with pytest.raises(OSError, match=words):
        talk(RawServer(reply, hang_up=True), "/a", largest=1000)


def test_a_post_without_a_body_says_so() -> None:
    async def main() -> list[bytes]:
        server = RawServer(PLAIN)
        listening = await asyncio.start_server(server, "localhost", 0)
        url = f"http://localhost:{listening.sockets[0].getsockname()[1]}/a"
        client = open_client(url)
        for method in ("POST", "GET"):
            await asyncio.wait_for(send(client, HttpRequest(url, None, method)), 60)
        await client.aclose()
        listening.close()
        await asyncio.sleep(0.01)
        return [head.lower() for head in server.heads]

    posted, got = asyncio.run(main())
    assert b"content-length: 0\r\n" in posted and b"content-length" not in got


def test_a_cookie_is_not_sent_back() -> None:
    server = RawServer(PLAIN.replace(b"X-Seen: A b", b"Set-Cookie: a=b"))
    assert len(talk(server, "/a", "/b")) == 2
    assert not any(b"cookie" in head.lower() for head in server.heads)


@pytest.mark.parametrize(("wanted", "connections"), [("keep-alive", 1), ("close", 3)])
def test_a_connection_is_kept_unless_a_service_wants_it_closed(
    wanted: str, connections: int
) -> None:
    async def main() -> int:
        server = RawServer(PLAIN)
        listening = await asyncio.start_server(server, "localhost", 0)
        url = f"http://localhost:{listening.sockets[0].getsockname()[1]}/a"
        client = open_client(url)
        asked = HttpRequest(url, {}, headers={"Connection": wanted})
        for _ in range(3):
            await asyncio.wait_for(send(client, asked), 60)
        await client.aclose()
        listening.close()
        await asyncio.sleep(0.01)
        return server.connections

    assert asyncio.run(main()) == connections


def test_a_header_of_the_request_replaces_our_own() -> None:
    async def main() -> bytes:
        server = RawServer(PLAIN)
        listening = await asyncio.start_server(server, "localhost", 0)
        url = f"http://localhost:{listening.sockets[0].getsockname()[1]}/a"
        client = open_client(url)
        await asyncio.wait_for(send(client, HttpRequest(url, {}, headers={"accept": "x/y"})), 60)
        await client.aclose()
        listening.close()
        await asyncio.sleep(0.01)
        return server.heads[0].lower()

    head = asyncio.run(main())
    assert head.count(b"\r\naccept:") == 1 and b"\r\naccept: x/y\r\n" in head
