"""Family-wise error rate: equal systems called different by at least one of four measures.

Two real systems exchange the outputs of each document at random, which makes them equal; then they
are compared by BLEU, chrF, TER and RIBES as ``patmark compare`` does. Printed is the share of such
test sets in which something is called significant at 5 %: by any measure tested by itself, by the
verdict over all measures, and by one measure that was declared to decide. Then the share of test
sets in which a version that is worse by just the margin passes the gate on it.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from patmark.data import FloatArray, Scores, ScoreScale, mean_score, mean_statistics
from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.evaluation import CompareSettings, Sampling, compare, evaluate
from patmark.examples import example_path
from patmark.stats import ALPHA, Units, margin_test, pair_margin_test
from simulated_sets import UNEQUAL_RATES, Design, draw_set, rate_designs

MEASURES = ("BLEU", "chrF", "TER", "RIBES")


def example_scores() -> tuple[dict[str, Scores], tuple[str | None, ...]]:
    """Scores of two example systems under every measure, and the documents of their segments."""
    folder = example_path("ja_en")
    test_set = read_line_test_set(
        [folder / "reference.en"], documents=folder / "documents.txt", target_language="en"
    )
    runs = [read_line_run(folder / f"{name}.en", test_set) for name in ("atlas", "borealis")]
    evaluation = evaluate(test_set, runs, list(MEASURES), Sampling(resamples=0))
    return dict(evaluation.scores), test_set.documents


def false_positives(sets: int, trials: int) -> dict[str, float]:
    """Return the share of sets of equal systems in which a rule calls anything significant."""
    scores, documents = example_scores()
    _, document_of = np.unique(np.array(documents), return_inverse=True)
    rng = np.random.default_rng(0)
    found = {"each measure by itself": 0, "verdict over the measures": 0}
    found |= {f"{name} declared to decide": 0 for name in MEASURES}
    for number in range(sets):
        turned = (rng.random(document_of.max() + 1) < 0.5)[document_of][None, :, None]
        mixed = {
            name: replace(one, statistics=np.where(turned, one.statistics[::-1], one.statistics))
            for name, one in scores.items()
        }
        settings = CompareSettings(Sampling(resamples=1, seed=number), trials=trials)
        comparison = compare(mixed, documents, settings)
        by_itself = [one.pairs[0].significant for one in comparison.measures.values()]
        found["each measure by itself"] += any(by_itself)
        found["verdict over the measures"] += bool(comparison.verdict)
        for name, significant in zip(MEASURES, by_itself, strict=True):
            found[f"{name} declared to decide"] += significant
    return {rule: count / sets for rule, count in found.items()}


def passed_at_the_margin(units: int, sets: int) -> float:
    """Return the share of systems worse by exactly the margin that pass the gate.

    A ratio of errors to words, of documents of unequal sizes.
    """
    rng = np.random.default_rng(units)
    passed = 0
    for _ in range(sets):
        words = np.round(100 * (1 + rng.pareto(3, units)))
        rate = rng.normal([[0.32], [0.3]], 0.05, (2, units))
        now, before = (np.column_stack([one * words, words]) for one in rate)
        passed += margin_test(now, before, _rate, 0.02).not_worse(False) <= ALPHA
    return passed / sets


def passed_at_the_margin_of_a_rate(before: float, now: float, segments: int, sets: int) -> float:
    """Return the error rate for shares of faulty segments that rose by exactly the margin."""
    rng = np.random.default_rng(segments)
    units, scale = Units.choose([None] * segments), ScoreScale((0.0, 1.0), rate=True)
    passed = 0
    for _ in range(sets):
        faults = rng.random((2, segments)) < [[now], [before]]
        statistics = mean_statistics(faults.astype(np.float64))
        test = pair_margin_test(statistics, mean_score, scale, units, now - before)
        passed += test.not_worse(False) <= ALPHA
    return passed / sets


def passed_at_the_margin_by_document(design: Design, sets: int) -> float:
    """Return the error rate for documents with clustered faults."""
    drawn = (draw_set(design, seed) for seed in range(sets))
    tests = (
        pair_margin_test(
            one.scores.statistics, one.scores.score, one.scores.scale,
            Units.choose(one.documents), one.truths[0] - one.truths[1],
        )
        for one in drawn
    )  # fmt: skip
    return sum(test.not_worse(False) <= ALPHA for test in tests) / sets


def _rate(totals: FloatArray) -> FloatArray:
    return np.asarray(totals[..., 0] / totals[..., 1], np.float64)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=999)
    options = parser.parse_args()
    print(f"equal systems, {options.sets} test sets, called different at 5 %")
    for rule, share in false_positives(options.sets, options.trials).items():
        print(f"{rule:28} {share:6.1%}")
    print("\nworse by just the margin, called not worse at 5 %")
    for units in (6, 10, 20, 50):
        print(f"{units:3} documents {passed_at_the_margin(units, 2 * options.sets):6.1%}")
    for before, now in ((0.0, 0.02), (0.02, 0.04), (0.1, 0.15)):
        for segments in (6, 10, 20, 50, 100, 200, 500):
            share = passed_at_the_margin_of_a_rate(before, now, segments, 2 * options.sets)
            print(f"{segments:3} segments, rate {before:.0%} to {now:.0%} {share:6.1%}")
    for design in rate_designs(tuple(UNEQUAL_RATES)):
        share = passed_at_the_margin_by_document(design, options.sets)
        print(f"{design.documents:3} documents, {design.sizes}, {design.measure} {share:6.1%}")


if __name__ == "__main__":
    main()
