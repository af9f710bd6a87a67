"""Measure the coverage of 95 % intervals of correlations, agreement and strengths.

    python benchmarks/agreement_coverage.py [SETS [NAME]]

Scores of systems, grades of people and preferences are simulated with known truth, and the interval
that patmark gives is held against it. Correlations of systems are those of normal scores. Segments
lie in documents of 8, which are drawn, and are alike. Prints a Markdown table, of everything or of
what begins with a name; a line is a kind of interval, a column a number of units.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from patmark.data import FloatArray
from patmark.stats import (
    AverageBy,
    Coefficient,
    Units,
    acc_eq,
    bradley_terry,
    correlation_interval,
    drawn_systems,
    interval_of,
    kendall_b,
    krippendorff_alpha,
    mean_distance_interval,
    pearson,
    segment_intervals,
    soft_pair_distances,
    spearman,
)

SETS, RESAMPLES = 500, 400
SYSTEMS, DOCUMENTS = (5, 8, 15), (6, 10, 20, 50)
IN_DOCUMENT = 8
_MANY = 2000  # documents from which the truth is taken

Interval = tuple[float, float] | None
Draw = Callable[[np.random.Generator, int], tuple[Interval, float]]  # the interval and the truth


def coverage(draw: Draw, count: int, sets: int) -> float:
    """Return the share of sets with an interval whose interval holds the truth."""
    rng = np.random.default_rng(count)
    found = [draw(rng, count) for _ in range(sets)]
    held = [ci[0] <= truth <= ci[1] for ci, truth in found if ci is not None]
    return float(np.mean(held))


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(1 << 30))


def of_systems(coefficient: Coefficient, r: float) -> Draw:
    """Return a correlation over systems with normal scores, for which the truth follows from r."""
    truths: dict[Coefficient, float] = {
        pearson: r,
        spearman: 6 / np.pi * np.arcsin(r / 2),
        kendall_b: 2 / np.pi * np.arcsin(r),
    }

    def draw(rng: np.random.Generator, systems: int) -> tuple[Interval, float]:
        x = rng.normal(size=systems)
        y = r * x + np.sqrt(1 - r * r) * rng.normal(size=systems)
        value = float(coefficient(x, y))
        return correlation_interval(coefficient, value, systems), truths[coefficient]

    return draw


def of_accuracy(rng: np.random.Generator, systems: int) -> tuple[Interval, float]:
    """Pairwise accuracy over systems with normal scores that correlate by .8."""
    x = rng.normal(size=systems)
    y = 0.8 * x + 0.6 * rng.normal(size=systems)
    drawn = drawn_systems(x, y, acc_eq, RESAMPLES, _seed(rng))
    found = interval_of(float(acc_eq(x, y)), drawn, np.ones(systems))
    return found.ci, 0.5 + float(np.arcsin(0.8)) / np.pi


def _soft_scores(rng: np.random.Generator, systems: int) -> tuple[FloatArray, FloatArray]:
    """Gold and metric of 40 segments; the metric favours some systems."""
    quality = 0.3 * rng.normal(size=(systems, 1))
    gold = quality + rng.normal(size=(systems, 40))
    return gold, quality + 0.2 * rng.normal(size=(systems, 1)) + rng.normal(size=(systems, 40))


@cache
def _soft_truth() -> float:
    rng = np.random.default_rng(1)
    found = [soft_pair_distances(*_soft_scores(rng, 30), 200) for _ in range(100)]
    return 1 - float(np.mean([one[np.triu_indices(30, 1)] for one in found]))


def of_soft_accuracy(rng: np.random.Generator, systems: int) -> tuple[Interval, float]:
    """Soft pairwise accuracy over systems."""
    distances = soft_pair_distances(*_soft_scores(rng, systems), 200)
    return mean_distance_interval(distances, RESAMPLES, _seed(rng)).ci, _soft_truth()


def _units(documents: int) -> Units:
    names = [str(document) for document in range(documents) for _ in range(IN_DOCUMENT)]
    return Units.choose(names, "document")


def _segment_scores(rng: np.random.Generator, documents: int) -> tuple[FloatArray, FloatArray]:
    """Gold and metric of 4 systems; the metric follows gold more closely in some documents."""
    shape = 4, documents, IN_DOCUMENT
    gold = 0.5 * rng.normal(size=(4, documents, 1)) + rng.normal(size=shape)
    slope = 0.6 + 0.3 * rng.normal(size=(1, documents, 1))
    metric = slope * gold + 0.5 * rng.normal(size=(4, documents, 1)) + rng.normal(size=shape)
    return gold.reshape(4, -1), metric.reshape(4, -1)


@cache
def _segment_truth(coefficient: Coefficient, by: AverageBy) -> float:
    gold, metric = _segment_scores(np.random.default_rng(2), _MANY)
    [found] = segment_intervals(gold, metric[None], _units(_MANY), coefficient, by, 1)
    return found.value


def of_segments(coefficient: Coefficient, by: AverageBy) -> Draw:
    """Return a correlation of segments."""

    def draw(rng: np.random.Generator, documents: int) -> tuple[Interval, float]:
        gold, metric = _segment_scores(rng, documents)
        units = _units(documents)
        [found] = segment_intervals(
            gold, metric[None], units, coefficient, by, RESAMPLES, _seed(rng)
        )
        return found.ci, _segment_truth(coefficient, by)

    return draw


def _ratings(rng: np.random.Generator, documents: int) -> FloatArray:
    """Grades from 1 to 5 of three people; documents differ in how good they are."""
    own = rng.normal(size=(1, documents, IN_DOCUMENT))
    quality = 0.6 * rng.normal(size=(1, documents, 1)) + 0.8 * own
    grades = np.round(3 + quality + 0.8 * rng.normal(size=(3, documents, IN_DOCUMENT)))
    return np.clip(grades, 1, 5).reshape(3, -1)


@cache
def _alpha_truth() -> float:
    return krippendorff_alpha(_ratings(np.random.default_rng(3), _MANY), "ordinal").value


def of_alpha(rng: np.random.Generator, documents: int) -> tuple[Interval, float]:
    """Krippendorff's alpha of ordinal grades."""
    ratings, units = _ratings(rng, documents), _units(documents)
    found = krippendorff_alpha(ratings, "ordinal", units, RESAMPLES, _seed(rng))
    return found.ci, _alpha_truth()


def _wins(rng: np.random.Generator, documents: int) -> FloatArray:
    """Preferences between 4 systems, 4 a segment; a document may suit a system."""
    strengths = np.array([0.6, 0.2, -0.2, -0.6]) + 0.5 * rng.normal(size=(documents, 4))
    strengths = np.repeat(strengths, IN_DOCUMENT, axis=0)
    wins = np.zeros((len(strengths), 4, 4))
    for one, other in ((0, 1), (1, 2), (2, 3), (0, 3)):
        chance = 1 / (1 + np.exp(strengths[:, other] - strengths[:, one]))
        won = rng.random(len(strengths)) < chance
        wins[won, one, other] += 1
        wins[~won, other, one] += 1
    return wins


@cache
def _strength_truth() -> float:
    wins = _wins(np.random.default_rng(4), _MANY)
    return bradley_terry(wins, np.zeros_like(wins)).strengths[0].value


def of_strength(rng: np.random.Generator, documents: int) -> tuple[Interval, float]:
    """Return the strength of the best system by Bradley and Terry."""
    wins = _wins(rng, documents)
    found = bradley_terry(wins, np.zeros_like(wins), _units(documents), RESAMPLES, _seed(rng))
    return found.strengths[0].ci, _strength_truth()


OVER_SYSTEMS: dict[str, Draw] = {
    f"{name}, r = {r}": of_systems(coefficient, r)
    for name, coefficient in {
        "Pearson": pearson, "Spearman": spearman, "Kendall": kendall_b,
    }.items()
    for r in (0.5, 0.9)
} | {"pairwise accuracy": of_accuracy, "SPA": of_soft_accuracy}  # fmt: skip
OVER_DOCUMENTS: dict[str, Draw] = {
    "Pearson over all": of_segments(pearson, "none"),
    "Spearman over all": of_segments(spearman, "none"),
    "Pearson by item": of_segments(pearson, "item"),
    "Kendall by item": of_segments(kendall_b, "item"),
    "α": of_alpha,
    "Bradley–Terry": of_strength,
}


def _table(unit: str, counts: Sequence[int], draws: dict[str, Draw], sets: int) -> None:
    if not draws:
        return
    print(f"\n| interval | {' | '.join(f'{count} {unit}' for count in counts)} |")
    print("|---|" + "---|" * len(counts))
    for name, draw in draws.items():
        shares = [coverage(draw, count, sets) for count in counts]
        print(f"| {name} | {' | '.join(f'{share:.1%}' for share in shares)} |", flush=True)


def main(sets: int = SETS, wanted: str = "") -> None:
    """Print both tables."""
    print(f"{sets} sets each, {RESAMPLES} resamples; how many 95 % intervals hold the truth")
    for unit, counts, draws in (
        ("systems", SYSTEMS, OVER_SYSTEMS), ("documents", DOCUMENTS, OVER_DOCUMENTS),
    ):  # fmt: skip
        chosen = {name: draw for name, draw in draws.items() if name.startswith(wanted)}
        _table(unit, counts, chosen, sets)


if __name__ == "__main__":
    main(*[int(value) if value.isdigit() else value for value in sys.argv[1:]])  # type: ignore[arg-type]
