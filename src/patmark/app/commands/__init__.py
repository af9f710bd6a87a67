"""The commands as functions: the same names, texts and tables as inputs, results as outputs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
