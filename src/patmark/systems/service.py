"""Translation services over HTTP: an address, a body with gaps, and where the answer stands.

Without a body of one's own, the service is spoken to like LibreTranslate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from urllib.parse import quote

from patmark.errors import UsageError
from patmark.llm import ChatAnswer, ChatClient, ChatRequest, Endpoint, Message, Usage
from patmark.llm.chat import secret_fields
from patmark.llm.connection import HttpRequest
from patmark.systems.base import Answer, Description, Item, Settled, Traits, fingerprint
from patmark.systems.chat import ask_for_all

GAPS = ("source", "source_code", "target_code", "key")
METHODS = ("POST", "GET", "PUT")
_GAP = re.compile(r"\{([a-z_]+)\}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9_-]+")
_KEY = "{key}"
LIBRE_TRANSLATE = {
    "q": "{source}", "source": "{source_code}", "target": "{target_code}", "format": "text",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How a service is spoken to. ``answer`` is a path into its JSON, as in ``data.0.text``."""

    url: str
    source_code: str
    target_code: str
    method: str = "POST"
    body: Any = field(default_factory=lambda: dict(LIBRE_TRANSLATE))
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: str = "translatedText"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(f"--method must be one of {', '.join(METHODS)}, not {self.method!r}")
        if _KEY in self.url:
            raise UsageError("a key in an address ends up in logs; put {key} in --header or --body")
        gaps = set(_GAP.findall(json.dumps([self.url, self.sent_body, dict(self.headers)])))
        if unknown := sorted(gaps - set(GAPS)):
            raise UsageError(f"unknown gap {{{unknown[0]}}}; there are {', '.join(GAPS)}")
        if "source" not in gaps:
            raise UsageError("the gap {source} is missing: the text itself would not be sent")
        for name, value in self.headers.items():
            sendable = value.isascii() and value.isprintable() and "{source}" not in value
            if not _HEADER_NAME.fullmatch(name) or not sendable:
                raise UsageError(f"the header {name!r} cannot be sent")
        secret = next(secret_fields([self.sent_body, dict(self.headers)], gap=_KEY), None)
        if secret is not None:
            raise UsageError(
                f"{secret!r} looks like a key; write {{key}} there, and name the variable that "
                "holds it with --api-key-env"
            )

    @property
    def sent_body(self) -> Any:
        """The body with its gaps, None where the method has none."""
        return None if self.method == "GET" else self.body

    @property
    def uses_key(self) -> bool:
        """Whether a key has a place."""
        return _KEY in json.dumps([self.sent_body, dict(self.headers)])

    def to_json(self) -> dict[str, Any]:
        """All that changes answers."""
        return {
            "method": self.method, "body": self.sent_body, "headers": dict(self.headers),
            "answer": self.answer, "languages": f"{self.source_code}-{self.target_code}",
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServiceAdapter:
    """Requests and answers of a service."""

    endpoint: Endpoint
    settings: ServiceSettings

    def http_request(self, request: ChatRequest) -> HttpRequest:
        """The request with all gaps filled."""
        own = self.settings
        values = {
            "source": request.messages[-1].content, "source_code": own.source_code,
            "target_code": own.target_code, "key": self.endpoint.api_key,
        }  # fmt: skip
        quoted = {name: quote(value, safe="") for name, value in values.items()}
        body = _filled(own.sent_body, values)
        return HttpRequest(
            _filled(own.url, quoted), body, own.method, _filled(dict(own.headers), values)
        )

    def answer(self, body: object) -> ChatAnswer:
        """The text at the path of the answer."""
        if isinstance(body, dict) and body.get("error"):
            raise ValueError(f"the response holds an error: {body['error']}")
        value = body
        for step in self.settings.answer.split("."):
            value = _inside(value, step)
        if not isinstance(value, str):
            raise ValueError(f"the response has no text at {self.settings.answer}")
        return ChatAnswer(value)


@dataclass(frozen=True, slots=True)
class ServiceSystem:
    """A translation service."""

    client: ChatClient
    settings: ServiceSettings
    traits: ClassVar[Traits] = Traits(only_translates=True)

    @property
    def description(self) -> Description:
        """Address and form of the requests; the key is a gap in them."""
        return Description("http", self.settings.url, parameters=self.settings.to_json())

    def request(self, item: Item) -> ChatRequest:
        """The text to translate, under an address for its answer that depends on the settings."""
        own = self.settings
        form = {"service": fingerprint([own.url, own.to_json()])}
        return ChatRequest(f"http:{own.url}", (Message("user", item.source),), extra=form)

    async def answer_all(self, items: Sequence[Item], settled: Settled) -> None:
        """Ask for everything, within the limits of the client; services count no tokens."""

        def settle(item: Item, answer: Answer) -> None:
            settled(item, replace(answer, usage=Usage(), recalled=Usage()))

        requests = {item.id: self.request(item) for item in items}
        await ask_for_all(self.client, requests, items, settle, None)


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    """A JSON value with the gaps in its texts filled."""
    if isinstance(value, str):
        return _GAP.sub(lambda gap: values.get(gap[1], gap[0]), value)
    if isinstance(value, list):
        return [_filled(one, values) for one in value]
    if isinstance(value, dict):
        return {name: _filled(one, values) for name, one in value.items()}
    return value


def _inside(value: object, step: str) -> object:
    if isinstance(value, dict):
        return value.get(step)
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None
