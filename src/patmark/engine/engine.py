"""Engines: this machine, or a Spark cluster.

An engine makes a dataset from datasets in two ways: a function that is mapped over batches of rows,
and an SQL statement. Functions and statements are the same for every engine. Results must not
depend on the number of workers or the division into shards.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from multiprocessing.connection import wait as wait_for_end
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Protocol, TypeAlias

from patmark.catalogue import load_library
from patmark.engine.datasets import (
    BATCH_ROWS,
    PARTS,
    SHARD_ROWS,
    Batch,
    FileWriter,
    Schema,
    arrow_schema,
    by_file,
    open_parquet,
    parts_of,
    write_part,
    write_shards,
)
from patmark.engine.store_paths import Place, StorePath
from patmark.errors import InputError, PatmarkError, Problem, UsageError
from patmark.wording import setting

# from a batch, or an iterator over those of a shard, to batches
BatchFunction: TypeAlias = Callable[[Any], Iterable[Batch]]
# named tables: the folder of a dataset, or a statement over preceding tables
Tables: TypeAlias = Mapping[str, Place | str]
Progress: TypeAlias = Callable[[int, int], None]

ENGINES = ("local", "spark")


class Engine(Protocol):
    """Engine that makes datasets from datasets."""

    @property
    def name(self) -> str:
        """The engine and the versions of its libraries."""

    def map_batches(
        self,
        function: BatchFunction,
        inputs: Place,
        output: Place,
        schema: Schema,
        *,
        columns: Sequence[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        whole: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Map a function over the rows of a dataset, or over some of its columns.

        The function must be importable by a worker, or a ``functools.partial`` of such a one. It
        must not depend on batch boundaries. With ``whole``, it takes an iterator over the batches
        of a shard. Existing shards of ``output`` are kept.
        """

    def sql(
        self, statement: str, tables: Tables, output: Place, *, shard_rows: int = SHARD_ROWS
    ) -> None:
        """Write the rows of a statement as a dataset."""

    def divide(
        self,
        statement: str,
        tables: Tables,
        output: Place,
        schema: Schema,
        *,
        order: str,
        group_rows: int,
    ) -> list[dict[str, Any]]:
        """Write the rows of a statement as one file for each value of its first column.

        All engines write the same files: rows are in the order of a column. Return the number,
        rows, bytes and hash of each file.
        """

    def query(self, statement: str, tables: Tables, scratch: Place) -> Iterator[Batch]:
        """Return the rows of a statement in its order; ``scratch`` is for temporary files.

        Only one query runs at a time.
        """

    def close(self) -> None:
        """Release the resources of the engine."""


def open_engine(
    name: str, *, workers: int | None = None, memory: str | None = None, master: str | None = None
) -> Engine:
    """Open the engine of a name; ``master`` is the address of a Spark cluster."""
    if name == "local":
        if master is not None:
            raise UsageError(
                f"{setting('master')} is the address of a Spark cluster; it needs "
                f"{setting('engine', 'spark')}"
            )
        return LocalEngine(workers or os.cpu_count() or 1, memory)
    if name == "spark":
        from patmark.engine.spark import SparkEngine

        if workers is not None:
            raise UsageError(
                f"{setting('workers')} is for {setting('engine', 'local')}; Spark has its own "
                "settings"
            )
        return SparkEngine(master)
    raise UsageError(f"no engine {name!r}; choose from {', '.join(ENGINES)}")


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of rows, and the file of its results."""

    inputs: Place
    output: Place


def shards_of(inputs: Place, output: Place) -> list[Shard]:
    """Return a shard for each file of a dataset; results keep the names of the files.

    Other results in ``output`` are deleted.
    """
    output.mkdir(parents=True, exist_ok=True)
    shards = [Shard(part, output / part.name) for part in parts_of(inputs)]
    for foreign in {*output.glob(PARTS)} - {shard.output for shard in shards}:
        foreign.unlink()
    return shards


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A function that a worker of any engine maps over the rows of a shard."""

    function: BatchFunction
    schema: Schema
    columns: Sequence[str] | None
    batch_rows: int
    whole: bool = False

    def __call__(self, shard: Shard) -> list[Problem]:
        """Process a shard. Problems of the data are returned, since exceptions would lose them."""
        try:
            with open_parquet(shard.inputs) as file:
                batches = file.iter_batches(self.batch_rows, columns=self.columns)
                found = (
                    self.function(batches)
                    if self.whole
                    else chain.from_iterable(map(self.function, batches))
                )
                write_part(shard.output, found, arrow_schema(self.schema))
        except InputError as error:
            return list(error.problems)
        return []


_SPAWN = multiprocessing.get_context("spawn")
_ATTEMPTS = 3
_NOT_STARTED = (
    "the worker processes ended while they started. Each of them imports the script that is "
    'running, so a script must do its work below `if __name__ == "__main__":`; one worker needs no '
    "processes"
)
# functions of Spark with another name in DuckDB
_FUNCTIONS = (
    "CREATE MACRO arrays_overlap(one, other) AS list_has_any(one, other)",
    "CREATE MACRO array_join(list, mark) AS array_to_string(list, mark)",
    "CREATE MACRO sha2(text, bits) AS sha256(text)",
)


class LocalEngine:
    """Engine on this machine.

    ``memory`` is the limit of DuckDB (``4GB``; by default most of the machine). Beyond it, DuckDB
    spills to disk, beside its first dataset.
    """

    def __init__(self, workers: int = 1, memory: str | None = None) -> None:
        self.workers = workers
        self.memory = memory
        self._database: Any = None
        self._spilled: Path | None = None

    @property
    def name(self) -> str:
        """DuckDB and its version."""
        return f"duckdb-{load_library('duckdb', 'corpus').__version__}"

    @property
    def worker_memory(self) -> int:
        """The peak memory of a worker in bytes; this process does small work itself."""
        import resource

        who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return max(resource.getrusage(each).ru_maxrss for each in who) * 1024

    def close(self) -> None:
        """Close the database."""
        if self._database is not None:
            self._database.close()
            self._database = None
        if self._spilled is not None:
            shutil.rmtree(self._spilled, ignore_errors=True)

    def map_batches(
        self,
        function: BatchFunction,
        inputs: Place,
        output: Place,
        schema: Schema,
        *,
        columns: Sequence[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        whole: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Map a function over a dataset, shard by shard, each in one process.

        A shard whose worker died is repeated by another one, alone. A single shard, and all shards
        with one worker, are processed here.
        """
        shards = shards_of(inputs, output)
        waiting = [shard for shard in shards if not shard.output.exists()]
        done = len(shards) - len(waiting)
        task = ShardTask(function, schema, columns, batch_rows, whole)
        finished = (
            (task(shard) for shard in waiting)
            if self.workers == 1 or len(shards) == 1
            else _in_pool(task, waiting, min(self.workers, len(waiting)))
        )
        tell = progress or (lambda done, total: None)
        tell(done, len(shards))
        with closing(finished):  # an error must not leave processes behind
            for problems in finished:
                if problems:
                    raise InputError(problems)
                done += 1
                tell(done, len(shards))

    def sql(
        self, statement: str, tables: Tables, output: Place, *, shard_rows: int = SHARD_ROWS
    ) -> None:
        """Write the rows of a statement, in its order, as files of ``shard_rows`` rows."""
        for stale in output.glob(PARTS):
            stale.unlink()
        with closing(self._connection(tables, output.parent)) as connection:
            reader = _reader(connection, statement)
            write_shards(output, reader, reader.schema, shard_rows)

    def divide(
        self,
        statement: str,
        tables: Tables,
        output: Place,
        schema: Schema,
        *,
        order: str,
        group_rows: int,
    ) -> list[dict[str, Any]]:
        """Write one file for each value of the first column of a statement.

        Threads write the files, since Arrow packs and writes without Python's lock.
        """
        output.mkdir(parents=True, exist_ok=True)
        write = FileWriter(output, arrow_schema(schema), group_rows)
        written: list[dict[str, Any]] = []
        with (
            closing(self._connection(tables, output.parent)) as connection,
            ThreadPoolExecutor(self.workers) as pool,
        ):
            running: deque[Future[dict[str, Any]]] = deque()
            reader = _reader(connection, f"SELECT * FROM ({statement}) t ORDER BY {order}")
            for number, rows in by_file(reader):
                running.append(pool.submit(write, number, list(rows)))
                if len(running) == self.workers:  # each holds the rows of a file
                    written.append(running.popleft().result())
            return [*written, *(each.result() for each in running)]

    def query(self, statement: str, tables: Tables, scratch: Place) -> Iterator[Batch]:
        """Yield the rows of a statement in its order; ``scratch`` is for temporary files."""
        with closing(self._connection(tables, scratch.parent)) as connection:
            yield from _reader(connection, statement)

    def _connection(self, tables: Tables, folder: Place) -> Any:
        if self._database is None:
            beside = Path(gettempdir()) if isinstance(folder, StorePath) else folder
            self._spilled = beside / f".spilled-{os.getpid()}"
            settings = {"temp_directory": str(self._spilled), "threads": self.workers}
            if self.memory:
                settings["memory_limit"] = self.memory
            self._database = load_library("duckdb", "corpus").connect(config=settings)
            for function in _FUNCTIONS:
                self._database.execute(function)
        connection = self._database.cursor()
        for name, table in tables.items():
            if isinstance(table, StorePath):
                connection.register(name, _stored_dataset(table))
                continue
            if isinstance(table, Path):
                parts = parts_of(table)
                place = table if parts == [table] else table / PARTS
                files = "'" + str(place).replace("'", "''") + "'"
                table = f"SELECT * FROM read_parquet({files})"
            connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {table}")
        return connection


def _stored_dataset(dataset: StorePath) -> Any:
    """Return a dataset of an object store, of which DuckDB reads only the required parts."""
    files = [part.inside for part in parts_of(dataset) if isinstance(part, StorePath)]
    return load_library("pyarrow.dataset", "corpus").dataset(
        files, filesystem=dataset.store, format="parquet"
    )


def _in_pool(
    task: ShardTask, shards: list[Shard], workers: int
) -> Generator[list[Problem], None, None]:
    """Process shards in several processes.

    If a process dies, it is unknown which of the active shards caused it. These are repeated one by
    one, and then the others continue together.
    """
    waiting = shards[::-1]
    while waiting:
        suspects = yield from _do_together(task, waiting, workers)
        for suspect in suspects:
            yield _do_alone(task, suspect)


def _do_together(
    task: ShardTask, waiting: list[Shard], workers: int
) -> Generator[list[Problem], None, list[Shard]]:
    """Take shards from the end of a list until it is empty or a process dies.

    Return the shards that were active then.
    """
    running: dict[Future[list[Problem]], Shard] = {}
    started = _SPAWN.RawValue("b", False)
    with _pool(workers, started) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    running[pool.submit(task, waiting[-1])] = waiting[-1]
                    waiting.pop()  # only now, because a broken pool takes no shard
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    problems = future.result()
                    del running[future]
                    yield problems
        except BrokenProcessPool:
            if not started.value:
                raise UsageError(_NOT_STARTED) from None
    return list(running.values())


def _do_alone(task: ShardTask, shard: Shard) -> list[Problem]:
    """Process a shard alone; raise PatmarkError if that kills every process."""
    for _ in range(_ATTEMPTS):
        with _pool(1, _SPAWN.RawValue("b", False)) as pool:
            try:
                return pool.submit(task, shard).result()
            except BrokenProcessPool:
                continue
    raise PatmarkError(
        f"{shard.inputs}: the process that worked on it alone was ended {_ATTEMPTS} times, perhaps "
        "for lack of memory; finished work is kept"
    )


def _pool(workers: int, started: Any) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, _SPAWN, initializer=_start_worker, initargs=(started,))


def _start_worker(started: Any) -> None:
    """Report that a worker runs, and end it when its parent is gone, even if killed."""
    started.value = True
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(sentinel: int) -> None:
        wait_for_end([sentinel])
        os._exit(1)

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()


def _reader(connection: Any, statement: str) -> Any:
    """Return a stream of record batches; DuckDB 1 has another name for it."""
    result = connection.sql(statement)
    open_reader = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch
    return open_reader(BATCH_ROWS)
