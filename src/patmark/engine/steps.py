"""Steps of a build: each runs once for the same inputs and settings.

A finished step is a folder ``NAME-KEY``. Its key is a hash of the step, its settings, the keys of
its inputs and the patmark version. The folder of an unfinished step ends in ``.partial``; its
shards are complete and are kept when the step is resumed. The engine is not part of the key, since
all engines give the same rows.

Small results, or those read once, need no step. A ``View`` is a statement that later steps use like
a dataset, and ``StepRunner.rows`` returns the rows of a statement.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from patmark._version import __version__
from patmark.data import atomic_writer, try_lock
from patmark.engine.datasets import (
    BATCH_ROWS,
    PARTS,
    SHARD_ROWS,
    Batch,
    Schema,
    arrow_schema,
    batch_of,
    count_rows,
    file_facts,
    iter_batches,
    iter_rows,
    write_part,
)
from patmark.engine.engine import BatchFunction, Engine
from patmark.engine.store_paths import (
    Place,
    StorePath,
    file_size,
    local_target,
    move_file,
    remove_tree,
    write_text,
)
from patmark.errors import InputError, UsageError

FINISHED = "_step.json"
LOCK_FILE = ".lock"
_PARTIAL = ".partial"
_SCRATCH = ".scratch"
_INPUT = "input"
_ITEMS = "items"
_KEY_LENGTH = 16

# adjacent lines of one file, and their number
LINE_SCHEMA = {"file": "int64", "lines": "int64", "text": "string"}
_ALL_ITEMS = "SELECT * FROM wanted ORDER BY item"
_NEW_ITEMS = """
SELECT w.* FROM wanted w LEFT JOIN listed l ON l.item = w.item WHERE l.item IS NULL ORDER BY w.item
"""
_UNWANTED_SHARDS = """
SELECT l.shard FROM listed l LEFT JOIN wanted w ON w.item = l.item
GROUP BY l.shard HAVING COUNT(w.item) = 0
"""

# the name of a step, finished shards, all shards
StepProgress: TypeAlias = Callable[[str, int, int], None]


@contextmanager
def locked(folder: Place, built: Place) -> Iterator[None]:
    """Lock a folder during the build; refuse if another process holds the lock.

    Object stores have no locks.
    """
    if isinstance(folder, StorePath):
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        file = (folder / LOCK_FILE).open("wb")
    except OSError as error:
        raise InputError.at(f"cannot be written: {error.strerror}", str(folder)) from None
    with file:
        if not try_lock(file):
            raise UsageError(
                f"{built} is being built by another process; wait for it, or name another folder"
            )
        yield


@dataclass(frozen=True, slots=True)
class Dataset:
    """The result of a step: the folder of its rows, and the key of its content."""

    path: Place
    key: str

    @property
    def rows(self) -> int:
        """Number of rows."""
        return count_rows(self.path)


@dataclass(frozen=True, slots=True)
class View:
    """A statement over named tables, evaluated on use."""

    statement: str
    tables: Mapping[str, Dataset | View]

    @property
    def key(self) -> str:
        """Key of the content, as for a dataset."""
        return _hash([self.statement, [[name, table.key] for name, table in self.tables.items()]])


Relation: TypeAlias = Dataset | View


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a step: CPU seconds of all processes, and bytes of disk."""

    seconds: float
    disk: int


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


@dataclass(slots=True)
class StepRunner:
    """Runner of steps in a folder, with an engine. ``redo`` are steps to repeat in any case."""

    folder: Place
    engine: Engine
    progress: StepProgress = lambda step, done, total: None
    redo: frozenset[str] = frozenset()
    done: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    costs: dict[str, Cost] = field(default_factory=dict)

    def map(
        self,
        name: str,
        function: BatchFunction,
        inputs: Relation,
        schema: Schema,
        settings: Mapping[str, Any] | None = None,
        *,
        columns: Sequence[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        shard_rows: int = SHARD_ROWS,
    ) -> Dataset:
        """Run a step that maps a function over the rows of a table.

        ``settings`` must contain everything that changes the result. The rows of a view are
        materialised during the step, in shards of ``shard_rows``.
        """

        def make(output: Place) -> None:
            place = (
                inputs.path
                if isinstance(inputs, Dataset)
                else self._written(inputs, output, shard_rows)
            )
            self.engine.map_batches(
                function,
                place,
                output,
                schema,
                columns=columns,
                batch_rows=batch_rows,
                progress=lambda done, total: self.progress(name, done, total),
            )
            remove_tree(output / _INPUT)

        return self.step(name, make, [inputs], settings)

    def _written(self, view: View, output: Place, shard_rows: int) -> Place:
        """Materialise the rows of a view in a folder, unless an interrupted run has."""
        place = output / _INPUT
        if not (place / FINISHED).exists():
            self.engine.sql(view.statement, _flat(view.tables), place, shard_rows=shard_rows)
            (place / FINISHED).touch()
        return place

    def gather(
        self,
        name: str,
        function: BatchFunction,
        items: Dataset,
        schema: Schema,
        *,
        item_schema: Schema,
        most: int,
    ) -> Dataset:
        """Run a function over items, each item once over all builds.

        ``item``, a column of both tables, identifies an item and its content. ``size`` is its size:
        one worker processes items up to the total size ``most`` together. Results of earlier builds
        are kept, so there may also be rows of unwanted items.
        """
        begun = cpu_seconds()
        key = _hash([name, __version__, dict(schema)])
        place = self.folder / f"{name}-{key}"
        for stale in self._of(name):
            if stale != place or name in self.redo:
                remove_tree(stale)
        listed = place / _ITEMS
        listed.mkdir(parents=True, exist_ok=True)
        for part in listed.glob(PARTS):
            if not (place / part.name).exists():
                part.unlink()
        added = self._list_items(items, item_schema, listed, most)
        self.engine.map_batches(
            function,
            listed,
            place,
            schema,
            batch_rows=1,
            progress=lambda done, total: self.progress(name, done, total),
        )
        (self.done if added else self.skipped).append(name)
        if added:
            self._note_cost(name, place, begun)
        return Dataset(place, key)

    def _note_cost(self, name: str, place: Place, begun: float) -> None:
        disk = sum(map(file_size, place.iterdir()))
        self.costs[name] = Cost(cpu_seconds() - begun, disk)

    def _list_items(self, items: Dataset, schema: Schema, listed: Place, most: int) -> int:
        """List missing wanted items, and drop shards without wanted items."""
        tables: dict[str, Relation] = {"wanted": items}
        statement, unwanted = _ALL_ITEMS, []
        if any(listed.glob(PARTS)):
            tables["listed"] = Dataset(listed, "")
            statement, unwanted = _NEW_ITEMS, list(self.rows(_UNWANTED_SHARDS, tables))
        columns = {**schema, "shard": "string"}
        fresh = []
        for rows in _cut(self.rows(statement, tables), most):
            shard = _hash([row["item"] for row in rows])
            fresh.append(f"part-{shard}.parquet")
            batch = batch_of([{**row, "shard": shard} for row in rows], columns)
            write_part(listed / f".{fresh[-1]}", [batch], arrow_schema(columns))
        for name in fresh:
            move_file(listed / f".{name}", name)
        for row in unwanted:
            (listed / f"part-{row['shard']}.parquet").unlink()
        return len(fresh)

    def sql(
        self,
        name: str,
        statement: str,
        tables: Mapping[str, Relation],
        *,
        shard_rows: int = SHARD_ROWS,
    ) -> Dataset:
        """Run a step that is a statement over named tables."""

        def make(output: Place) -> None:
            self.engine.sql(statement, _flat(tables), output, shard_rows=shard_rows)

        given = {"statement": statement, "tables": list(tables), "shard_rows": shard_rows}
        return self.step(name, make, list(tables.values()), given)

    def batches(self, statement: str, tables: Mapping[str, Relation]) -> Iterator[Batch]:
        """Return the rows of a statement in batches, without a step."""
        return self.engine.query(statement, _flat(tables), self.folder / _SCRATCH)

    def rows(self, statement: str, tables: Mapping[str, Relation]) -> Iterator[dict[str, Any]]:
        """Yield the rows of a statement one by one, at once and without a step."""
        for batch in self.batches(statement, tables):
            yield from batch.to_pylist()

    def export(
        self,
        statement: str,
        tables: Mapping[str, Relation],
        function: BatchFunction,
        paths: Sequence[Place],
        *,
        shard_rows: int = SHARD_ROWS,
    ) -> list[dict[str, Any]]:
        """Write the lines that a function makes of the rows of a statement, in their order.

        ``file``, a column of rows and lines, is the index of a path. Return the number of lines,
        bytes and hash of each.
        """
        scratch = self.folder / _SCRATCH
        remove_tree(scratch)
        counts = [0] * len(paths)
        rows, lines = scratch / "rows", scratch / "lines"
        self.engine.sql(statement, _flat(tables), rows, shard_rows=shard_rows)
        self.engine.map_batches(function, rows, lines, LINE_SCHEMA)
        with ExitStack() as uploads:
            targets = [uploads.enter_context(local_target(path)) for path in paths]
            with ExitStack() as writers:
                files = [writers.enter_context(atomic_writer(path)) for path in targets]
                for batch in iter_batches(lines):
                    for place, count, text in zip(*batch.to_pydict().values(), strict=True):
                        files[place].write(text)
                        counts[place] += count
            written = [
                {"rows": count, **file_facts(path)}
                for path, count in zip(targets, counts, strict=True)
            ]
        remove_tree(scratch)
        return written

    def divide(
        self,
        statement: str,
        tables: Mapping[str, Relation],
        output: Place,
        schema: Schema,
        *,
        order: str,
        group_rows: int,
    ) -> list[dict[str, Any]]:
        """Write one Parquet file for each value of the first column of a statement."""
        remove_tree(output)
        return self.engine.divide(
            statement, _flat(tables), output, schema, order=order, group_rows=group_rows
        )

    def map_files(
        self, function: BatchFunction, inputs: Dataset, schema: Schema
    ) -> list[dict[str, Any]]:
        """Map a function over each whole file of a dataset by workers; return its rows."""
        scratch = self.folder / _SCRATCH
        remove_tree(scratch)
        self.engine.map_batches(function, inputs.path, scratch, schema, whole=True)
        found = list(iter_rows(scratch))
        remove_tree(scratch)
        return found

    def step(
        self,
        name: str,
        make: Callable[[Place], None],
        inputs: Sequence[Relation] = (),
        settings: Mapping[str, Any] | None = None,
    ) -> Dataset:
        """Return the dataset of a step; run the step if necessary."""
        key = _hash([name, __version__, settings or {}, [each.key for each in inputs]])
        place = self.folder / f"{name}-{key}"
        if name in self.redo and name not in self.done:
            for there in self._of(name):
                remove_tree(there)
        if (place / FINISHED).exists():
            self.skipped.append(name)
            return Dataset(place, key)
        # folders of a store cannot be renamed, so a note marks a finished step
        is_stored = isinstance(place, StorePath)
        unfinished = place if is_stored else place.with_name(place.name + _PARTIAL)
        self.progress(name, 0, 0)
        begun = cpu_seconds()
        unfinished.mkdir(parents=True, exist_ok=True)
        make(unfinished)
        note = {"step": name, "key": key, "settings": settings or {}, "engine": self.engine.name}
        write_text(unfinished / FINISHED, json.dumps(note, ensure_ascii=False, indent=2))
        if not is_stored:
            os.replace(str(unfinished), str(place))
        for stale in self._of(name):
            if stale != place:
                remove_tree(stale)
        self.done.append(name)
        self._note_cost(name, place, begun)
        return Dataset(place, key)

    def _of(self, name: str) -> list[Place]:
        """Return all folders of a step, also of earlier settings."""
        return [
            place
            for place in self.folder.glob(f"{name}-*")
            if place.name.removesuffix(_PARTIAL).rpartition("-")[0] == name
        ]


def _flat(tables: Mapping[str, Relation]) -> dict[str, Place | str]:
    flat: dict[str, Place | str] = {}
    for name, table in tables.items():
        inner = _flat(table.tables) if isinstance(table, View) else {}
        own = table.path if isinstance(table, Dataset) else table.statement
        for each, content in [*inner.items(), (name, own)]:
            if flat.setdefault(each, content) != content:
                raise ValueError(f"two tables are called {each}")
    return flat


def _cut(items: Iterable[dict[str, Any]], most: int) -> Iterator[list[dict[str, Any]]]:
    shard: list[dict[str, Any]] = []
    size = 0
    for item in items:
        if shard and size + item["size"] > most:
            yield shard
            shard, size = [], 0
        shard.append(item)
        size += item["size"]
    if shard:
        yield shard


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:_KEY_LENGTH]
