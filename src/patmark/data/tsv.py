"""Tables with tabs between the fields and a header: a test set and its systems in one file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from patmark.data.files import FilePath, read_lines, shown
from patmark.data.model import Run, Segment, TestSet
from patmark.errors import InputError, Problem

_REFERENCE = re.compile(r"reference(?:_([1-9][0-9]*))?")
_SYSTEM = "system:"


@dataclass(frozen=True)
class _Header:
    """What each column of the table holds."""

    names: tuple[str, ...]

    @cached_property
    def references(self) -> list[str]:
        """The columns with references, in the order of their numbers."""
        found = [match for name in self.names if (match := _REFERENCE.fullmatch(name))]
        return [match[0] for match in sorted(found, key=lambda match: int(match[1] or 1))]

    @cached_property
    def systems(self) -> list[str]:
        """The columns with hypotheses."""
        return [name for name in self.names if name.startswith(_SYSTEM)]

    @cached_property
    def meta(self) -> list[str]:
        """The columns that the format gives no meaning to."""
        known = {"id", "document", "source", *self.references, *self.systems}
        return [name for name in self.names if name not in known]

    def problems(self, needed: Sequence[str]) -> list[str]:
        """What is wrong with the header."""
        found = [
            f"column {name!r} occurs {count} times"
            for name, count in Counter(self.names).items()
            if count > 1
        ]
        if "" in self.names or _SYSTEM in self.names:
            found.append("a column has no name")
        given = {*self.names, *(["reference"] if self.references else [])}
        if not given.issuperset(needed):
            found.append(
                f"expected a header line with the columns {' and '.join(map(repr, needed))} "
                f"between tabs, found {', '.join(map(repr, self.names[:8]))}"
            )
        return found


def read_tsv(
    path: FilePath,
    target_language: str,
    source_language: str | None = None,
    *,
    allow_empty_references: bool = False,
) -> tuple[TestSet, list[Run]]:
    """A test set and the runs in its ``system:NAME`` columns. Fields are taken as they stand.

    There is no quoting and no escape, so that a quotation mark in a text is only that.
    """
    first, *lines = read_lines(path)
    header = _Header(tuple(first.split("\t")))
    if wrong := header.problems(("id",) if allow_empty_references else ("id", "reference")):
        raise InputError(Problem(message, shown(path), 1) for message in wrong)
    if not lines:
        raise InputError.at("has a header but no rows", shown(path), 2)
    rows, problems = _rows(header, lines, shown(path), allow_empty_references)
    if problems:
        raise InputError(problems)
    segments = tuple(_segment(header, row) for row in rows)
    test_set = TestSet(
        segments, target_language, source_language, shown(path), allow_empty_references
    )
    runs = [
        Run(column.removeprefix(_SYSTEM), tuple(row[column] for row in rows))
        for column in header.systems
    ]
    return test_set, runs


def _rows(
    header: _Header, lines: Sequence[str], path: str, allow_empty_references: bool
) -> tuple[list[dict[str, str]], list[Problem]]:
    rows: list[dict[str, str]] = []
    problems: list[Problem] = []
    first_lines: dict[str, int] = {}
    for number, line in enumerate(lines, 2):
        fields = line.split("\t")
        if len(fields) != len(header.names):
            found = f"{len(fields)} fields" if line.strip() else "a blank line"
            message = f"expected {len(header.names)} fields as in the header, found {found}"
            problems.append(Problem(message, path, number))
            continue
        row = dict(zip(header.names, fields, strict=True))
        rows.append(row)
        if not row["id"].strip():
            problems.append(Problem("empty id", path, number))
        elif (first := first_lines.setdefault(row["id"], number)) != number:
            problems.append(Problem(f"id {row['id']!r} is already on line {first}", path, number))
        has_reference = any(row[column].strip() for column in header.references)
        if not has_reference and not allow_empty_references:
            problems.append(Problem("empty reference", path, number))
    return rows, problems


def _segment(header: _Header, row: dict[str, str]) -> Segment:
    given = tuple(row[column] for column in header.references)
    return Segment(
        id=row["id"],
        source=row.get("source") or None,
        references=tuple(filter(str.strip, given)) or given[:1],
        document=row.get("document") or None,
        meta={column: row[column] for column in header.meta},
    )
