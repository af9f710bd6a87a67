"""Datasets: folders of Parquet files, ``part-*.parquet``, read and written batch by batch.

The order of the files is the order of the rows if a statement asks for one.

Datasets are folders of this machine or of an object store (``store_paths.py``). pyarrow finds the
credentials and settings of a store in the environment or on the machine.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias
from urllib.parse import quote, urlsplit

from patmark.catalogue import load_library
from patmark.engine.store_paths import (
    Place,
    StorePath,
    is_url,
    local_target,
    open_store,
    open_to_read,
    reached,
    shown_url,
)
from patmark.errors import InputError

# an Arrow record batch; pyarrow has no type annotations
Batch: TypeAlias = Any
# names and types of columns: string, int64, float64
Schema: TypeAlias = Mapping[str, str]

SHARD_ROWS = 20_000
BATCH_ROWS = 1_000
PARTS = "part-*.parquet"


def arrow(name: str = "pyarrow") -> Any:
    """Import a module of pyarrow."""
    return load_library(name, "corpus")


def arrow_schema(schema: Schema) -> Any:
    """Return the Arrow schema of columns."""
    pyarrow = arrow()
    return pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in schema.items()])


def batch_of(rows: Sequence[Mapping[str, Any]], schema: Schema) -> Batch:
    """Convert rows to an Arrow record batch."""
    pyarrow = arrow()
    columns = [
        pyarrow.array([row[name] for row in rows], pyarrow.type_for_alias(kind))
        for name, kind in schema.items()
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=arrow_schema(schema))


def regrouped(batches: Iterable[Batch], rows: int) -> Iterator[Batch]:
    """Regroup rows into batches of one size; the last one may be shorter."""
    waiting: list[Batch] = []
    count = 0
    for batch in batches:
        while count + batch.num_rows >= rows:
            head = batch.slice(0, rows - count)
            yield _joined([*waiting, head])
            waiting, count, batch = [], 0, batch.slice(head.num_rows)
        if batch.num_rows:
            waiting.append(batch)
            count += batch.num_rows
    if count:
        yield _joined(waiting)


def _joined(batches: list[Batch]) -> Batch:
    [batch] = arrow().Table.from_batches(batches).combine_chunks().to_batches()
    return batch


def parts_of(dataset: Place) -> list[Place]:
    """Return the files of a dataset in row order; a single Parquet file is a dataset too."""
    parts: list[Place] = [*dataset.glob(PARTS)]
    parts.sort(key=str)
    if not parts and dataset.is_file():
        return [dataset]
    if not parts:
        raise InputError.at("is no dataset: there is no part-*.parquet in it", str(dataset))
    return parts


def iter_batches(
    dataset: Place, columns: Sequence[str] | None = None, rows: int = BATCH_ROWS
) -> Iterator[Batch]:
    """Yield the rows of a dataset in batches, one at a time."""
    for part in parts_of(dataset):
        with open_parquet(part) as file:
            yield from file.iter_batches(rows, columns=columns)


def iter_rows(dataset: Place, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a dataset one by one."""
    for batch in iter_batches(dataset, columns):
        yield from batch.to_pylist()


def count_rows(dataset: Place) -> int:
    """Count the rows of a dataset by the footers of its files."""
    total = 0
    for part in parts_of(dataset):
        with open_parquet(part) as file:
            total += file.metadata.num_rows
    return total


def open_parquet(path: Place) -> Any:
    """Open a Parquet file; raise InputError if it is damaged."""
    pyarrow = arrow()
    try:
        return arrow("pyarrow.parquet").ParquetFile(open_to_read(path))
    except FileNotFoundError:
        raise InputError.at("no such file", str(path)) from None
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise InputError.at(f"cannot be read as Parquet: {error}", str(path)) from None


def part_path(dataset: Place, number: int) -> Place:
    """Return the path of a file of a dataset."""
    return dataset / f"part-{number:06}.parquet"


def write_part(path: Place, batches: Iterable[Batch], schema: Any) -> int:
    """Write a file of a dataset, which appears when complete; return the number of rows."""
    count = 0
    writer = arrow("pyarrow.parquet").ParquetWriter
    with (
        _finished_only(path) as unfinished,
        writer(unfinished, schema, compression="zstd") as file,
    ):
        for batch in batches:
            file.write_batch(batch)
            count += batch.num_rows
    return count


# file number, and its entry of a manifest
WRITTEN_SCHEMA = {
    "file": "int64",
    "rows": "int64",
    "bytes": "int64",
    "sha256": "string",
}


@dataclass(frozen=True, slots=True)
class FileWriter:
    """Writer of the numbered files of a table, in groups of ``group_rows``, in any worker."""

    output: Place
    schema: Any
    group_rows: int

    def __call__(self, number: int, batches: Iterable[Batch]) -> dict[str, Any]:
        """Write a file, and return its number, rows, bytes and hash."""
        names = self.schema.names
        named = (
            arrow().RecordBatch.from_arrays(batch.columns, names=names).cast(self.schema)
            for batch in batches
        )
        with local_target(part_path(self.output, number)) as file:
            count = write_part(file, regrouped(named, self.group_rows), self.schema)
            return {"file": number, "rows": count, **file_facts(file)}


def write_divided(write: FileWriter, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Write a file for each value of the first column, and yield its facts."""
    for number, rows in by_file(batches):
        yield batch_of([write(number, rows)], WRITTEN_SCHEMA)


def by_file(batches: Iterable[Batch]) -> Iterator[tuple[int, Iterator[Batch]]]:
    """Yield the rows of each file, whose number is the first column; they must be adjacent."""
    for number, rows in groupby(_of_one_file(batches), key=lambda each: each[0]):
        yield number, (batch for _, batch in rows)


def _of_one_file(batches: Iterable[Batch]) -> Iterator[tuple[int, Batch]]:
    """Cut batches where the number of the file changes, and leave it out."""
    for batch in batches:
        begin = 0
        for number, group in groupby(batch.column(0).to_pylist()):
            count = len(list(group))
            yield number, batch.select(batch.schema.names[1:]).slice(begin, count)
            begin += count


def file_facts(path: Path) -> dict[str, Any]:
    """Return the size and the hash of a file."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}


@contextmanager
def _finished_only(path: Place) -> Iterator[Path]:
    """Yield a file that appears under its name only if the block ends without an error."""
    if isinstance(path, StorePath):
        with local_target(path) as local:
            yield local
        return
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_shards(output: Place, batches: Iterable[Batch], schema: Any, shard_rows: int) -> None:
    """Write batches as files of one size; at least one file, so that the columns are known.

    DuckDB's COPY could split files too, but keeps no order and rounds to thousands.
    """
    output.mkdir(parents=True, exist_ok=True)
    number = -1
    for number, shard in enumerate(regrouped(batches, shard_rows)):
        write_part(part_path(output, number), [shard], schema)
    if number < 0:
        write_part(part_path(output, 0), [], schema)


def write_rows(
    output: Place, rows: Iterable[Mapping[str, Any]], schema: Schema, shard_rows: int = SHARD_ROWS
) -> None:
    """Write rows as a dataset."""
    write_shards(output, _batches(iter(rows), schema), arrow_schema(schema), shard_rows)


def _batches(rows: Iterator[Mapping[str, Any]], schema: Schema) -> Iterator[Batch]:
    while taken := list(islice(rows, BATCH_ROWS)):
        yield batch_of(taken, schema)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file behind a URL; ``inside`` is its path below the requested URL."""

    url: str
    inside: str
    size: int
    changed: int


def stored_files(url: str) -> Iterator[StoredFile]:
    """Yield the file of a URL, or all files below it by name, without hidden ones."""
    with reached(url):
        system, path = open_store(url)
        found = system.get_file_info(path)
        if found.is_file:
            yield StoredFile(url, "", found.size, found.mtime_ns or 0)
            return
        below = arrow("pyarrow.fs").FileSelector(path, recursive=True, allow_not_found=True)
        files = [each for each in system.get_file_info(below) if each.is_file]
    if not files:
        raise InputError.at("no such file or folder", shown_url(url))
    parts = urlsplit(url)
    for each in sorted(files, key=lambda info: str(info.path)):
        inside = each.path.removeprefix(path).lstrip("/")
        if not each.base_name.startswith("."):
            place = f"{parts.path.rstrip('/')}/{quote(inside)}"
            yield StoredFile(
                parts._replace(path=place).geturl(), inside, each.size, each.mtime_ns or 0
            )


@contextmanager
def local_file(path: str, base: Path) -> Iterator[Path]:
    """Yield a file below ``base``, or a temporary copy of a file behind a URL."""
    if not is_url(path):
        yield base / path
        return
    with TemporaryDirectory() as folder:
        with reached(path):
            system, place = open_store(path)
            copy = Path(folder, os.path.basename(place))
            _copy(system, place, arrow("pyarrow.fs").LocalFileSystem(), str(copy))
        yield copy


def publish(folder: Path, files: Iterable[Path], url: str) -> None:
    """Copy files of a folder to a URL, one after the other."""
    with reached(url):
        system, place = open_store(url)
        for path in files:
            target = f"{place}/{path.relative_to(folder).as_posix()}"
            if system.type_name == "local":
                Path(target).parent.mkdir(parents=True, exist_ok=True)
            _copy(arrow("pyarrow.fs").LocalFileSystem(), str(path), system, target)


def _copy(source: Any, path: str, target: Any, place: str) -> None:
    arrow("pyarrow.fs").copy_files(
        path, place, source_filesystem=source, destination_filesystem=target
    )
