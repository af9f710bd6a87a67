"""Criteria of human judgements: names for readers, and the weights of Patent-CE in quality."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from patmark.wording import tr

QUALITY = "quality"
CRITERION_WEIGHTS: Mapping[str, int] = MappingProxyType(
    {"completeness": 4, "clarity": 2, "consistency": 2, "linkage": 3}
)
_NAMES = {
    str(name): name
    for name in (
        tr("adequacy"),
        tr("fluency"),
        tr("acceptability"),
        tr("jpo-adequacy"),
        tr("examination"),
        tr("completeness"),
        tr("clarity"),
        tr("consistency"),
        tr("linkage"),
        tr("quality"),
        tr("overall"),
        tr("correctness"),
        tr("preference"),
    )
}


def criterion_name(criterion: str) -> str:
    """Return a criterion as a text that can be translated; other names stay unchanged.

    Files and JSON keep the English name.
    """
    return _NAMES.get(criterion, criterion)


def overall_quality(ratings: Mapping[str, float]) -> float:
    """Compute the quality of four ratings, their weighted mean."""
    total = sum(weight * ratings[name] for name, weight in CRITERION_WEIGHTS.items())
    return total / sum(CRITERION_WEIGHTS.values())
