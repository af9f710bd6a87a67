"""Memory of `patmark score --measures TER` on 200,000 lines.

    python benchmarks/ter_memory.py [LINES]

The lines are 20,000 invented pairs again and again. The memory is the most that the whole command
held at a time, the time that of the processor. Exits with 1 if the goal is missed.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

from child_time import child_seconds, program
from patent_text import pairs

LINES, DIFFERENT, MOST_MEGABYTES = 200_000, 20_000, 600


def main() -> int:
    """Print one result."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, texts in zip(("hyp.txt", "ref.txt"), pairs(min(lines, DIFFERENT)), strict=True):
            repeated = islice(cycle(texts), lines)
            (folder / name).write_text("".join(f"{line}\n" for line in repeated), encoding="utf-8")
        command = [program("patmark"), "score", "--hyp", "hyp.txt", "--ref", "ref.txt"]
        spent = child_seconds([*command, "--lang", "en", "--measures", "TER", "--quiet"], folder)
    held = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    reached = held <= MOST_MEGABYTES
    print(
        f"score, {lines} lines, TER, whole command: {held:.0f} MB (goal {MOST_MEGABYTES}), "
        f"{spent:.0f} s" + ("" if reached else "  MISSED")
    )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
