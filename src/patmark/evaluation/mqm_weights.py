"""Weights of MQM: the points that a marked error costs, by severity and category."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from patmark.data import Annotation, Annotations
from patmark.errors import UsageError, near

_ANY = ""


@dataclass(frozen=True, slots=True)
class Weights:
    """Points by severity, and exceptions by category and severity (an empty one is any)."""

    name: str
    severities: Mapping[str, float]
    exceptions: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def of(self, mark: Annotation) -> float:
        """Return the points that an error costs."""
        category, severity = mark.category.rstrip("!").lower(), mark.severity
        for key in ((category, severity), (category, _ANY)):
            if key in self.exceptions:
                return self.exceptions[key]
        if severity in self.severities:
            return self.severities[severity]
        known = ", ".join(self.severities)
        raise UsageError(
            f"the weights {self.name!r} have none for errors that are {mark.severity!r}, only for "
            f"{known}{near(mark.severity, self.severities)}"
        )


WEIGHTS: Mapping[str, Weights] = MappingProxyType(
    {
        one.name: one
        for one in (
            Weights(
                "wmt",
                {"major": 5.0, "minor": 1.0, "neutral": 0.0},
                {("non-translation", _ANY): 25.0, ("fluency/punctuation", "minor"): 0.1},
            ),
            Weights("mqm", {"critical": 25.0, "major": 5.0, "minor": 1.0, "neutral": 0.0}),
            Weights(
                "patent",
                {"critical": 25.0, "major": 5.0, "minor": 1.0, "neutral": 0.0},
                {("non-translation", _ANY): 25.0},
            ),
        )
    }
)
"""The named sets of weights.

``wmt`` is that of Freitag et al. 2021. ``mqm`` multiplies by five at each step. In ``patent`` a
critical error, which changes the scope of protection, costs as much as a non-translation, because
it is as harmful to the patent holder.
"""


def weights_called(name: str) -> Weights:
    """Return a named set of weights."""
    if name in WEIGHTS:
        return WEIGHTS[name]
    known = ", ".join(WEIGHTS)
    raise UsageError(f"unknown weights {name!r}; the known ones are {known}{near(name, WEIGHTS)}")


def fitting_weights(annotations: Annotations) -> Weights:
    """Return the weights of WMT, or those for patents if WMT lacks a severity."""
    known = WEIGHTS["wmt"].severities
    foreign = any(mark.severity not in known for mark in annotations.marks)
    return WEIGHTS["patent" if foreign else "wmt"]
