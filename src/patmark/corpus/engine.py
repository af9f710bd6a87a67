"""The old place of :mod:`patmark.engine`, for code that was written for version 0.1."""

from __future__ import annotations

import warnings

from patmark.engine.engine import Engine, open_engine

warnings.warn("patmark.corpus.engine is patmark.engine now", DeprecationWarning, stacklevel=2)

__all__ = ["Engine", "open_engine"]
