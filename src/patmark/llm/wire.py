"""The bytes of connections, for httpcore: on asyncio itself, so that nothing that came is unseen.

A byte that comes on an idle connection belongs to no request. httpcore asks whether there is one
before it uses a connection again, and closes it then. Its own streams look at the socket alone, but
bytes may have left it: TLS unpacks several records at once. Here all that has come is in one place.
(What comes only after the next request was sent cannot be told from its answer.)
"""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

_MOST_WAITING = 1 << 18
_FAMILY_SECONDS = 0.25


class Incoming(asyncio.Protocol):
    """What has come on a connection and was not read yet."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._is_full = self._is_congested = False
        self.content = bytearray()
        self.ended = False
        self.error: BaseException | None = None
        self.lost = self._loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note where to say that there is enough; called once more when TLS begins."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep what came; beyond some size the server has to wait."""
        self.content += data
        if len(self.content) > _MOST_WAITING and self._transport and not self._is_full:
            self._is_full = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        """The server says no more."""
        self.ended = True
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone."""
        self.ended, self.error = True, error
        if not self.lost.done():
            self.lost.set_result(None)
        self._wake()

    def pause_writing(self) -> None:
        """The server takes no more for now."""
        self._is_congested = True

    def resume_writing(self) -> None:
        """The server takes more again."""
        self._is_congested = False
        self._wake()

    async def taken(self, most: int) -> bytes:
        """Some bytes as soon as there are any; none at the end."""
        while not self.content and not self.ended:
            await self._change()
        data = bytes(self.content[:most])
        del self.content[:most]
        if self._is_full and len(self.content) < _MOST_WAITING and self._transport:
            self._is_full = False
            self._transport.resume_reading()
        if not data and self.error is not None:
            raise httpcore.ReadError(str(self.error)) from self.error
        return data

    async def sent(self) -> None:
        """Wait until the server took most of what was written, or has something to say."""
        while self._is_congested and not self.ended and not self.content:
            await self._change()

    async def _change(self) -> None:
        self._waiting = self._loop.create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Stream(httpcore.AsyncNetworkStream):
    """One connection. What is written is sent with the next read: head and body in one piece."""

    def __init__(self, transport: asyncio.Transport, incoming: Incoming) -> None:
        self._transport, self._incoming = transport, incoming
        self._unsent: list[bytes] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What came next; b"" at the end."""
        if self._unsent:
            if self._incoming.content:
                raise httpcore.ReadError("the server spoke before it was asked")
            self._transport.write(b"".join(self._unsent))
            self._unsent.clear()
            await self._incoming.sent()
        return await self._incoming.taken(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send something before the next read."""
        if buffer:
            self._unsent.append(buffer)

    async def aclose(self) -> None:
        """Close the connection at once."""
        self._transport.abort()
        await self._incoming.lost

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> Stream:
        """The same connection, encrypted from now on."""
        loop = asyncio.get_running_loop()
        try:
            transport = await loop.start_tls(
                self._transport, self._incoming, ssl_context, server_hostname=server_hostname
            )
        except BaseException as error:
            self._transport.abort()
            if not isinstance(error, OSError):
                raise
            raise httpcore.ConnectError(str(error)) from error
        if transport is None:
            raise httpcore.ConnectError("the connection was closed")
        self._incoming.connection_made(transport)
        return Stream(transport, self._incoming)

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks: how TLS was agreed on, and whether something came unasked."""
        if info == "is_readable":
            return bool(self._incoming.content) or self._incoming.ended or self._has_more()
        return self._transport.get_extra_info({"server_addr": "peername"}.get(info, info))

    def _has_more(self) -> bool:
        """Whether there are bytes in the socket that nobody has looked at."""
        found: socket.socket | None = self._transport.get_extra_info("socket")
        number = -1 if found is None else found.fileno()
        if number < 0:
            return True
        if not hasattr(select, "poll"):
            return bool(select.select([number], [], [], 0)[0])
        poll = select.poll()
        poll.register(number, select.POLLIN)
        return bool(poll.poll(0))


class Backend(httpcore.AsyncNetworkBackend):
    """Opens connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> Stream:
        """A connection to the first address of a host that answers."""
        loop = asyncio.get_running_loop()
        try:
            transport, incoming = await loop.create_connection(
                Incoming, host, port, happy_eyeballs_delay=_FAMILY_SECONDS
            )
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error
        return Stream(transport, incoming)

    async def sleep(self, seconds: float) -> None:
        """Wait; httpcore does so between tries to connect, of which we make one."""
        await asyncio.sleep(seconds)
