"""Type I error rates of tests between two equal metrics.

    python benchmarks/meta_false_positives.py [SETS] [SEED]

Two metrics are simulated that follow human grades equally well. In the first situation they differ
by noise alone; in the second each metric finds some segments easier than others; in the third each
metric also favours some systems, at random. A test that speaks of these systems only is right to
call metrics different in the third; one that speaks of other systems is not. Rates are per cent of
the sets in which p is at most 5 %. A dash stands where a test is not made with so few systems.
Pairwise accuracy takes few values, so that its tests may not reach 5 %: beside them stands the
level that they attain at best, the mean share of exchanges whose own p is at most 5 %.

A rate of 5 % of 500 sets comes out between 3 and 7 % in 96 of 100 cells, so that some of so many
cells are outside by chance. A second table has more sets for tests that need no segments and take
little time. Below it stands what it does to soft pairwise accuracy (SPA) to count an exchange that
gives the observed difference in full, as mt-metrics-eval does, and not as half.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from patmark.data import FloatArray
from patmark.stats import (
    ALPHA,
    MetricTests,
    PermutationPlan,
    acc_eq,
    calibrate,
    exchange_items,
    exchange_segments,
    exchange_soft_accuracy,
    exchange_system_segments,
    exchange_systems,
    exchange_systems_in_items,
    exchange_systems_soft_accuracy,
    fewest_units,
    group_coefficients,
    pearson,
    williams,
)

SYSTEMS = (4, 8, 15)
SETS, SEGMENTS, DRAWS = 500, 60, 199
MORE_SETS = 2000
LOST_BY_WILLIAMS = 2.6  # as in ``patmark meta``
SITUATIONS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"noise only": (0.0, 0.0), "own segments": (1.0, 0.0), "own systems": (1.0, 0.3)}
)
ATTAINABLE = ", attainable"
# size of the effects that each metric has of its own, on segments and on systems


def simulate(
    rng: np.random.Generator, systems: int, own_segments: float, own_systems: float,
    segments: int = SEGMENTS,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Grades (systems, segments) in whole numbers, and two metrics that are equally good."""
    quality = 0.4 * rng.normal(size=(systems, 1))
    exact = quality + 0.7 * rng.normal(size=(1, segments)) + rng.normal(size=(systems, segments))
    metrics = [
        quality
        + 0.5 * (exact - quality)
        + own_segments * rng.normal(size=(1, segments))
        + own_systems * rng.normal(size=(systems, 1))
        + rng.normal(size=(systems, segments))
        for _ in range(2)
    ]
    return np.round(exact), np.array(metrics)


def p_values(gold: FloatArray, metrics: FloatArray, seed: int) -> dict[str, float]:
    """Return p of every test of two metrics, and the attainable level of pairwise accuracy.

    Tests that need more systems are left out.
    """
    systems, plan = len(gold), PermutationPlan(DRAWS, seed)
    of_systems = metrics.mean(axis=2)
    means = gold.mean(axis=1)
    calibrated = np.array([_calibrated(gold, one) for one in metrics])
    tests: dict[str, Callable[[], MetricTests]] = {
        "PERM-INPUTS pearson": lambda: exchange_system_segments(gold, metrics, pearson, plan),
        "PERM-INPUTS accuracy": lambda: exchange_system_segments(gold, metrics, acc_eq, plan),
        "PERM-INPUTS SPA": lambda: exchange_soft_accuracy(gold, metrics, plan),
        "PERM-INPUTS pearson by item": lambda: exchange_segments(gold, metrics, "item", plan),
        "PERM-INPUTS pearson by system": lambda: exchange_segments(gold, metrics, "system", plan),
        "PERM-INPUTS pearson over all": lambda: exchange_segments(gold, metrics, "none", plan),
        "PERM-INPUTS acc_eq calibrated": lambda: exchange_items(calibrated, plan),
    }
    if systems >= fewest_units():
        tests |= {
            "PERM-SYSTEMS pearson": lambda: exchange_systems(means, of_systems, pearson, plan),
            "PERM-SYSTEMS accuracy": lambda: exchange_systems(means, of_systems, acc_eq, plan),
            "PERM-SYSTEMS SPA": lambda: exchange_systems_soft_accuracy(gold, metrics, plan),
            "PERM-SYSTEMS pearson by item": lambda: exchange_systems_in_items(gold, metrics, plan),
        }
    found = {"Williams pearson": _williams(means, of_systems)}
    for name, test in tests.items():
        drawn = test()
        found[name] = float(drawn.p[0, 1])
        if drawn.discrete:
            found[f"{name}{ATTAINABLE}"] = float(drawn.attainable[0, 1])
    return found


def _williams(gold: FloatArray, metrics: FloatArray) -> float:
    r = *(float(pearson(gold, one)) for one in metrics), float(pearson(*metrics))
    return williams(*r, len(gold), LOST_BY_WILLIAMS).p


def _calibrated(gold: FloatArray, metric: FloatArray) -> FloatArray:
    epsilon = calibrate(gold, metric).epsilon
    return group_coefficients(gold, metric, lambda x, y: acc_eq(x, y, epsilon), "item")


def rates(sets: int, systems: int, situation: str, seed: int) -> dict[str, float]:
    """Return the share of sets in which each test calls the metrics different, or could."""
    rng = np.random.default_rng([seed, systems, list(SITUATIONS).index(situation)])
    found: dict[str, list[float]] = {}
    for number in range(sets):
        gold, metrics = simulate(rng, systems, *SITUATIONS[situation])
        for name, p in p_values(gold, metrics, seed * sets + number).items():
            found.setdefault(name, []).append(p if name.endswith(ATTAINABLE) else p <= ALPHA)
    return {name: float(np.mean(called)) for name, called in found.items()}


def of_system_scores(sets: int, systems: int, situation: str) -> dict[str, float]:
    """Return the share of sets in which tests that need no segments call the metrics different."""
    rng = np.random.default_rng([systems, list(SITUATIONS).index(situation)])
    called = {"Williams pearson": 0}
    called |= {"PERM-SYSTEMS accuracy": 0} if systems >= fewest_units() else {}
    for number in range(sets):
        gold, metrics = simulate(rng, systems, *SITUATIONS[situation])
        means, of_systems = gold.mean(axis=1), metrics.mean(axis=2)
        called["Williams pearson"] += _williams(means, of_systems) <= ALPHA
        if "PERM-SYSTEMS accuracy" in called:
            plan = PermutationPlan(DRAWS, number)
            found = exchange_systems(means, of_systems, acc_eq, plan)
            called["PERM-SYSTEMS accuracy"] += float(found.p[0, 1]) <= ALPHA
    return {name: count / sets for name, count in called.items()}


def moved_by_ties(segments: int, sets: int = 20, systems: int = 10) -> float:
    """Return the largest change of SPA, of gold in grades from 1 to 5, by counting ties in full."""
    rng = np.random.default_rng(segments)
    return max(_moved(*simulate(rng, systems, 0.0, 0.0, segments), rng) for _ in range(sets))


def _moved(gold: FloatArray, metrics: FloatArray, rng: np.random.Generator) -> float:
    signs = rng.choice([-1.0, 1.0], (1000, gold.shape[1]))
    of_gold, of_metric = (_shares(one, signs) for one in (np.clip(gold + 3, 1, 5), metrics[0]))
    half, full = (np.abs((of_gold - of_metric).T @ (1.0, equal)).mean() for equal in (0.5, 1.0))
    return float(abs(half - full))


def _shares(scores: FloatArray, signs: FloatArray) -> FloatArray:
    """Count exchanges above and at the observed difference: (2, pairs)."""
    first, second = np.triu_indices(len(scores), 1)
    differences = scores[first] - scores[second]
    beyond = signs @ differences.T - differences.sum(axis=1)
    near = 1e-9
    return np.stack([(beyond > near).mean(axis=0), (np.abs(beyond) <= near).mean(axis=0)])


def main(sets: int = SETS, seed: int = 0) -> None:
    """Print the tables."""
    print(f"{sets} sets a cell, {SEGMENTS} segments, {DRAWS} draws; per cent called different\n")
    cells = [(situation, systems) for situation in SITUATIONS for systems in SYSTEMS]
    _table({(name, n): rates(sets, n, name, seed) for name, n in cells})
    print(f"\n{MORE_SETS} sets a cell\n")
    _table({(name, n): of_system_scores(MORE_SETS, n, name) for name, n in cells})
    print()
    for segments in (30, 300, 1000):
        moved = moved_by_ties(segments)
        print(f"ties counted in full move SPA by at most {moved:.4f}, {segments} segments")


def _table(table: Mapping[tuple[str, int], Mapping[str, float]]) -> None:
    names = list(dict.fromkeys(name for cell in table.values() for name in cell))
    head = [f"{situation}, {systems}" for situation, systems in table]
    print("| test | " + " | ".join(head) + " |")
    print("|---|" + "---|" * len(head))
    for name in names:
        cells = [f"{100 * cell[name]:.1f}" if name in cell else "–" for cell in table.values()]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
