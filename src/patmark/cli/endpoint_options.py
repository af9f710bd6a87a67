"""Options of commands that ask a service: with which key, how patiently, and for how much."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from patmark.cli.inputs import refuse
from patmark.cli.output import say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.llm import AnswerCache, Budget, Endpoint, Prices

KeyEnv: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The environment variable with the API key (api.openai.com: OPENAI_API_KEY; "
        "others: none).",
    ),
]
KeyRing: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="SERVICE[/USER]", help="The API key is in the keyring, under this name."),
]
Cache: TypeAlias = Annotated[
    str | None,
    typer.Option(help="The folder of kept answers (default: patmark/llm in the user's cache)."),
]
NoCache: TypeAlias = Annotated[
    bool, typer.Option("--no-cache", help="Keep no answers besides the results.")
]
BudgetTokens: TypeAlias = Annotated[
    int | None, typer.Option(help="Stop before more tokens are used; needs --max-tokens.")
]
BudgetCost: TypeAlias = Annotated[
    float | None, typer.Option(help="Stop before more money is spent; needs prices.")
]
PriceIn: TypeAlias = Annotated[float | None, typer.Option(help="Price of a million prompt tokens.")]
PriceOut: TypeAlias = Annotated[
    float | None, typer.Option(help="Price of a million answered tokens.")
]


def endpoint_with_key(url: str, variable: str | None, keyring_entry: str | None) -> Endpoint:
    """The endpoint with the key that the options name."""
    from patmark.llm import Endpoint

    if keyring_entry is None:
        return Endpoint.with_key_from(url, variable)
    refuse("with --api-key-keyring", {"--api-key-env": variable})
    return Endpoint.with_key_of_keyring(url, keyring_entry)


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


def kept_answers(folder: str | None, no_cache: bool) -> AnswerCache:
    """Where answers are kept."""
    from patmark.llm import DiskCache, MemoryCache, default_cache_folder

    if no_cache:
        refuse("with --no-cache", {"--cache": folder})
        return MemoryCache()
    return DiskCache(folder or default_cache_folder())


def token_prices(price_in: float | None, price_out: float | None) -> Prices | None:
    """Prices of tokens, if they are known."""
    from patmark.llm import Prices

    if (price_in is None) != (price_out is None):
        raise UsageError("--price-in and --price-out go together")
    return None if price_in is None or price_out is None else Prices(price_in, price_out)


def budget_of(tokens: int | None, cost: float | None, prices: Prices | None) -> Budget:
    """The most that may be spent."""
    from patmark.llm import Budget

    if cost is not None and prices is None:
        raise UsageError("--budget-cost needs --price-in and --price-out")
    return Budget(tokens, cost)


def extra_fields(text: str | None) -> dict[str, Any]:
    """Further fields of a request, from JSON."""
    from patmark.llm import extra_fields

    return extra_fields(text)
