"""Fingerprints of a test set: whether scores of two files belong to the same texts.

Ids of segments cannot tell: in files of plain lines they are line numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from patmark.data.model import TestSet

PARTS = ("references", "sources")


def fingerprint(test_set: TestSet) -> dict[str, str]:
    """A SHA-256 of ids and references, and one of ids and sources, where there are any.

    They are kept apart so that scores made with source texts can be held against scores made
    without; the order of segments counts.
    """
    found = {}
    if any(test_set.reference_lists):
        found["references"] = _digest((s.id, s.references) for s in test_set)
    if any(segment.source is not None for segment in test_set):
        found["sources"] = _digest((s.id, s.source) for s in test_set)
    return found


def differing_parts(one: Mapping[str, str], other: Mapping[str, str]) -> list[str] | None:
    """Which parts of two fingerprints differ; None where they have no part in common."""
    shared = [part for part in PARTS if part in one and part in other]
    return [part for part in shared if one[part] != other[part]] if shared else None


def _digest(rows: Iterable[object]) -> str:
    """The hash of one line of JSON per row, so that no text can run into its neighbour."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row).encode("ascii") + b"\n")
    return digest.hexdigest()
