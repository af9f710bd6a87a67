"""A language model as a judge: what it is asked, how its answers are read, what they add up to."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
