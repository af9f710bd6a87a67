"""The content of a file of scores as Parquet: a row per measure, system and segment.

It is what the JSON form holds, in columns that other programs read: ``measure``, ``system``,
``segment``, ``document`` and the list of ``statistics``. What is not a row stands in the metadata
of the schema. The order of rows has no meaning, only that of first mentions.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from patmark.data.files import FilePath, read_bytes
from patmark.data.records import json_object
from patmark.errors import MissingExtra

_COLUMNS = ("measure", "system", "segment", "document", "statistics")
_OF_ROWS = ("systems", "segments", "documents")
_HEADER = b"patmark"


def is_parquet(path: FilePath) -> bool:
    """Whether the name of a file says that it is Parquet."""
    return Path(path).suffix.lower() == ".parquet"


def check_library() -> None:
    """Refuse Parquet where its library is not installed."""
    _arrow()


def to_parquet(content: Mapping[str, Any]) -> bytes:
    """What would else be one JSON document."""
    arrow = _arrow()
    schema = _schema().with_metadata({_HEADER: _header(content)})
    columns = zip(*_rows(content), strict=True)
    arrays = [arrow.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)]
    packed = io.BytesIO()
    table = arrow.Table.from_arrays(arrays, schema=schema)
    _arrow("pyarrow.parquet").write_table(table, packed, compression="zstd")
    return packed.getvalue()


def read_parquet(path: FilePath, check: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The content of a file, as in the JSON form; the ValueError says what is wrong.

    ``check`` sees what is not a row first: a newer version may have other rows. Statistics of rows
    that the file lacks are None.
    """
    arrow = _arrow()
    try:
        table = _arrow("pyarrow.parquet").read_table(io.BytesIO(read_bytes(path)))
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
    """The columns as lists; other programs may have written them in other types."""
    for name in _COLUMNS:
        found = table.column_names.count(name)
        if found != 1:
            raise ValueError(f"expected one column {name!r}, found {found}")
    try:
        typed = table.select(_COLUMNS).cast(_schema())
    except _arrow().ArrowException as error:
        raise ValueError(f"expected names, and lists of numbers as statistics: {error}") from None
    return [column.to_pylist() for column in typed.columns]


def _header(content: Mapping[str, Any]) -> str:
    """What is not a row, as JSON."""
    measures = {
        name: {key: value for key, value in entry.items() if key != "statistics"}
        for name, entry in content["measures"].items()
    }
    others = {name: value for name, value in content.items() if name not in _OF_ROWS}
    return json.dumps(others | {"measures": measures}, ensure_ascii=False, allow_nan=False)


def _rows(content: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    segments, documents = content["segments"], content["documents"]
    for measure, entry in content["measures"].items():
        for system, rows in zip(content["systems"], entry["statistics"], strict=True):
            for segment, document, numbers in zip(segments, documents, rows, strict=True):
                yield measure, system, segment, document, numbers


def _of_rows(measures: dict[str, Any], columns: Sequence[list[Any]]) -> dict[str, Any]:
    """Systems, segments, documents and statistics from the columns of the rows."""
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
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra("pyarrow", "corpus") from None
