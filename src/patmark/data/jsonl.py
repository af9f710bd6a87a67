"""Test sets and runs as JSON Lines: one record per line, matched by id."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from patmark.data.files import (
    FilePath,
    atomic_writer,
    parse_records,
    shown,
    system_name,
)
from patmark.data.model import Run, Segment, TestSet
from patmark.data.problems import folded
from patmark.data.records import Record, raise_if_any
from patmark.errors import InputError, Problem

_SEGMENT_FIELDS = ("id", "document", "source", "references", "meta")
_MANIFEST_FIELDS = ("system", "kind", "resources", "priority")


def read_jsonl_test_set(
    path: FilePath,
    target_language: str,
    source_language: str | None = None,
    *,
    allow_empty_references: bool = False,
) -> TestSet:
    """A test set of rows ``{id, document, source, references[], meta{}}``; only id is required."""
    records, problems = parse_records(path)
    first_lines: dict[str, int] = {}
    segments = []
    for record in records:
        record.only(_SEGMENT_FIELDS)
        segments.append(_segment(record, first_lines))
        if not allow_empty_references and not all(map(str.strip, segments[-1].references)):
            record.complain("empty reference")
    raise_if_any(folded(problems))
    return TestSet(
        tuple(segments), target_language, source_language, shown(path), allow_empty_references
    )


def read_jsonl_run(
    path: FilePath, test_set: TestSet, system: str | None = None, *, allow_partial: bool = False
) -> Run:
    """A run of rows ``{id, hypothesis}``; a first record with ``system`` describes the run.

    A hypothesis of null says that the system gave no answer. An id that is missing from the file
    is an error, since the file may be cut off; ``allow_partial`` makes it a missing answer.
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
    _write(
        path,
        (
            {
                "id": segment.id,
                "document": segment.document,
                "source": segment.source,
                "references": segment.references,
                "meta": _plain(segment.meta),
            }
            for segment in test_set
        ),
    )


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
    _write(path, (manifest, *rows))


def _identity(record: Record, first_lines: dict[str, int]) -> str:
    """The id of a row: a string or a whole number, not empty, not seen before."""
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
    """The same JSON value with tuples for lists, as a segment holds it."""
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """The same value in the types that JSON knows."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def _write(path: FilePath, rows: Iterable[Mapping[str, Any]]) -> None:
    with atomic_writer(path) as file:
        for number, row in enumerate(rows, 1):
            try:
                line = json.dumps(row, ensure_ascii=False, allow_nan=False)
            except (TypeError, ValueError) as error:
                raise InputError.at(
                    f"cannot be written as JSON: {error}", str(path), number
                ) from None
            file.write(f"{line}\n")
