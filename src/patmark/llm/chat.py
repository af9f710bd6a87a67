"""The chat completions API: where to ask, what is asked, and what a model answers.

Keys are kept out of everything that is stored or shown: :class:`Endpoint` masks its own key, and
:func:`secret_fields` finds keys that were given in the wrong place.
"""

from __future__ import annotations

import hashlib
import html
import ipaddress
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from patmark.data import json_object
from patmark.errors import UsageError

Role: TypeAlias = Literal["system", "user", "assistant"]
Scope: TypeAlias = Literal["transient", "request", "endpoint"]

DEFAULT_KEY = "OPENAI_API_KEY"
LARGEST_ANSWER = 4 << 20
_BYTES_PER_CHARACTER = 48
_BYTES_PER_TOKEN = 1024
_HOST_OF_DEFAULT_KEY = "api.openai.com"
_SHORTEST_SECRET = 12
_OWN_FIELDS = ("model", "messages", "temperature", "max_tokens", "seed", "n", "stream")
_SECRET_NAME = re.compile(
    r"(?:^|[_-]|api|access|secret|private|auth)(?:key|token)$"
    r"|authori[sz]ation|passw(?:or)?d|secret|credential|bearer",
    re.IGNORECASE,
)
# Tokens of a vocabulary, and keys of caches and tables.
_PLAIN_NAME = re.compile(
    r"(?:^|[_-])(?:bos|eos|eot|eom|pad|unk|sep|cls|mask|start|end|stop|think|image|audio|video|tool"
    r"|special|cache|sort|group|primary|foreign)[_-](?:key|token)$",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"\s*(?:(?:bearer\s|sk-|hf_)\S|akia[a-z0-9]{16}"
    r"|(?:AIza|gsk_|xai-|nvapi-|ghp_|github_pat_|glpat-|r8_|pplx-|eyJ)[\w.-]{20})",
    re.IGNORECASE,
)
_RANDOM = re.compile(r"[A-Za-z0-9]{20,}")
_HEXADECIMAL = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_LONG_RANDOM = 33
_SHORT_RANDOM = 8
_MOST_TOKENS = 10**12
_LONGEST_REASON = 300
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address before ``/chat/completions``, and a key that is never shown."""

    base_url: str
    api_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        parts = _address(self.base_url)
        if parts is None:
            raise UsageError("the base URL must look like http://localhost:8000/v1")
        if parts.username or parts.password:
            raise UsageError("the base URL must not hold a password; give the key separately")
        query = [{name: value} for name, value in parse_qsl(parts.query)]
        secret = next(secret_fields(query, gap="{"), None)
        found = None if secret is None else repr(secret)
        if found is None and (_has_key(parts.path) or (self.has_long_key and self._is_in_address)):
            found = "a part"  # which one is not shown: it may be a key
        if found is not None:
            raise UsageError(
                f"{found} in the address looks like a key, and addresses are kept and logged; "
                "name the variable that holds the key with --api-key-env"
            )
        if not self.api_key.isascii() or any(not sign.isprintable() for sign in self.api_key):
            raise UsageError("the API key has characters that cannot be sent in a header")

    @classmethod
    def with_key_from(cls, base_url: str, variable: str | None = None) -> Endpoint:
        """An endpoint whose key is in an environment variable.

        Without a name the key in OPENAI_API_KEY is taken, but only for the server it belongs to.
        """
        open_one = cls(base_url)
        if variable is None:
            given = os.environ.get(DEFAULT_KEY, "") if open_one.owns_default_key else ""
            return cls(base_url, given.strip())
        key = os.environ.get(variable, "").strip()
        if not key:
            # Its name is not shown: it may be a key that was given in the wrong place.
            raise UsageError("the environment variable that is named for the API key holds none")
        return cls(base_url, key)

    @classmethod
    def with_key_of_keyring(cls, base_url: str, entry: str) -> Endpoint:
        """An endpoint whose key is in the keyring of the user, under SERVICE or SERVICE/USER."""
        try:
            keyring = import_module("keyring")
        except ImportError:
            raise UsageError(
                "keys of a keyring need the package keyring: pip install keyring"
            ) from None
        service, _, user = entry.partition("/")
        try:
            key = keyring.get_password(service, user or service)
        except Exception as error:  # every keyring of a system has errors of its own
            raise UsageError(f"the keyring cannot be read: {error}") from None
        if not key:
            raise UsageError("the keyring holds no password under the name that is given for it")
        return cls(base_url, key.strip())

    @property
    def url(self) -> str:
        """The full address."""
        parts = urlsplit(self.base_url)
        return parts._replace(path=parts.path.rstrip("/") + "/chat/completions").geturl()

    @property
    def identity(self) -> str:
        """The address in one spelling: equal for the same server, and part of the key of a cache.

        Capitals of the host, the usual port and a last slash make no difference.
        """
        parts = urlsplit(self.base_url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        usual = parts.port in (None, {"http": 80, "https": 443}[parts.scheme])
        query = f"?{parts.query}" if parts.query else ""
        port = "" if usual else f":{parts.port}"
        return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}{query}"

    @property
    def shown(self) -> str:
        """The address for messages, without what may be secret."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"

    @property
    def owns_default_key(self) -> bool:
        """Whether OPENAI_API_KEY is meant for this server."""
        parts = urlsplit(self.base_url)
        return parts.scheme == "https" and parts.hostname == _HOST_OF_DEFAULT_KEY

    @property
    def is_readable_on_the_way(self) -> bool:
        """Whether texts and key leave this machine without encryption."""
        parts = urlsplit(self.base_url)
        return parts.scheme == "http" and not _is_this_machine(parts.hostname or "")

    @property
    def has_long_key(self) -> bool:
        """Whether the key is long enough not to occur in an answer by chance."""
        return len(self.api_key) >= _SHORTEST_SECRET

    @property
    def _is_in_address(self) -> bool:
        return self.api_key in unquote(self.base_url)

    def without_secret(self, text: str) -> str:
        """Mask the key in a text."""
        return _spellings(self.api_key).sub("***", text) if self.api_key else text

    def masked(self, value: Any) -> Any:
        """A JSON value without the key in its texts."""
        if isinstance(value, str):
            return self.without_secret(value)
        if isinstance(value, list):
            return [self.masked(one) for one in value]
        if isinstance(value, dict):
            return {self.without_secret(name): self.masked(one) for name, one in value.items()}
        return value


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
        if _SECRET_VALUE.match(self.model):
            raise UsageError("the name of the model looks like a key; give the key separately")
        if not self.messages:
            raise UsageError("a request needs at least one message")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise UsageError(f"the temperature must be from 0 to 2: {self.temperature}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise UsageError(
                f"an answer must have room for a token: --max-tokens {self.max_tokens}"
            )
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
        """What is sent to the server."""
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
        """What tells requests apart: a hash of the body, the sample and the attempt."""
        if not self._key:
            content = {"body": self.body(), "sample": self.sample, "attempt": self.attempt}
            text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
            object.__setattr__(self, "_key", hashlib.sha256(text.encode("ascii")).hexdigest())
        return self._key

    def again(self, attempt: int) -> ChatRequest:
        """The same request once more, because the earlier answers were not usable.

        The seed changes as well, because a server that respects it would repeat its answer.
        """
        if attempt == self.attempt:
            return self
        seed = None if self.seed is None else self.seed + 1_000_003 * (attempt - self.attempt)
        return replace(self, attempt=attempt, seed=seed)


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The answer of a model. Token counts are None if the server did not give them.

    A ValueError says that it is no text and could not be kept.
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
        """Whether the server itself marks the answer as a refusal."""
        return self.refusal is not None or self.finish_reason == "content_filter"

    @property
    def refusal_reason(self) -> str | None:
        """Why the server refused to answer, None if it did not."""
        why = " ".join((self.refusal or "content filter").split())[:_LONGEST_REASON]
        return f"refused: {why}" if self.refused else None

    @property
    def cut_off(self) -> bool:
        """Whether the answer ends at the limit of tokens."""
        return self.finish_reason == "length"

    def to_json(self) -> dict[str, Any]:
        """All fields, as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, fields: object) -> ChatAnswer:
        """Read what :meth:`to_json` gave; a ValueError says what is wrong."""
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
    """Read the body of a response; a ValueError says why it has no answer."""
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

    ``scope`` says what is lost: nothing for good (transient), this request, or the whole endpoint.
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
    """What is sent; without ``json`` there is no body. The answer may have ``largest`` bytes."""

    url: str
    json: Any = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    largest: int = LARGEST_ANSWER


class Adapter(Protocol):
    """Translates between chat requests and the HTTP of one kind of service."""

    @property
    def endpoint(self) -> Endpoint:
        """Where the service is, and the key that must not be shown."""

    def http_request(self, request: ChatRequest) -> HttpRequest:
        """What to send for a request."""

    def answer(self, body: object) -> ChatAnswer:
        """The answer in the JSON of a response; a ValueError says why there is none."""


@dataclass(frozen=True, slots=True)
class ChatAdapter:
    """The chat completions API."""

    endpoint: Endpoint

    def http_request(self, request: ChatRequest) -> HttpRequest:
        """The body of the API, with the key in its header."""
        key = self.endpoint.api_key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return HttpRequest(self.endpoint.url, request.body(), headers=headers)

    def answer(self, body: object) -> ChatAnswer:
        """The first choice."""
        return parse_answer(body)


def largest_answer(characters: int, tokens: int = 0) -> int:
    """The most bytes that an answer may have: some megabytes, and more for long texts.

    A character that is asked about allows for eight of the answer, each escaped as in ``\\u5f01``;
    a token that may be answered allows for its probabilities as well.
    """
    return LARGEST_ANSWER + _BYTES_PER_CHARACTER * characters + _BYTES_PER_TOKEN * tokens


def error_message(body: object) -> str:
    """The message of an error response, in any of the forms that servers use."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or error.get("code") or error
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    return " ".join(text.split())[:_LONGEST_REASON]


def extra_fields(text: str | None) -> dict[str, Any]:
    """Further fields of a request, from the JSON of the option --extra."""
    try:
        return {} if text is None else json_object(text)
    except ValueError as error:
        raise UsageError(f"--extra: {error}") from None


def secret_fields(value: object, name: str = "", gap: str = "") -> Iterator[str]:
    """The names of fields that look like keys, at any depth, unless they hold the ``gap``."""
    if isinstance(value, Mapping):
        for inner, content in value.items():
            if isinstance(content, str) and gap and gap in content:
                continue
            if isinstance(content, str) and _is_secret_name(str(inner)):
                yield str(inner)
            yield from secret_fields(content, str(inner), gap)
    elif isinstance(value, list | tuple):
        for content in value:
            yield from secret_fields(content, name, gap)
    elif isinstance(value, str) and _SECRET_VALUE.match(value):
        yield name


def _is_secret_name(name: str) -> bool:
    return bool(_SECRET_NAME.search(name)) and not _PLAIN_NAME.search(name)


def _has_key(path: str) -> bool:
    """Whether a part of a path looks like a key: it is named one, or seems to be drawn by chance.

    Hexadecimal numbers such as UUIDs are taken for the names of accounts and deployments.
    """
    name = ""
    for part in unquote(path).split("/"):
        before, equals, after = part.rpartition("=")
        named = _is_secret_name(before if equals else name)
        if named and len(after) >= _SHORT_RANDOM and any(sign.isdigit() for sign in after):
            return True
        if _SECRET_VALUE.match(after) or any(map(_seems_random, _RANDOM.findall(after))):
            return True
        name = part
    return False


def _seems_random(word: str) -> bool:
    """Whether letters of both cases and digits are mixed, or a long word has letters and digits."""
    if _HEXADECIMAL.fullmatch(word) or not any(map(str.isdigit, word)):
        return False
    cases = any(map(str.isupper, word)) + any(map(str.islower, word))
    return cases == 2 or (cases == 1 and len(word) >= _LONG_RANDOM)


@lru_cache(maxsize=8)
def _spellings(key: str) -> re.Pattern[str]:
    """Return a pattern of the key, as it is and as JSON, HTML and addresses escape it."""
    forms = {key, json.dumps(key)[1:-1], html.escape(key), quote(key, safe="")}
    listed = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return re.compile(listed, re.IGNORECASE)


def _text(content: object) -> str:
    """The text of a message: a string, null, or a list of parts."""
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
    """A number of tokens; None for what can be none, however many digits it has."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value <= _MOST_TOKENS else None


def _address(url: str) -> SplitResult | None:
    """The parts of a web address; None if it is not one."""
    try:
        parts = urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # half a bracket, or a port that is no number
        return None
    return parts if is_one else None


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
