"""What functions take in place of files: test sets, lists, tables, or paths after all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from patmark.data import (
    NamedFile,
    Run,
    TestSet,
    columns_of,
    language_pair,
    read_run,
    read_test_set,
    table_test_set,
    write_csv,
)
from patmark.errors import UsageError

Texts: TypeAlias = Any
"""A TestSet, a table (DataFrame, dataset, dict of columns, list of dicts), or the path of one."""


def read_texts(texts: Texts, runs: Any, lang: str | None) -> tuple[TestSet, list[Run]]:
    """The test set, and all systems: those of columns, and those that are given beside it.

    Runs are given as such, or as texts or a path by the name of their system.
    """
    if isinstance(texts, TestSet):
        if lang is not None:
            raise UsageError("a TestSet knows its languages; lang is for tables and files")
        return texts, _given(texts, runs)
    if lang is None:
        raise UsageError("say which languages the texts are in, as in lang='zh-en'")
    source, target = language_pair(lang)
    read = read_test_set if isinstance(texts, str | Path) else table_test_set
    test_set, found = read(texts, target, source)
    return test_set, [*found, *_given(test_set, runs)]


def _given(test_set: TestSet, runs: Any) -> list[Run]:
    if runs is None:
        return []
    if isinstance(runs, Run):
        return [runs]
    if not isinstance(runs, Mapping):
        return list(runs)
    return [
        read_run(texts, test_set, name)
        if isinstance(texts, str | Path)
        else Run(name, tuple(texts))
        for name, texts in runs.items()
    ]


@contextmanager
def as_files(given: Sequence[Any]) -> Iterator[list[str]]:
    """Paths of what is given; a table becomes a CSV file for as long as it is needed."""
    with TemporaryDirectory() as folder:
        paths = []
        for number, one in enumerate(given, 1):
            if isinstance(one, str | Path):
                paths.append(str(one))
                continue
            columns = columns_of(one)
            path = Path(folder) / f"table {number}.csv"
            cells = (map(_or_nothing, column) for column in columns.values())
            write_csv(path, list(columns), zip(*cells, strict=True))
            paths.append(NamedFile(path, path.stem))
        yield paths


def _or_nothing(cell: Any) -> Any:
    """None for NaN, which tables hold where nothing stands."""
    return None if isinstance(cell, float) and isnan(cell) else cell
