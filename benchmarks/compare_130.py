"""Time of comparing 130 runs by three measures and of judging the measures, and the page's size.

    python benchmarks/compare_130.py [SYSTEMS [SEGMENTS]]

130 invented systems from good to bad with 2,000 lines each, 20 lines a document. The commands read
the files, test all 8,385 pairs by BLEU, NIST and RIBES and write an HTML page; then the measures
are held against an invented human score. Times are seconds of the processor of the whole command,
over all threads and processes. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import csv
import random
import sys
import tempfile
from pathlib import Path

from child_time import child_seconds, program
from patent_text import sentence, translation

SYSTEMS, SEGMENTS, DOCUMENT = 130, 2000, 20
MEASURES = "BLEU,NIST,RIBES"
MOST_SECONDS, MOST_BYTES = 30.0, 5e6


def write_texts(folder: Path, systems: int, segments: int) -> list[str]:
    """The reference, its documents, and a file for each system; gives the names of those.

    Each system leaves a share of the lines as they are, the better ones a larger share.
    """
    rng = random.Random(0)
    references = [sentence(rng) for _ in range(segments)]
    texts = {
        "ref.txt": references,
        "docs.txt": [f"patent{number // DOCUMENT:04}" for number in range(segments)],
    }
    for number in range(systems):
        share = 0.5 * (1 - number / systems)
        texts[f"system{number:03}.txt"] = [
            line if rng.random() < share else translation(rng, line) for line in references
        ]
    for name, lines in texts.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [name for name in texts if name.startswith("system")]


def add_human_scores(scores: Path, systems: int) -> None:
    """Append grades from 1 to 5 to a file of segment scores: better systems get better ones."""
    rng = random.Random(1)
    with scores.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = dict.fromkeys((row["system"], row["segment"]) for row in rows if row["segment"])
    with scores.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for system, segment in cells:
            quality = 4.5 - 3 * int(system.removeprefix("system")) / systems
            grade = min(5, max(1, round(rng.gauss(quality, 0.8))))
            writer.writerow([system, segment, "human", grade])


def report(line: str, reached: bool) -> bool:
    """Print a result with a mark where the goal is missed."""
    print(line + ("" if reached else "  MISSED"), flush=True)
    return reached


def main() -> int:
    """Print one line for each command and one for the page."""
    numbers = [int(argument) for argument in sys.argv[1:]]
    systems, segments = numbers + [SYSTEMS, SEGMENTS][len(numbers) :]
    size = f"{systems} runs × {segments} lines, {MEASURES}"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        names = write_texts(folder, systems, segments)
        inputs = [part for name in names for part in ("--hyp", name)]
        inputs += ["--ref", "ref.txt", "--docs", "docs.txt", "--lang", "en"]
        inputs += ["--measures", MEASURES, "--quiet"]
        spent = child_seconds(
            [program("patmark"), "compare", *inputs, "--html", "page.html"], folder
        )
        good = report(
            f"compare, {size}: {spent:.1f} s (goal {MOST_SECONDS:.0f})", spent <= MOST_SECONDS
        )
        written = (folder / "page.html").stat().st_size
        good &= report(
            f"its page: {written / 1e6:.1f} MB (goal {MOST_BYTES / 1e6:.0f})", written <= MOST_BYTES
        )
        scored = [program("patmark"), "score", *inputs, "--segments", "scores.csv"]
        report(f"score, {size}: {child_seconds(scored, folder):.1f} s", True)
        add_human_scores(folder / "scores.csv", systems)
        judged = [program("patmark"), "meta", "scores.csv", "--gold", "human", "--quiet"]
        spent = child_seconds([*judged, "--html", "meta.html"], folder)
        good &= report(
            f"meta, {size}: {spent:.1f} s (goal {MOST_SECONDS:.0f})", spent <= MOST_SECONDS
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
