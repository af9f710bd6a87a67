"""Where the work of a corpus is done: on this machine, or on a Spark cluster.

An engine knows two ways of making a dataset from datasets: a function that is mapped over batches
of rows, and a statement in SQL. Functions and statements are the same for every engine, and what
they give may depend neither on the number of workers nor on how rows are cut into shards.

A dataset is a folder of Parquet files, ``part-*.parquet``. Their order is the order of the rows
wherever a statement asks for one.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from patmark.errors import InputError, MissingExtra, UsageError

# an Arrow record batch, which has no types of its own
Batch: TypeAlias = Any
BatchFunction: TypeAlias = Callable[[Batch], Iterable[Batch]]
# names and types of columns: string, int64, float64
Schema: TypeAlias = Mapping[str, str]
Progress: TypeAlias = Callable[[int, int], None]

ENGINES = ("local", "spark")
SHARD_ROWS = 20_000
BATCH_ROWS = 1_000
PARTS = "part-*.parquet"


class Engine(Protocol):
    """Makes datasets from datasets."""

    @property
    def name(self) -> str:
        """The engine and the versions of what it is built on."""

    def map_batches(
        self,
        function: BatchFunction,
        inputs: Path,
        output: Path,
        schema: Schema,
        *,
        batch_rows: int = BATCH_ROWS,
        progress: Progress | None = None,
    ) -> None:
        """Map a function over the rows of a dataset.

        The function is one that a worker can import, or a ``functools.partial`` of one. It may
        not depend on where one batch ends and the next one begins. Shards that are in ``output``
        already are kept.
        """

    def sql(
        self,
        statement: str,
        tables: Mapping[str, Path],
        output: Path,
        *,
        shard_rows: int = SHARD_ROWS,
    ) -> None:
        """Write the rows of a statement over named datasets."""

    def close(self) -> None:
        """Give back what the engine holds."""


def open_engine(
    name: str, *, workers: int | None = None, memory: str | None = None, master: str | None = None
) -> Engine:
    """The engine of a name; ``master`` is the address of a cluster, for Spark only."""
    if name == "local":
        from patmark.engine.local import LocalEngine

        if master is not None:
            raise UsageError("--master is the address of a Spark cluster; it needs --engine spark")
        return LocalEngine(workers or os.cpu_count() or 1, memory)
    if name == "spark":
        from patmark.engine.spark import SparkEngine

        if workers is not None:
            raise UsageError("--workers is for --engine local; Spark has its own settings")
        return SparkEngine(master)
    raise UsageError(f"no engine {name!r}; choose from {', '.join(ENGINES)}")


def arrow(name: str = "pyarrow") -> Any:
    """A module of pyarrow."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra("pyarrow", "corpus") from None


def arrow_schema(schema: Schema) -> Any:
    """The same columns for Arrow."""
    pyarrow = arrow()
    return pyarrow.schema([
        (name, pyarrow.type_for_alias(kind)) for name, kind in schema.items()
    ])  # fmt: skip


def batch_of(rows: Sequence[Mapping[str, Any]], schema: Schema) -> Batch:
    """Rows as an Arrow record batch."""
    pyarrow = arrow()
    columns = [
        pyarrow.array([row[name] for row in rows], pyarrow.type_for_alias(kind))
        for name, kind in schema.items()
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=arrow_schema(schema))


def parts_of(dataset: Path) -> list[Path]:
    """The files of a dataset in the order of their rows."""
    parts = sorted(dataset.glob(PARTS))
    if not parts:
        raise InputError.at("is no dataset: there is no part-*.parquet in it", str(dataset))
    return parts


def iter_batches(
    dataset: Path, columns: Sequence[str] | None = None, rows: int = BATCH_ROWS
) -> Iterator[Batch]:
    """The rows of a dataset in batches; only one batch is held."""
    for part in parts_of(dataset):
        with open_parquet(part) as file:
            yield from file.iter_batches(rows, columns=columns)


def iter_rows(dataset: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a dataset one by one."""
    for batch in iter_batches(dataset, columns):
        yield from batch.to_pylist()


def count_rows(dataset: Path) -> int:
    """How many rows a dataset has; its files say so at their ends."""
    total = 0
    for part in parts_of(dataset):
        with open_parquet(part) as file:
            total += file.metadata.num_rows
    return total


def open_parquet(path: Path) -> Any:
    """A Parquet file to read from; a damaged one is an InputError."""
    pyarrow = arrow()
    try:
        return arrow("pyarrow.parquet").ParquetFile(path)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise InputError.at(f"cannot be read as Parquet: {error}", str(path)) from None


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


def write_rows(
    output: Path, rows: Iterable[Mapping[str, Any]], schema: Schema, shard_rows: int = SHARD_ROWS
) -> None:
    """Write rows as a dataset; one file at least, so that the columns are known."""
    output.mkdir(parents=True, exist_ok=True)
    waiting: list[Mapping[str, Any]] = []
    number = 0
    for row in rows:
        waiting.append(row)
        if len(waiting) == shard_rows:
            write_part(part_path(output, number), [batch_of(waiting, schema)], arrow_schema(schema))
            waiting, number = [], number + 1
    if waiting or not number:
        write_part(part_path(output, number), [batch_of(waiting, schema)], arrow_schema(schema))


def part_path(dataset: Path, number: int) -> Path:
    """The place of a file of a dataset."""
    return dataset / f"part-{number:06}.parquet"
