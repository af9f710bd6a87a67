"""Steps of a build: each one is done once for the same inputs and settings.

A finished step is a folder ``NAME-KEY`` whose key is a hash of the step, its settings, the keys of
its inputs and the version of patmark. While a step is under way its folder ends in ``.partial``;
the shards in it are complete, and are kept when the work is taken up again. The engine is not part
of the key, since all engines give the same rows.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from patmark._version import __version__
from patmark.data.files import write_atomically
from patmark.engine.datasets import (
    BATCH_ROWS,
    SHARD_ROWS,
    BatchFunction,
    Engine,
    Schema,
    count_rows,
)
from patmark.errors import UsageError

FINISHED = "_step.json"
_PARTIAL = ".partial"
_LOCK = ".lock"
_KEY_LENGTH = 16

# the name of a step, shards that are done, all shards
StepProgress: TypeAlias = Callable[[str, int, int], None]


@contextmanager
def sole_use(folder: Path) -> Iterator[None]:
    """Hold a folder of steps; a second build there is refused as long as the first one runs.

    The lock ends with the process, however that ends. Systems without such locks have to trust
    the user.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"{folder.parent} is being built by another process; wait for it, or name another "
                "folder"
            ) from None
        yield


@dataclass(frozen=True, slots=True)
class Dataset:
    """The result of a step: where its rows are, and the key that stands for its content."""

    path: Path
    key: str

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return count_rows(self.path)


@dataclass(slots=True)
class Workshop:
    """Does steps in a folder, with an engine. ``redo`` are steps to do again in any case."""

    folder: Path
    engine: Engine
    progress: StepProgress = lambda step, done, total: None
    redo: frozenset[str] = frozenset()
    done: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def map(
        self,
        name: str,
        function: BatchFunction,
        inputs: Dataset,
        schema: Schema,
        settings: Mapping[str, Any] | None = None,
        *,
        batch_rows: int = BATCH_ROWS,
    ) -> Dataset:
        """A step that maps a function over a dataset; ``settings`` are all that changes it."""

        def make(output: Path) -> None:
            self.engine.map_batches(
                function, inputs.path, output, schema, batch_rows=batch_rows,
                progress=lambda done, total: self.progress(name, done, total),
            )  # fmt: skip

        return self.step(name, make, [inputs], settings)

    def sql(
        self,
        name: str,
        statement: str,
        tables: Mapping[str, Dataset],
        *,
        shard_rows: int = SHARD_ROWS,
    ) -> Dataset:
        """A step that is a statement over named datasets."""

        def make(output: Path) -> None:
            paths = {table: dataset.path for table, dataset in tables.items()}
            self.engine.sql(statement, paths, output, shard_rows=shard_rows)

        given = {"statement": statement, "tables": list(tables), "shard_rows": shard_rows}
        return self.step(name, make, list(tables.values()), given)

    def step(
        self,
        name: str,
        make: Callable[[Path], None],
        inputs: Sequence[Dataset] = (),
        settings: Mapping[str, Any] | None = None,
    ) -> Dataset:
        """The dataset of a step, made now unless it is there."""
        key = _key(name, settings or {}, [each.key for each in inputs])
        place = self.folder / f"{name}-{key}"
        if name in self.redo and name not in self.done:
            for there in self._of(name):
                shutil.rmtree(there)
        if (place / FINISHED).exists():
            self.skipped.append(name)
            return Dataset(place, key)
        unfinished = place.with_name(place.name + _PARTIAL)
        self.progress(name, 0, 0)
        unfinished.mkdir(parents=True, exist_ok=True)
        make(unfinished)
        note = {"step": name, "key": key, "settings": settings or {}, "engine": self.engine.name}
        write_atomically(unfinished / FINISHED, json.dumps(note, ensure_ascii=False, indent=2))
        os.replace(unfinished, place)
        for stale in self._of(name):
            if stale != place:
                shutil.rmtree(stale)
        self.done.append(name)
        return Dataset(place, key)

    def _of(self, name: str) -> list[Path]:
        """All folders of a step, of earlier settings too."""
        return [
            place
            for place in self.folder.glob(f"{name}-*")
            if place.name.removesuffix(_PARTIAL).rpartition("-")[0] == name
        ]


def _key(name: str, settings: Mapping[str, Any], inputs: Sequence[str]) -> str:
    content = json.dumps([name, __version__, settings, list(inputs)], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:_KEY_LENGTH]
