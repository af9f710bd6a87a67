"""The Spark engine, with the SQL and the functions of the local engine.

Workers read and write the datasets themselves: in a folder at the same path for all, or in an
object store by pyarrow, so that Spark needs no connector. patmark must be installed there. A
function is mapped shard by shard, as on one machine. Finished shards are kept, and the files are
the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from patmark.catalogue import load_library
from patmark.engine.datasets import (
    BATCH_ROWS,
    SHARD_ROWS,
    WRITTEN_SCHEMA,
    Batch,
    FileWriter,
    Schema,
    arrow_schema,
    batch_of,
    iter_batches,
    open_parquet,
    part_path,
    parts_of,
    regrouped,
    write_divided,
    write_part,
)
from patmark.engine.engine import BatchFunction, Progress, ShardTask, Tables, shards_of
from patmark.engine.store_paths import Place, StorePath, place_name, remove_tree
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

    ``master`` is its address; without it, Spark's own settings decide. A running session is used,
    and stays.
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
        """End the session, if it was started here."""
        if self._own:
            self._started.stop()

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
        """Map a function over a dataset, each shard as a task.

        Spark repeats the tasks of dead workers; finished shards are kept.
        """
        shards = shards_of(inputs.resolve(), output.resolve())
        waiting = [shard for shard in shards if not shard.output.exists()]
        tell = progress or (lambda done, total: None)
        tell(len(shards) - len(waiting), len(shards))
        if waiting:
            task = ShardTask(function, schema, columns, batch_rows, whole)
            work = self._session.sparkContext.parallelize(waiting, len(waiting)).map(task)
            problems = [problem for found in work.collect() for problem in found]
            if problems:
                raise InputError(problems)
        tell(len(shards), len(shards))

    def sql(
        self, statement: str, tables: Tables, output: Place, *, shard_rows: int = SHARD_ROWS
    ) -> None:
        """Write the rows of a statement; no file has more than ``shard_rows`` rows."""
        rows = self._rows(statement, tables)
        if isinstance(output, StorePath):
            self._write_stored(rows, output, shard_rows)
            return
        writer = rows.write.mode("overwrite")
        writer = writer.option("maxRecordsPerFile", shard_rows)
        writer.parquet(output.resolve().as_uri(), compression="zstd")

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
        """Write one file for each value of the first column of a statement, each by a worker."""
        output.mkdir(parents=True, exist_ok=True)
        rows = self._rows(statement, tables)
        first = rows.columns[0]
        write = partial(
            write_divided, FileWriter(output.resolve(), arrow_schema(schema), group_rows)
        )
        columns = ", ".join(f"{name} {_TYPES[kind]}" for name, kind in WRITTEN_SCHEMA.items())
        ordered = rows.repartition(first).sortWithinPartitions(first, order)
        found = ordered.mapInArrow(write, columns).collect()
        return sorted((row.asDict() for row in found), key=lambda row: int(row["file"]))

    def _rows(self, statement: str, tables: Tables) -> Any:
        """Return the rows of a statement as a frame of Spark."""
        for name, table in tables.items():
            frame = self._session.sql(table) if isinstance(table, str) else self._read(table)
            frame.createOrReplaceTempView(name)
        return self._session.sql(statement)

    def query(self, statement: str, tables: Tables, scratch: Place) -> Iterator[Batch]:
        """Yield the rows of a statement, which the workers write to files first."""
        try:
            self.sql(statement, tables, scratch)
            yield from iter_batches(scratch)
        finally:
            remove_tree(scratch)

    def _read(self, dataset: Place) -> Any:
        """Read a dataset with a given schema, so that Spark need not infer it."""
        with open_parquet(parts_of(dataset)[0]) as file:
            fields = {field.name: str(field.type) for field in file.schema_arrow}
        columns = ", ".join(f"`{name}` {_TYPES[kind]}" for name, kind in fields.items())
        if isinstance(dataset, StorePath):
            urls = [(place_name(part),) for part in parts_of(dataset)]
            listed = self._session.createDataFrame(urls, "url STRING").repartition(len(urls))
            return listed.mapInArrow(read_stored, columns)
        return self._session.read.schema(columns).parquet(dataset.resolve().as_uri())

    def _write_stored(self, rows: Any, output: StorePath, shard_rows: int) -> None:
        """Write rows to an object store, each partition by its worker."""
        remove_tree(output)
        write = partial(write_stored, output, shard_rows)
        written = rows.mapInArrow(write, "rows BIGINT").agg({"rows": "sum"}).collect()
        if not written[0][0]:
            types = load_library("pyspark.sql.pandas.types", "spark")
            write_part(part_path(output, 0), [], types.to_arrow_schema(rows.schema))


def read_stored(urls: Iterable[Batch]) -> Iterator[Batch]:
    """Yield the rows of files of a store, in a worker."""
    for batch in urls:
        for url in batch.column(0).to_pylist():
            with open_parquet(StorePath.of(url)) as file:
                yield from file.iter_batches(BATCH_ROWS)


def write_stored(output: StorePath, shard_rows: int, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Write the rows of a partition as files named by its number, and count them."""
    context = load_library("pyspark", "spark").TaskContext.get()
    for number, shard in enumerate(regrouped(batches, shard_rows)):
        name = f"part-{context.partitionId():06}-{number:06}.parquet"
        write_part(output / name, [shard], shard.schema)
        yield batch_of([{"rows": shard.num_rows}], {"rows": "int64"})


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
