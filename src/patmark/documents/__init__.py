"""Whole documents: a source and its translation in any format, in one model of text."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
