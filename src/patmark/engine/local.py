"""The engine of one machine: DuckDB for SQL, a pool of processes for Python."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import threading
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from multiprocessing.connection import wait as wait_for_end
from pathlib import Path
from typing import Any

from patmark.engine.datasets import (
    BATCH_ROWS,
    PARTS,
    SHARD_ROWS,
    BatchFunction,
    Progress,
    Schema,
    arrow_schema,
    open_parquet,
    part_path,
    parts_of,
    write_part,
)
from patmark.errors import InputError, MissingExtra, PatmarkError, Problem

_ATTEMPTS = 3


class LocalEngine:
    """Works on this machine.

    ``memory`` is what DuckDB may use (``4GB``; by default most of the machine); beyond it, it
    writes to disk, beside the first dataset that it makes.
    """

    def __init__(self, workers: int = 1, memory: str | None = None) -> None:
        self.workers = workers
        self.memory = memory
        self._database: Any = None
        self._spilled: Path | None = None

    @property
    def name(self) -> str:
        """DuckDB and its version."""
        return f"duckdb-{_duckdb().__version__}"

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
        inputs: Path,
        output: Path,
        schema: Schema,
        *,
        batch_rows: int = BATCH_ROWS,
        progress: Progress | None = None,
    ) -> None:
        """Map a function over a dataset, shard by shard, each by one process.

        A shard whose worker died is done again by another one, alone. A dataset of one shard, and
        all of them with one worker, are done by this process.
        """
        output.mkdir(parents=True, exist_ok=True)
        shards = [_Shard(part, output / part.name) for part in parts_of(inputs)]
        waiting = [shard for shard in shards if not shard.output.exists()]
        done = len(shards) - len(waiting)
        task = _Task(function, schema, batch_rows)
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
        self,
        statement: str,
        tables: Mapping[str, Path],
        output: Path,
        *,
        shard_rows: int = SHARD_ROWS,
    ) -> None:
        """Write the rows of a statement, in its order, as files of ``shard_rows`` rows."""
        output.mkdir(parents=True, exist_ok=True)
        database = self._opened(output)
        for name, dataset in tables.items():
            parts_of(dataset)
            files = _quoted(dataset / PARTS)
            database.execute(
                f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM read_parquet({files})"
            )
        reader = _reader(database.sql(statement), min(shard_rows, BATCH_ROWS))
        _write_shards(reader, output, shard_rows)

    def _opened(self, output: Path) -> Any:
        """The database, which is opened when it is needed first."""
        if self._database is None:
            self._spilled = output.parent / f".spilled-{os.getpid()}"
            settings = {"temp_directory": str(self._spilled), "threads": self.workers}
            if self.memory:
                settings["memory_limit"] = self.memory
            self._database = _duckdb().connect(config=settings)
        return self._database


@dataclass(frozen=True, slots=True)
class _Shard:
    """A file of rows, and the file that its results go to."""

    inputs: Path
    output: Path


@dataclass(frozen=True, slots=True)
class _Task:
    """A function to be mapped over the rows of a shard."""

    function: BatchFunction
    schema: Schema
    batch_rows: int

    def __call__(self, shard: _Shard) -> list[Problem]:
        """Do a shard. Problems of the data are given back, since errors lose them on their way."""
        try:
            with open_parquet(shard.inputs) as file:
                batches = file.iter_batches(self.batch_rows)
                found = chain.from_iterable(map(self.function, batches))
                write_part(shard.output, found, arrow_schema(self.schema))
        except InputError as error:
            return list(error.problems)
        return []


def _in_pool(
    task: _Task, shards: list[_Shard], workers: int
) -> Generator[list[Problem], None, None]:
    """Do shards with several processes.

    When a process dies, nobody can tell which of the shards under way was to blame. So these are
    done again one by one, and then the others go on together.
    """
    waiting = shards[::-1]
    while waiting:
        suspects = yield from _do_together(task, waiting, workers)
        for suspect in suspects:
            yield _do_alone(task, suspect)


def _do_together(
    task: _Task, waiting: list[_Shard], workers: int
) -> Generator[list[Problem], None, list[_Shard]]:
    """Take shards from the end of a list until it is empty or a process dies.

    Gives back the shards that were under way then.
    """
    running: dict[Future[list[Problem]], _Shard] = {}
    with _pool(workers) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    running[pool.submit(task, waiting[-1])] = waiting[-1]
                    waiting.pop()  # only now: a broken pool takes no shard
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    problems = future.result()
                    del running[future]
                    yield problems
        except BrokenProcessPool:
            pass
    return list(running.values())


def _do_alone(task: _Task, shard: _Shard) -> list[Problem]:
    """Do a shard while no other one is under way; PatmarkError if that ends every process."""
    for _ in range(_ATTEMPTS):
        with _pool(1) as pool:
            try:
                return pool.submit(task, shard).result()
            except BrokenProcessPool:
                continue
    raise PatmarkError(
        f"{shard.inputs}: the process that worked on it alone was ended {_ATTEMPTS} times, perhaps "
        "for want of memory; what is done is kept"
    )


def _pool(workers: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End this worker when its parent is gone, also when that was killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(sentinel: int) -> None:
        wait_for_end([sentinel])
        os._exit(1)

    threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()


def _write_shards(reader: Any, output: Path, shard_rows: int) -> None:
    """Cut a stream of batches into files; the last file may be shorter, the first one is there."""
    for stale in output.glob(PARTS):
        stale.unlink()
    number = 0
    batches = _cut(reader, shard_rows)
    while True:
        shard = _take(batches, shard_rows)
        first = next(shard, None)
        if first is None and number:
            return
        written = chain([first] if first is not None else [], shard)
        write_part(part_path(output, number), written, reader.schema)
        number += 1
        if first is None:
            return


def _cut(reader: Any, shard_rows: int) -> Iterator[Any]:
    """Batches that never cross the border between two shards."""
    filled = 0
    for batch in reader:
        while batch.num_rows:
            piece = batch.slice(0, shard_rows - filled)
            batch = batch.slice(piece.num_rows)
            filled = (filled + piece.num_rows) % shard_rows
            yield piece


def _take(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """The batches of the next shard."""
    while rows and (batch := next(batches, None)) is not None:
        rows -= batch.num_rows
        yield batch


def _reader(result: Any, rows: int) -> Any:
    """A stream of record batches; DuckDB 1 has another name for it."""
    open_reader = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch
    return open_reader(rows)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _duckdb() -> Any:
    try:
        return import_module("duckdb")
    except ImportError:
        raise MissingExtra("duckdb", "corpus") from None
