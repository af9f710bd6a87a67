"""patmark: evaluation of patent language technology.

>>> import patmark
>>> test_set = patmark.TestSet.of(["The piston is connected to the crankshaft."])
>>> run = patmark.Run("mine", ("The piston is connected to a crankshaft.",))
>>> evaluation = patmark.evaluate(test_set, [run], ["BLEU", "chrF"])
>>> round(evaluation.estimates["BLEU"]["mine"].value, 2)
59.46

Importing patmark imports no heavy library: names are loaded when they are first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
