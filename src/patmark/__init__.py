"""patmark: evaluation of patent language technology.

>>> import patmark
>>> test_set = patmark.TestSet.of(["The piston is connected to the crankshaft."])
>>> run = patmark.Run("mine", ("The piston is connected to a crankshaft.",))
>>> evaluation = patmark.evaluate(test_set, [run], ["BLEU", "chrF"])
>>> round(evaluation.estimates["BLEU"]["mine"].value, 2)
59.46

Importing patmark imports no heavy library: names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from patmark._version import __version__
from patmark.errors import InputError, MissingExtra, PatmarkError, Problem, UsageError

if TYPE_CHECKING:
    from patmark.data import Estimate, Evidence, Run, Scores, Segment, TestSet, read_patsnap
    from patmark.measures import Check, Measure, parse_measure, parse_measures, register
    from patmark.protocols import (
        Evaluation,
        PatsnapOptions,
        Settings,
        evaluate,
        patsnap_json,
        patsnap_report,
        score_patsnap,
    )
    from patmark.report import to_html

_ROOM_OF = {
    "Check": "measures",
    "Estimate": "data",
    "Evaluation": "protocols",
    "Evidence": "data",
    "Measure": "measures",
    "PatsnapOptions": "protocols",
    "Run": "data",
    "Scores": "data",
    "Segment": "data",
    "Settings": "protocols",
    "TestSet": "data",
    "evaluate": "protocols",
    "parse_measure": "measures",
    "parse_measures": "measures",
    "patsnap_json": "protocols",
    "patsnap_report": "protocols",
    "read_patsnap": "data",
    "register": "measures",
    "score_patsnap": "protocols",
    "to_html": "report",
}

__all__ = [
    "Check",
    "Estimate",
    "Evaluation",
    "Evidence",
    "InputError",
    "Measure",
    "MissingExtra",
    "PatmarkError",
    "PatsnapOptions",
    "Problem",
    "Run",
    "Scores",
    "Segment",
    "Settings",
    "TestSet",
    "UsageError",
    "__version__",
    "evaluate",
    "parse_measure",
    "parse_measures",
    "patsnap_json",
    "patsnap_report",
    "read_patsnap",
    "register",
    "score_patsnap",
    "to_html",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'patmark' has no attribute {name!r}")
    return getattr(import_module(f"patmark.{_ROOM_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
