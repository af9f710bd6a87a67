"""Language models behind OpenAI-compatible endpoints: vLLM, Ollama, llama.cpp, hosted ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

from patmark.data import Notice
from patmark.errors import UsageError
from patmark.llm import (
    Accept,
    ChatAdapter,
    ChatAnswer,
    ChatClient,
    ChatRequest,
    Message,
    Outcome,
    Template,
    Usage,
    estimate_tokens,
    extra_fields,
    prompt_tokens,
)
from patmark.systems.cleaning import clean, refusal
from patmark.systems.kinds import (
    CLIENT_OPTIONS,
    BuildContext,
    Description,
    OnAnswer,
    Options,
    SystemAnswer,
    SystemInput,
    SystemKind,
    Traits,
)
from patmark.wording import setting

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """The parameters of a model; None leaves the choice to the server."""

    model: str
    temperature: float | None = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        self.request((Message("user", ""),))

    def request(self, messages: tuple[Message, ...]) -> ChatRequest:
        """Return a request with these parameters; raise UsageError for an invalid one."""
        return ChatRequest(
            self.model,
            messages,
            self.temperature,
            self.max_tokens,
            self.seed,
            extra=self.extra,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the parameters that are set."""
        known = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "extra": dict(self.extra) or None,
        }
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ChatSystem:
    """A model that gets one request per input; equal requests are sent once."""

    client: ChatClient
    settings: ChatSettings
    template: Template
    traits: ClassVar[Traits] = Traits(
        frozenset({"prompt", "context", "glossary"}), chatty=True, run_type="LLM"
    )

    @property
    def description(self) -> Description:
        """Model, prompt and parameters."""
        return Description(
            "openai",
            self.settings.model,
            self.template.to_json(),
            self.settings.to_json(),
            self.client.endpoint.shown,
        )

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Messages on parameters that the server refused."""
        return self.client.adapter.notices

    def request(self, item: SystemInput) -> ChatRequest:
        """Return the request for an input."""
        return self.settings.request(item.messages)

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Send all requests, within the limits of the client."""
        await ask_for_all(
            self.client, {item.id: self.request(item) for item in items}, items, on_answer, fault_of
        )

    def expected(self, items: Sequence[SystemInput]) -> tuple[int, Usage]:
        """Return the number of cache hits, and an estimate of the usage of the others.

        An answer is estimated to be as long as its source, or as ``max_tokens`` allows.
        """
        unique = {
            request.key(): (request, item) for item in items for request in [self.request(item)]
        }
        left = [pair for pair in unique.values() if self.client.recall(pair[0]) is None]
        usage = Usage.total(
            Usage(1, prompt_tokens(request), _longest(request, item), 1) for request, item in left
        )
        return len(unique) - len(left), usage


def _build(model: str, options: Options, context: BuildContext) -> ChatSystem:
    if "base_url" not in options:
        example = setting("base_url", "http://localhost:8000/v1")
        raise UsageError(f"say where the model is: {example}")
    settings = ChatSettings(
        model,
        options.get("temperature", 0.0),
        options.get("max_tokens"),
        options.get("model_seed"),
        extra_fields(options.get("extra")),
    )
    client = context.connect(options["base_url"], ChatAdapter)
    return ChatSystem(client, settings, context.template)


OPENAI = SystemKind(
    "openai",
    _build,
    argument="MODEL",
    options=(
        *CLIENT_OPTIONS,
        "template",
        "budget_tokens",
        "budget_cost",
        "price_in",
        "price_out",
        "base_url",
        "temperature",
        "max_tokens",
        "model_seed",
        "extra",
        "reasks",
    ),
    title=str,
)


async def ask_for_all(
    client: ChatClient,
    requests: Mapping[str, ChatRequest],
    items: Sequence[SystemInput],
    on_answer: OnAnswer,
    accept: Accept | None,
) -> None:
    """Send the request of each input; equal requests share an answer, paid for once."""
    waiting: dict[str, list[SystemInput]] = defaultdict(list)
    for item in items:
        waiting[requests[item.id].key()].append(item)

    def settle(outcome: Outcome) -> None:
        first, *others = waiting[outcome.request.key()]
        on_answer(first, _answer(outcome))
        for item in others:
            on_answer(item, _shared(outcome))

    await client.ask_all_async(list(requests.values()), accept, on_outcome=settle)


def fault_of(_: ChatRequest, answer: ChatAnswer) -> str | None:
    """Return the reason to ask again; an answer that was cut off would be cut off again."""
    if answer.refused or answer.cut_off:
        return answer.refusal_reason
    text = clean(answer.text, "").text
    return refusal(text) if text else "the answer is empty"


def _answer(outcome: Outcome) -> SystemAnswer:
    answer = outcome.answer or outcome.rejected
    text = answer.text if answer else None
    cut_off = outcome.answer is not None and outcome.answer.cut_off
    return SystemAnswer(
        text,
        outcome.failure,
        cut_off,
        outcome.usage,
        outcome.recalled,
        outcome.tries,
        outcome.cached_at,
    )


def _shared(outcome: Outcome) -> SystemAnswer:
    return replace(_answer(outcome), usage=Usage(), recalled=Usage(), tries=0)


def _longest(request: ChatRequest, item: SystemInput) -> int:
    guess = estimate_tokens(item.source)
    return guess if request.max_tokens is None else min(guess, request.max_tokens)
