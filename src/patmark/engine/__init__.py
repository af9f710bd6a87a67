"""A function over Arrow batches and SQL over Parquet: on this machine, or on a Spark cluster."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
