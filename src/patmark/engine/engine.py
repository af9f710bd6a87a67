"""Where the work is done: on this machine, or on a Spark cluster.

An engine knows two ways of making a dataset from datasets: a function that is mapped over batches
of rows, and a statement in SQL. Functions and statements are the same for every engine, and what
they give may depend neither on the number of workers nor on how rows are cut into shards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeAlias

from patmark.engine.datasets import (
    BATCH_ROWS,
    SHARD_ROWS,
    Batch,
    Schema,
    arrow_schema,
    open_parquet,
    parts_of,
    write_part,
)
from patmark.errors import InputError, Problem, UsageError

BatchFunction: TypeAlias = Callable[[Batch], Iterable[Batch]]
# named tables: the folder of a dataset, or a statement over tables that are named before it
Tables: TypeAlias = Mapping[str, Path | str]
Progress: TypeAlias = Callable[[int, int], None]

ENGINES = ("local", "spark")


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
        columns: Sequence[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        progress: Progress | None = None,
    ) -> None:
        """Map a function over the rows of a dataset, or over some of its columns.

        The function is one that a worker can import, or a ``functools.partial`` of one. It may
        not depend on where one batch ends and the next one begins. Shards that are in ``output``
        already are kept.
        """

    def sql(
        self, statement: str, tables: Tables, output: Path, *, shard_rows: int = SHARD_ROWS
    ) -> None:
        """Write the rows of a statement as a dataset."""

    def query(self, statement: str, tables: Tables, scratch: Path) -> Iterator[Batch]:
        """The rows of a statement, in its order; ``scratch`` is a folder that may be used for it.

        Only one query is under way at a time.
        """

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


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of rows, and the file that its results go to."""

    inputs: Path
    output: Path


def shards_of(inputs: Path, output: Path) -> list[Shard]:
    """A shard for each file of a dataset; results have the name of the file they come from."""
    return [Shard(part, output / part.name) for part in parts_of(inputs)]


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A function that a worker maps over the rows of a shard, whichever engine it works for."""

    function: BatchFunction
    schema: Schema
    columns: Sequence[str] | None
    batch_rows: int

    def __call__(self, shard: Shard) -> list[Problem]:
        """Do a shard. Problems of the data are given back, since errors lose them on their way."""
        try:
            with open_parquet(shard.inputs) as file:
                batches = file.iter_batches(self.batch_rows, columns=self.columns)
                found = chain.from_iterable(map(self.function, batches))
                write_part(shard.output, found, arrow_schema(self.schema))
        except InputError as error:
            return list(error.problems)
        return []
