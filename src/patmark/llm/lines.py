"""Lines to a server: each takes one request after the other over a connection that is kept.

Servers on plain HTTP, which are near and quick, are spoken to directly; encryption and proxies are
left to httpx. A line is then an httpx client of its own: one client for all of them spends most of
its time on looking for a free connection when dozens of requests are under way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from patmark.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    import ssl

    import httpx

    from patmark.llm.direct import DirectLine

Response: TypeAlias = tuple[int, Mapping[str, str], bytes]

HEADERS = {"Accept": "application/json", "User-Agent": "patmark"}


class Unreachable(ConnectionError):
    """There is no connection to the server: it refuses it, or cannot be found."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is sent for a request; ``json`` None is no body."""

    url: str
    json: Any = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)


class Line:
    """A kept connection to one server, through a proxy where the environment names one.

    Redirects are refused. It has no timeout of its own: a request is given up by cancelling it.
    """

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._direct: DirectLine | None = None
        self._has_proxy: bool | None = None

    async def send(self, out: Outgoing) -> Response:
        """Status, headers and content of the response; what breaks is an OSError with words."""
        try:
            from patmark.llm.direct import DirectLine, has_proxy, is_plain
        except ImportError:
            raise MissingExtra("h11", "llm") from None
        if self._has_proxy is None:
            self._has_proxy = has_proxy(out.url)
        if self._has_proxy or not is_plain(out.url):
            return await self._send_by_client(out)
        self._direct = self._direct or DirectLine()
        return await self._direct.send(out)

    @property
    def is_open(self) -> bool:
        """Whether a server is known to be at the other end; encrypted lines do not tell."""
        return self._direct is not None and self._direct.is_open

    async def close(self) -> None:
        """Hang up; the next request opens a new connection."""
        if self._direct is not None:
            await self._direct.close()
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _send_by_client(self, out: Outgoing) -> Response:
        client = self._client = self._client or _new_client()
        import httpx

        try:
            response = await client.request(
                out.method, out.url, json=out.json, headers=dict(out.headers)
            )
        except (httpx.RequestError, httpx.InvalidURL) as error:
            await self.close()
            kind = Unreachable if isinstance(error, httpx.ConnectError) else ConnectionError
            raise kind(str(error) or type(error).__name__) from None
        except BaseException:
            await self.close()
            raise
        return response.status_code, response.headers, response.content


def _new_client() -> httpx.AsyncClient:
    try:
        import httpx
    except ImportError:
        raise MissingExtra("httpx", "llm") from None
    try:
        return httpx.AsyncClient(
            headers=HEADERS, timeout=None, limits=httpx.Limits(max_connections=1), verify=_trust()
        )
    except (ImportError, ValueError) as error:
        raise UsageError(f"the proxy that the environment names cannot be used: {error}") from None


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """Whom to trust; reading all certificates takes long enough to do it once."""
    import httpx

    return httpx.create_ssl_context()
