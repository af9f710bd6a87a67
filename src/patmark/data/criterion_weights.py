"""Weights of the criteria of Patent-CE in overall quality: (4, 2, 2, 3) / 11."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

QUALITY = "quality"
CRITERION_WEIGHTS: Mapping[str, int] = MappingProxyType(
    {"completeness": 4, "clarity": 2, "consistency": 2, "linkage": 3}
)


def overall_quality(ratings: Mapping[str, float]) -> float:
    """Compute the quality of four ratings, their weighted mean."""
    total = sum(weight * ratings[name] for name, weight in CRITERION_WEIGHTS.items())
    return total / sum(CRITERION_WEIGHTS.values())
