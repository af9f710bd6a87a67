"""Published ways of judging: each binds a test set, measures, statistics and tables."""

from functools import partial

import lazy_loader

from patmark._deprecated import find_name

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = partial(find_name, __name__, __getattr__)
