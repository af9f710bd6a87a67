"""Which system the user means, and with which options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from patmark.cli import endpoint_options as common
from patmark.cli.inputs import refuse

if TYPE_CHECKING:
    from patmark.data import TestSet
    from patmark.llm import Adapter, ChatClient, Endpoint, Prices
    from patmark.systems import System, SystemKind, Template


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """All options that only some systems know, as they were given."""

    template: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    api_key_keyring: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    model_seed: int | None = None
    extra: str | None = None
    dictionary: list[str] | None = None
    format: str | None = None
    method: str | None = None
    body: str | None = None
    header: list[str] | None = None
    answer: str | None = None
    revision: str | None = None
    device: str | None = None
    beams: int | None = None
    batch: int | None = None
    model_lang: str | None = None
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

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {
            name: value
            for name, value in values.items()
            if value is not None and value is not False and value != []
        }

    def check(self, kind: SystemKind) -> None:
        """An option without effect is an error."""
        others = {
            f"--{name.replace('_', '-')}": True for name in self.given if name not in kind.options
        }
        refuse(f"with {kind.name}", others)

    @property
    def prices(self) -> Prices | None:
        """Prices of tokens, if both are known."""
        return common.token_prices(self.price_in, self.price_out)


def build_system(
    kind: SystemKind, argument: str, options: SystemOptions, test_set: TestSet, template: Template
) -> System:
    """The system, with the options that it knows."""
    from patmark.systems import BuildContext

    def connect(url: str, adapter: Callable[[Endpoint], Adapter]) -> ChatClient:
        return _client(url, options, adapter)

    context = BuildContext(test_set.source_language, test_set.target_language, template, connect)
    return kind.build(argument, options.given, context)


def _client(url: str, options: SystemOptions, adapter: Callable[[Endpoint], Adapter]) -> ChatClient:
    """A client with the key, the kept answers and the limits that options name."""
    from patmark.llm import ChatClient, ClientSettings, RetryPolicy

    prices = options.prices
    settings = ClientSettings(
        options.concurrency or 8,
        120.0 if options.timeout is None else options.timeout,
        1 if options.reasks is None else options.reasks,
        RetryPolicy() if options.retries is None else RetryPolicy(retries=options.retries),
        common.budget_of(options.budget_tokens, options.budget_cost, prices),
        prices,
    )
    endpoint = common.endpoint_with_key(url, options.api_key_env, options.api_key_keyring)
    common.warn_of_endpoint(endpoint, "texts")
    cache = common.kept_answers(options.cache, options.no_cache)
    return ChatClient(endpoint, cache, settings, adapter=adapter(endpoint))
