"""Options of commands that ask a service: with which key, how patiently, and for how much."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.output import say
from patmark.errors import UsageError
from patmark.options import Options, Parameter, at_least, group, refuse

if TYPE_CHECKING:
    from patmark.llm import Adapter, AnswerCache, Budget, ChatClient, Endpoint, Prices


@group
class Model(Options, heading="Model"):
    """How a language model is asked."""

    temperature: float | None = None
    """openai: how freely the model answers, 0–2 (default: 0)."""
    max_tokens: int | None = None
    """openai, hf: the longest answer (default: the model's)."""
    model_seed: int | None = None
    """openai: a seed for the model."""
    extra: Annotated[str | None, Parameter(metavar="JSON")] = None
    """openai: more fields of the request, a JSON object."""
    reasks: int | None = None
    """openai: how often to ask again after a refusal or nothing (default: 1)."""

    @property
    def extra_fields(self) -> dict[str, Any]:
        """Further fields of a request, from JSON."""
        from patmark.llm import extra_fields

        return extra_fields(self.extra)


@group
class Spending(Options, heading="Budget"):
    """What may be spent."""

    budget_tokens: int | None = None
    """Stop before more tokens are used; needs --max-tokens."""
    budget_cost: float | None = None
    """Stop before more money is spent; needs prices."""
    price_in: float | None = None
    """Price of a million prompt tokens."""
    price_out: float | None = None
    """Price of a million answered tokens."""

    @property
    def prices(self) -> Prices | None:
        """Prices of tokens, if they are known."""
        from patmark.llm import Prices

        if (self.price_in is None) != (self.price_out is None):
            raise UsageError("--price-in and --price-out go together")
        if self.price_in is None or self.price_out is None:
            return None
        return Prices(self.price_in, self.price_out)

    @property
    def budget(self) -> Budget:
        """The most that may be spent."""
        from patmark.llm import Budget

        if self.budget_cost is not None and self.prices is None:
            raise UsageError("--budget-cost needs --price-in and --price-out")
        return Budget(self.budget_tokens, self.budget_cost)


@group
class Service(Options, heading="Service"):
    """How a service is reached."""

    api_key_env: Annotated[str | None, Parameter(metavar="NAME")] = None
    """The environment variable with the API key (api.openai.com: OPENAI_API_KEY; others: none)."""
    api_key_keyring: Annotated[str | None, Parameter(metavar="SERVICE[/USER]")] = None
    """The API key is in the keyring, under this name."""
    concurrency: Annotated[int | None, at_least(1)] = None
    """Requests under way at once (default: 8); command: processes (1)."""
    timeout: float | None = None
    """Seconds to wait for an answer (default: 120)."""
    retries: int | None = None
    """Retries after failed requests, with growing waits (default: 6)."""
    cache: str | None = None
    """The folder of kept answers (default: patmark/llm in the user's cache)."""
    no_cache: bool = False
    """Keep no answers besides the results."""

    @property
    def seconds(self) -> float:
        """How long to wait for an answer."""
        return 120.0 if self.timeout is None else self.timeout

    def endpoint(self, url: str) -> Endpoint:
        """The endpoint with the key that the options name."""
        from patmark.llm import Endpoint

        if self.api_key_keyring is None:
            return Endpoint.with_key_from(url, self.api_key_env)
        refuse("with --api-key-keyring", self.named("api_key_env"))
        return Endpoint.with_key_of_keyring(url, self.api_key_keyring)

    @property
    def kept_answers(self) -> AnswerCache:
        """Where answers are kept."""
        from patmark.llm import DiskCache, MemoryCache, default_cache_folder

        if self.no_cache:
            refuse("with --no-cache", self.named("cache"))
            return MemoryCache()
        return DiskCache(self.cache or default_cache_folder())

    def client(
        self,
        url: str,
        spending: Spending,
        reasks: int,
        adapter: Callable[[Endpoint], Adapter] | None = None,
    ) -> ChatClient:
        """A client with the key, the kept answers and the limits that options name."""
        from patmark.llm import ChatClient, ClientSettings, RetryPolicy

        policy = RetryPolicy() if self.retries is None else RetryPolicy(retries=self.retries)
        settings = ClientSettings(
            self.concurrency or 8, self.seconds, reasks, policy, spending.budget, spending.prices
        )
        endpoint = self.endpoint(url)
        if adapter is None:
            return ChatClient(endpoint, self.kept_answers, settings)
        return ChatClient(endpoint, self.kept_answers, settings, adapter=adapter(endpoint))


def warn_of_endpoint(endpoint: Endpoint, texts: str) -> None:
    """Say what a user may not expect of keys and of open connections."""
    from patmark.llm import DEFAULT_KEY

    if not endpoint.api_key and not endpoint.owns_default_key and os.environ.get(DEFAULT_KEY):
        say(
            f"patmark: {DEFAULT_KEY} is not sent to {endpoint.shown}; --api-key-env names the "
            "variable of a key that is meant for it"
        )
    if endpoint.is_readable_on_the_way:
        what = f"{texts} and the API key" if endpoint.api_key else texts
        say(f"patmark: {endpoint.shown} is not encrypted: {what} can be read on the way")
