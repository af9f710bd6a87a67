"""Reviews: decisions on findings, from the file saved by the report page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from patmark.data import FilePath
from patmark.documents.findings import DocumentFinding
from patmark.errors import InputError
from patmark.report import english

Verdict: TypeAlias = Literal["accepted", "rejected"]
FindingKey: TypeAlias = tuple[str, str, str]
"""Document, kind and places of a finding; its message may change."""
_FORMAT, _VERSION = "patmark review", 1


def review_entry(finding: DocumentFinding) -> dict[str, object]:
    """Return the entry of a finding in a saved review, without its verdict."""
    return {**finding.to_json(), "message": english(finding.message)}


def finding_key(document: str, entry: Mapping[str, Any]) -> FindingKey:
    """Return the key of a finding: document, kind and places."""
    return document, str(entry["kind"]), json.dumps([entry["source"], entry["target"]])


def read_review(path: FilePath) -> dict[FindingKey, Verdict]:
    """Read the verdicts of a saved review."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content["format"] != _FORMAT or content["version"] != _VERSION:
            raise InputError.at("is a review of another version", str(path))
        return {
            finding_key(document["name"], entry): entry["verdict"]
            for document in content["documents"]
            for entry in document["findings"]
            if entry["verdict"] in ("accepted", "rejected")
        }
    except OSError as error:
        raise InputError.at(error.strerror or "cannot be read", str(path)) from None
    except (ValueError, KeyError, TypeError):
        raise InputError.at("is no review that a check report saved", str(path)) from None
