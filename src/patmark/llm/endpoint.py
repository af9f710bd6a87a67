"""Addresses and API keys of endpoints.

Keys are kept out of everything that is stored or shown: :class:`Endpoint` masks its own key, and
:func:`secret_fields` finds keys that were given in the wrong place.
"""

from __future__ import annotations

import html
import ipaddress
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from patmark.errors import UsageError
from patmark.wording import setting

DEFAULT_KEY = "OPENAI_API_KEY"
_HOST_OF_DEFAULT_KEY = "api.openai.com"
_SHORTEST_SECRET = 12
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
        own = self.has_long_key and self.api_key in unquote(self.base_url)
        if found is None and (own or _has_key(parts.path)):
            found = "a part"  # the part itself is not shown: it may be a key
        if found is not None:
            raise UsageError(
                f"{found} in the address looks like a key, and addresses are kept and logged; "
                f"name the variable that holds the key with {setting('api_key_env')}"
            )
        if not self.api_key.isascii() or not self.api_key.isprintable():
            raise UsageError("the API key has characters that cannot be sent in a header")

    @classmethod
    def with_key_from(cls, base_url: str, variable: str | None = None) -> Endpoint:
        """Return an endpoint with the key of an environment variable.

        The default variable, OPENAI_API_KEY, is read only for the server it belongs to.
        """
        open_one = cls(base_url)
        if variable is None:
            given = os.environ.get(DEFAULT_KEY, "") if open_one.owns_default_key else ""
            return cls(base_url, given.strip())
        key = os.environ.get(variable, "").strip()
        if not key:
            # The name is not shown: it may be a key that was given in the wrong place.
            raise UsageError("the environment variable that is named for the API key holds none")
        return cls(base_url, key)

    @classmethod
    def with_key_of_keyring(cls, base_url: str, entry: str) -> Endpoint:
        """Return an endpoint with the key of the user's keyring, under SERVICE or SERVICE/USER."""
        try:
            keyring = import_module("keyring")
        except ImportError:
            raise UsageError(
                "keys of a keyring need the package keyring: pip install keyring"
            ) from None
        service, _, user = entry.partition("/")
        try:
            key = keyring.get_password(service, user or service)
        except Exception as error:  # every keyring backend has errors of its own
            raise UsageError(f"the keyring cannot be read: {error}") from None
        if not key:
            raise UsageError("the keyring holds no password under the name that is given for it")
        return cls(base_url, key.strip())

    @property
    def url(self) -> str:
        """The full address of chat completions."""
        parts = urlsplit(self.base_url)
        return parts._replace(path=parts.path.rstrip("/") + "/chat/completions").geturl()

    @property
    def identity(self) -> str:
        """The normalised address, part of the key of the response cache.

        Capitals of the host, the default port and a trailing slash make no difference.
        """
        parts = urlsplit(self.base_url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        is_default = parts.port in (None, {"http": 80, "https": 443}[parts.scheme])
        query = f"?{parts.query}" if parts.query else ""
        port = "" if is_default else f":{parts.port}"
        return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}{query}"

    @property
    def shown(self) -> str:
        """The address for messages, without its query."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"

    @property
    def owns_default_key(self) -> bool:
        """Return True if OPENAI_API_KEY is meant for this server."""
        parts = urlsplit(self.base_url)
        return parts.scheme == "https" and parts.hostname == _HOST_OF_DEFAULT_KEY

    @property
    def is_readable_on_the_way(self) -> bool:
        """Return True if texts and key leave this machine unencrypted."""
        parts = urlsplit(self.base_url)
        return parts.scheme == "http" and not _is_this_machine(parts.hostname or "")

    @property
    def has_long_key(self) -> bool:
        """Return True if the key is too long to occur in an answer by chance."""
        return len(self.api_key) >= _SHORTEST_SECRET

    def without_secret(self, text: str) -> str:
        """Mask the key in a text."""
        return _spellings(self.api_key).sub("***", text) if self.api_key else text

    def masked(self, value: Any) -> Any:
        """Mask the key in all texts of a JSON value."""
        if isinstance(value, str):
            return self.without_secret(value)
        if isinstance(value, list):
            return [self.masked(one) for one in value]
        if isinstance(value, dict):
            return {self.without_secret(name): self.masked(one) for name, one in value.items()}
        return value


def secret_fields(value: object, name: str = "", gap: str = "") -> Iterator[str]:
    """Yield the names of fields, at any depth, that look like keys without the placeholder."""
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
    elif isinstance(value, str) and looks_like_key(value):
        yield name


def looks_like_key(value: str) -> bool:
    """Return True if a text begins like the keys of known services."""
    return bool(_SECRET_VALUE.match(value))


def _is_secret_name(name: str) -> bool:
    return bool(_SECRET_NAME.search(name)) and not _PLAIN_NAME.search(name)


def _has_key(path: str) -> bool:
    """Return True if a part of a path is named a key or looks randomly generated.

    Hexadecimal numbers such as UUIDs pass as names of accounts and deployments.
    """
    name = ""
    for part in unquote(path).split("/"):
        before, equals, after = part.rpartition("=")
        named = _is_secret_name(before if equals else name)
        if named and len(after) >= _SHORT_RANDOM and any(sign.isdigit() for sign in after):
            return True
        if looks_like_key(after) or any(map(_seems_random, _RANDOM.findall(after))):
            return True
        name = part
    return False


def _seems_random(word: str) -> bool:
    """Return True for digits among letters of both cases, or within a long word."""
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


def _address(url: str) -> SplitResult | None:
    """Split a web address; return None if it is invalid."""
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
