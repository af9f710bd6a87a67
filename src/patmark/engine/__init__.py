"""A function over Arrow batches and SQL over Parquet: on this machine, or on a Spark cluster."""

from patmark.engine.engine import Engine, open_engine

__all__ = ["Engine", "open_engine"]
