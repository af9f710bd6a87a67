"""What is judged and what comes out: segments, test sets, runs, scores, tables; and their files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
