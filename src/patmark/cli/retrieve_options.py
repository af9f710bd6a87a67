"""Options that several commands of patmark retrieve share, and what they are checked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

if TYPE_CHECKING:
    from patmark.retrieval import SearchSettings

Index: TypeAlias = Annotated[str, typer.Argument(metavar="DIR", help="The folder of the index.")]
Ipc: TypeAlias = Annotated[
    str,
    typer.Option(help="Only documents that share a section, class, subclass or group; or off."),
]
Date: TypeAlias = Annotated[
    bool,
    typer.Option("--date/--no-date", help="Only documents published before the date of the topic."),
]
OwnFamily: TypeAlias = Annotated[
    bool, typer.Option("--keep-own-family", help="Do not leave out the family of the topic.")
]
K: TypeAlias = Annotated[int, typer.Option(help="How many documents for each topic.")]
Engine: TypeAlias = Annotated[
    str, typer.Option(help="tantivy; or duckdb, spark: exact BM25, for an index made with --exact.")
]
K1: TypeAlias = Annotated[float, typer.Option("--k1", help="BM25: saturation (exact engines).")]
B: TypeAlias = Annotated[float, typer.Option("--b", help="BM25: weight of length (exact engines).")]
Master: TypeAlias = Annotated[
    str | None, typer.Option(help="spark: address of the cluster (default: Spark's settings).")
]


def search_settings(
    ipc: str, date: bool, keep_own_family: bool, k: int, engine: str,
    bm25: tuple[float, float], master: str | None,
) -> SearchSettings:  # fmt: skip
    """How to search, from the options above."""
    from patmark.retrieval import Bm25, Filters, SearchSettings, ipc_level

    filters = Filters(ipc_level(ipc), date, not keep_own_family)
    return SearchSettings(filters, k, cast("Any", engine), Bm25(*bm25), master)


def check_measures(measures: str | None) -> None:
    """Refuse unknown names before any file is read."""
    from patmark.measures import parse_ranking_measures

    if measures is not None:
        parse_ranking_measures(measures)
