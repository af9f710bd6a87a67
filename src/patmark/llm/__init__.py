"""A client of OpenAI-compatible chat endpoints: retries, budget, cache.

Every request ends with an answer or with the reason of its failure. Answers are stored on disk by
the content of their request, so that a stopped run can continue.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
