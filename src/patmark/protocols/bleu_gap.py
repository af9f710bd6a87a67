"""How much more BLEU it takes until retrieval is better, too.

Every pair of runs has a gap in BLEU and a test of its difference in an outcome such as mean
average precision (MAP). Two gaps sum the pairs up. The *necessary* gap is the smallest one that
came with a significant difference; the *safe* gap is the largest one that did not: above it,
every pair differed significantly. Both describe the runs at hand and no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.report import Cell, Column, Limit, Point, Scatter, Table

POOLED = "pooled"
STRICT_LEVEL = 0.01


@dataclass(frozen=True, slots=True)
class GapPair:
    """Two runs. ``better`` has the higher outcome; all differences are better minus worse.

    ``gaps`` maps a metric to its difference, negative where the metric prefers the other run.
    ``level`` is the level at which the outcomes differ, None if they do not.
    """

    better: str
    worse: str
    outcome_gap: float
    gaps: Mapping[str, float]
    level: float | None


@dataclass(frozen=True, slots=True)
class GapLimits:
    """The necessary and the safe gap of a metric; None where no pair decides it.

    A negative necessary gap says that a run was significantly better with a lower metric.
    """

    metric: str
    necessary: float | None
    safe: float | None
    significant: int
    others: int


def gap_pairs(
    metrics: Mapping[str, Mapping[str, float]],
    outcome: Mapping[str, float],
    levels: Mapping[frozenset[str], float | None],
) -> tuple[GapPair, ...]:
    """All pairs of runs, best outcome first.

    ``metrics`` maps a metric to the value of each run, ``levels`` a pair of runs to the level at
    which their outcomes differ.
    """
    runs = sorted(outcome, key=lambda run: -outcome[run])
    _check(metrics, runs, levels)
    return tuple(
        GapPair(
            better, worse, outcome[better] - outcome[worse],
            {name: values[better] - values[worse] for name, values in metrics.items()},
            levels[frozenset((better, worse))],
        )
        for better, worse in combinations(runs, 2)
    )  # fmt: skip


def _check(
    metrics: Mapping[str, Mapping[str, float]],
    runs: Sequence[str],
    levels: Mapping[frozenset[str], float | None],
) -> None:
    missing = [
        f"{name} of {run}" for name, values in metrics.items() for run in runs if run not in values
    ]
    missing += [
        f"the level of {first} and {second}"
        for first, second in combinations(runs, 2)
        if frozenset((first, second)) not in levels
    ]
    if missing:
        raise UsageError(f"gaps need every value of every run; missing: {', '.join(missing)}")


def gap_limits(pairs: Sequence[GapPair], level: float = STRICT_LEVEL) -> tuple[GapLimits, ...]:
    """The limits by each metric and, if there are several, by all their gaps pooled."""
    names = list(pairs[0].gaps) if pairs else []
    significant = np.array([pair.level is not None and pair.level <= level for pair in pairs])
    gaps = {name: np.array([pair.gaps[name] for pair in pairs]) for name in names}
    limits = [_limits(name, gaps[name], significant) for name in names]
    if len(names) > 1:
        pooled = np.concatenate([gaps[name] for name in names])
        limits.append(_limits(POOLED, pooled, np.tile(significant, len(names))))
    return tuple(limits)


def _limits(metric: str, gaps: FloatArray, significant: NDArray[np.bool_]) -> GapLimits:
    """A significant pair that the metric orders the wrong way counts against safety, too."""
    misleading = np.abs(gaps[~significant | (gaps < 0)])
    return GapLimits(
        metric,
        float(gaps[significant].min()) if significant.any() else None,
        float(misleading.max()) if misleading.size else None,
        int(significant.sum()),
        int((~significant).sum()),
    )


def level_text(level: float | None) -> str:
    """A level of significance in words, as tables and charts show it."""
    return "none" if level is None else f"{level:.0%}".replace("%", " %")


def pair_table(pairs: Sequence[GapPair], title: str, outcome: str) -> Table:
    """Every pair with its level and its gaps, the surest differences first."""
    names = list(pairs[0].gaps) if pairs else []
    columns = (
        Column("better"), Column("worse"), Column("significant at"),
        *(Column(f"Δ {name}") for name in names), Column(f"Δ {outcome}", 4),
    )  # fmt: skip
    ordered = sorted(pairs, key=lambda pair: (_rank(pair.level), -pair.outcome_gap))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            pair.better, pair.worse, level_text(pair.level), *(pair.gaps[name] for name in names),
            pair.outcome_gap,
        )
        for pair in ordered
    )  # fmt: skip
    return Table(title, columns, rows, f"Better and worse by {outcome}.")


def gap_charts(pairs: Sequence[GapPair], title: str, outcome: str) -> tuple[Scatter, ...]:
    """One chart per metric: its gap against the gap of the outcome, by level, with the limits.

    No regression lines: a level of significance is no kind of system.
    """
    names = list(pairs[0].gaps) if pairs else []
    limits = {each.metric: each for each in gap_limits(pairs)}
    ordered = sorted(pairs, key=lambda pair: _rank(pair.level))
    return tuple(
        Scatter(
            f"{title}: {name}", f"Δ {name}", f"Δ {outcome}",
            tuple(
                Point(
                    pair.gaps[name], pair.outcome_gap, f"{pair.better}–{pair.worse}",
                    f"significant at {level_text(pair.level)}" if pair.level else "not significant",
                )
                for pair in ordered
            ),
            regression=False, limits=_limit_lines(limits[name]),
        )
        for name in names
    )  # fmt: skip


def _limit_lines(limits: GapLimits) -> tuple[Limit, ...]:
    found = (("necessary gap", limits.necessary), ("safe above", limits.safe))
    return tuple(Limit(gap, f"{name} {gap:.2f}") for name, gap in found if gap is not None)


def _rank(level: float | None) -> float:
    return 1.0 if level is None else level
