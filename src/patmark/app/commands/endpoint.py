"""Clients of endpoints for all commands: key, response cache, limits and budget."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from patmark import data, llm
from patmark.errors import PatmarkWarning, UsageError
from patmark.options import Options, Parameter, at_least, group, refuse
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.data import Notice
    from patmark.llm import Adapter, AnswerCache, ChatClient, Endpoint, Prices

_Answer = TypeVar("_Answer")


@group
class Spending(Options, heading="Budget"):
    """Budget and prices."""

    budget_tokens: int | None = None
    """Maximum number of tokens; needs max_tokens, the limit of each answer."""
    budget_cost: float | None = None
    """Maximum cost; needs prices."""
    price_in: float | None = None
    """Price of a million prompt tokens."""
    price_out: float | None = None
    """Price of a million completion tokens."""

    @property
    def prices(self) -> Prices | None:
        """Prices of tokens, None if they are not given."""
        if (self.price_in is None) != (self.price_out is None):
            raise UsageError(f"{setting('price_in')} and {setting('price_out')} go together")
        if self.price_in is None or self.price_out is None:
            return None
        return llm.Prices(self.price_in, self.price_out)


@group
class Service(Options, heading="Service"):
    """Connection to a service."""

    api_key_env: Annotated[str | None, Parameter(metavar="NAME")] = None
    """Environment variable with the API key (api.openai.com: OPENAI_API_KEY; others: none)."""
    api_key_keyring: Annotated[str | None, Parameter(metavar="SERVICE[/USER]")] = None
    """The API key is in the keyring, under this name."""
    concurrency: Annotated[int | None, at_least(1)] = None
    """Maximum number of concurrent requests (default: 8); for command:, of processes (1)."""
    timeout: float | None = None
    """Seconds to wait for an answer (default: 120)."""
    retries: int | None = None
    """Retries after failed requests, with growing waits (default: 6)."""
    cache: str | None = None
    """Response cache directory (default: patmark/llm in the user's cache)."""
    no_cache: bool = False
    """Disable the response cache."""


@group
class EndpointRequest(Service, Spending):
    """Access to an endpoint; None stands for the default of :class:`ClientSettings`."""

    def client_of(
        self,
        url: str,
        adapter: Callable[[Endpoint], Adapter] | None = None,
        *,
        reasks: int | None = None,
    ) -> ChatClient:
        """Return a client of an address; refuse settings that have no effect."""
        endpoint = self.endpoint(url)
        given = {
            "concurrency": self.concurrency,
            "timeout": self.timeout,
            "reasks": reasks,
            "policy": None if self.retries is None else llm.RetryPolicy(retries=self.retries),
            "budget": llm.Budget(self.budget_tokens, self.budget_cost),
            "prices": self.prices,
        }
        settings = llm.ClientSettings(
            **{name: value for name, value in given.items() if value is not None}  # type: ignore[arg-type]
        )
        spoken = None if adapter is None else adapter(endpoint)
        return llm.ChatClient(endpoint, self.answer_cache, settings, adapter=spoken)

    def endpoint(self, url: str) -> Endpoint:
        """Return the endpoint with its key."""
        if self.api_key_keyring is None:
            return llm.Endpoint.with_key_from(url, self.api_key_env)
        refuse(f"with {setting('api_key_keyring')}", self.named("api_key_env"))
        return llm.Endpoint.with_key_of_keyring(url, self.api_key_keyring)

    @property
    def answer_cache(self) -> AnswerCache:
        """The response cache: a folder, or the memory of this process."""
        if self.no_cache:
            refuse(f"with {setting('no_cache')}", self.named("cache"))
            return llm.MemoryCache()
        return llm.DiskCache(self.cache or llm.default_cache_folder())


@group
class JudgeService(EndpointRequest):
    """Endpoint of a judge among the measures."""

    base_url: str | None = None
    """Endpoint of a Judge(…) among the measures, OpenAI-compatible; the options under Service and
    Budget apply to it, as in patmark judge."""

    def made(self) -> ChatClient | None:
        """Return the client; None without an endpoint."""
        if self.base_url is None:
            refuse(f"without {setting('base_url')}", self.given())
            return None
        return self.client_of(self.base_url)


@group
class Model(Options, heading="Model"):
    """Parameters of a language model."""

    temperature: float | None = None
    """openai: sampling temperature, 0–2 (default: 0)."""
    max_tokens: int | None = None
    """openai, hf: maximum length of an answer in tokens (default: the model's)."""
    model_seed: int | None = None
    """openai: a seed for the model."""
    extra: Annotated[str | Mapping[str, Any] | None, Parameter(metavar="JSON")] = None
    """openai: additional request fields, as a JSON object."""
    reasks: int | None = None
    """openai: number of repeated requests after a refusal or an empty answer (default: 1)."""

    @property
    def extra_fields(self) -> Mapping[str, Any]:
        """Further fields of a request."""
        return self.extra if isinstance(self.extra, Mapping) else llm.extra_fields(self.extra)


def endpoint_notices(endpoint: Endpoint, texts: str) -> Iterator[Notice]:
    """Yield notices on keys and unencrypted connections."""
    if not endpoint.api_key and not endpoint.owns_default_key and os.environ.get(llm.DEFAULT_KEY):
        yield data.Notice(
            "note",
            "key-not-sent",
            f"{llm.DEFAULT_KEY} is not sent to {endpoint.shown}; {setting('api_key_env')} names "
            "the variable of a key that is meant for it",
        )
    if endpoint.is_readable_on_the_way:
        what = f"{texts} and the API key" if endpoint.api_key else texts
        shown = f"{endpoint.shown} is not encrypted: {what} can be read on the way"
        yield data.Notice("warning", "not-encrypted", shown)


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
