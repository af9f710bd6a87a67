"""Files of scores, JSON or Parquet: written by :meth:`Evaluation.save`, read by :func:`load`."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import NoneType
from typing import Any

import numpy as np

from patmark._version import __version__
from patmark.catalogue import load_library
from patmark.data import (
    STREAM,
    Aggregation,
    FilePath,
    FloatArray,
    Mean,
    ScoreFacts,
    Scores,
    is_parquet,
    json_object,
    json_type,
    read_bytes,
    read_lines,
    shown,
    write_atomically,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation.evaluation import Evaluation
from patmark.measures import find_measure, parse_measure
from patmark.report import plain

FORMAT = "patmark-scores"
VERSION = 2
_READ_VERSIONS = (1, 2)
_NUMBERS = {int, float, NoneType}
_LARGEST_EXACT = 2.0**53
_FLAGS = ("percentage", "descriptive", "findings", "needs_all", "rate")
_COLUMNS = ("measure", "system", "segment", "document", "statistics")
_OF_ROWS = ("systems", "segments", "documents")
_HEADER = b"patmark"


def is_saved(path: FilePath) -> bool:
    """Return True if :func:`save_scores` wrote a file; standard input is not read."""
    if is_parquet(path):
        return True
    if str(path) == STREAM:
        return False
    first = read_lines(path)[0].lstrip()
    return first.startswith("{") and f'"{FORMAT}"' in first


def save_scores(
    path: FilePath,
    scores: Mapping[str, Scores],
    documents: Sequence[str | None],
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write scores with their statistics: Parquet if the name ends in .parquet, else JSON.

    JSON is compressed if the name ends in .gz or .zst. Reading the file gives the same numbers.
    ``facts`` are any JSON values.
    """
    if not scores:
        raise UsageError("there are no scores to save")
    first = next(iter(scores.values()))
    for name, one in scores.items():
        if (one.systems, one.segments) != (first.systems, first.segments):
            raise UsageError(f"{name} has other systems or segments than {first.measure}")
    if len(documents) != len(first.segments):
        raise UsageError(f"{len(documents)} documents for {len(first.segments)} segments")
    content = {
        "format": FORMAT, "version": VERSION, "patmark": __version__,
        "systems": first.systems, "segments": first.segments, "documents": list(documents),
        "measures": {name: _measure_json(name, one) for name, one in scores.items()},
        "facts": dict(facts or {}),
    }  # fmt: skip
    try:
        data: bytes | str = (
            to_parquet(content)
            if is_parquet(path)
            else json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            + "\n"
        )
    except (TypeError, ValueError) as error:
        raise UsageError(f"the scores cannot be saved: {error}") from None
    write_atomically(path, data)


def read_scores(path: FilePath) -> Evaluation:
    """Read the file of an evaluation; describe each invalid measure."""
    try:
        content = read_parquet(path, _check_format) if is_parquet(path) else _read_json(path)
        systems, segments = _names(content, "systems"), _names(content, "segments")
        documents = _documents(content, len(segments))
        facts = ScoreFacts.from_json(_typed(content, "facts", dict, "an object"))
        _typed(content, "patmark", str, "the version of patmark that wrote the file")
        entries = _typed(content, "measures", dict, "an object with measures")
        if not entries:
            raise ValueError("field 'measures' is empty")
    except ValueError as error:
        raise InputError.at(str(error), shown(path)) from None
    wrote = f"written by patmark {content['patmark']}, read by patmark {__version__}"
    scores, problems = {}, []
    for name, entry in entries.items():
        try:
            scores[name] = _scores(name, entry, systems, segments)
        except (ValueError, UsageError) as error:
            problems.append(Problem(f"measure {name!r}: {error} ({wrote})", shown(path)))
    if problems:
        raise InputError(problems)
    return Evaluation(scores=scores, documents=documents, facts=facts, name=shown(path))


def _read_json(path: FilePath) -> dict[str, Any]:
    content = json_object("\n".join(read_lines(path)))
    _check_format(content)
    return content


def _measure_json(name: str, scores: Scores) -> dict[str, Any]:
    """Return the JSON entry of a measure, or of a mean, which needs no description."""
    entry: dict[str, Any] = {
        "signature": scores.signature, "higher_is_better": scores.higher_is_better,
    }  # fmt: skip
    rule, factor = scores.aggregation, scores.aggregation.mean_factor
    if _reads_as(name, rule) or (factor is None and _reads_as(rule.name, rule)):
        entry["aggregation"] = rule.name
    elif factor is None:
        raise UsageError(f"{name} cannot be saved: it is neither what its name says nor a mean")
    else:
        entry |= {"aggregation": Mean.name, "factor": factor}
        entry |= {key: True for key in _FLAGS if getattr(scores, key)}
        if scores.bounds is not None:
            entry["bounds"] = plain(scores.bounds)
    return entry | {"statistics": _plain(scores.statistics, name)}


def _reads_as(name: str, rule: Aggregation) -> bool:
    """Return True if the reader of a name finds exactly this measure."""
    known = find_measure(name)
    return known is not None and same_rule(known, rule)


def same_rule(one: Aggregation, other: Aggregation) -> bool:
    """Return True if two rules give the same scores; the service of a measure is ignored."""
    return type(one) is type(other) and (one.name, one.mean_factor) == (
        other.name,
        other.mean_factor,
    )


def _plain(statistics: FloatArray, name: str) -> list[Any]:
    """Return nested lists: whole numbers as integers, NaN as None, all others unchanged."""
    if np.isinf(statistics).any():
        raise UsageError(f"{name} cannot be saved: its statistics are not finite")
    undefined = np.isnan(statistics)
    known = np.where(undefined, 0.5, statistics)
    negative_zero = (known == 0) & np.signbit(known)
    whole = (known == np.trunc(known)) & (np.abs(known) < _LARGEST_EXACT) & ~negative_zero
    plain = statistics.astype(object)
    plain[whole] = statistics[whole].astype(np.int64).astype(object)
    plain[undefined] = None
    return list(plain.tolist())


def _check_format(content: dict[str, Any]) -> None:
    found = content.get("format")
    if found != FORMAT:
        raise ValueError(f"is no file of scores: expected format {FORMAT!r}, found {found!r}")
    found = content.get("version")
    if type(found) is not int or found not in _READ_VERSIONS:
        known = " and ".join(map(str, _READ_VERSIONS))
        reads = f"patmark {__version__} reads versions {known} of the format"
        raise ValueError(f"{reads}, the file has version {found!r}")


def _typed(holder: dict[str, Any], name: str, kind: type, expected: str) -> Any:
    """Return a field of a type; the ValueError states the expectation."""
    if name not in holder:
        raise ValueError(f"field {name!r} is missing; expected {expected}")
    if not isinstance(holder[name], kind):
        found = json_type(holder[name])
        raise ValueError(f"field {name!r}: expected {expected}, found {found}")
    return holder[name]


def _names(content: dict[str, Any], field_name: str) -> tuple[str, ...]:
    names = _typed(content, field_name, list, "a list of texts")
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"field {field_name!r}: expected a list of texts, at least one")
    [(name, times)] = Counter(names).most_common(1)
    if times > 1:
        raise ValueError(f"field {field_name!r}: {name!r} occurs {times} times")
    return tuple(names)


def _documents(content: dict[str, Any], segments: int) -> tuple[str | None, ...]:
    documents = _typed(content, "documents", list, "a list of texts and nulls")
    if len(documents) != segments or not all(isinstance(d, str | NoneType) for d in documents):
        raise ValueError(f"field 'documents': expected {segments} texts or nulls, one per segment")
    return tuple(documents)


def _scores(name: str, entry: Any, systems: tuple[str, ...], segments: tuple[str, ...]) -> Scores:
    if not isinstance(entry, dict):
        raise ValueError(f"expected an object, found {json_type(entry)}")
    higher_is_better = _typed(entry, "higher_is_better", bool, "true or false")
    signature = _typed(entry, "signature", str, "a text")
    rows = _typed(entry, "statistics", list, "lists of numbers")
    _check_shape(rows, systems, segments)
    try:
        statistics = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise ValueError("statistics: a number is too large") from None
    width = statistics.shape[-1]
    rule = entry.get("aggregation", name)  # version 1 does not name a measure twice
    if rule == Mean.name:
        if width % 2:
            raise ValueError("expected aggregation 'mean', of pairs of statistics")
        factor = entry.get("factor", 1.0)
        if type(factor) not in (int, float):
            raise ValueError(f"field 'factor': expected a number, found {json_type(factor)}")
        flags = {key: _typed(entry, key, bool, "true or false") for key in _FLAGS if key in entry}
        scores = Scores(
            name, signature, systems, segments, statistics, Mean(factor), higher_is_better,
            bounds=_bounds(entry), **flags,
        )  # fmt: skip
        values, whole = scores.segment_scores, scores.scale.whole
        in_range = (values >= 0) & (values <= whole) | np.isnan(values)
        if scores.rate and not (np.isfinite(whole) and in_range.all()):
            raise ValueError("a rate is from 0 to its upper bound in every segment")
        return scores
    measure = parse_measure(_typed({"aggregation": rule}, "aggregation", str, "a text"))
    if measure.width not in (None, width):
        raise ValueError(f"expected {measure.width} statistics per segment, found {width}")
    if higher_is_better != measure.higher_is_better:
        raise ValueError("field 'higher_is_better' is the wrong way round")
    return replace(
        measure.described(),
        measure=name,
        signature=signature,
        systems=systems,
        segments=segments,
        statistics=statistics,
    )


def _bounds(entry: dict[str, Any]) -> tuple[float, float] | None:
    if "bounds" not in entry:
        return None
    bounds = _typed(entry, "bounds", list, "two numbers or nulls")
    if len(bounds) != 2 or not set(map(type, bounds)) <= _NUMBERS:
        raise ValueError("field 'bounds': expected two numbers or nulls")
    low, high = bounds
    return (-np.inf if low is None else low, np.inf if high is None else high)


def _check_shape(rows: list[Any], systems: Sequence[str], segments: Sequence[str]) -> None:
    """Refuse lists that are not systems × segments × k numbers; the ValueError names the place."""
    if len(rows) != len(systems):
        raise ValueError(f"expected statistics of {len(systems)} systems, found {len(rows)}")
    width = None
    for system, row in zip(systems, rows, strict=True):
        if not isinstance(row, list) or len(row) != len(segments):
            raise ValueError(f"expected statistics of {len(segments)} segments for {system!r}")
        for segment, numbers in zip(segments, row, strict=True):
            place = f"statistics of {system!r}, segment {segment!r}"
            if not isinstance(numbers, list) or not set(map(type, numbers)) <= _NUMBERS:
                raise ValueError(f"{place}: expected a list of numbers")
            width = width or len(numbers)
            if len(numbers) != width or not width:
                raise ValueError(f"{place}: {len(numbers)} numbers, expected {width or 'some'}")


def check_library() -> None:
    """Refuse Parquet where its library is not installed."""
    _arrow()


def to_parquet(content: Mapping[str, Any]) -> bytes:
    """Return the content of a score file as Parquet."""
    arrow = _arrow()
    measures = {
        name: {key: value for key, value in entry.items() if key != "statistics"}
        for name, entry in content["measures"].items()
    }
    others = {name: value for name, value in content.items() if name not in _OF_ROWS}
    header = json.dumps(others | {"measures": measures}, ensure_ascii=False, allow_nan=False)
    schema = _schema().with_metadata({_HEADER: header})
    columns = zip(*_rows(content), strict=True)
    arrays = [arrow.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)]
    packed = io.BytesIO()
    table = arrow.Table.from_arrays(arrays, schema=schema)
    _arrow("pyarrow.parquet").write_table(table, packed, compression="zstd")
    return packed.getvalue()


def read_parquet(path: FilePath, check: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Return the content of a file, as in JSON; the ValueError explains a fault.

    ``check`` first receives everything except the rows, since a newer version may have other rows.
    Statistics of missing rows are None.
    """
    arrow = _arrow()
    try:
        # No threads: one that releases Python's bytes while Python ends would abort the process.
        data = arrow.BufferReader(read_bytes(path))
        table = _arrow("pyarrow.parquet").ParquetFile(data).read(use_threads=False)
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(f"cannot be read as Parquet: {error}") from None
    header = (table.schema.metadata or {}).get(_HEADER)
    if header is None:
        raise ValueError("is no file of scores: its metadata is missing")
    content = json_object(header.decode())
    check(content)
    measures = content.get("measures")
    if not isinstance(measures, dict) or {dict} != set(map(type, measures.values())):
        raise ValueError("its metadata name no measures")
    return content | _of_rows(measures, _columns(table))


def _schema() -> Any:
    arrow = _arrow()
    kinds = [arrow.string()] * 4 + [arrow.list_(arrow.float64())]
    return arrow.schema(zip(_COLUMNS, kinds, strict=True))


def _columns(table: Any) -> list[list[Any]]:
    """Return the columns as lists; other programs may have written them in other types."""
    for name in _COLUMNS:
        found = table.column_names.count(name)
        if found != 1:
            raise ValueError(f"expected one column {name!r}, found {found}")
    try:
        typed = table.select(_COLUMNS).cast(_schema())
    except _arrow().ArrowException as error:
        raise ValueError(f"expected names, and lists of numbers as statistics: {error}") from None
    return [column.to_pylist() for column in typed.columns]


def _rows(content: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    segments, documents = content["segments"], content["documents"]
    for measure, entry in content["measures"].items():
        for system, rows in zip(content["systems"], entry["statistics"], strict=True):
            for segment, document, numbers in zip(segments, documents, rows, strict=True):
                yield measure, system, segment, document, numbers


def _of_rows(measures: dict[str, Any], columns: Sequence[list[Any]]) -> dict[str, Any]:
    """Return systems, segments, documents and statistics from the columns of the rows."""
    names, systems, segments, documents, _ = columns
    of_systems = {name: place for place, name in enumerate(dict.fromkeys(systems))}
    of_segments = {name: place for place, name in enumerate(dict.fromkeys(segments))}
    expected = len(measures) * len(of_systems) * len(of_segments)
    if len(names) != expected or not set(names) <= set(measures):
        raise ValueError(
            f"expected {expected} rows, of {len(measures)} measures, {len(of_systems)} systems and "
            f"{len(of_segments)} segments; found {len(names)}"
        )
    of_documents = dict(zip(segments, documents, strict=True))
    for segment, document in zip(segments, documents, strict=True):
        if of_documents[segment] != document:
            raise ValueError(f"segment {segment!r} is in several documents")
    statistics: dict[str, list[list[Any]]] = {
        name: [[None] * len(of_segments) for _ in of_systems] for name in measures
    }
    for name, system, segment, _, numbers in zip(*columns, strict=True):
        statistics[name][of_systems[system]][of_segments[segment]] = numbers
    return {
        "systems": list(of_systems),
        "segments": list(of_segments),
        "documents": list(of_documents.values()),
        "measures": {name: measures[name] | {"statistics": statistics[name]} for name in measures},
    }


def _arrow(name: str = "pyarrow") -> Any:
    return load_library(name, "corpus")
