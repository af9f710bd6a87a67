"""Sentence pairs drawn from a corpus, as `patmark corpus sample` writes them."""

from __future__ import annotations

from pathlib import Path

from patmark.data import (
    Record,
    Run,
    Segment,
    TestSet,
    header_problems,
    named_rows,
    parse_records,
    raise_if_any,
    read_csv_records,
)
from patmark.errors import Problem

CORPUS = "corpus"
"""The name under which the target sentences of a corpus are judged."""

_NEEDED = ("id", "source", "target")
_OTHERS = ("judgement", "section", "family", "score", "stratum", "stratum_pairs")


def read_sample(path: Path, target_language: str, source_language: str | None) -> TestSet:
    """A sample in CSV or JSON lines; pairs of one family are of one document."""
    records, problems = _records(path)
    first_lines: dict[str, int] = {}
    segments = []
    for record in records:
        record.only((*_NEEDED, *_OTHERS))
        name, source, target = (record.text(field) for field in _NEEDED)
        if first_lines.setdefault(name, record.line) != record.line:
            record.complain(f"id {name!r} is already on line {first_lines[name]}")
        if not name.strip() or not source.strip() or not target.strip():
            record.complain("expected an id and two sentences that are not empty")
        family = record.fields.get("family")
        segments.append(
            Segment(
                name, source, (target,), str(family) if family else None,
                {field: record.fields[field] for field in _OTHERS if record.fields.get(field)},
            )
        )  # fmt: skip
    raise_if_any(problems)
    return TestSet(tuple(segments), target_language, source_language, str(path))


def corpus_run(test_set: TestSet) -> Run:
    """The target sentences of a sample as the outputs of one system."""
    return Run(CORPUS, tuple(next(iter(one.references), None) for one in test_set))


def _records(path: Path) -> tuple[list[Record], list[Problem]]:
    if path.suffix != ".csv":
        return parse_records(path)
    header, *rows = read_csv_records(path)
    raise_if_any(header_problems(header, _NEEDED, _OTHERS, str(path)))
    problems = [] if rows else [Problem("has a header but no pairs", str(path))]
    named = named_rows(rows, header, str(path), problems)
    return [Record(dict(row), str(path), line, problems) for line, row in named], problems
