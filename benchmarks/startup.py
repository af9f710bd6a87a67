"""Time of `patmark score` on a small file, against the sacreBLEU command.

    python benchmarks/startup.py

On 100 lines nearly all of the time is that of starting: what is imported, and what is compiled.
Both commands count BLEU and chrF of the same lines, patmark with its intervals. Times are seconds
of the processor of the whole command, the best of seven. Exits with 1 if the goal is missed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from child_time import best_of, program
from patent_text import pairs

LINES, REPEATS, MOST_RATIO = 100, 7, 1.8


def main() -> int:
    """Print one result."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, lines in zip(("hyp.txt", "ref.txt"), pairs(LINES), strict=True):
            (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        own = [program("patmark"), "score", "--hyp", "hyp.txt", "--ref", "ref.txt"]
        own += ["--lang", "en", "--measures", "BLEU,chrF"]
        peer = [program("sacrebleu"), "ref.txt", "-i", "hyp.txt", "-m", "bleu", "chrf"]
        ours, theirs = best_of(REPEATS, (own, folder), (peer, folder))
    reached = ours <= MOST_RATIO * theirs
    print(
        f"score, {LINES} lines, BLEU + chrF, whole command: ours {ours:.2f} s, "
        f"sacreBLEU {theirs:.2f} s, {ours / theirs:.1f} times theirs (goal {MOST_RATIO})"
        + ("" if reached else "  MISSED")
    )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
