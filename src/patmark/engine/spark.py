"""The engine of a cluster: Spark, with the SQL and the functions of the local engine.

Workers read and write the datasets themselves, so the folder must be at the same place for all of
them, and patmark must be installed there. A function is mapped shard by shard, as on one machine:
a shard that is finished is kept, and the files are the same.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from patmark.catalogue import load_library
from patmark.engine.datasets import (
    BATCH_ROWS,
    SHARD_ROWS,
    Batch,
    Schema,
    iter_batches,
    open_parquet,
    parts_of,
)
from patmark.engine.engine import BatchFunction, Progress, ShardTask, Tables, shards_of
from patmark.errors import InputError, UsageError

_TYPES = {
    "int64": "BIGINT",
    "float64": "DOUBLE",
    "string": "STRING",
    "int32": "INT",
    "double": "DOUBLE",
    "date32[day]": "DATE",
    "list<element: string>": "ARRAY<STRING>",
}
_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
}


class SparkEngine:
    """Engine on a Spark cluster.

    ``master`` is its address; without it, Spark's own settings decide. A session that is already
    running is used, and stays.
    """

    def __init__(self, master: str | None = None) -> None:
        self._own, session = spark_session(master)
        self._started = session
        self._session = session.newSession()
        for name, value in _SETTINGS.items():
            self._session.conf.set(name, value)

    @property
    def name(self) -> str:
        """Spark and its version."""
        return f"spark-{self._session.version}"

    def close(self) -> None:
        """End the session, if it was begun here."""
        if self._own:
            self._started.stop()

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
        """Map a function over a dataset, each shard as a task of its own.

        Spark does again what a dead worker leaves; shards that are done already are kept.
        """
        shards = shards_of(inputs.resolve(), output.resolve())
        waiting = [shard for shard in shards if not shard.output.exists()]
        tell = progress or (lambda done, total: None)
        tell(len(shards) - len(waiting), len(shards))
        if waiting:
            task = ShardTask(function, schema, columns, batch_rows)
            work = self._session.sparkContext.parallelize(waiting, len(waiting)).map(task)
            problems = [problem for found in work.collect() for problem in found]
            if problems:
                raise InputError(problems)
        tell(len(shards), len(shards))

    def sql(
        self, statement: str, tables: Tables, output: Path, *, shard_rows: int = SHARD_ROWS
    ) -> None:
        """Write the rows of a statement; no file has more than ``shard_rows`` rows."""
        for name, table in tables.items():
            frame = self._read(table) if isinstance(table, Path) else self._session.sql(table)
            frame.createOrReplaceTempView(name)
        writer = self._session.sql(statement).write.mode("overwrite")
        writer = writer.option("maxRecordsPerFile", shard_rows)
        writer.parquet(output.resolve().as_uri(), compression="zstd")

    def query(self, statement: str, tables: Tables, scratch: Path) -> Iterator[Batch]:
        """Yield the rows of a statement, which the workers write down first."""
        try:
            self.sql(statement, tables, scratch)
            yield from iter_batches(scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _read(self, dataset: Path) -> Any:
        """Read a dataset with a given schema, which spares Spark a job to infer it."""
        with open_parquet(parts_of(dataset)[0]) as file:
            fields = {field.name: str(field.type) for field in file.schema_arrow}
        columns = ", ".join(f"`{name}` {_TYPES[kind]}" for name, kind in fields.items())
        return self._session.read.schema(columns).parquet(dataset.resolve().as_uri())


def spark_session(master: str | None) -> tuple[bool, Any]:
    """Return a session, and True if it was started here."""
    sql = load_library("pyspark.sql", "spark")
    running = sql.SparkSession.getActiveSession()
    if running is not None:
        current = running.sparkContext.master
        if master is not None and current != master:
            raise UsageError(f"a Spark session on {current} is running; it cannot use {master}")
        return False, running
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault(
            "SPARK_HOME", load_library("pyspark.find_spark_home", "spark")._find_spark_home()
        )  # local clusters start workers from there
    builder = sql.SparkSession.builder.appName("patmark")
    return True, (builder.master(master) if master else builder).getOrCreate()
