"""What functions take in place of files: test sets, lists, tables, or paths after all."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from patmark.data import (
    FilePath,
    NamedFile,
    Run,
    TestSet,
    columns_of,
    language_pair,
    read_lines,
    read_run,
    read_test_set,
    table_test_set,
    write_csv,
)
from patmark.errors import PatmarkWarning, UsageError
from patmark.evaluation import Inputs, guess_inputs

Texts: TypeAlias = Any
"""A TestSet, a table (DataFrame, dataset, dict of columns, list of dicts), or the path of one."""


_CALLS = """ Write one of
    patmark.score({"reference": references, "system:mine": translations}, lang="ja-en")
    patmark.score(["mine.txt", "reference.txt", "source.txt"])  # files with a text on each line
    patmark.score("testset.csv", {"mine": "mine.txt"}, lang="ja-en")"""


def read_texts(texts: Texts, runs: Any, lang: str | None) -> tuple[TestSet, list[Run]]:
    """The test set, and all systems: those of columns, and those that are given beside it.

    Runs are given as such, or as texts or a path by the name of their system. Files with a text on
    each line are told apart as the command line does it; a warning says how.
    """
    _check_runs(runs)
    if isinstance(texts, TestSet):
        if lang is not None:
            raise UsageError("a TestSet knows its languages; lang is for tables and files")
        return texts, _given(texts, runs)
    if isinstance(texts, str | Path):
        _check_file(texts)
    elif isinstance(texts, list | tuple) and texts and not isinstance(texts[0], Mapping):
        return _listed(texts, runs, lang)
    if lang is None:
        raise UsageError("say which languages the texts are in, as in lang='zh-en'")
    source, target = language_pair(lang)
    read = read_test_set if isinstance(texts, str | Path) else table_test_set
    test_set, found = read(texts, target, source)
    return test_set, [*found, *_given(test_set, runs)]


def _listed(texts: Sequence[Any], runs: Any, lang: str | None) -> tuple[TestSet, list[Run]]:
    """Files, each a text on each line; a list of anything else is refused."""
    if not all(isinstance(one, str | Path) for one in texts):
        listed = type(texts[0]).__name__
        raise UsageError(f"expected a table or files, found a list of {listed}.{_CALLS}")
    for one in texts:
        _check_file(one)
    if runs is not None:
        raise UsageError(f"a list of files holds the translations too.{_CALLS}")
    guess = guess_inputs(Inputs(results=[str(one) for one in texts], lang=lang))
    if guess.protocol != "plain":
        raise UsageError(f"these are rows of a bench: add protocol={guess.protocol!r}")
    warnings.warn(guess.said, PatmarkWarning, stacklevel=4)
    test_set, found = guess.inputs.read_test_set()
    return test_set, [*found, *guess.inputs.read_runs(test_set, allow_partial=False)]


def _check_file(path: str | Path) -> None:
    if not Path(path).exists():
        raise UsageError(f"there is no file {str(path)[:60]!r}.{_CALLS}")


def _check_runs(runs: Any) -> None:
    known = runs is None or isinstance(runs, Run | Mapping)
    if not known and not all(isinstance(one, Run) for one in runs):
        raise UsageError(f"translations come by the name of their system.{_CALLS}")


def _given(test_set: TestSet, runs: Any) -> list[Run]:
    if runs is None:
        return []
    if isinstance(runs, Run):
        return [runs]
    if not isinstance(runs, Mapping):
        return list(runs)
    return [_run(test_set, name, texts) for name, texts in runs.items()]


def _run(test_set: TestSet, name: str, texts: Any) -> Run:
    if not isinstance(texts, str | Path):
        return Run(name, tuple(texts))
    _check_file(texts)
    return read_run(texts, test_set, name)


def file_list(given: FilePath | Sequence[FilePath]) -> list[str]:
    """One file, or several."""
    return [str(given)] if isinstance(given, str | Path) else [*map(str, given)]


def claim_text(given: str | Path) -> str:
    """A text of claims, or what a Path names; a string that names a file is refused."""
    if isinstance(given, Path):
        return "\n".join(read_lines(given))
    if "\n" not in given and len(given) < 256 and Path(given).is_file():
        raise UsageError(f"{given!r} is the name of a file; give its text, or Path({given!r})")
    return given


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
