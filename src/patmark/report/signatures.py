"""Signatures as they are listed: each once, with all names that share it."""

from __future__ import annotations

from collections.abc import Mapping


def shared_signatures(signatures: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names joined by commas, and the signature that they have in common."""
    names: dict[str, list[str]] = {}
    for name, signature in signatures.items():
        names.setdefault(signature, []).append(name)
    return [(", ".join(of), signature) for signature, of in names.items()]
