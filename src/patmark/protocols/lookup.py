"""Find parts of an evaluation by name, with an error that lists what there is."""

from __future__ import annotations

from dataclasses import replace

from patmark.data import Column, Scores
from patmark.errors import UsageError
from patmark.protocols.evaluation import Evaluation, measure_column


def scores_of(evaluation: Evaluation, measure: str | None) -> Scores:
    """The scores of a measure, or of the first measure where none is named."""
    name = next(iter(evaluation.scores)) if measure is None else measure
    if name not in evaluation.scores:
        raise UsageError(f"{name} was not measured; there are {', '.join(evaluation.scores)}")
    return evaluation.scores[name]


def pair_of(evaluation: Evaluation, a: str, b: str) -> tuple[int, int]:
    """The positions of two different systems."""
    for name in (a, b):
        if name not in evaluation.systems:
            raise UsageError(
                f"no system is called {name!r}; there are {', '.join(evaluation.systems)}"
            )
    if a == b:
        raise UsageError(f"{a!r} cannot be compared with itself")
    return evaluation.systems.index(a), evaluation.systems.index(b)


def system_columns(
    evaluation: Evaluation, measure: str, systems: tuple[str, ...]
) -> tuple[Column, ...]:
    """A column per system that shows values of one measure as the measure's own column would."""
    column = next(measure_column(m) for m in evaluation.measures if m.name == measure)
    return tuple(replace(column, title=system) for system in systems)
