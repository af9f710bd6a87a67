"""Translation services over HTTP: an address, a body with gaps, and a path to the answer.

The default body is that of LibreTranslate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from urllib.parse import quote

from patmark.data import Notice
from patmark.errors import UsageError
from patmark.llm import (
    ChatAnswer,
    ChatClient,
    ChatRequest,
    Endpoint,
    HttpRequest,
    Message,
    Usage,
    error_message,
    json_hash,
    secret_fields,
)
from patmark.systems.chat import ask_for_all
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

GAPS = ("source", "source_code", "target_code", "key")
METHODS = ("POST", "GET", "PUT")
_GAP = re.compile(r"\{([a-z_]+)\}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9_-]+")
_KEY = "{key}"
LIBRE_TRANSLATE = {
    "q": "{source}",
    "source": "{source_code}",
    "target": "{target_code}",
    "format": "text",
}


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The API of a service. ``answer`` is a path into its JSON, as in ``data.0.text``."""

    url: str
    source_code: str
    target_code: str
    method: str = "POST"
    body: Any = field(default_factory=lambda: dict(LIBRE_TRANSLATE))
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: str = "translatedText"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            known = ", ".join(METHODS)
            raise UsageError(f"{setting('method')} must be one of {known}, not {self.method!r}")
        if _KEY in self.url:
            raise UsageError(f"a key in an address ends up in logs; put {{key}} in {_key_places()}")
        gaps = set(_GAP.findall(json.dumps([self.url, self.sent_body, dict(self.headers)])))
        if unknown := sorted(gaps - set(GAPS)):
            raise UsageError(f"unknown placeholder {{{unknown[0]}}}; there are {', '.join(GAPS)}")
        if "source" not in gaps:
            raise UsageError(
                "the placeholder {source} is missing: the text itself would not be sent"
            )
        for name, value in self.headers.items():
            sendable = value.isascii() and value.isprintable() and "{source}" not in value
            if not _HEADER_NAME.fullmatch(name) or not sendable:
                raise UsageError(f"the header {name!r} cannot be sent")
        secret = next(secret_fields([self.sent_body, dict(self.headers)], gap=_KEY), None)
        if secret is not None:
            raise UsageError(
                f"{secret!r} looks like a key; write {{key}} there, and name the variable that "
                f"holds it with {setting('api_key_env')}"
            )

    @property
    def sent_body(self) -> Any:
        """The body with its gaps; None for a method without a body."""
        return None if self.method == "GET" else self.body

    @property
    def uses_key(self) -> bool:
        """Return True if there is a gap for the key."""
        return _KEY in json.dumps([self.sent_body, dict(self.headers)])

    def to_json(self) -> dict[str, Any]:
        """Return everything that changes answers."""
        return {
            "method": self.method,
            "body": self.sent_body,
            "headers": dict(self.headers),
            "answer": self.answer,
            "languages": f"{self.source_code}-{self.target_code}",
        }


@dataclass(frozen=True, slots=True)
class ServiceAdapter:
    """HTTP requests and answers of a service."""

    endpoint: Endpoint
    settings: ServiceSettings

    def http_request(self, request: ChatRequest) -> HttpRequest:
        """Return the request with all gaps filled."""
        own = self.settings
        values = {
            "source": request.messages[-1].content,
            "source_code": own.source_code,
            "target_code": own.target_code,
            "key": self.endpoint.api_key,
        }
        quoted = {name: quote(value, safe="") for name, value in values.items()}
        body = _filled(own.sent_body, values)
        return HttpRequest(
            _filled(own.url, quoted), body, own.method, _filled(dict(own.headers), values)
        )

    def answer(self, body: object) -> ChatAnswer:
        """Return the text at the path of the answer."""
        if isinstance(body, dict) and body.get("error"):
            raise ValueError(f"the response holds an error: {error_message(body)}")
        value = body
        for step in self.settings.answer.split("."):
            value = _inside(value, step)
        if not isinstance(value, str):
            raise ValueError(f"the response has no text at {self.settings.answer}")
        return ChatAnswer(value)

    def learn(self, request: ChatRequest, sent: HttpRequest, error: object) -> bool:
        """Return False: a service has one form of request."""
        return False

    @property
    def notices(self) -> tuple[Notice, ...]:
        """No messages."""
        return ()


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

    def request(self, item: SystemInput) -> ChatRequest:
        """Return a request of the text; the settings are part of its key in the cache."""
        own = self.settings
        form = {"service": json_hash([own.url, own.to_json()])}
        return ChatRequest(f"http:{own.url}", (Message("user", item.source),), extra=form)

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Send all requests, within the limits of the client; services count no tokens."""

        def settle(item: SystemInput, answer: SystemAnswer) -> None:
            on_answer(item, replace(answer, usage=Usage(), recalled=Usage()))

        requests = {item.id: self.request(item) for item in items}
        await ask_for_all(self.client, requests, items, settle, None)


def _build(url: str, options: Options, context: BuildContext) -> ServiceSystem:
    if context.source_language is None:
        needed = setting("lang", "zh-en")
        raise UsageError(f"a translation service needs both languages: {needed}")
    body = _body(options)
    settings = ServiceSettings(
        url,
        context.source_language,
        context.target_language,
        **{name: options[name] for name in ("method", "answer") if name in options},
        **({} if body is None else {"body": body}),
        headers=_headers(options.get("header", [])),
    )
    client = context.connect(url, lambda endpoint: ServiceAdapter(endpoint, settings))
    if bool(client.endpoint.api_key) != settings.uses_key:
        raise UsageError(
            f"the key has no place: write {{key}} in {_key_places()}"
            if client.endpoint.api_key
            else f"{{key}} needs a key: {setting('api_key_env')} names the variable that holds it"
        )
    return ServiceSystem(client, settings)


HTTP = SystemKind(
    "http",
    _build,
    argument="//ADDRESS",
    options=(*CLIENT_OPTIONS, "method", "body", "header", "answer"),
)


def _body(options: Options) -> Any:
    if "body" in options:
        try:
            return json.loads(options["body"])
        except ValueError as error:
            raise UsageError(f"{setting('body')} is not valid JSON: {error}") from None
    has_key = options.get("api_key_env") or options.get("api_key_keyring")
    if not has_key or "header" in options or options.get("method") == "GET":
        return None
    return {**LIBRE_TRANSLATE, "api_key": _KEY}


def _key_places() -> str:
    return f"{setting('header')} or {setting('body')}"


def _headers(given: Sequence[str]) -> dict[str, str]:
    pairs = [one.partition(":") for one in given]
    if not all(colon and name.strip() for name, colon, _ in pairs):
        raise UsageError(f"{setting('header')} must look like 'Name: value'")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _filled(value: Any, values: Mapping[str, str]) -> Any:
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
