"""HTTP as uvicorn reads it with httptools, which by itself waits for headers of any size."""

from __future__ import annotations

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD = 64 * 1024
"""Bytes that may come in before the headers of a request end, not counting the last read."""
HEAD_SECONDS = 20.0
"""How long the headers may take, from the connection or the first byte of a later request."""


class BoundedHttp(HttpToolsProtocol):
    """Hangs up on a request whose headers do not end: neither soon enough nor short enough."""

    _waiting_size = 0
    _headers_ended = False
    _hanging_up: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """The first request is awaited."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what comes before the end of the headers."""
        super().data_received(data)
        self._waiting_size = 0 if self._headers_ended else self._waiting_size + len(data)
        if self._waiting_size > LARGEST_HEAD:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Another request begins."""
        self._headers_ended = False
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Only the body may follow, which has limits of its own."""
        self._headers_ended = True
        self._head_came()
        super().on_headers_complete()

    def _await_head(self) -> None:
        if self._hanging_up is None:
            self._hanging_up = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _head_came(self) -> None:
        if self._hanging_up is not None:
            self._hanging_up.cancel()
            self._hanging_up = None
