"""Datasets: folders of Parquet files, ``part-*.parquet``, read and written batch by batch.

The order of the files is the order of the rows wherever a statement asks for one.

Datasets are folders. What goes into a build and what comes out may also be behind a URL, in an
object store (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``) or not (``file://``). pyarrow knows
where credentials and settings are: those of the environment, or of the machine.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias
from urllib.parse import quote, urlsplit

from patmark.catalogue import load_library
from patmark.errors import InputError

# an Arrow record batch, which has no types of its own
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


def parts_of(dataset: Path) -> list[Path]:
    """Return the files of a dataset in row order; a single Parquet file is a dataset too."""
    if dataset.is_file():
        return [dataset]
    parts = sorted(dataset.glob(PARTS))
    if not parts:
        raise InputError.at("is no dataset: there is no part-*.parquet in it", str(dataset))
    return parts


def iter_batches(
    dataset: Path, columns: Sequence[str] | None = None, rows: int = BATCH_ROWS
) -> Iterator[Batch]:
    """Yield the rows of a dataset in batches; only one batch is held."""
    for part in parts_of(dataset):
        with open_parquet(part) as file:
            yield from file.iter_batches(rows, columns=columns)


def iter_rows(dataset: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a dataset one by one."""
    for batch in iter_batches(dataset, columns):
        yield from batch.to_pylist()


def count_rows(dataset: Path) -> int:
    """Count the rows of a dataset by the footers of its files."""
    total = 0
    for part in parts_of(dataset):
        with open_parquet(part) as file:
            total += file.metadata.num_rows
    return total


def open_parquet(path: Path) -> Any:
    """Open a Parquet file; raise InputError if it is damaged."""
    pyarrow = arrow()
    try:
        return arrow("pyarrow.parquet").ParquetFile(path)
    except FileNotFoundError:
        raise InputError.at("no such file", str(path)) from None
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise InputError.at(f"cannot be read as Parquet: {error}", str(path)) from None


def part_path(dataset: Path, number: int) -> Path:
    """Return the place of a file of a dataset."""
    return dataset / f"part-{number:06}.parquet"


def write_part(path: Path, batches: Iterable[Batch], schema: Any) -> int:
    """Write a file of a dataset; it appears when it is complete. Gives the number of rows."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    count = 0
    try:
        with arrow("pyarrow.parquet").ParquetWriter(unfinished, schema, compression="zstd") as file:
            for batch in batches:
                file.write_batch(batch)
                count += batch.num_rows
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return count


def write_shards(output: Path, batches: Iterable[Batch], schema: Any, shard_rows: int) -> None:
    """Write batches as files of one size; one file at least, so that the columns are known.

    DuckDB's COPY could cut files too, but keeps no order while it does and counts in thousands.
    """
    output.mkdir(parents=True, exist_ok=True)
    number = -1
    for number, shard in enumerate(regrouped(batches, shard_rows)):
        write_part(part_path(output, number), [shard], schema)
    if number < 0:
        write_part(part_path(output, 0), [], schema)


def write_rows(
    output: Path, rows: Iterable[Mapping[str, Any]], schema: Schema, shard_rows: int = SHARD_ROWS
) -> None:
    """Write rows as a dataset."""
    write_shards(output, _batches(iter(rows), schema), arrow_schema(schema), shard_rows)


def _batches(rows: Iterator[Mapping[str, Any]], schema: Schema) -> Iterator[Batch]:
    while taken := list(islice(rows, BATCH_ROWS)):
        yield batch_of(taken, schema)


def is_url(name: str) -> bool:
    """Return True if a name is a URL, and no path."""
    return "://" in name


def shown_url(url: str) -> str:
    """Return a URL without keys and settings, or a path as it is."""
    if not is_url(url):
        return url
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl().rstrip("/")


def open_store(url: str) -> tuple[Any, str]:
    """Open the file system of a URL, and return the path in it."""
    with _reached(url):
        system, path = arrow("pyarrow.fs").FileSystem.from_uri(url)
        return system, path.rstrip("/")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file behind a URL; ``inside`` is its path below the URL that was asked for."""

    url: str
    inside: str
    size: int
    changed: int


def stored_files(url: str) -> Iterator[StoredFile]:
    """Yield the file of a URL, or all files below it by name, without hidden ones."""
    with _reached(url):
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
    """Give a file below ``base``, or a temporary copy of a file behind a URL."""
    if not is_url(path):
        yield base / path
        return
    with TemporaryDirectory() as folder:
        with _reached(path):
            system, place = open_store(path)
            copy = Path(folder, os.path.basename(place))
            _copy(system, place, arrow("pyarrow.fs").LocalFileSystem(), str(copy))
        yield copy


def publish(folder: Path, files: Iterable[Path], url: str) -> None:
    """Copy files of a folder to a URL, one after the other."""
    with _reached(url):
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


@contextmanager
def _reached(url: str) -> Iterator[None]:
    """Turn errors of pyarrow about a URL into an InputError."""
    try:
        yield
    except (arrow().ArrowException, OSError) as error:
        said = str(error).replace(url, shown_url(url))
        raise InputError.at(f"cannot be reached: {said}", shown_url(url)) from None
