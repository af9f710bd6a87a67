"""Lines to servers that speak HTTP in all the ways servers do, byte by byte."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from line_server import (
    BODY,
    CHUNKED,
    CONTINUED,
    GZIPPED,
    PACKED,
    PLAIN,
    UNTIL_CLOSE,
    LineServer,
    talk,
)
from patmark.errors import UsageError
from patmark.llm import Endpoint, direct, lines
from patmark.llm.lines import Line, Outgoing

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture(params=["direct", "httpx"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers on plain HTTP are asked directly; here once by the client for all others, too."""
    if request.param == "httpx":
        monkeypatch.setattr(direct, "is_plain", lambda url: False)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("reply", "kept"),
    [(PLAIN, True), (CHUNKED, True), (GZIPPED, True), (CONTINUED, True), (UNTIL_CLOSE, False)],
)
def test_every_way_to_send_a_response(reply: bytes, kept: bool) -> None:
    server = LineServer(reply, hang_up=not kept)
    answers = talk(server, "/a", "/b")
    assert [(status, content) for status, _, content in answers] == [(200, BODY)] * 2
    assert server.connections == (1 if kept else 2)
    assert server.bodies == ['{"q":"弁"}'.encode()] * 2


def test_what_is_sent() -> None:
    server = LineServer(PLAIN)
    [(_, headers, _)] = talk(server, "/v1/弁?q=a%20b&x=1", method="GET")
    head = server.heads[0].decode("ascii")
    assert head.startswith("GET /v1/%E5%BC%81?q=a%20b&x=1 HTTP/1.1\r\n")
    assert "X-Key: abc\r\n" in head and "Host: localhost:" in head
    assert "Content-Length" not in head and server.bodies == [b""]
    assert headers["x-seen"] == "A b"


@pytest.mark.usefixtures("way")
def test_a_connection_that_the_server_closed_meanwhile_is_opened_again() -> None:
    server = LineServer(PLAIN, hang_up=True)
    assert len(talk(server, "/a", "/b", pause=0.05)) == 2
    assert server.connections == 2


def test_an_address_of_ipv6() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert [one[2] for one in talk(LineServer(PLAIN), "/a", "/b", host="[::1]")] == [BODY] * 2


def test_a_line_may_lead_to_another_server() -> None:
    async def main() -> list[int]:
        servers = [LineServer(PLAIN), LineServer(PLAIN)]
        listening = [await asyncio.start_server(one, "localhost", 0) for one in servers]
        line = Line()
        for one in listening:
            url = f"http://localhost:{one.sockets[0].getsockname()[1]}/a"
            await asyncio.wait_for(line.send(Outgoing(url, {})), 60)
        await line.close()
        for one in listening:
            one.close()
        await asyncio.sleep(0.01)
        return [one.connections for one in servers]

    assert asyncio.run(main()) == [1, 1]


@pytest.mark.usefixtures("way")
def test_a_redirect_is_not_followed() -> None:
    server = LineServer(b"HTTP/1.1 307 Go\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")
    assert [one[0] for one in talk(server, "/a")] == [307]
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
        _, _, content = await asyncio.wait_for(line.send(out), 60)
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
        talk(LineServer(reply, hang_up=True), "/a")


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
        talk(LineServer(PLAIN), "/a", trust=trust)
    lines._trust.cache_clear()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    try:
        assert [one[2] for one in talk(LineServer(PLAIN), "/a", "/b", trust=trust)] == [BODY] * 2
    finally:
        lines._trust.cache_clear()


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    server = LineServer(PLAIN)

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
    assert len(talk(LineServer(PLAIN), "/a")) == 1


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


@pytest.mark.parametrize(
    "url", ["http://x:99999/v1", "http://x:zero/v1", "http://x:0", "http://[::1", "http:///v1"]
)
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(UsageError, match="must look like"):
        Endpoint(url)
