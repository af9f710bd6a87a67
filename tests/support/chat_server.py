"""A real HTTP server that speaks the chat completions API, and misbehaves when told to."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Reply:
    """What the server does: an answer, or a fault.

    ``drop`` closes the connection without a word, ``cut`` half-way through the body. ``delay``
    seconds pass before the reply, unless the server is closed before. ``endless`` pieces follow the
    body, whose length is then not given.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    cut: bool = False
    endless: Iterable[bytes] = ()


def said(text: str | None, **fields: Any) -> Reply:
    """A proper answer with 10 prompt tokens and 5 answered ones; fields replace parts of it."""
    body = {
        "model": "test-model-0001",
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }
    return Reply(body=json.dumps(body | fields).encode())


def refused(status: int, message: str = "no", **headers: str) -> Reply:
    """An error response; underscores in names of headers become hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps({"error": {"message": message}}).encode(), named)


@dataclass
class ChatServer:
    """``reply`` is given the body of a request and how often this prompt was seen before."""

    reply: Callable[[dict[str, Any], int], Reply]
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    at_once: int = 0
    url: str = ""
    _seen: Counter[str] = field(default_factory=Counter)
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def port(self) -> int:
        """Where it listens, for another server that follows it."""
        return urlsplit(self.url).port or 0

    @property
    def prompts(self) -> list[str]:
        """The text of each request, in the order of arrival."""
        return [body["messages"][-1]["content"] for body in self.bodies]

    def receive(self, body: dict[str, Any], path: str, key: str | None) -> Reply:
        """Note a request and decide what to do with it."""
        prompt = body["messages"][-1]["content"]
        with self._lock:
            seen = self._seen[prompt]
            self._seen[prompt] += 1
            self.bodies.append(body)
            self.paths.append(path)
            self.keys.append(key)
            self._now += 1
            self.at_once = max(self.at_once, self._now)
        return self.reply(body, seen)

    def done(self) -> None:
        """A request has been dealt with."""
        with self._lock:
            self._now -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms for the client to confirm its headers
    server: _Server

    def do_POST(self) -> None:
        chat = self.server.chat
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = chat.receive(body, self.path, self.headers.get("Authorization"))
        try:
            if reply.delay:
                chat.closed.wait(reply.delay)
            with suppress(OSError):
                self._send(reply)
        finally:
            chat.done()

    def _send(self, reply: Reply) -> None:
        if reply.drop:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if not reply.endless:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
        for piece in reply.endless:
            self.wfile.write(piece)
        if reply.cut or reply.endless:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    chat: ChatServer


@contextmanager
def serving(
    reply: Callable[[dict[str, Any], int], Reply],
    tls: ssl.SSLContext | None = None,
    port: int = 0,
) -> Iterator[ChatServer]:
    """A server on a free port of this machine or a given one, as long as the block lasts."""
    server = _Server(("127.0.0.1", port), _Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    scheme = "http" if tls is None else "https"
    server.chat = ChatServer(reply, url=f"{scheme}://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.chat
    finally:
        server.chat.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class FakeTime:
    """A clock that moves only while somebody sleeps, and tells how long they slept."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        """The time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
