"""File name endings: the one table that says which format an ending stands for."""

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
"""Formats of rows with one JSON object per line; lists and other JSON have the ending .json."""


def ending(path: str | Path) -> str:
    """Return the ending of a file name in lower case, without the ending of its compression.

    >>> ending("runs/baseline.JSONL.gz"), ending("baseline.txt"), ending("baseline.gz")
    ('.jsonl', '.txt', '')
    """
    name = Path(path).name.lower()
    for packed in PACKED_SUFFIXES:
        name = name.removesuffix(packed)
    return Path(name).suffix


def file_format(path: str | Path) -> FileFormat:
    """Return the format that the ending of a file name stands for; empty for an unknown ending.

    >>> file_format("run.ndjson.gz"), file_format("hypothesis.en")
    ('jsonl', '')
    """
    return FORMATS.get(ending(path), "")


def endings_of(*formats: str) -> tuple[str, ...]:
    """Return the endings that stand for some formats."""
    return tuple(ending for ending, found in FORMATS.items() if found in formats)
