"""Published ways of judging: each binds a test set, measures, statistics and tables."""

import lazy_loader

from patmark._deprecated import with_moved_names

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = with_moved_names(__name__, __getattr__)
