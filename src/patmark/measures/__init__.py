"""Measures, one file per family: additive statistics of segments, and a score of their sums."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
