"""Evaluation, comparison, analysis, saving and gates of runs: the base of all products above."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
