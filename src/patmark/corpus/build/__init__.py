"""Building a test collection, step by step; a step that is done is not done again."""

from functools import partial

from patmark._deprecated import find_name

__getattr__ = partial(find_name, __name__, None)
