"""Clients of endpoints for all commands: key, response cache, limits and budget."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from patmark.data import Notice
from patmark.errors import PatmarkWarning, UsageError
from patmark.llm import (
    DEFAULT_KEY,
    Adapter,
    AnswerCache,
    Budget,
    ChatClient,
    ClientSettings,
    DiskCache,
    Endpoint,
    MemoryCache,
    Prices,
    RetryPolicy,
    default_cache_folder,
)
from patmark.options import refuse
from patmark.wording import setting

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointRequest:
    """Access to an endpoint; None stands for the default of :class:`ClientSettings`."""

    api_key_env: str | None = None
    api_key_keyring: str | None = None
    concurrency: int | None = None
    timeout: float | None = None
    retries: int | None = None
    reasks: int | None = None
    cache: str | None = None
    no_cache: bool = False
    budget_tokens: int | None = None
    budget_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None

    def client(self, url: str, adapter: Callable[[Endpoint], Adapter] | None = None) -> ChatClient:
        """Return a client of an address; refuse settings that have no effect."""
        endpoint = self.endpoint(url)
        given = {
            "concurrency": self.concurrency,
            "timeout": self.timeout,
            "reasks": self.reasks,
            "policy": None if self.retries is None else RetryPolicy(retries=self.retries),
            "budget": Budget(self.budget_tokens, self.budget_cost),
            "prices": self.prices,
        }
        settings = ClientSettings(
            **{name: value for name, value in given.items() if value is not None}  # type: ignore[arg-type]
        )
        spoken = None if adapter is None else adapter(endpoint)
        return ChatClient(endpoint, self.answer_cache, settings, adapter=spoken)

    def endpoint(self, url: str) -> Endpoint:
        """Return the endpoint with its key."""
        if self.api_key_keyring is None:
            return Endpoint.with_key_from(url, self.api_key_env)
        named = {setting("api_key_env"): self.api_key_env}
        refuse(f"with {setting('api_key_keyring')}", named)
        return Endpoint.with_key_of_keyring(url, self.api_key_keyring)

    @property
    def prices(self) -> Prices | None:
        """Prices of tokens, None if they are not given."""
        if (self.price_in is None) != (self.price_out is None):
            raise UsageError(f"{setting('price_in')} and {setting('price_out')} go together")
        if self.price_in is None or self.price_out is None:
            return None
        return Prices(self.price_in, self.price_out)

    @property
    def answer_cache(self) -> AnswerCache:
        """The response cache: a folder, or the memory of this process."""
        if self.no_cache:
            refuse(f"with {setting('no_cache')}", {setting("cache"): self.cache})
            return MemoryCache()
        return DiskCache(self.cache or default_cache_folder())


def endpoint_notices(endpoint: Endpoint, texts: str) -> Iterator[Notice]:
    """Yield notices on keys and unencrypted connections."""
    if not endpoint.api_key and not endpoint.owns_default_key and os.environ.get(DEFAULT_KEY):
        yield Notice(
            "note",
            "key-not-sent",
            f"{DEFAULT_KEY} is not sent to {endpoint.shown}; {setting('api_key_env')} names the "
            "variable of a key that is meant for it",
        )
    if endpoint.is_readable_on_the_way:
        what = f"{texts} and the API key" if endpoint.api_key else texts
        shown = f"{endpoint.shown} is not encrypted: {what} can be read on the way"
        yield Notice("warning", "not-encrypted", shown)


def warn(notice: Notice) -> None:
    """Show a notice to Python users."""
    warnings.warn(notice.text, PatmarkWarning, stacklevel=4)


def outside_loops(work: Callable[[], _Answer]) -> _Answer:
    """Run work with its own event loop; within a running loop, in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()
