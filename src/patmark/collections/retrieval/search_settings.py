"""Settings of a search and their defaults: engine, depth, BM25 parameters, filters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from patmark.collections.retrieval.ipc import IpcLevel
from patmark.errors import UsageError

SearchEngine: TypeAlias = Literal["tantivy", "duckdb", "spark"]
ENGINES: tuple[SearchEngine, ...] = get_args(SearchEngine)
_LARGEST_K1 = 100  # larger ones change only the scale of scores, which must fit a BIGINT


@dataclass(frozen=True)
class Bm25:
    """Parameters of BM25: saturation of term frequencies, and weight of document length.

    The defaults are those of tantivy, which has no others.
    """

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if not (0 <= self.k1 <= _LARGEST_K1 and 0 <= self.b <= 1):
            raise UsageError(
                f"BM25 needs k1 from 0 to {_LARGEST_K1} and b from 0 to 1, "
                f"not k1={self.k1}, b={self.b}"
            )


@dataclass(frozen=True)
class Filters:
    """Restrictions of the documents that a topic may find. ``ipc`` of None is no restriction."""

    ipc: IpcLevel | None = None
    before_date: bool = True
    other_family: bool = True

    def __str__(self) -> str:
        return (
            f"ipc={self.ipc or 'off'},date={'before' if self.before_date else 'off'},"
            f"family={'exclude-own' if self.other_family else 'off'}"
        )


@dataclass(frozen=True)
class SearchSettings:
    """Engine, depth and filters of a search. tantivy takes only the default BM25 parameters."""

    filters: Filters = field(default_factory=Filters)
    k: int = 1000
    engine: SearchEngine = "tantivy"
    bm25: Bm25 = field(default_factory=Bm25)
    spark_master: str | None = None

    def __post_init__(self) -> None:
        if self.k < 1:
            raise UsageError(f"a search needs k ≥ 1, not {self.k}")
        if self.engine not in ENGINES:
            known = ", ".join(ENGINES)
            raise UsageError(f"the engine {self.engine!r} is unknown; choose from {known}")
        usual = Bm25()
        if self.engine == "tantivy" and self.bm25 != usual:
            raise UsageError(
                f"tantivy has k1={usual.k1} and b={usual.b} fixed; use the engine duckdb or spark"
            )
        if self.spark_master is not None and self.engine != "spark":
            raise UsageError(f"a Spark master makes no sense with the engine {self.engine}")
