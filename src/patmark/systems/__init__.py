"""Systems under test: what translates or drafts claims, and how it is driven through a test set.

A system takes texts and gives texts; a task says what it is asked; a run is written down row by
row, so that one that was stopped goes on where it was.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
