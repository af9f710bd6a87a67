"""How often a campaign that is looked at again and again calls equal systems different.

    python benchmarks/stop_rule.py [campaigns]

Three equal systems, grades from 1 to 5 of documents with eight segments each, judged by two people
of six; the organiser looks after every document up to 60 of them, and stops at the first difference
that is called sure. Printed beside the same with the usual paired t-test and Holm, and how often
systems that differ by 0.3 of a grade are told apart. Exits with 1 if more than 5 % of campaigns
(and three standard errors) call equal systems different.
"""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np

from patmark.campaign.stopping import ALPHA, verdicts
from patmark.data import FloatArray
from patmark.stats import holm, t_test

SYSTEMS, DOCUMENTS, SEGMENTS, FIRST_LOOK = ("a", "b", "c"), 60, 8, 6


def grades(rng: np.random.Generator, gap: float) -> FloatArray:
    """Mean grades of two evaluators, by document, segment and system."""
    document = rng.normal(0, 0.5, (DOCUMENTS, 1, 1))
    in_document = rng.normal(0, 0.3, (DOCUMENTS, 1, len(SYSTEMS)))
    in_segment = rng.normal(0, 0.7, (DOCUMENTS, SEGMENTS, len(SYSTEMS)))
    quality = 3.2 + gap * np.array([1.0, 0.0, 0.0]) + document + in_document + in_segment
    each = quality[..., None] + rng.normal(0, 0.6, (*quality.shape, 2))
    found: FloatArray = np.clip(np.round(each), 1, 5).mean(axis=-1)
    return found


def looks(values: FloatArray) -> tuple[bool, bool]:
    """Whether a difference is ever called sure: by the stop rule, and by a test at every look."""
    names = [f"d{one}" for one in range(DOCUMENTS) for _ in range(SEGMENTS)]
    segments = tuple(f"s{place}" for place in range(len(names)))
    documents = dict(zip(segments, names, strict=True))
    by_rule = by_test = False
    pairs = list(combinations(range(len(SYSTEMS)), 2))
    for seen in range(FIRST_LOOK, DOCUMENTS + 1):
        until = seen * SEGMENTS
        table = values[:seen].reshape(until, len(SYSTEMS))
        differences = {(a, b): table[:, a] - table[:, b] for a, b in pairs}
        if not by_rule:
            found = verdicts("adequacy", SYSTEMS, segments[:until], differences, documents)
            by_rule = any(one.is_decided for one in found)
        if not by_test:
            means = values[:seen].mean(axis=1)
            usual = holm([t_test(means[:, a] - means[:, b]) for a, b in pairs])
            by_test = min(usual) < ALPHA
    return by_rule, by_test


def main(campaigns: int = 1000) -> int:
    """Simulate campaigns; 1 if the promise is broken."""
    for gap in (0.0, 0.3):
        rng = np.random.default_rng(0)
        found = np.array([looks(grades(rng, gap)) for _ in range(campaigns)]).mean(axis=0)
        print(f"gap {gap}: stop rule {found[0]:.3f}, repeated t-test {found[1]:.3f}")
        if gap == 0.0:
            share = float(found[0])
    return int(share > ALPHA + 3 * (ALPHA * (1 - ALPHA) / campaigns) ** 0.5)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
