"""Plain text files, matched by line: references, sources, documents, hypotheses."""

from __future__ import annotations

import re
from collections.abc import Sequence

from patmark.data.files import FilePath, check_stdin_once, read_lines, shown, system_name
from patmark.data.model import Run, Segment, TestSet
from patmark.errors import InputError, Problem, UsageError

_RUN_RECORD = re.compile(r'\s*\{.*"(hypothesis|system)"\s*:')


def read_line_test_set(
    references: Sequence[FilePath],
    *,
    source: FilePath | None = None,
    documents: FilePath | None = None,
    target_language: str,
    source_language: str | None = None,
    allow_empty_references: bool = False,
) -> TestSet:
    """A test set from line-aligned files; the id of a segment is its 1-based line number."""
    paths = [*references, *(path for path in (source, documents) if path is not None)]
    if not references and source is None:
        raise UsageError("a test set needs a reference file or a source file")
    check_stdin_once(paths)
    columns = [read_lines(path) for path in paths]
    problems = _count_problems(paths, columns)
    if not allow_empty_references:
        for path, lines in zip(references, columns, strict=False):
            problems += _empty_lines(path, lines, "empty reference")
    if documents is not None:
        problems += _empty_lines(documents, columns[-1], "empty document id")
    if problems:
        raise InputError(problems)
    count = len(references)
    segments = tuple(
        Segment(
            id=str(number),
            references=row[:count],
            source=None if source is None else row[count],
            document=None if documents is None else row[-1].strip(),
        )
        for number, row in enumerate(zip(*columns, strict=True), 1)
    )
    return TestSet(
        segments, target_language, source_language, shown(paths[0]), allow_empty_references
    )


def read_line_run(path: FilePath, test_set: TestSet, system: str | None = None) -> Run:
    """The hypotheses of a system, one per line; an empty line is an empty answer."""
    lines = read_lines(path)
    if len(lines) != len(test_set):
        raise InputError(
            [_count_problem(test_set.name, len(test_set), shown(path), len(lines), "segments")]
        )
    if all(_RUN_RECORD.match(line) for line in lines):
        raise InputError.at(
            "holds JSON records, not text lines; give it a name that ends in .jsonl", shown(path)
        )
    return Run(system or system_name(path), tuple(lines))


def split_name(argument: str) -> tuple[str, str]:
    """Split NAME=PATH; a path alone gets its name from the file.

    What stands before the first = is a name only without a slash, so that
    ``runs/rate=1/out.txt`` and ``./a=b.txt`` are paths.
    """
    name, equals, path = argument.partition("=")
    if not equals or "/" in name or "\\" in name:
        return system_name(argument), argument
    if not name.strip() or not path:
        raise UsageError(f"expected PATH or NAME=PATH, found {argument!r}")
    return name.strip(), path


def _count_problems(paths: Sequence[FilePath], columns: Sequence[list[str]]) -> list[Problem]:
    first = shown(paths[0]), len(columns[0])
    return [
        _count_problem(*first, shown(path), len(lines), "lines")
        for path, lines in zip(paths[1:], columns[1:], strict=True)
        if len(lines) != first[1]
    ]


def _count_problem(name: str, count: int, other: str, other_count: int, unit: str) -> Problem:
    longer = name if count > other_count else other
    line = min(count, other_count) + 1
    return Problem(
        f"{name} has {count} {unit}, but {other} has {other_count} lines; "
        f"line {line} of {longer} is the first without a partner",
        longer,
        line,
    )


def _empty_lines(path: FilePath, lines: Sequence[str], message: str) -> list[Problem]:
    return [
        Problem(message, shown(path), number)
        for number, line in enumerate(lines, 1)
        if not line.strip()
    ]
