"""Statistics on arrays: resampling, tests, rankings, correlation, agreement. Knows no texts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
