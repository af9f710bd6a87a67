"""A server that gives the bytes it was told to give, and a client that asks it."""

from __future__ import annotations

import asyncio
import gzip
import ssl

from patmark.llm.chat import LARGEST_ANSWER, HttpRequest
from patmark.llm.transport import HttpResponse, open_client, send

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


class RawServer:
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


def talk(
    server: RawServer,
    *paths: str,
    trust: ssl.SSLContext | None = None,
    pause: float = 0.0,
    method: str = "POST",
    host: str = "localhost",
    largest: int = LARGEST_ANSWER,
) -> list[HttpResponse]:
    """Ask for each path in turn."""

    async def main() -> list[HttpResponse]:
        listening = await asyncio.start_server(server, host.strip("[]"), 0, ssl=trust)
        port = listening.sockets[0].getsockname()[1]
        url = f"{'https' if trust else 'http'}://{host}:{port}"
        client = open_client(url)
        found = []
        try:
            for path in paths:
                body = None if method == "GET" else {"q": "弁"}
                request = HttpRequest(url + path, body, method, {"X-Key": "abc"}, largest)
                found.append(await asyncio.wait_for(send(client, request), 60))
                await asyncio.sleep(pause)
        finally:
            await client.aclose()
            listening.close()
            await asyncio.sleep(0.01)
        return found

    return asyncio.run(main())
