"""The engine of a cluster: Spark, with the SQL and the functions of the local engine.

Workers read and write the datasets themselves, so the folder must be at the same place for all of
them, and patmark must be installed there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from patmark.engine.datasets import (
    BATCH_ROWS,
    SHARD_ROWS,
    Batch,
    BatchFunction,
    Progress,
    Schema,
    open_parquet,
    parts_of,
)
from patmark.errors import MissingExtra, UsageError

_TYPES = {
    "int64": "BIGINT", "float64": "DOUBLE", "string": "STRING",
    "int32": "INT", "double": "DOUBLE",
}  # fmt: skip
_PARTITION_BYTES = 1 << 27
_SETTINGS = {
    "spark.sql.files.maxPartitionBytes": str(_PARTITION_BYTES),
    # a file costs as much as a whole partition: each shard is a task of its own
    "spark.sql.files.openCostInBytes": str(_PARTITION_BYTES),
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
}


class SparkEngine:
    """Works on a Spark cluster.

    ``master`` is its address; without it, Spark's own settings decide. A session that is already
    running is used, and stays.
    """

    def __init__(self, master: str | None = None) -> None:
        self._own, session = _session(master)
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
        batch_rows: int = BATCH_ROWS,
        progress: Progress | None = None,
    ) -> None:
        """Map a function over a dataset; Spark does again what a dead worker leaves."""
        self._session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch_rows))
        found = self._read(inputs).mapInArrow(_over_all(function), _columns(schema))
        total = len(parts_of(inputs))
        if progress:
            progress(0, total)
        found.write.mode("overwrite").parquet(output.resolve().as_uri(), compression="zstd")
        if progress:
            progress(total, total)

    def sql(
        self,
        statement: str,
        tables: Mapping[str, Path],
        output: Path,
        *,
        shard_rows: int = SHARD_ROWS,
    ) -> None:
        """Write the rows of a statement; no file has more than ``shard_rows`` rows."""
        for name, dataset in tables.items():
            self._read(dataset).createOrReplaceTempView(name)
        writer = self._session.sql(statement).write.mode("overwrite")
        writer = writer.option("maxRecordsPerFile", shard_rows)
        writer.parquet(output.resolve().as_uri(), compression="zstd")

    def _read(self, dataset: Path) -> Any:
        """A dataset; its columns are told to Spark, which would start a job to find them out."""
        with open_parquet(parts_of(dataset)[0]) as file:
            columns = _columns({field.name: str(field.type) for field in file.schema_arrow})
        return self._session.read.schema(columns).parquet(dataset.resolve().as_uri())


def _columns(schema: Schema) -> str:
    """Names and types of columns as Spark writes them."""
    return ", ".join(f"`{name}` {_TYPES[kind]}" for name, kind in schema.items())


def _over_all(function: BatchFunction) -> Callable[[Iterator[Batch]], Iterator[Batch]]:
    """What Spark maps: all batches of a task, one after the other."""

    def run(batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            yield from function(batch)

    return run


def _session(master: str | None) -> tuple[bool, Any]:
    """Whether the session was begun here, and the session."""
    sql = _pyspark("pyspark.sql")
    running = sql.SparkSession.getActiveSession()
    if running is not None:
        current = running.sparkContext.master
        if master is not None and current != master:
            raise UsageError(f"a Spark session on {current} is running; it cannot use {master}")
        return False, running
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault(
            "SPARK_HOME", _pyspark("pyspark.find_spark_home")._find_spark_home()
        )  # local clusters start workers from there
    builder = sql.SparkSession.builder.appName("patmark")
    return True, (builder.master(master) if master else builder).getOrCreate()


def _pyspark(name: str) -> Any:
    for library in ("pandas", "pyspark"):  # Spark maps Arrow batches only where pandas is
        try:
            import_module(library)
        except ImportError:
            raise MissingExtra(library, "spark") from None
    return import_module(name)
