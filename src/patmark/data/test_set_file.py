"""A test set with ids, in either of its forms: rows of JSON, or a table with tabs."""

from __future__ import annotations

from patmark.data.files import FilePath, shown
from patmark.data.jsonl import read_jsonl_test_set
from patmark.data.model import Run, TestSet
from patmark.data.packing import ending
from patmark.data.tsv import read_tsv
from patmark.errors import InputError


def read_test_set(
    path: FilePath,
    target_language: str,
    source_language: str | None = None,
    *,
    allow_empty_references: bool = False,
) -> tuple[TestSet, list[Run]]:
    """The test set of a .tsv or .jsonl file, and the runs that stand in columns of a table."""
    form = ending(path)
    if form == ".csv":
        raise InputError.at("is a table with commas; write .tsv (tabs) or .jsonl", shown(path))
    if form == ".tsv":
        return read_tsv(
            path, target_language, source_language, allow_empty_references=allow_empty_references
        )
    test_set = read_jsonl_test_set(
        path, target_language, source_language, allow_empty_references=allow_empty_references
    )
    return test_set, []
