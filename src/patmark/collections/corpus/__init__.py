"""Test collections: sections paired, sentences aligned, pairs filtered, split and sampled.

``build_corpus`` makes whole collections from patent documents.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
