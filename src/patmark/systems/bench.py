"""What a run reads and leaves behind: bench rows, rows with ids, text lines, one text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from patmark.data import (
    TRANSLATION_FIELDS,
    Direction,
    Segment,
    TestSet,
    fingerprint,
    iter_json_lines,
    language_pair,
    read_line_test_set,
    read_lines,
    read_patsnap_bench,
    read_test_set,
    write_atomically,
)
from patmark.errors import InputError, UsageError
from patmark.systems.journal import Row
from patmark.systems.tasks import check_sources

Form: TypeAlias = Literal["bench", "rows", "lines", "text"]


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """A test set and the form of its results.

    ``records`` are bench rows as they stand in their file, which results are added to;
    ``excluded`` counts bench rows that have no source in this direction.
    """

    test_set: TestSet
    form: Form
    direction: Direction | None = None
    records: tuple[Mapping[str, Any], ...] = ()

    @property
    def excluded(self) -> int:
        """Rows that the direction does not use."""
        return sum(not (segment.source or "").strip() for segment in self.test_set)

    @property
    def languages(self) -> str:
        """Both languages, as in zh-en; the target alone where only that is known."""
        known = (self.test_set.source_language, self.test_set.target_language)
        return "-".join(filter(None, known))

    @property
    def about(self) -> dict[str, Any]:
        """What a run that goes on must have in common with its beginning."""
        sources = fingerprint(self.test_set).get("sources", "")[:16]
        return {"languages": self.languages, "testset": sources}


def read_bench(
    *, testset: str | None = None, direction: str | None = None, lang: str | None = None,
    src: str | None = None, ref: Sequence[str] = (), docs: str | None = None, out: str,
    task: str = "translate",
) -> Bench:  # fmt: skip
    """The test set that options name: bench rows with a direction, else with languages."""
    if (testset is None) == (src is None):
        raise UsageError("give either a --testset or source texts with --src")
    if testset is not None and (ref or docs):
        raise UsageError("--ref and --docs go with --src; a test set brings its own")
    if direction is not None:
        return _patsnap(testset, direction, lang, task)
    if not lang:
        raise UsageError("name the languages: --lang zh-en, or --direction for PatSnap rows")
    source_language, target_language = language_pair(lang)
    if task == "translate" and source_language is None:
        raise UsageError(f"--lang {lang}: two languages are needed to translate, such as zh-en")
    if testset is not None:
        test_set = _with_ids(testset, target_language, source_language)
        bench = Bench(test_set, "rows" if is_jsonl(out) else "lines")
        if task != "translate" and bench.form == "lines":
            raise UsageError(f"{out}: claims are many lines; write them to a .jsonl")
    elif task != "translate":
        bench = _one_text(cast("str", src), ref, docs, lang, out)
    else:
        test_set = read_line_test_set(
            ref, source=src, documents=docs, target_language=target_language,
            source_language=source_language,
        )  # fmt: skip
        bench = Bench(test_set, "rows" if is_jsonl(out) else "lines")
    check_sources(bench.test_set)
    return bench


def is_jsonl(path: str) -> bool:
    """Whether a file name asks for rows with ids."""
    return Path(path.removesuffix(".gz").removesuffix(".zst")).suffix in (".jsonl", ".json")


def write_results(bench: Bench, rows: Sequence[Row], manifest: Mapping[str, Any], out: str) -> None:
    """Write the whole file of results, in the order of the test set."""
    by_id = {row.id: row for row in rows}
    if bench.form == "text":
        write_atomically(out, f"{rows[0].hypothesis or ''}\n")
    elif bench.form == "lines":
        ordered = (by_id.get(segment.id) for segment in bench.test_set)
        write_atomically(out, "".join(f"{_one_line(row)}\n" for row in ordered))
    elif bench.form == "bench":
        write_atomically(out, _json_lines(_bench_rows(bench, by_id)))
    else:
        found = (_result(by_id[segment.id]) for segment in bench.test_set)
        write_atomically(out, _json_lines([manifest, *found]))


def write_failures(failures: Sequence[Row], path: Path) -> None:
    """List failed rows with their reasons; without any, no file is left."""
    if failures:
        listed = [
            {"id": row.id, "reason": row.failure, **({"raw": row.raw} if row.raw else {})}
            for row in failures
        ]
        write_atomically(path, _json_lines(listed))
    else:
        path.unlink(missing_ok=True)


def _patsnap(testset: str | None, direction: str, lang: str | None, task: str) -> Bench:
    if testset is None or lang is not None or task != "translate":
        raise UsageError("--direction goes with --testset and PatSnap rows to translate only")
    if testset == "-":
        raise UsageError("PatSnap rows must be in a file: results are added to them")
    way = cast("Direction", direction)
    test_set = read_patsnap_bench(testset, way)
    records = tuple(fields for _, fields in iter_json_lines(testset))
    bench = Bench(test_set, "bench", way, records)
    if bench.excluded == len(test_set):
        raise InputError.at(f"no row has a source text for the direction {direction}", testset)
    return bench


def _with_ids(path: str, target: str, source: str | None) -> TestSet:
    return read_test_set(path, target, source)[0]


def _one_text(src: str, ref: Sequence[str], docs: str | None, lang: str, out: str) -> Bench:
    """A whole file as one segment: a description, or a draft of claims."""
    if docs is not None:
        raise UsageError("--docs has no effect: the source file is one document")
    if is_jsonl(out):
        raise UsageError(f"{out}: the claims of one text are text; write them to a .txt")
    source_language, target_language = language_pair(lang)
    source, *references = ("\n".join(read_lines(path)) for path in (src, *ref))
    segment = Segment("0", source, tuple(references), src)
    test_set = TestSet((segment,), target_language, source_language or target_language, src)
    return Bench(test_set, "text")


def _bench_rows(bench: Bench, by_id: Mapping[str, Row]) -> Iterator[dict[str, Any]]:
    """The rows of the bench as they were, with translations in the field that scoring reads."""
    field = TRANSLATION_FIELDS[cast("Direction", bench.direction)]
    ours = (field, f"{field}_raw", f"{field}_cleaned")
    for segment, record in zip(bench.test_set, bench.records, strict=True):
        fields = {name: value for name, value in record.items() if name not in ours}
        row = by_id.get(segment.id)
        if row is not None:
            fields[field] = row.hypothesis
            if row.cleaned and row.failure is None:
                fields |= {f"{field}_raw": row.raw, f"{field}_cleaned": list(row.cleaned)}
        yield fields


def _result(row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": row.id, "hypothesis": row.hypothesis}
    if row.cleaned and row.failure is None:
        fields |= {"raw": row.raw, "cleaned": list(row.cleaned)}
    return fields


def _one_line(row: Row | None) -> str:
    """A hypothesis for a file of lines, without what any reader takes for the end of one."""
    return " ".join((row.hypothesis or "").splitlines()) if row else ""


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
