"""Is one metric better than another? Permutation tests and Williams' test for all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from patmark.data import FloatArray
from patmark.evaluation.meta.panel import Panel, Series
from patmark.stats import (
    ALPHA,
    AverageBy,
    MetricTests,
    PermutationPlan,
    Units,
    calibrate,
    clusters,
    holm,
    judge_pairs,
    pearson,
    perm_both_segments,
    perm_both_systems,
    permute_pairs,
    system_pairs,
    williams,
)

_FEWEST_FOR_WILLIAMS = 4


@dataclass(frozen=True, slots=True)
class MetricPair:
    """Two metrics, the better one first; p is one-sided, of "the first is better"."""

    better: str
    worse: str
    delta: float
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class MetricTest:
    """One test of all pairs of metrics: what it compares and which metrics cannot be told apart.

    It is not ``testable`` where no p could be significant, whatever the scores are, and has no
    clusters where documents are known but too few.
    """

    name: str
    statistic: str
    pairs: tuple[MetricPair, ...]
    clusters: tuple[tuple[str, ...], ...] | None
    testable: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """All tests between metrics that the data allow, and why others are missing."""

    tests: tuple[MetricTest, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def compare_metrics(
    panel: Panel,
    level: str,
    average_by: AverageBy,
    permutations: int,
    seed: int,
    units: Units | None,
) -> MetricComparison | None:
    """Test all pairs of metrics; None for a single metric.

    Only metrics with a score for every judged system take part, so that all are compared on the
    same data; the others are named.
    """
    complete = [one for one in panel.metrics if not np.isnan(one.of_systems).any()]
    left_out = [one.name for one in panel.metrics if np.isnan(one.of_systems).any()]
    notes = [f"Not tested, because systems are missing: {', '.join(left_out)}."] if left_out else []
    if len(complete) < 2:
        return None
    tests: list[MetricTest] = []
    warnings: list[str] = []
    gold = panel.gold.of_segments
    by_segment = [one for one in complete if _covers(gold, one.of_segments)]
    if level == "system" and len(panel.systems) >= _FEWEST_FOR_WILLIAMS:
        tests.append(_williams(panel.gold, complete))
    elif level == "system":
        notes.append(f"Williams' test needs at least {_FEWEST_FOR_WILLIAMS} systems.")
    if gold is None or units is None or len(by_segment) < 2:
        notes.append("Permutation tests need scores of all segments that have gold.")
    else:
        plan = PermutationPlan(permutations, seed, _document_units(units))
        warnings = _too_few(permutations, len(by_segment), units)
        table = np.stack([one.of_segments for one in by_segment if one.of_segments is not None])
        permuted = _permutation_tests(gold, table, by_segment, level, average_by, plan)
        tests += [
            replace(test, testable=not warnings, clusters=None if units.too_few else test.clusters)
            for test in permuted
        ]
    return MetricComparison(tuple(tests), tuple(notes), tuple(warnings))


def _covers(gold: FloatArray | None, scores: FloatArray | None) -> bool:
    """Whether a metric has a score wherever there is gold."""
    if gold is None or scores is None:
        return False
    return not np.isnan(scores[~np.isnan(gold)]).any()


def _too_few(permutations: int, metrics: int, units: Units) -> list[str]:
    """Warnings where the correction makes every p too large, whatever the data."""
    pairs = metrics * (metrics - 1) // 2
    warnings = []
    if pairs / (permutations + 1) > ALPHA:
        warnings.append(
            f"Warning: with {pairs} pair{'s' * (pairs > 1)} of metrics, Holm cannot reach "
            f"{ALPHA:.0%} from {permutations} permutations, so that they tell no metrics apart; "
            f"take at least {int(np.ceil(pairs / ALPHA))} (--permutations)."
        )
    if units.too_few:
        warnings.append(f"Warning: permutation tests tell no metrics apart: {units.too_few}.")
    elif units.kind == "document" and pairs * 0.5**units.count > ALPHA:
        warnings.append(
            f"Warning: {units.count} documents are too few for permutation tests of {pairs} pairs "
            "of metrics, which tell none apart."
        )
    return warnings


def _document_units(units: Units) -> Any:
    """Documents are exchanged whole; without documents every cell by itself."""
    return units.of_segment if units.kind == "document" else None


def _permutation_tests(
    gold: FloatArray,
    table: FloatArray,
    metrics: Sequence[Series],
    level: str,
    average_by: AverageBy,
    plan: PermutationPlan,
) -> list[MetricTest]:
    names = [one.name for one in metrics]
    if level == "system":
        found = perm_both_systems(gold, table, pearson, plan)
        return [
            _test(
                "PERM-BOTH",
                "pearson of system means",
                names,
                found,
                "Means of segment scores, standardised; not the corpus scores of the table.",
            )
        ]
    found = perm_both_segments(gold, table, pearson, average_by, plan)
    tests = [_test("PERM-BOTH", f"pearson, average by {average_by}", names, found)]
    if average_by == "item":
        epsilons = np.array([calibrate(gold, one).epsilon for one in table])
        judged = permute_pairs(judge_pairs(gold, table, epsilons), plan)
        tests.append(_test("pair permutation", "acc_eq calibrated", names, judged))
    return tests


def _williams(gold: Series, metrics: Sequence[Series]) -> MetricTest:
    """Williams' test of Pearson correlations over systems."""
    table = np.stack([one.of_systems for one in metrics])
    values = pearson(gold.of_systems, table)
    p = np.eye(len(metrics))
    for a, b in system_pairs(len(metrics)):
        between = float(pearson(table[a], table[b]))
        for first, second in ((a, b), (b, a)):
            p[first, second] = williams(
                float(values[first]), float(values[second]), between, table.shape[1]
            ).p
    names = [one.name for one in metrics]
    return _ranked("Williams", "pearson of system scores", names, values, p)


def _test(
    name: str, statistic: str, names: Sequence[str], found: MetricTests, note: str = ""
) -> MetricTest:
    drawn = f"{found.permutations} permutations of {found.units} units"
    return _ranked(name, statistic, names, found.values, found.p, f"{drawn}. {note}".strip())


def _ranked(
    name: str,
    statistic: str,
    names: Sequence[str],
    values: FloatArray,
    p: FloatArray,
    note: str = "",
) -> MetricTest:
    """Pairs with the better metric first, corrected by Holm, and the clusters that follow."""
    ordered = [(a, b) if not values[a] < values[b] else (b, a) for a, b in system_pairs(len(names))]
    raw = [float(p[better, worse]) for better, worse in ordered]
    corrected = holm(raw)
    by_pair = {
        (min(pair), max(pair)): value for pair, value in zip(ordered, corrected, strict=True)
    }
    pairs = tuple(
        MetricPair(names[a], names[b], float(values[a] - values[b]), one, both)
        for (a, b), one, both in zip(ordered, raw, corrected, strict=True)
    )
    groups = clusters([float(value) for value in values], by_pair)
    named = tuple(tuple(names[metric] for metric in group) for group in groups)
    return MetricTest(name, statistic, pairs, named, note=note)
