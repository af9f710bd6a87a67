"""Facts that a patent text states: quantities, limits, signs, polarity, markers, references."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
