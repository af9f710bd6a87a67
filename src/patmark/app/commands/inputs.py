"""Inputs of Python calls: test sets, lists, tables, or paths."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from patmark import evaluation
from patmark.app.commands.options import PLAIN
from patmark.data import (
    FilePath,
    NamedFile,
    Run,
    TestSet,
    columns_of,
    read_lines,
    write_atomically,
    write_csv,
)
from patmark.errors import PatmarkWarning, UsageError
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.evaluation import Hypothesis, Inputs

Texts: TypeAlias = Any
"""A TestSet, a table (DataFrame, dataset, dict of columns, list of dicts), or the path of one."""

SYSTEM = "system"
"""Name of the system if its translations are one list."""

_CALLS = """ Write one of
    patmark.score(translations, references, lang="ja-en")  # two lists of texts
    patmark.score({"reference": references, "system:mine": translations}, lang="ja-en")
    patmark.score(["mine.txt", "reference.txt", "source.txt"])  # files with a text on each line
    patmark.score("testset.csv", {"mine": "mine.txt"}, lang="ja-en")"""


def given_inputs(
    texts: Texts, runs: Any = None, lang: str | None = None, *, rows: bool = False, **more: Any
) -> Inputs:
    """Return the inputs of a Python call.

    Runs are Run objects, or texts or a path by system name. Two lists of texts are the translations
    of one system and their references. ``rows`` are files in the format of a protocol.
    """
    if isinstance(texts, TestSet) or texts is None:
        return evaluation.Inputs(testset=texts, hyp=_hypotheses(runs), lang=lang, **more)
    if isinstance(texts, str | Path):
        _check_file(texts)
        if rows and runs is None:
            return evaluation.Inputs(results=[str(texts)], lang=lang, **more)
        return evaluation.Inputs(testset=texts, hyp=_hypotheses(runs), lang=lang, **more)
    if isinstance(texts, list | tuple) and texts and not isinstance(texts[0], Mapping):
        if _is_texts(runs):
            return _two_lists(texts, runs, lang, more)
        return _files(texts, runs, lang, more)
    return evaluation.Inputs(testset=texts, hyp=_hypotheses(runs), lang=lang, **more)


def document_inputs(references: Any, runs: Any, lang: str | None, src: Any = None) -> Inputs:
    """Return the inputs of a Python call on whole documents."""
    folders = [references] if isinstance(references, str | Path) else list(references or ())
    if not all(isinstance(one, str | Path) for one in folders):
        raise UsageError("whole documents are given as files or folders of references")
    return evaluation.Inputs(
        ref=[str(one) for one in folders],
        hyp=_hypotheses(runs),
        src=None if src is None else str(src),
        lang=lang,
        documents=True,
    )


def _is_texts(runs: Any) -> bool:
    """Return True for a list of references; runs are by name, or of class Run."""
    return isinstance(runs, list | tuple) and not all(isinstance(one, Run) for one in runs)


def _two_lists(
    translations: Sequence[Any], references: Sequence[Any], lang: str | None, more: Any
) -> Inputs:
    if len(translations) != len(references):
        raise UsageError(f"{len(translations)} translations for {len(references)} references")
    table = {"references": [[one] if isinstance(one, str) else one for one in references]}
    run = Run(SYSTEM, tuple(translations))
    return evaluation.Inputs(testset=table, hyp=[run], lang=lang, **more)


def _files(texts: Sequence[Any], runs: Any, lang: str | None, more: Any) -> Inputs:
    """Return files with inferred roles; refuse other lists."""
    if not all(isinstance(one, str | Path) for one in texts):
        listed = type(texts[0]).__name__
        raise UsageError(f"expected a table or files, found a list of {listed}.{_CALLS}")
    for one in texts:
        _check_file(one)
    if runs is not None:
        raise UsageError(f"a list of files holds the translations too.{_CALLS}")
    return evaluation.Inputs(results=[str(one) for one in texts], lang=lang, **more)


def _check_file(path: str | Path) -> None:
    if not Path(path).exists():
        raise UsageError(f"there is no file {str(path)[:60]!r}.{_CALLS}")


def _hypotheses(runs: Any) -> list[Hypothesis]:
    """Return runs as a request has them."""
    if runs is None:
        return []
    if isinstance(runs, Run):
        return [runs]
    if not isinstance(runs, Mapping):
        if not all(isinstance(one, Run) for one in runs):
            raise UsageError(f"translations come by the name of their system.{_CALLS}")
        return list(runs)
    return [_hypothesis(name, texts) for name, texts in runs.items()]


def _hypothesis(name: str, texts: Any) -> Hypothesis:
    if isinstance(texts, str | Path):
        _check_file(texts)
        return evaluation.NamedRun(name, texts)
    return Run(name, tuple(texts))


def read_texts(texts: Texts, runs: Any, lang: str | None) -> tuple[TestSet, list[Run]]:
    """Read the test set and all systems: those of columns, and further ones."""
    inputs = given_inputs(texts, runs, lang)
    if inputs.results:
        guess = evaluation.guess_inputs(inputs)
        if guess.protocol != PLAIN:
            raise UsageError(
                f"these are rows of a bench: add {setting('protocol', guess.protocol)}"
            )
        warnings.warn(guess.message, PatmarkWarning, stacklevel=4)
        inputs = guess.inputs
    test_set, found = inputs.read_test_set()
    return test_set, [*found, *inputs.read_runs(test_set, allow_partial=False)]


@contextmanager
def row_files(texts: Texts) -> Iterator[Texts]:
    """Yield a temporary file with rows in memory; a path is yielded unchanged."""
    if isinstance(texts, TestSet | str | Path) or texts is None or _is_paths(texts):
        yield texts
        return
    columns = columns_of(texts)
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write_atomically(path, "".join(json.dumps(row) + "\n" for row in rows))
        yield NamedFile(path, path.stem)


def _is_paths(texts: Any) -> bool:
    return isinstance(texts, list | tuple) and all(isinstance(one, str | Path) for one in texts)


def file_list(given: FilePath | Sequence[FilePath]) -> list[str]:
    """Return one file, or several."""
    return [str(given)] if isinstance(given, str | Path) else [*map(str, given)]


def split_list(text: str | None) -> list[str]:
    """Split comma-separated names."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def claim_text(given: str | Path) -> str:
    """Return a text of claims, or of a file given as Path; refuse a string that names a file."""
    if isinstance(given, Path):
        return "\n".join(read_lines(given))
    if "\n" not in given and len(given) < 256 and Path(given).is_file():
        raise UsageError(f"{given!r} is the name of a file; give its text, or Path({given!r})")
    return given


@contextmanager
def as_files(given: Sequence[Any]) -> Iterator[list[str]]:
    """Yield paths unchanged, and tables as temporary CSV files."""
    from tempfile import TemporaryDirectory

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
    """Return None for NaN, the empty cell of tables."""
    return None if isinstance(cell, float) and isnan(cell) else cell
