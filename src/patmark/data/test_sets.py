"""Test sets and runs as files: lines in order, JSON Lines with ids, readers by extension."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from patmark.data.files import (
    JSON_FORMATS,
    STREAM,
    TABLE_FORMATS,
    FilePath,
    check_stdin_once,
    endings_of,
    file_format,
    parse_records,
    read_lines,
    shown,
    system_name,
    write_json_lines,
)
from patmark.data.model import Run, Segment, TestSet, no_reference
from patmark.data.records import Record, folded, raise_if_any
from patmark.errors import InputError, Problem, UsageError
from patmark.wording import setting

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
    """Return a test set from line-aligned files; the id of a segment is its 1-based line number."""
    paths = [*references, *(path for path in (source, documents) if path is not None)]
    if not references and source is None:
        raise UsageError("a test set needs a reference file or a source file")
    check_stdin_once(paths)
    problems = [
        Problem(
            "its ending stands for rows with ids, and lines of text are expected; name it "
            f"{setting('testset')}, or give it the ending .txt",
            shown(path),
        )
        for path in paths
        if row_format(path) is not None
    ]
    if problems:
        raise InputError(problems)
    columns = [read_lines(path) for path in paths]
    count = len(columns[0])
    problems = [
        _count_problem(shown(paths[0]), count, shown(path), len(lines), "lines")
        for path, lines in zip(paths, columns, strict=True)
        if len(lines) != count
    ]
    if references and not allow_empty_references:
        together = map("".join, zip_longest(*columns[: len(references)], fillvalue=""))
        problems += _empty_lines(references[0], list(together), no_reference())
    if documents is not None:
        problems += _empty_lines(documents, columns[-1], "empty document id")
    if problems:
        raise InputError(problems)
    segments = tuple(
        Segment(
            id=str(number),
            references=row[: len(references)],
            source=None if source is None else row[len(references)],
            document=None if documents is None else row[-1].strip(),
        )
        for number, row in enumerate(zip(*columns, strict=True), 1)
    )
    return TestSet(
        segments, target_language, source_language, shown(paths[0]), allow_empty_references
    )


def read_line_run(path: FilePath, test_set: TestSet, system: str | None = None) -> Run:
    """Return the hypotheses of a system, one per line; an empty line is an empty answer."""
    lines = read_lines(path)
    if len(lines) != len(test_set):
        raise InputError(
            [_count_problem(test_set.name, len(test_set), shown(path), len(lines), "segments")]
        )
    if all(_RUN_RECORD.match(line) for line in lines):
        raise InputError.at(
            "holds JSON records, not text lines; give it a name that ends in .jsonl", shown(path)
        )
    if {line.partition("\t")[0] for line in lines if "\t" in line} == {one.id for one in test_set}:
        raise InputError.at(
            "holds ids before its texts; give it a name that ends in .tsv, and a first line "
            "id, tab, hypothesis",
            shown(path),
        )
    return Run(system or system_name(path), tuple(lines))


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


_SEGMENT_FIELDS = ("id", "document", "source", "references", "meta")
_MANIFEST_FIELDS = ("system", "kind", "resources", "priority")


def read_jsonl_test_set(
    path: FilePath,
    target_language: str,
    source_language: str | None = None,
    *,
    allow_empty_references: bool = False,
) -> TestSet:
    """Read rows ``{id, document, source, references[], meta{}}``; only id is required."""
    records, problems = parse_records(path)
    first_lines: dict[str, int] = {}
    segments = []
    for record in records:
        record.only(_SEGMENT_FIELDS)
        segments.append(_segment(record, first_lines))
    has_some = any(segment.references for segment in segments)
    if has_some and not allow_empty_references:
        for record in records:
            given = record.fields.get("references")
            if isinstance(given, list) and not any(str(one).strip() for one in given):
                record.complain(no_reference())
    raise_if_any(folded(problems))
    return TestSet(
        tuple(segments), target_language, source_language, shown(path), allow_empty_references
    )


def read_jsonl_run(
    path: FilePath, test_set: TestSet, system: str | None = None, *, allow_partial: bool = False
) -> Run:
    """Return a run of rows ``{id, hypothesis}``; a first record with ``system`` describes it.

    A hypothesis of null means no answer. A missing id is an error, since the file may be truncated;
    ``allow_partial`` makes it a missing answer.
    """
    records, problems = parse_records(path)
    about: dict[str, Any] = {"system": system_name(path)}
    if records and _is_manifest(records[0]):
        about = _manifest(records.pop(0))
    hypotheses = _hypotheses(records, test_set)
    if not problems and not allow_partial:
        problems += [
            Problem(f"no hypothesis for segment {segment.id!r} of {test_set.name}", shown(path))
            for segment in test_set
            if segment.id not in hypotheses
        ]
    raise_if_any(folded(problems))
    about["system"] = system or about["system"]
    return Run(hypotheses=tuple(hypotheses.get(segment.id) for segment in test_set), **about)


def write_jsonl_test_set(path: FilePath, test_set: TestSet) -> None:
    """Write the segments of a test set; the languages are not part of the file."""
    rows = (
        {
            "id": segment.id,
            "document": segment.document,
            "source": segment.source,
            "references": segment.references,
            "meta": _plain(segment.meta),
        }
        for segment in test_set
    )
    write_json_lines(path, rows)


def write_jsonl_run(path: FilePath, run: Run, test_set: TestSet) -> None:
    """Write a run: a manifest, then one row per segment of its test set."""
    if len(run.hypotheses) != len(test_set):
        raise InputError.at(
            f"{test_set.name} has {len(test_set)} segments, but the run of {run.system} has "
            f"{len(run.hypotheses)} hypotheses"
        )
    manifest = {name: getattr(run, name) for name in _MANIFEST_FIELDS}
    rows = (
        {"id": segment.id, "hypothesis": hypothesis}
        for segment, hypothesis in zip(test_set, run.hypotheses, strict=True)
    )
    write_json_lines(path, (manifest, *rows))


def _identity(record: Record, first_lines: dict[str, int]) -> str:
    """Return the id of a row: a string or a whole number, not empty, not seen before."""
    value = record.fields.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int):
        record.mismatch("id", "a string or a whole number")
        return ""
    identity = str(value)
    if not identity.strip():
        record.complain("field 'id' is empty")
    elif (first := first_lines.setdefault(identity, record.line)) != record.line:
        record.complain(f"id {identity!r} is already on line {first}")
    return identity


def _segment(record: Record, first_lines: dict[str, int]) -> Segment:
    meta = record.fields.get("meta", {})
    if not isinstance(meta, dict):
        record.mismatch("meta", "an object")
        meta = {}
    return Segment(
        id=_identity(record, first_lines),
        source=record.optional_text("source"),
        references=record.texts("references"),
        document=record.optional_text("document"),
        meta=_frozen(meta),
    )


def _is_manifest(record: Record) -> bool:
    return "system" in record.fields and not {"id", "hypothesis"} & set(record.fields)


def _manifest(record: Record) -> dict[str, Any]:
    record.only(_MANIFEST_FIELDS)
    system = record.text("system")
    if not system.strip() and isinstance(record.fields["system"], str):
        record.complain("field 'system' is empty")
    priority = record.fields.get("priority", 1)
    if isinstance(priority, bool) or not isinstance(priority, int):
        record.mismatch("priority", "a whole number")
    return {
        "system": system,
        "kind": record.optional_text("kind"),
        "resources": record.texts("resources"),
        "priority": priority,
    }


def _hypotheses(records: Iterable[Record], test_set: TestSet) -> dict[str, str | None]:
    known = {segment.id for segment in test_set}
    first_lines: dict[str, int] = {}
    hypotheses: dict[str, str | None] = {}
    for record in records:
        if _is_manifest(record):
            record.complain("the record that names the system must be the first of the file")
            continue
        identity = _identity(record, first_lines)
        if identity and identity not in known:
            record.complain(f"unknown id {identity!r}: {test_set.name} has no such segment")
        if "hypothesis" not in record.fields:
            record.mismatch("hypothesis", "a string or null")
        hypotheses[identity] = record.optional_text("hypothesis")
    return hypotheses


def _frozen(value: Any) -> Any:
    """Replace the lists of a JSON value by tuples."""
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Replace the tuples and mappings of a value by JSON types."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def read_test_set(
    path: FilePath,
    target_language: str,
    source_language: str | None = None,
    *,
    allow_empty_references: bool = False,
) -> tuple[TestSet, list[Run]]:
    """Read the test set of a file or sacreBLEU folder, and the runs in it."""
    reader: Callable[..., TestSet | tuple[TestSet, list[Run]]] = read_jsonl_test_set
    if os.path.isdir(path):
        reader = read_sacrebleu_folder
    elif (rows := row_format(path)) == "table":
        from patmark.data.tables import read_table_file as reader
    elif rows is None and str(path) != STREAM and not read_lines(path)[0].lstrip().startswith("{"):
        raise InputError.at(
            "holds lines of text; expected a test set with ids: .jsonl, .csv, .tsv, .xlsx or a "
            "folder of sacreBLEU",
            shown(path),
        )
    read = reader(
        path, target_language, source_language, allow_empty_references=allow_empty_references
    )
    return read if isinstance(read, tuple) else (read, [])


def read_sacrebleu_folder(
    folder: FilePath,
    target_language: str,
    source_language: str | None = None,
    *,
    allow_empty_references: bool = False,
) -> TestSet:
    """Read a test set of ``~/.sacrebleu/NAME``: NAME.zh-en.src, .docid, .ref, .ref-B and so on.

    ``ref`` is left out if the same references have their own name.
    """
    pair = f"{source_language or 'SOURCE'}-{target_language}"
    fields: dict[str, Path] = {}
    pairs: set[str] = set()
    for path in sorted(Path(folder).iterdir()):
        _, *named = path.name.rsplit(".", 2)
        if len(named) == 2 and re.fullmatch(r"[a-z]+-[a-z]+", named[0]):
            pairs.add(named[0])
            if named[0] == pair:
                fields[named[1]] = path
    own = [path for name, path in fields.items() if re.match(r"ref[-:A-Z]", name)]
    references = own or [path for name, path in fields.items() if name == "ref"]
    if not references:
        there = f"there are {', '.join(sorted(pairs))}" if pairs else "it is no such folder"
        raise InputError.at(
            f"expected NAME.{pair}.ref and NAME.{pair}.src, as sacreBLEU keeps its test sets; "
            f"{there}",
            shown(folder),
        )
    return read_line_test_set(
        references,
        source=fields.get("src"),
        documents=fields.get("docid"),
        target_language=target_language,
        source_language=source_language,
        allow_empty_references=allow_empty_references,
    )


def read_run(
    path: FilePath, test_set: TestSet, system: str | None = None, *, allow_partial: bool = False
) -> Run:
    """Return the run of a file: rows with ids by its extension, else lines in order."""
    rows = row_format(path)
    if rows is None:
        return read_line_run(path, test_set, system)
    if rows == "json":
        return read_jsonl_run(path, test_set, system, allow_partial=allow_partial)
    from patmark.data.tables import read_table_run

    return read_table_run(path, test_set, system, allow_partial=allow_partial)


def row_format(path: FilePath) -> Literal["json", "table"] | None:
    """Return the row format of an extension; None for lines of text.

    Refuse other extensions.
    """
    format = file_format(path)
    if format in JSON_FORMATS:
        return "json"
    if format in TABLE_FORMATS:
        return "table"
    if format not in ("text", ""):
        known = ", ".join(endings_of(*JSON_FORMATS, *TABLE_FORMATS))
        raise InputError.at(f"expected lines of text, or rows with ids ({known})", shown(path))
    return None


def has_ids(path: FilePath) -> bool:
    """Return True if a run of this name has rows with ids, which are matched by id."""
    return row_format(path) is not None


def is_jsonl(path: FilePath) -> bool:
    """Return True if a run of this name is written as JSON Lines."""
    return file_format(path) in JSON_FORMATS
