"""The chat completions API: requests, answers, and the HTTP of other services in their place."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from patmark.data import Notice, json_object
from patmark.errors import UsageError
from patmark.languages import packs
from patmark.llm.endpoint import Endpoint, looks_like_key, secret_fields
from patmark.llm.refused_parameters import RefusedParameters
from patmark.wording import setting

Role: TypeAlias = Literal["system", "user", "assistant"]
Scope: TypeAlias = Literal["transient", "request", "endpoint", "parameter"]

LARGEST_ANSWER = 4 << 20
_BYTES_PER_CHARACTER = 48
_BYTES_PER_TOKEN = 1024
_OWN_FIELDS = ("model", "messages", "temperature", "max_tokens", "seed", "n", "stream")
_MOST_TOKENS = 10**12
_LONGEST_REASON = 300
_LONGEST_REFUSAL = 600
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request. ``sample`` and ``attempt`` distinguish repeated requests of equal content.

    A parameter of None is not sent, so that the default of the server holds. ``extra`` has further
    fields of the body that only some servers know.
    """

    model: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    sample: int = 0
    attempt: int = 0
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    _key: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise UsageError("the name of the model is empty")
        if looks_like_key(self.model):
            raise UsageError("the name of the model looks like a key; give the key separately")
        if not self.messages:
            raise UsageError("a request needs at least one message")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise UsageError(f"the temperature must be from 0 to 2: {self.temperature}")
        check_max_tokens(self.max_tokens)
        taken = [name for name in self.extra if name in _OWN_FIELDS]
        if taken:
            raise UsageError(f"{taken[0]!r} cannot be an extra field; it has its own setting")
        secret = next(secret_fields(self.extra), None)
        if secret is not None:
            raise UsageError(
                f"the extra field {secret!r} looks like a key; extra fields are kept with the "
                "answers, so a key must be given as that of the endpoint"
            )

    def body(self) -> dict[str, Any]:
        """Return the JSON body of the HTTP request."""
        optional = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        return {
            "model": self.model,
            "messages": [{"role": one.role, "content": one.content} for one in self.messages],
            **{name: value for name, value in optional.items() if value is not None},
            **self.extra,
        }

    def key(self) -> str:
        """Return a hash of the body, the sample and the attempt."""
        if not self._key:
            content = {"body": self.body(), "sample": self.sample, "attempt": self.attempt}
            text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
            object.__setattr__(self, "_key", hashlib.sha256(text.encode("ascii")).hexdigest())
        return self._key

    def again(self, attempt: int) -> ChatRequest:
        """Return the request of another attempt, after answers that were not usable.

        The seed changes as well, because a server that respects it would repeat its answer.
        """
        if attempt == self.attempt:
            return self
        seed = None if self.seed is None else self.seed + 1_000_003 * (attempt - self.attempt)
        return replace(self, attempt=attempt, seed=seed)


def check_max_tokens(max_tokens: int | None) -> None:
    """Refuse a limit that leaves no room for an answer."""
    if max_tokens is not None and max_tokens < 1:
        given = setting("max_tokens", str(max_tokens))
        raise UsageError(f"an answer must have room for a token: {given}")


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer of a model. Token counts are None if the server did not give them.

    Raises ValueError for texts that cannot be encoded and stored.
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def __post_init__(self) -> None:
        for text in (self.text, self.finish_reason, self.refusal, self.model):
            try:
                (text or "").encode("utf-8")
            except UnicodeEncodeError:
                raise ValueError(
                    "the answer holds half of a surrogate pair, which is no text"
                ) from None

    @property
    def refused(self) -> bool:
        """Return True if the server itself marks the answer as a refusal."""
        return self.refusal is not None or self.finish_reason == "content_filter"

    @property
    def refusal_reason(self) -> str | None:
        """The reason of a refusal that the server marks, None without one."""
        why = " ".join((self.refusal or "content filter").split())[:_LONGEST_REASON]
        return f"refused: {why}" if self.refused else None

    @property
    def cut_off(self) -> bool:
        """Return True if the answer ends at the limit of tokens."""
        return self.finish_reason == "length"

    def to_json(self) -> dict[str, Any]:
        """Return all fields, as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, fields: object) -> ChatAnswer:
        """Read the result of :meth:`to_json`; raise ValueError for anything else."""
        if not isinstance(fields, dict) or set(fields) != set(cls.__slots__):
            raise ValueError("its fields are not those of an answer")
        counts = [fields["prompt_tokens"], fields["completion_tokens"]]
        optional = [fields["finish_reason"], fields["refusal"], fields["model"]]
        if (
            not isinstance(fields["text"], str)
            or not all(one is None or isinstance(one, str) for one in optional)
            or not all(one is None or type(one) is int for one in counts)
        ):
            raise ValueError("a field of the answer has a wrong type")
        return cls(**fields)


def parse_answer(body: object) -> ChatAnswer:
    """Read the body of a response; raise ValueError if it has no answer."""
    if not isinstance(body, dict):
        raise ValueError("the response is not a JSON object")
    if body.get("error"):
        raise ValueError(f"the response holds an error: {error_message(body)}")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ValueError("the response has no choices[0].message")
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return ChatAnswer(
        text=_text(message.get("content")),
        finish_reason=_optional_text(choice.get("finish_reason")),
        refusal=_optional_text(message.get("refusal")) or None,
        model=_optional_text(body.get("model")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
    )


class RequestFailed(Exception):
    """A request without an answer.

    ``scope`` is what has failed: this attempt (transient), the request, the whole endpoint, or a
    parameter without which the request can be sent again.
    ``wait`` has the seconds that the server asks all requests to wait. ``unreached`` marks a server
    that no request has ever reached.
    """

    def __init__(
        self, reason: str, scope: Scope, wait: float | None = None, unreached: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.scope = scope
        self.wait = wait
        self.unreached = unreached


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """An HTTP request; without ``json`` it has no body. A response may have ``largest`` bytes."""

    url: str
    json: Any = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    largest: int = LARGEST_ANSWER


class Adapter(Protocol):
    """A translator between chat requests and the HTTP of one kind of service."""

    @property
    def endpoint(self) -> Endpoint:
        """The address of the service, and its key."""

    def http_request(self, request: ChatRequest) -> HttpRequest:
        """Return the HTTP request for a chat request."""

    def answer(self, body: object) -> ChatAnswer:
        """Read the JSON of a response; raise ValueError if it has no answer."""

    def learn(self, request: ChatRequest, sent: HttpRequest, error: object) -> bool:
        """Return True if a refused request may be sent again, in another form."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Messages on the form of the requests."""


@dataclass(frozen=True, slots=True)
class ChatAdapter:
    """The chat completions API, in the form that the server takes."""

    endpoint: Endpoint
    refused: RefusedParameters = field(
        default_factory=RefusedParameters, init=False, repr=False, compare=False
    )

    def http_request(self, request: ChatRequest) -> HttpRequest:
        """Return the body of the API, with the key in its header."""
        key = self.endpoint.api_key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        body = self.refused.accepted(request.model, request.body())
        return HttpRequest(self.endpoint.url, body, headers=headers)

    def answer(self, body: object) -> ChatAnswer:
        """Return the first choice."""
        return parse_answer(body)

    def learn(self, request: ChatRequest, sent: HttpRequest, error: object) -> bool:
        """Return True if the server refuses a parameter that can be left out or renamed."""
        return self.refused.learn(request.model, sent.json, error)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Messages on parameters that were left out or renamed."""
        return self.refused.notices


def largest_answer(characters: int, tokens: int = 0) -> int:
    r"""Return the size limit of an answer in bytes: some megabytes, and more for long texts.

    A character of the request allows for eight of the answer, each escaped as in ``\u5f01``.
    A token of the answer allows for its probabilities as well.
    """
    return LARGEST_ANSWER + _BYTES_PER_CHARACTER * characters + _BYTES_PER_TOKEN * tokens


def error_message(body: object) -> str:
    """Return the message of an error response, in any of the forms that servers use."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or error.get("code") or error
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    return " ".join(text.split())[:_LONGEST_REASON]


def is_refusal(text: str, *, anywhere: bool = False) -> bool:
    """Return True if a short text begins with a refusal, or if any text has one ``anywhere``.

    A translation may say that something cannot be done, so only its beginning counts.
    """
    phrases = "|".join(pack.table("answers").pattern("refusal") for pack in packs())
    # compiled by re on first use
    if anywhere:
        return re.search(rf"(?i)(?<![a-z])(?:{phrases})", text) is not None
    begins = rf"(?i)\A\W{{0,3}}(?:{phrases})"
    return len(text) <= _LONGEST_REFUSAL and re.match(begins, text) is not None


def extra_fields(text: str | None) -> dict[str, Any]:
    """Read further fields of a request from JSON."""
    try:
        return {} if text is None else json_object(text)
    except ValueError as error:
        raise UsageError(f"{setting('extra')}: {error}") from None


def _text(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    raise ValueError("the content of the message is neither text nor a list of parts")


def _optional_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    """Return a number of tokens; None for values that cannot be one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value <= _MOST_TOKENS else None
