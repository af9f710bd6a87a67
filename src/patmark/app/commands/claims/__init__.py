"""The claims commands: parse, lint, check, compare, score, judge, meta, pairs and train.

Texts of claims are strings, or Paths of files.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
