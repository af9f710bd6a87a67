"""Speed of the aligners: a document pair of 250 × 330 sentences on one core, and a long one.

    python benchmarks/align_speed.py

The sentences are made up with a seed from words of CC-CEDICT, so that nothing has to be shipped.
Times are CPU seconds of one process, with words found anew; reading the dictionary is timed apart.
"warm" is the second pair of a process, when stems and dictionary words are known: what a worker
sees. Exits with 1 if the hybrid misses the goal.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import random
import resource
import sys
import time

from patmark.alignment.aligners import aligner_for
from patmark.alignment.beads import Aligner
from patmark.data.dictionaries import read_cedict

GOAL_SECONDS, LONG_GOAL_SECONDS = 0.07, 20.0
SOURCES, TARGETS = 330, 250


def document_pair(rng: random.Random, beads: int) -> tuple[list[str], list[str]]:
    """Chinese sentences and glosses of their words, some sentences of either side split in two."""
    glossary = read_cedict()
    known = [(word, gloss) for word, gloss in glossary.glosses.items() if len(word) == 2]
    words = rng.sample(known, 1500)
    chinese: list[str] = []
    english: list[str] = []
    for _ in range(beads):
        chosen = [words[min(int(rng.paretovariate(0.7)), 1499)] for _ in range(rng.randint(6, 24))]
        chinese += _pieces([word for word, _ in chosen], "", "。", rng.random() < 0.32, rng)
        english += _pieces([gloss for _, gloss in chosen], " ", ".", False, rng)
    return chinese, english


def _pieces(
    words: list[str], blank: str, stop: str, divide: bool, rng: random.Random
) -> list[str]:  # fmt: skip
    at = rng.randint(2, len(words) - 2) if divide else len(words)
    return [blank.join(part) + stop for part in (words[:at], words[at:]) if part]


def seconds(aligner: Aligner, pair: tuple[list[str], list[str]]) -> float:
    """CPU time to align one pair."""
    begin = time.process_time()
    aligner.align(*pair)
    return time.process_time() - begin


def main() -> int:
    """Print a line for each aligner, and compare the hybrid with the goal."""
    rng = random.Random(0)
    pairs = [document_pair(rng, TARGETS) for _ in range(2)]
    begin = time.process_time()
    aligners = {
        name: aligner_for(name, "zh", "en") for name in ("hybrid", "utiyama-isahara", "gale-church")
    }
    print(f"reading CC-CEDICT: {time.process_time() - begin:.2f} s")
    warm = 0.0
    for name, aligner in aligners.items():
        cold, again = seconds(aligner, pairs[0]), seconds(aligner, pairs[1])
        warm = again if name == "hybrid" else warm
        shape = f"{len(pairs[1][0])} × {len(pairs[1][1])}"
        print(f"{name:16} {shape} sentences: {cold:.2f} s, warm {again:.2f} s")
    chinese, english = document_pair(rng, 5000)
    english += document_pair(rng, 1000)[1]  # without a translation
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = seconds(aligners["hybrid"], (chinese, english))
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    shape = f"{len(chinese)} × {len(english)}"
    print(f"hybrid {shape}, 1000 of them alone at the end: {taken:.1f} s, {more:.0f} MB more")
    reached = warm < GOAL_SECONDS, taken < LONG_GOAL_SECONDS
    print(
        f"hybrid, {SOURCES} × {TARGETS} sentences, warm: {warm:.3f} s (goal {GOAL_SECONDS})"
        + ("" if reached[0] else "  MISSED")
    )
    print(
        f"hybrid, {shape} sentences: {taken:.1f} s (goal {LONG_GOAL_SECONDS:g})"
        + ("" if reached[1] else "  MISSED")
    )
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
