"""Properties of a comparison of 2, 8 or 16 systems: level, power, row order, scale.

    python benchmarks/comparison_promises.py --sets 200

Test sets are invented: documents of ten segments, of which the quality is partly shared (see
`simulated_sets.py`), scored by BLEU and by four means. For each number of systems it prints

* how often equal systems are called different by any measure, p corrected over measures and pairs
  (family-wise error, at most 5 %), and how often a verdict stands beside an interval with 0;
* the share of pairs of truly different systems that is found, by the default test and by 10,000
  trials alone; systems differ by 0.15 standard deviations of a segment from one to the next;
* how many of the results change with the order of rows (must be 0), and by how much the ends of an
  interval of BLEU move where units are drawn in the order of rows, as before;
* how many rank statistics and p-values of a meta-evaluation change if a metric is multiplied by
  1e-13 or 1e13 (must be 0).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from patmark.data import FloatArray, IntArray, Scores
from patmark.evaluation import CompareSettings, Comparison, Sampling, compare
from patmark.evaluation.meta.agreement import MetaSettings
from patmark.evaluation.meta.panel import build_panel, scores_source
from patmark.evaluation.meta.report import evaluate_metrics
from patmark.measures import parse_measure
from patmark.stats import Units, estimate_all

SYSTEMS = 2, 8, 16
MEANS = "adequacy", "fluency", "style", "terms"
DOCUMENTS, SIZE, SHARED = 20, 10, 0.3
_BLEU = parse_measure("BLEU").described()


def draw_scores(systems: int, step: float, rng: np.random.Generator) -> dict[str, Scores]:
    """Return BLEU and four means of systems that differ by ``step`` from one to the next."""
    segments = DOCUMENTS * SIZE
    names = tuple(f"s{number}" for number in range(systems))
    ids = tuple(f"{number}" for number in range(segments))
    found = {}
    for name in ("BLEU", *MEANS):
        shared = np.repeat(rng.normal(size=(systems, DOCUMENTS)), SIZE, axis=1)
        own = rng.normal(size=(systems, segments))
        quality = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own
        quality -= step * np.arange(systems)[:, None]
        if name == "BLEU":
            statistics = _bleu_statistics(quality, rng)
            found[name] = replace(_BLEU, systems=names, segments=ids, statistics=statistics)
        else:
            found[name] = Scores.of_values(name, name, names, ids, quality)
    return found


def _bleu_statistics(quality: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return lengths, matches and n-grams of segments of 8 to 40 words."""
    length = np.broadcast_to(rng.integers(8, 40, quality.shape[1]), quality.shape)
    precision = 1 / (1 + np.exp(-1 - 0.8 * quality))
    possible = [length - order for order in range(4)]
    matches = [
        rng.binomial(count, precision ** (1 + 0.7 * order)) for order, count in enumerate(possible)
    ]
    return np.stack([length, length, *matches, *possible], axis=-1).astype(np.float64)


def documents() -> list[str | None]:
    """Return the document of each segment."""
    return [f"d{number // SIZE}" for number in range(DOCUMENTS * SIZE)]


def compared(scores: Mapping[str, Scores], trials: int | None, seed: int) -> Comparison:
    """Compare with few resamples, which tests do not need."""
    return compare(scores, documents(), CompareSettings(Sampling(500, seed), trials=trials))


def level(systems: int, sets: int) -> tuple[float, int]:
    """Return the family-wise error, and the verdicts beside an interval that holds 0."""
    wrong = contradicted = 0
    for seed in range(sets):
        found = compared(draw_scores(systems, 0.0, np.random.default_rng([seed, systems])), None, 0)
        wrong += bool(found.verdict)
        contradicted += _contradictions(found)
    return wrong / sets, contradicted


def _contradictions(found: Comparison) -> int:
    pairs = [pair for measure in found.measures.values() for pair in measure.pairs]
    return sum(
        pair.significant and pair.ci is not None and pair.ci[0] <= 0 <= pair.ci[1] for pair in pairs
    )


def power(systems: int, sets: int, trials: int | None, step: float = 0.15) -> float:
    """Return the share of different pairs that is found."""
    pairs = systems * (systems - 1) // 2
    drawn = (
        draw_scores(systems, step, np.random.default_rng([seed, systems, 1]))
        for seed in range(sets)
    )
    return float(np.mean([len(compared(one, trials, 0).verdict) / pairs for one in drawn]))


def row_orders(systems: int, sets: int) -> tuple[int, float]:
    """Return the results that change with the order of rows, and the movement without ids."""
    changed, moved = 0, []
    for seed in range(sets):
        rng = np.random.default_rng([seed, systems, 2])
        scores = draw_scores(systems, 0.15, rng)
        order = rng.permutation(DOCUMENTS * SIZE)
        shuffled = {name: _in_order(one, order) for name, one in scores.items()}
        own = [documents()[place] for place in order]
        settings = CompareSettings(Sampling(500))
        one, other = compare(scores, documents(), settings), compare(shuffled, own, settings)
        changed += one.to_json() != other.to_json()
        by_row = [_by_row(scores["BLEU"], documents()), _by_row(shuffled["BLEU"], own)]
        moved.append(abs(by_row[0] - by_row[1]))
    return changed, max(moved)


def _in_order(scores: Scores, order: IntArray) -> Scores:
    segments = tuple(scores.segments[place] for place in order)
    return replace(scores, segments=segments, statistics=scores.statistics[:, order])


def _by_row(scores: Scores, own: Sequence[str | None]) -> float:
    """Return the upper end of the first system, with 2,000 draws in the order of rows."""
    number = {name: place for place, name in enumerate(dict.fromkeys(own))}
    of_segment = np.array([number[name] for name in own])
    units = Units("document", of_segment, len(number), len(number))
    [[first, *_]] = estimate_all([(scores.statistics, scores.score)], units, 2000, 0)
    return first.ci[1] if first.ci else float("nan")


def scales(systems: int, sets: int) -> int:
    """Return the numbers of a meta-evaluation that change with the scale of a metric."""
    changed = 0
    systems = max(systems, 4)
    settings = MetaSettings("segment", sampling=Sampling(0), permutations=99)
    for seed in range(sets):
        rng = np.random.default_rng([seed, systems, 3])
        gold = rng.integers(1, 6, (systems, 40)).astype(np.float64)
        metric = np.round(gold / 10 + rng.normal(0, 0.2, gold.shape), 2)
        found = [_agreement(gold, factor * metric, settings) for factor in (1.0, 1e-13, 1e13)]
        changed += not all(np.allclose(one, found[0], 1e-9, equal_nan=True) for one in found[1:])
    return changed


def _agreement(gold: FloatArray, metric: FloatArray, settings: MetaSettings) -> list[float]:
    names = tuple(f"s{number}" for number in range(len(gold)))
    ids = tuple(map(str, range(gold.shape[1])))
    other = gold + np.random.default_rng(0).normal(size=gold.shape)
    tables = {"gold": gold, "metric": metric, "other": other}
    scores = {name: Scores.of_values(name, name, names, ids, one) for name, one in tables.items()}
    panel = build_panel([scores_source("simulated", scores, [None] * len(ids), {})], "gold")
    result = evaluate_metrics(panel, settings)
    [row] = [row for row in result.rows if row.metric == "metric"]
    tests = result.comparison.tests if result.comparison else ()
    p_values = [pair.p for test in tests for pair in test.pairs]
    return [*(one.value for one in row.agreement.values()), *p_values]


def main() -> None:
    """Print a line for each number of systems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    sets = parser.parse_args().sets
    for systems in SYSTEMS:
        error, contradicted = level(systems, sets)
        default, alone = power(systems, sets, None), power(systems, sets, 10_000)
        changed, moved = row_orders(systems, sets)
        scaled = scales(systems, sets)
        print(
            f"{systems:2} systems: family-wise error {error:.1%}, verdict against interval "
            f"{contradicted}; found {default:.0%}, from trials alone {alone:.0%}; changed by order "
            f"{changed}, by row number {moved:.2f} BLEU; changed by scale {scaled}",
            flush=True,
        )


if __name__ == "__main__":
    main()
