"""Which system the user means, and with which options."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from patmark.cli import endpoint_options as common
from patmark.cli.inputs import refuse
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import TestSet
    from patmark.llm import ChatClient, Endpoint, Prices
    from patmark.llm.connection import Adapter
    from patmark.systems import System, Template

_KEY = ("api_key_env", "api_key_keyring")
_ASKING = ("cache", "no_cache", "concurrency", "timeout", "retries", *_KEY)
_PROMPT = ("template",)
_MONEY = ("budget_tokens", "budget_cost", "price_in", "price_out")
_TAKEN = {
    "openai": (
        *_ASKING, *_PROMPT, *_MONEY, "base_url", "temperature", "max_tokens", "model_seed",
        "extra", "reasks",
    ),
    "http": (*_ASKING, "method", "body", "header", "answer"),
    "command": ("format", "timeout", "concurrency", *_PROMPT),
    "hf": (*_PROMPT, "max_tokens", "revision", "device", "beams", "batch", "model_lang"),
    "dictionary": ("dictionary",),
    "copy": (),
    "oracle": (),
}  # fmt: skip
_NAME_SIGNS = re.compile(r"[^\w.-]+")


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

    def check(self, kind: str) -> None:
        """An option without effect is an error."""
        others = {
            f"--{one.name.replace('_', '-')}": getattr(self, one.name)
            for one in fields(self)
            if one.name not in _TAKEN[kind]
        }
        given = {name: value for name, value in others.items() if value is not None}
        refuse(f"with {kind}", {name: value is not False for name, value in given.items()})

    @property
    def prices(self) -> Prices | None:
        """Prices of tokens, if both are known."""
        return common.token_prices(self.price_in, self.price_out)


def split_system(text: str) -> tuple[str, str]:
    """The kind of a system and what follows the colon."""
    if text.startswith(("http://", "https://")):
        return "http", text
    kind, _, rest = text.partition(":")
    if kind not in _TAKEN:
        shown = "openai:MODEL, command:PROGRAM, http://ADDRESS, hf:MODEL, dictionary, copy, oracle"
        raise UsageError(f"the system {kind!r} is unknown; choose from {shown}")
    named = kind in ("openai", "command", "http", "hf")
    if named and not rest.strip():
        raise UsageError(f"say which one: {kind}:NAME")
    if rest and not named:
        raise UsageError(f"nothing can follow {kind}; options say the rest")
    return kind, rest.strip()


def default_name(kind: str, rest: str) -> str:
    """A short name that can stand in tables and file names."""
    if kind == "openai":
        named = rest
    elif kind == "hf":
        named = os.path.basename(rest.rstrip("/"))
    elif kind == "command":
        named = os.path.basename(rest.split()[-1].strip("'\""))
    else:
        named = kind
    return _NAME_SIGNS.sub("-", named).strip("-.") or kind


def build_system(
    kind: str, rest: str, options: SystemOptions, test_set: TestSet, template: Template
) -> System:
    """The system, with the options that it knows."""
    return _BUILDERS[kind](rest, options, test_set, template)


def _openai(rest: str, options: SystemOptions, _: TestSet, template: Template) -> System:
    from patmark.llm.connection import ChatAdapter
    from patmark.systems import ChatSettings, ChatSystem

    if options.base_url is None:
        raise UsageError("say where the model is: --base-url http://localhost:8000/v1")
    temperature = 0.0 if options.temperature is None else options.temperature
    settings = ChatSettings(
        rest, temperature, options.max_tokens, options.model_seed,
        common.extra_fields(options.extra),
    )  # fmt: skip
    return ChatSystem(_client(options.base_url, options, ChatAdapter), settings, template)


def _http(rest: str, options: SystemOptions, test_set: TestSet, _: Template) -> System:
    from patmark.systems import ServiceSettings, ServiceSystem, ServiceAdapter

    if test_set.source_language is None:
        raise UsageError("a translation service needs both languages: --lang zh-en")
    given: dict[str, Any] = {
        "method": options.method, "body": _body(options), "answer": options.answer,
        "headers": _headers(options.header or []),
    }  # fmt: skip
    settings = ServiceSettings(
        rest, test_set.source_language, test_set.target_language,
        **{name: value for name, value in given.items() if value is not None},
    )  # fmt: skip
    client = _client(rest, options, lambda endpoint: ServiceAdapter(endpoint, settings))
    if bool(client.endpoint.api_key) != settings.uses_key:
        raise UsageError(
            "the key has no place: write {key} in --header or --body"
            if client.endpoint.api_key
            else "{key} needs a key: --api-key-env names the variable that holds it"
        )
    return ServiceSystem(client, settings)


def _command(rest: str, options: SystemOptions, test_set: TestSet, _: Template) -> System:
    from patmark.systems import CommandSystem

    system = CommandSystem(
        rest, (test_set.source_language, test_set.target_language), options.format or "lines",
        120.0 if options.timeout is None else options.timeout, options.concurrency or 1,
    )  # fmt: skip
    if system.form == "lines":
        refuse("with a command that reads lines", {"--template": options.template})
    return system


def _hf(rest: str, options: SystemOptions, _: TestSet, template: Template) -> System:
    from patmark.systems.huggingface import ModelSettings, load_system

    given: dict[str, Any] = {
        "revision": options.revision, "device": options.device, "beams": options.beams,
        "batch": options.batch, "max_tokens": options.max_tokens, "languages": options.model_lang,
    }  # fmt: skip
    settings = ModelSettings(
        rest, **{name: value for name, value in given.items() if value is not None}
    )
    return load_system(settings, template, prompted=options.template is not None)


def _dictionary(_: str, options: SystemOptions, test_set: TestSet, __: Template) -> System:
    from patmark.systems import dictionary_system

    return dictionary_system(
        options.dictionary or [], test_set.source_language, test_set.target_language
    )


def _copy(*_: object) -> System:
    from patmark.systems import CopySystem

    return CopySystem()


def _oracle(*_: object) -> System:
    from patmark.systems import OracleSystem

    return OracleSystem()


_BUILDERS: Mapping[str, Callable[[str, SystemOptions, TestSet, Template], System]] = {
    "openai": _openai,
    "http": _http,
    "command": _command,
    "hf": _hf,
    "dictionary": _dictionary,
    "copy": _copy,
    "oracle": _oracle,
}


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


def _body(options: SystemOptions) -> Any:
    import json

    if options.body is None:
        key = options.api_key_env or options.api_key_keyring
        if options.method == "GET" or not key or options.header:
            return None
        from patmark.systems.service import LIBRE_TRANSLATE

        return {**LIBRE_TRANSLATE, "api_key": "{key}"}
    try:
        return json.loads(options.body)
    except ValueError as error:
        raise UsageError(f"--body is not valid JSON: {error}") from None


def _headers(given: list[str]) -> dict[str, str]:
    pairs = [one.partition(":") for one in given]
    if not all(colon and name.strip() for name, colon, _ in pairs):
        raise UsageError("--header must look like 'Name: value'")
    return {name.strip(): value.strip() for name, _, value in pairs}
