"""What people said of systems: judgements and their files, scores, rankings, validation."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
