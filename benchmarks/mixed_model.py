"""The mixed model of grades: how often its intervals hold the truth, and how long a fit takes."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from patmark.data import FloatArray
from patmark.evaluation import model_grades

SETS = 200


def grades_of(
    rng: np.random.Generator, evaluators: int, systems: int, segments: int, per_document: int
) -> FloatArray:
    """Grades of equal systems with mean 0; every factor and what it does to a system varies."""
    documents = segments // per_document
    document = np.arange(segments) // per_document
    values = rng.normal(0, 0.3, documents)[document] + rng.normal(0, 0.5, segments)
    values = values + rng.normal(0, 0.15, (systems, documents))[:, document]
    values = values + rng.normal(0, 0.4, (systems, segments))
    values = values + rng.normal(0, 0.2, (evaluators, 1, 1))
    values = values + rng.normal(0, 0.1, (evaluators, systems, 1))
    return np.asarray(values + rng.normal(0, 0.6, (evaluators, systems, segments)), np.float64)


def coverage(evaluators: int, segments: int) -> tuple[float, float]:
    """Return the share of 95 % intervals that hold 0: of means, of differences."""
    rng = np.random.default_rng(evaluators)
    names = [f"d{place // 3}" for place in range(segments)]
    means, differences = [], []
    for _ in range(SETS):
        model = model_grades(grades_of(rng, evaluators, 3, segments, 3), "abc", names)
        means.append(_holds(model.mean(0).ci))
        differences.append(_holds(model.difference(0, 1).ci))
    return float(np.mean(means)), float(np.mean(differences))


def _holds(interval: tuple[float, float] | None) -> bool:
    return interval is not None and interval[0] <= 0 <= interval[1]


def main() -> None:
    """Print coverage by number of evaluators, and the time of a large fit."""
    for evaluators in (2, 3, 6):
        mean, difference = coverage(evaluators, 30)
        print(f"{evaluators} evaluators, 30 segments: mean {mean:.1%}, difference {difference:.1%}")
    grades = grades_of(np.random.default_rng(0), 3, 10, 300, 10)
    start = perf_counter()
    model_grades(grades, "abcdefghij", [f"d{place // 10}" for place in range(300)])
    print(f"9,000 grades: {perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
