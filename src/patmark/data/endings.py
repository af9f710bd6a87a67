"""File extensions: the one table that maps an extension to a format."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

FileFormat: TypeAlias = Literal["text", "jsonl", "json", "tsv", "csv", "xlsx", "parquet", "tmx", ""]
PACKED_SUFFIXES = (".gz", ".zst")
FORMATS: dict[str, FileFormat] = {
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".tsv": "tsv",
    ".csv": "csv",
    ".xlsx": "xlsx",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".tmx": "tmx",
}
TABLE_FORMATS = ("tsv", "csv", "xlsx")
JSON_FORMATS = ("jsonl", "json")
"""Formats of rows with one JSON object per line; lists and other JSON have the extension .json."""


def ending(path: str | Path) -> str:
    """Return the extension of a file name in lower case, without that of its compression.

    >>> ending("runs/baseline.JSONL.gz"), ending("baseline.txt"), ending("baseline.gz")
    ('.jsonl', '.txt', '')
    """
    name = Path(path).name.lower()
    for packed in PACKED_SUFFIXES:
        name = name.removesuffix(packed)
    return Path(name).suffix


def file_format(path: str | Path) -> FileFormat:
    """Return the format of a file extension; empty for an unknown one.

    >>> file_format("run.ndjson.gz"), file_format("hypothesis.en")
    ('jsonl', '')
    """
    return FORMATS.get(ending(path), "")


def endings_of(*formats: str) -> tuple[str, ...]:
    """Return the extensions of some formats."""
    return tuple(ending for ending, found in FORMATS.items() if found in formats)
