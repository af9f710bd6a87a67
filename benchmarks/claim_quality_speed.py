"""Speed of ClaimQuality: 1,000 pairs of claim sets, that is 2,000 candidates.

    python benchmarks/claim_quality_speed.py

All candidates differ; ten pairs share a reference, as about nine do in Patent-CE. Seconds are those
of one processor. Exits with 1 if the goal is missed.
"""

from __future__ import annotations

import random
import sys
import time

from patmark.claims.quality import ClaimQuality
from patmark.claims.scoring import evaluate_claims
from patmark.data.model import Run, TestSet
from patmark.evaluation.scoring import Sampling

PAIRS, REFERENCES, CLAIMS, MOST_SECONDS = 1000, 100, 12, 15.0
_NOUN_WORDS = """
housing rotor shaft motor seal ring sensor controller inlet outlet valve plate channel pad
cell module spring lever bearing frame cover memory processor interface network signal
"""
_NOUNS = _NOUN_WORDS.split()
_KIND_WORDS = "first second upper lower inner outer rotating elastic conductive flexible"
_KINDS = _KIND_WORDS.split()
_VERBS = ("is connected to", "is mounted on", "surrounds", "is configured to drive", "is cooled by")


def element(rng: random.Random) -> str:
    """Return a noun phrase without an article."""
    return f"{rng.choice(_KINDS)} {rng.choice(_NOUNS)}"


def claim_set(rng: random.Random, claims: int = CLAIMS) -> str:
    """Claims of about 500 words, near the mean of Patent-CE."""
    lines = []
    for number in range(1, claims + 1):
        clauses = [
            f"a {element(rng)} that {rng.choice(_VERBS)} a {element(rng)} at "
            f"{rng.randint(1, 99)} mm"
            for _ in range(rng.randint(1, 3))
        ]
        opening = (
            "A device comprising: "
            if number == 1
            else f"The device of claim {rng.randint(1, number - 1)}, further comprising: "
        )
        lines.append(
            f"{number}. {opening}{'; '.join(clauses)}; wherein the {element(rng)} "
            f"{rng.choice(_VERBS)} the {element(rng)}."
        )
    return "\n".join(lines)


def candidate(rng: random.Random, text: str) -> str:
    """Return a reference with three tenths of its nouns exchanged."""
    return " ".join(
        rng.choice(_NOUNS) if word in _NOUNS and rng.random() < 0.3 else word
        for word in text.split(" ")
    )


def main() -> int:
    """Score and print."""
    rng = random.Random(0)
    references = [claim_set(rng) for _ in range(REFERENCES)] * (PAIRS // REFERENCES)
    sides = [[candidate(rng, text) for text in references] for _ in range(2)]
    words = sum(len(text.split()) for text in references) / PAIRS
    test_set = TestSet.of(references)
    begin = time.process_time()
    scores = [ClaimQuality().statistics(test_set, side)[:, 0].mean() for side in sides]
    seconds = time.process_time() - begin
    print(f"{PAIRS} pairs of claim sets ({words:.0f} words each): {seconds:.1f} s")
    begin = time.process_time()
    runs = [Run(system, tuple(side)) for system, side in zip("AB", sides, strict=True)]
    done = evaluate_claims(test_set, runs, settings=Sampling(resamples=100))
    done.to_json()
    done.to_report()
    print(f"claims score, all measures and the linter: {time.process_time() - begin:.1f} s")
    print(f"mean scores {scores[0]:.3f} and {scores[1]:.3f}; goal: under {MOST_SECONDS:.0f} s")
    return int(seconds > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
