"""Type I error rate of a campaign that is looked at again and again.

    python benchmarks/stop_rule.py [campaigns]

Each line is a kind of campaign with up to 60 documents or segments. The organiser looks after every
one of them, and stops at the first difference that is called sure. Printed beside the same with the
usual paired t-test and Holm; and how often systems that do differ are told apart. Penalties with
long tails follow, with up to 300 segments: of systems that are alike, and of systems of which only
the means are equal, which the rule does not promise to keep apart. Exits with 1 if more than 5 % of
campaigns of one kind (and three standard errors) call systems that are alike different.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np

from patmark.data import FloatArray
from patmark.human.campaign.stopping import ALPHA, Compared, verdicts
from patmark.stats import holm, t_test

UNITS = 60


def grades(
    rng: np.random.Generator, gap: float, segments: int = 8, evaluators: int = 2
) -> list[Compared]:
    """Three systems with grades from 1 to 5, by documents of some segments."""
    document = rng.normal(0, 0.5, (UNITS, 1, 1))
    in_document = rng.normal(0, 0.3, (UNITS, 1, 3))
    in_segment = rng.normal(0, 0.7, (UNITS, segments, 3))
    quality = 3.2 + gap * np.array([1.0, 0.0, 0.0]) + document + in_document + in_segment
    each = quality[..., None] + rng.normal(0, 0.6, (*quality.shape, evaluators))
    means = np.clip(np.round(each), 1, 5).mean(axis=-1).reshape(-1, 3)
    return [
        Compared("adequacy", "abc"[a], "abc"[b], means[:, a] - means[:, b], _documents(segments))
        for a, b in combinations(range(3), 2)
    ]


def choices(
    rng: np.random.Generator,
    gap: float,
    systems: str = "ab",
    criteria: tuple[str, ...] = ("preference",),
    ties: float = 0.0,
    segments: int = 1,
    evaluators: int = 1,
) -> list[Compared]:
    """Choices between systems; ``gap`` is by how much the first wins more often than it loses."""

    def balance(wins_more: float) -> FloatArray:
        decided = (1 - ties) * np.array([1 - wins_more, 1 + wins_more]) / 2
        chances = [decided[0], ties, decided[1]]
        drawn = rng.choice([-1.0, 0.0, 1.0], p=chances, size=(UNITS * segments, evaluators))
        means: FloatArray = drawn.mean(axis=1)
        return means

    return [
        Compared(criterion, a, b, balance(gap if a == "a" else 0.0), _documents(segments))
        for criterion in criteria
        for a, b in combinations(systems, 2)
    ]


def _documents(segments: int) -> list[str | None]:
    """Return the document of each segment; single segments have none."""
    names = [f"d{one}" for one in range(UNITS) for _ in range(segments)]
    return list(names) if segments > 1 else [None] * UNITS


def two_criteria(rng: np.random.Generator, gap: float) -> list[Compared]:
    """Three systems, two criteria, a tenth of ties."""
    return choices(rng, gap, "abc", ("accuracy", "style"), ties=0.1)


def three_evaluators(rng: np.random.Generator, gap: float) -> list[Compared]:
    """Three systems, three people for each segment, a tenth of ties."""
    return choices(rng, gap, "abc", ties=0.1, evaluators=3)


def choices_by_document(rng: np.random.Generator, gap: float) -> list[Compared]:
    """Three systems, documents of three segments."""
    return choices(rng, gap, "abc", segments=3)


def grades_by_segment(rng: np.random.Generator, gap: float) -> list[Compared]:
    """Grades of one person, no documents."""
    return grades(rng, gap, segments=1, evaluators=1)


def mean_grades_by_segment(rng: np.random.Generator, gap: float) -> list[Compared]:
    """Mean grades of two people, no documents."""
    return grades(rng, gap, segments=1)


CAMPAIGNS: dict[str, tuple[Callable[[np.random.Generator, float], list[Compared]], float]] = {
    "grades by document": (grades, 0.3),
    "grades by segment": (grades_by_segment, 0.5),
    "mean grades by segment": (mean_grades_by_segment, 0.5),
    "choices": (choices, 0.5),
    "choices, two criteria": (two_criteria, 0.5),
    "choices of three people": (three_evaluators, 0.5),
    "choices by document": (choices_by_document, 0.5),
}
"""Settings of a simulated campaign, and a difference that is worth finding."""


MANY = 300


def _penalties(rng: np.random.Generator) -> FloatArray:
    """Points of MQM: most segments without an error, a few with a critical one."""
    return rng.choice([0.0, 1.0, 5.0, 25.0], p=[0.6, 0.25, 0.12, 0.03], size=(MANY, 2))


def _log_normal(rng: np.random.Generator) -> FloatArray:
    return rng.lognormal(0, 1.5, (MANY, 2))


def _three_people(rng: np.random.Generator) -> FloatArray:
    means: FloatArray = (_penalties(rng) + _penalties(rng) + _penalties(rng)) / 3
    return means


def _against_constant(rng: np.random.Generator) -> FloatArray:
    """One system with many small errors, one with fewer and graver ones; the means are equal."""
    pairs: FloatArray = np.stack([rng.exponential(1, MANY), np.ones(MANY)], axis=1)
    return pairs


def _against_rare(rng: np.random.Generator) -> FloatArray:
    """Simulate systems with 3 % of severe errors, which the first segments may not show."""
    grave = np.where(rng.random(MANY) < 0.03, 25.0, 0.0)
    small = 0.75 + rng.normal(0, 0.2, MANY)
    pairs: FloatArray = np.stack([grave, small], axis=1)
    return pairs


LONG_TAILS = {
    "penalties": _penalties,
    "penalties, three people": _three_people,
    "log-normal penalties": _log_normal,
}
EQUAL_MEANS_ALONE = {
    "grave errors against small ones": _against_constant,
    "rare grave errors against small ones": _against_rare,
}


def tails(simulated: Callable[[np.random.Generator], FloatArray], campaigns: int) -> float:
    """Return how often two systems with these penalties are ever called different."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(campaigns):
        pairs = simulated(rng)
        found += looks(
            [Compared("penalty", "a", "b", pairs[:, 0] - pairs[:, 1], [None] * MANY)], MANY
        )[0]
    return found / campaigns


def looks(compared: list[Compared], units: int = UNITS) -> tuple[bool, bool]:
    """Return two outcomes, by the stop rule and by a test at each look: a difference is found."""
    size = len(compared[0].differences) // units
    means = [one.differences.reshape(units, size).mean(axis=1) for one in compared]
    by_rule = by_test = False
    for seen in range(2, units + 1):
        if by_rule and by_test:
            break
        if not by_rule:
            so_far = [
                replace(one, differences=part, documents=one.documents[: len(part)])
                for one in compared
                for part in [one.differences[: seen * size]]
            ]
            by_rule = any(one.is_decided for one in verdicts(so_far, len(so_far)))
        if not by_test and seen >= 6:
            by_test = min(holm([t_test(one[:seen]) for one in means])) < ALPHA
    return by_rule, by_test


def main(campaigns: int = 400) -> int:
    """Simulate campaigns; 1 if the promise is broken."""
    most = ALPHA + 3 * (ALPHA * (1 - ALPHA) / campaigns) ** 0.5
    is_broken = False
    for name, (simulated, worth) in CAMPAIGNS.items():
        for gap in (0.0, worth):
            rng = np.random.default_rng(0)
            found = np.array([looks(simulated(rng, gap)) for _ in range(campaigns)]).mean(axis=0)
            print(f"{name}, gap {gap}: stop rule {found[0]:.3f}, repeated t-test {found[1]:.3f}")
            is_broken |= gap == 0.0 and found[0] > most
    for name, drawn in LONG_TAILS.items():
        called = tails(drawn, campaigns)
        print(f"{name}, alike, {MANY} segments: stop rule {called:.3f}")
        is_broken |= called > most
    for name, drawn in EQUAL_MEANS_ALONE.items():
        print(f"{name}, {MANY} segments: stop rule {tails(drawn, campaigns):.3f} (no promise)")
    return int(is_broken)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
