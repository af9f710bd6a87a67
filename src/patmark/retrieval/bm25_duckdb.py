"""Exact BM25 on DuckDB: the reference for tests and small collections."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from patmark.errors import MissingExtra
from patmark.retrieval.bm25_sql import QUERY_COLUMNS, ExactQuery
from patmark.retrieval.exact_tables import TABLES, arrow_module, table_folder


def duckdb_name() -> str:
    """The engine and its version, for signatures."""
    return f"duckdb-{_duckdb().__version__}"


def search_duckdb(folder: Path, query: ExactQuery) -> list[list[tuple[str, float]]]:
    """Ids and scores of the best documents of each topic."""
    database = _duckdb().connect()
    try:
        for name in TABLES:
            files = str(table_folder(folder, name) / "*.parquet").replace("'", "''")
            database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{files}')")
        for name, rows in query.tables().items():
            database.register(name, _arrow_table(name, rows))
        return query.found(database.execute(query.statement).fetchall())
    finally:
        database.close()


def _arrow_table(name: str, rows: list[Any]) -> Any:
    arrow = arrow_module("pyarrow")
    columns = QUERY_COLUMNS[name]
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return arrow.table({
        column: arrow.array(list(found), arrow.type_for_alias(form))
        for (column, form), found in zip(columns, values, strict=True)
    })  # fmt: skip


def _duckdb() -> Any:
    try:
        return import_module("duckdb")
    except ImportError:
        raise MissingExtra("duckdb", "retrieval") from None
