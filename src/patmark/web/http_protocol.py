"""HTTP as uvicorn reads it with httptools, which by itself takes headers of any size."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD = 64 * 1024
"""Bytes that may come in before the headers of a request end, not counting the last read."""


class BoundedHttp(HttpToolsProtocol):
    """Hangs up on a request whose headers do not end in time."""

    _waiting_size = 0
    _headers_ended = False

    def data_received(self, data: bytes) -> None:
        """Count what comes before the end of the headers."""
        super().data_received(data)
        self._waiting_size = 0 if self._headers_ended else self._waiting_size + len(data)
        if self._waiting_size > LARGEST_HEAD:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Another request begins."""
        self._headers_ended = False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Only the body may follow, which has a limit of its own."""
        self._headers_ended = True
        super().on_headers_complete()
