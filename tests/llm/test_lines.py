"""Lines to servers that speak HTTP in all the ways servers do, byte by byte."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import socket
import ssl
import struct
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import pytest

from patmark.errors import UsageError
from patmark.llm import Endpoint, direct, lines
from patmark.llm.lines import Line, Outgoing

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BODY = '{"text": "弁"}'.encode()
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Seen: A b\r\n\r\n%s" % (len(BODY), BODY)
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (BODY[:5], len(BODY) - 5, BODY[5:])
)
PACKED = gzip.compress(BODY, mtime=0)
GZIPPED = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (
    len(PACKED),
    PACKED,
)
UNTIL_CLOSE = b"HTTP/1.0 200 OK\r\n\r\n" + BODY
CONTINUED = b"HTTP/1.1 100 Continue\r\n\r\n" + PLAIN


@pytest.fixture(params=["direct", "httpx"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers on plain HTTP are asked directly; here once by the client for all others, too."""
    if request.param == "httpx":
        monkeypatch.setattr(direct, "is_plain", lambda url: False)


class _Server:
    """Gives the same bytes for every request, and keeps what it was sent."""

    def __init__(self, reply: bytes, *, hang_up: bool = False) -> None:
        self.reply, self.hang_up = reply, hang_up
        self.connections = 0
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
                self.heads.append(head)
                self.bodies.append(await reader.readexactly(int(length or 0)))
                writer.write(self.reply)
                await writer.drain()
                if self.hang_up:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def _talk(
    server: _Server, *paths: str, trust: ssl.SSLContext | None = None, pause: float = 0.0,
    method: str = "POST", host: str = "localhost",
) -> list[lines.Response]:  # fmt: skip
    """Ask for each path over one line."""

    async def main() -> list[lines.Response]:
        listening = await asyncio.start_server(server, host.strip("[]"), 0, ssl=trust)
        port = listening.sockets[0].getsockname()[1]
        url = f"{'https' if trust else 'http'}://{host}:{port}"
        line = Line()
        found = []
        try:
            for path in paths:
                body = None if method == "GET" else {"q": "弁"}
                out = Outgoing(url + path, body, method, {"X-Key": "abc"})
                found.append(await asyncio.wait_for(line.send(out), 5))
                await asyncio.sleep(pause)
        finally:
            await line.close()
            listening.close()
            await asyncio.sleep(0.01)
        return found

    return asyncio.run(main())


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("reply", "kept"),
    [(PLAIN, True), (CHUNKED, True), (GZIPPED, True), (CONTINUED, True), (UNTIL_CLOSE, False)],
)
def test_every_way_to_send_a_response(reply: bytes, kept: bool) -> None:
    server = _Server(reply, hang_up=not kept)
    answers = _talk(server, "/a", "/b")
    assert [(status, content) for status, _, content in answers] == [(200, BODY)] * 2
    assert server.connections == (1 if kept else 2)
    assert server.bodies == ['{"q":"弁"}'.encode()] * 2


def test_what_is_sent() -> None:
    server = _Server(PLAIN)
    [(_, headers, _)] = _talk(server, "/v1/弁?q=a%20b&x=1", method="GET")
    head = server.heads[0].decode("ascii")
    assert head.startswith("GET /v1/%E5%BC%81?q=a%20b&x=1 HTTP/1.1\r\n")
    assert "X-Key: abc\r\n" in head and "Host: localhost:" in head
    assert "Content-Length" not in head and server.bodies == [b""]
    assert headers["x-seen"] == "A b"


@pytest.mark.usefixtures("way")
def test_a_connection_that_the_server_closed_meanwhile_is_opened_again() -> None:
    server = _Server(PLAIN, hang_up=True)
    assert len(_talk(server, "/a", "/b", pause=0.05)) == 2
    assert server.connections == 2


def test_a_connection_that_the_server_cut_off_meanwhile_is_opened_again() -> None:
    class CutsOff(_Server):
        async def __call__(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            at_once = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            await super().__call__(reader, writer)

    server = CutsOff(PLAIN, hang_up=True)
    assert len(_talk(server, "/a", "/b", pause=0.05)) == 2
    assert server.connections == 2


def test_an_address_of_ipv6() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert [one[2] for one in _talk(_Server(PLAIN), "/a", "/b", host="[::1]")] == [BODY] * 2


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n", "SWITCH"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx", "packed as br"),
    ],
)
def test_what_was_not_asked_for_is_refused(reply: bytes, words: str) -> None:
    with pytest.raises(OSError, match=words):
        _talk(_Server(reply, hang_up=True), "/a")


def test_what_follows_a_response_is_no_answer_to_the_next_request() -> None:
    server = _Server(PLAIN + PLAIN.replace(b"200 OK", b"500 No"))
    assert [one[0] for one in _talk(server, "/a", "/b")] == [200, 200]


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
        status, _, _ = await asyncio.wait_for(line.send(Outgoing(url, {"q": "x" * 5_000_000})), 5)
        await asyncio.wait_for(hung_up.wait(), 5)
        listening.close()
        await asyncio.sleep(0.01)
        return status

    assert asyncio.run(main()) == 413


def test_a_line_may_lead_to_another_server() -> None:
    async def main() -> list[int]:
        servers = [_Server(PLAIN), _Server(PLAIN)]
        listening = [await asyncio.start_server(one, "localhost", 0) for one in servers]
        line = Line()
        for one in listening:
            url = f"http://localhost:{one.sockets[0].getsockname()[1]}/a"
            await asyncio.wait_for(line.send(Outgoing(url, {})), 5)
        await line.close()
        for one in listening:
            one.close()
        await asyncio.sleep(0.01)
        return [one.connections for one in servers]

    assert asyncio.run(main()) == [1, 1]


@pytest.mark.usefixtures("way")
def test_a_redirect_is_not_followed() -> None:
    server = _Server(b"HTTP/1.1 307 Go\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")
    assert [one[0] for one in _talk(server, "/a")] == [307]
    assert len(server.heads) == 1


@pytest.mark.usefixtures("way")
def test_a_request_that_is_given_up_leaves_the_line_usable() -> None:
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
        out = Outgoing(f"http://localhost:{listening.sockets[0].getsockname()[1]}", None, "GET")
        line = Line()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(line.send(out), 0.1)
        _, _, content = await asyncio.wait_for(line.send(out), 5)
        await line.close()
        listening.close()
        await asyncio.sleep(0.01)
        return content

    assert asyncio.run(main()) == BODY


@pytest.mark.usefixtures("way")
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
        _talk(_Server(reply, hang_up=True), "/a")


def test_a_certificate_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is absent: no certificate can be made")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
         certificate], check=True, capture_output=True,
    )  # fmt: skip
    trust = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trust.load_cert_chain(certificate, key)
    lines._trust.cache_clear()
    with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
        _talk(_Server(PLAIN), "/a", trust=trust)
    lines._trust.cache_clear()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    try:
        assert [one[2] for one in _talk(_Server(PLAIN), "/a", "/b", trust=trust)] == [BODY] * 2
    finally:
        lines._trust.cache_clear()


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    server = _Server(PLAIN)

    async def main() -> lines.Response:
        listening = await asyncio.start_server(server, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("no_proxy", "direct.example")
        line = Line()
        try:
            return await line.send(Outgoing("http://far.example/v1", {"q": 1}))
        finally:
            await line.close()
            listening.close()
            await asyncio.sleep(0.01)

    assert asyncio.run(main())[2] == BODY
    assert server.heads[0].startswith(b"POST http://far.example/v1 HTTP/1.1")


def test_a_server_that_is_excepted_from_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "localhost")
    assert len(_talk(_Server(PLAIN), "/a")) == 1


def test_a_proxy_that_cannot_be_used_is_an_error_of_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "gopher://127.0.0.1:9")
    with pytest.raises(UsageError, match="the proxy that the environment names"):
        asyncio.run(Line().send(Outgoing("http://far.example/v1")))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("host", ["a..b", "x" * 70, "no-such-host.invalid"])
def test_a_server_that_cannot_be_found(host: str) -> None:
    with pytest.raises(OSError):
        asyncio.run(Line().send(Outgoing(f"http://{host}/v1", {})))


@pytest.mark.parametrize("url", ["http://x:99999/v1", "http://x:zero/v1", "http://x:0"])
def test_a_port_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(UsageError, match="must look like"):
        Endpoint(url)
