"""Secrets: made at random, shown once, kept as hashes."""

from __future__ import annotations

import hashlib
import secrets

_BYTES = 32


def new_secret() -> str:
    """256 random bits for an address or a cookie."""
    return secrets.token_urlsafe(_BYTES)


def hash_of(secret: str) -> str:
    """What is stored and looked up.

    A plain hash is enough because nobody can list 256 random bits; and the time of a lookup by
    hash tells nothing about the secret.
    """
    return _digest("secret", secret)


def csrf_of(session: str) -> str:
    """The token against forged requests: it follows from the session and is not stored."""
    return _digest("csrf", session)


def _digest(purpose: str, secret: str) -> str:
    return hashlib.sha256(f"{purpose}:{secret}".encode(errors="replace")).hexdigest()
