"""Test collections: sections paired, sentences aligned, pairs filtered, split and sampled.

``build_corpus`` makes whole collections from patent documents; aligners such as ``Hybrid`` find
the sentences that belong together.
"""

from functools import partial

import lazy_loader

from patmark._deprecated import find_name

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = partial(find_name, __name__, __getattr__)
