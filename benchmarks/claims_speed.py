"""Speed of the claim linter: 10,000 claims on one core.

    python benchmarks/claims_speed.py

Claims are made up with a seed, in sets of 20. Times are seconds of one process on the clock.
Exits with 1 if the goal is missed.
"""

from __future__ import annotations

import random
import sys
import time

from patmark.claims.lint import lint

CLAIMS, SET_SIZE = 10_000, 20
MOST_SECONDS = 20.0
_NOUNS = (
    "drive shaft", "controller", "housing", "pressure sensor", "inner sleeve", "valve seat",
    "storage unit", "rotor blade", "first electrode", "second electrode", "cooling channel",
)  # fmt: skip
_VERBS = (
    "is connected to",
    "is arranged next to",
    "surrounds",
    "is configured to move",
    "supports",
)


def claim_set(rng: random.Random) -> str:
    """One independent claim of about 120 words and dependent ones."""
    nouns = list(_NOUNS)
    rng.shuffle(nouns)
    elements = "; ".join(f"a {noun} made of a metal" for noun in nouns)
    links = "; ".join(f"wherein {_link(rng, nouns)}" for _ in range(6))
    claims = [f"1. A pump comprising: {elements}; {links}."]
    for number in range(2, SET_SIZE + 1):
        parent = rng.randint(1, number - 1)
        claims.append(f"{number}. The pump of claim {parent}, wherein {_link(rng, nouns)}.")
    return "\n".join(claims)


def _link(rng: random.Random, nouns: list[str]) -> str:
    first, second = rng.sample(nouns, 2)
    return f"the {first} {rng.choice(_VERBS)} the {second} during operation of the pump"


def main() -> int:
    """Time the linter and compare with the goal."""
    rng = random.Random(0)
    sets = [claim_set(rng) for _ in range(CLAIMS // SET_SIZE)]
    begin = time.perf_counter()
    findings = sum(len(lint(text).findings) for text in sets)
    seconds = time.perf_counter() - begin
    print(f"{CLAIMS} claims: {seconds:.1f} s, {findings} findings (goal: {MOST_SECONDS:.0f} s)")
    return 0 if seconds < MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
