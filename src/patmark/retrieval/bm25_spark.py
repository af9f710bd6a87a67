"""Exact BM25 on Spark: all topics over a collection on a cluster, with the SQL of DuckDB.

The workers read the tables of the index, so its folder must be at the same place for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from patmark.errors import MissingExtra, UsageError
from patmark.retrieval.bm25_sql import QUERY_COLUMNS, ExactQuery
from patmark.retrieval.exact_tables import TABLES, table_folder

_SPARK_TYPES = {"int64": "BIGINT", "float64": "DOUBLE", "string": "STRING", "date32": "DATE"}


def spark_name() -> str:
    """The engine and its version, for signatures."""
    return f"spark-{_pyspark('pyspark').__version__}"


def search_spark(
    folder: Path, query: ExactQuery, master: str | None = None
) -> list[list[tuple[str, float]]]:
    """Ids and scores of the best documents of each topic.

    ``master`` is the address of the cluster; without it, Spark's own settings decide. A session
    that is already running is used, and stays.
    """
    with _session(master) as session:
        own = session.newSession()
        for name in TABLES:
            files = table_folder(folder, name).resolve().as_uri()
            own.read.parquet(files).createOrReplaceTempView(name)
        for name, rows in query.tables().items():
            columns = ", ".join(
                f"{column} {_SPARK_TYPES[form]}" for column, form in QUERY_COLUMNS[name]
            )
            own.createDataFrame(rows, columns).createOrReplaceTempView(name)
        return query.found([tuple(row) for row in own.sql(query.statement).collect()])


@contextmanager
def _session(master: str | None) -> Iterator[Any]:
    sql = _pyspark("pyspark.sql")
    running = sql.SparkSession.getActiveSession()
    if running is not None:
        current = running.sparkContext.master
        if master is not None and current != master:
            raise UsageError(f"a Spark session on {current} is running; it cannot use {master}")
        yield running
        return
    builder = sql.SparkSession.builder.appName("patmark")
    session = (builder.master(master) if master else builder).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _pyspark(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra("pyspark", "spark") from None
