"""Time of the whole command `patmark compare`, against `sacrebleu --paired-bs`.

    python benchmarks/compare_command.py

Three systems with 2,000 lines each, BLEU and chrF, 1,000 resamples, from the files to the printed
tables. sacreBLEU compares the first system with each other one; patmark compares all pairs, and
says where the differences come from. Times are seconds of the processor over all threads, the best
of three. Exits with 1 if the goal is missed. `compare_speed.py` measures the same work without
start, reading and printing.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from child_time import best_of, program
from patent_text import sentence, translation

SYSTEMS, LINES, RESAMPLES, REPEATS, LEAST_RATIO = 3, 2000, 1000, 3, 5.0


def write_texts(folder: Path) -> list[str]:
    """Write the reference and a file for each system; return the names of the systems."""
    rng = random.Random(0)
    references = [sentence(rng) for _ in range(LINES)]
    names = [f"system{number}.txt" for number in range(1, SYSTEMS + 1)]
    texts = {"ref.txt": references}
    texts |= {name: [translation(rng, line) for line in references] for name in names}
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return names


def main() -> int:
    """Print one result."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        names = write_texts(folder)
        own = [program("patmark"), "compare", *(part for name in names for part in ("--hyp", name))]
        own += ["--ref", "ref.txt", "--lang", "en", "--measures", "BLEU,chrF"]
        own += ["--test", "bootstrap", "--resamples", str(RESAMPLES)]
        peer = [program("sacrebleu"), "ref.txt", "-i", *names, "-m", "bleu", "chrf"]
        peer += ["--paired-bs", "--paired-bs-n", str(RESAMPLES), "-f", "text"]
        ours, theirs = best_of(REPEATS, (own, folder), (peer, folder))
    reached = theirs >= LEAST_RATIO * ours
    print(
        f"compare, {SYSTEMS} systems × {LINES} lines × {RESAMPLES} resamples, BLEU + chrF, whole "
        f"command: ours {ours:.2f} s, sacreBLEU {theirs:.2f} s, ratio {theirs / ours:.1f} "
        f"(goal {LEAST_RATIO})" + ("" if reached else "  MISSED")
    )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
