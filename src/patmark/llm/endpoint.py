"""Where to ask, with which key, and how the key is kept out of everything that is shown."""

from __future__ import annotations

import html
import ipaddress
import json
import os
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from patmark.errors import UsageError
from patmark.llm.chat import secret_fields

DEFAULT_KEY = "OPENAI_API_KEY"
_HOST_OF_DEFAULT_KEY = "api.openai.com"
_SHORTEST_SECRET = 12


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask: the address before ``/chat/completions``, and a key that is never shown."""

    base_url: str
    api_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        parts = _address(self.base_url)
        if parts is None:
            raise UsageError("the base URL must look like http://localhost:8000/v1")
        if parts.username or parts.password:
            raise UsageError("the base URL must not hold a password; give the key separately")
        secret = next(secret_fields(dict(parse_qsl(parts.query)), gap="{"), None)
        if secret is not None:
            raise UsageError(
                f"{secret!r} in the address looks like a key, and addresses are kept and logged; "
                "name the variable that holds the key with --api-key-env"
            )
        if not self.api_key.isascii() or any(not sign.isprintable() for sign in self.api_key):
            raise UsageError("the API key has characters that cannot be sent in a header")

    @classmethod
    def with_key_from(cls, base_url: str, variable: str | None = None) -> Endpoint:
        """An endpoint whose key is in an environment variable.

        Without a name the key in OPENAI_API_KEY is taken, but for the server it belongs to only:
        others get no key that was not meant for them.
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
        """Whether claims and key leave this machine without encryption."""
        parts = urlsplit(self.base_url)
        return parts.scheme == "http" and not _is_this_machine(parts.hostname or "")

    @property
    def has_long_key(self) -> bool:
        """Whether the key is long enough not to occur in an answer by chance."""
        return len(self.api_key) >= _SHORTEST_SECRET

    def without_secret(self, text: str) -> str:
        """A text in which the key cannot be read, in any of the ways servers write it."""
        if not self.api_key:
            return text
        quoted = json.dumps(self.api_key)[1:-1]
        spellings = {self.api_key, quoted, html.escape(self.api_key), quote(self.api_key, safe="")}
        for spelling in sorted(spellings, key=len, reverse=True):
            text = text.replace(spelling, "***")
        return text

    def masked(self, value: Any) -> Any:
        """A JSON value with no key in its texts."""
        if isinstance(value, str):
            return self.without_secret(value)
        if isinstance(value, list):
            return [self.masked(one) for one in value]
        if isinstance(value, dict):
            return {self.without_secret(name): self.masked(one) for name, one in value.items()}
        return value


def _address(url: str) -> SplitResult | None:
    """The parts of an address of the web; None if it is none."""
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
