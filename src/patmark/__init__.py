"""patmark: evaluation of patent language technology.

>>> import patmark
>>> test_set = patmark.TestSet.of(["The piston is connected to the crankshaft."])
>>> run = patmark.Run("mine", ("The piston is connected to a crankshaft.",))
>>> evaluation = patmark.evaluate(test_set, [run], ["BLEU", "chrF"])
>>> round(evaluation.estimates["BLEU"]["mine"].value, 2)
59.46

Importing patmark imports no heavy library: names are loaded when they are first used.
"""

from functools import partial

import lazy_loader

from patmark._deprecated import find_name

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = partial(find_name, __name__, __getattr__)
