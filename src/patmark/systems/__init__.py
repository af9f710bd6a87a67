"""Systems under test: programs that translate or draft claims, and their runs over a test set.

A system maps texts to texts, and a task defines the request. A run is recorded row by row, so that
a stopped run can be resumed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
