"""The criteria by which experts of Patent-CE rate claims, and what each counts for quality."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

QUALITY = "quality"
CRITERION_WEIGHTS: Mapping[str, int] = MappingProxyType(
    {"completeness": 4, "clarity": 2, "consistency": 2, "linkage": 3}
)


def overall_quality(ratings: Mapping[str, float]) -> float:
    """The paper's quality of four ratings: their mean with the weights 4, 2, 2 and 3."""
    total = sum(weight * ratings[name] for name, weight in CRITERION_WEIGHTS.items())
    return total / sum(CRITERION_WEIGHTS.values())
