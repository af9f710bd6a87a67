"""Processor time and memory of the long commands that people wait for.

    python benchmarks/waiting.py [--data FOLDER] [ROW …]

Every row is a whole command. Seconds are those of the processor, over all threads and processes;
memory is that of the largest process. Rows of real texts read FOLDER: `mqm/` (WMT21 TED zh-en),
`pap2pat/sample.jsonl.gz` (applications), `patent_ce/quality_dev.json` (claim pairs); without them a
row is left out. A row that fails is printed as failed, and the rest goes on. ROW names some rows by
their first words. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, cycle, islice
from pathlib import Path

from child_time import child_usage, program
from patent_text import sentence, translation

DOCUMENT = 20
MOST_MEGABYTES, MOST_PAGE = 1000.0, 5.0
CLAIM_SETS, CLAIM_PAIRS, FAMILIES, REAL_FACTOR = 1000, 500, 20, 12
PAGES, SENTENCES_OF_PAGE, PARAGRAPH = 60, 20, 4


@dataclass(frozen=True)
class Row:
    """A command, the seconds that it may take, and what it needs: a function that writes files.

    The function gets an empty folder and that of real texts, and returns the arguments. ``divide``
    makes the seconds those of one family.
    """

    title: str
    most_seconds: float
    prepare: Callable[[Path, Path | None], Sequence[str] | None]
    accepted: tuple[int, ...] = (0,)
    divide: int = 1


def write_texts(folder: Path, systems: int, segments: int) -> list[str]:
    """Write the reference, its documents and the systems; return the options that name them.

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
    named = [part for name in texts if name.startswith("system") for part in ("--hyp", name)]
    return [*named, "--ref", "ref.txt", "--docs", "docs.txt", "--lang", "en", "--quiet"]


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


def compare_many(folder: Path, data: Path | None) -> list[str]:
    """Compare 130 runs."""
    inputs = write_texts(folder, 130, 2000)
    return ["compare", *inputs, "--measures", "BLEU,NIST,RIBES", "--html", "page.html"]


def compare_in_all_formats(folder: Path, data: Path | None) -> list[str]:
    """Compare 12 systems, with all formats of a report."""
    inputs = [*write_texts(folder, 12, 3000), "--measures", "BLEU,chrF,TER,NIST,RIBES"]
    return ["compare", *inputs, "--html", "page.html", "--xlsx", "tables.xlsx", "--csv", "t.csv"]


def judge_metrics(folder: Path, data: Path | None) -> list[str]:
    """Score 130 runs, and evaluate the measures by an invented human score."""
    inputs = [*write_texts(folder, 130, 2000), "--measures", "BLEU,NIST,RIBES"]
    child_usage([program("patmark"), "score", *inputs, "--segments", "scores.csv"], folder)
    add_human_scores(folder / "scores.csv", 130)
    return ["meta", "scores.csv", "--gold", "human", "--quiet", "--html", "page.html"]


def reproduce_wmt21(folder: Path, data: Path | None) -> list[str] | None:
    """Reproduce the tables of WMT21 TED from the annotations."""
    if data is None or not (data / "mqm").is_dir():
        return None
    return ["reproduce", "wmt21-ted-zhen", "--data", str(data / "mqm"), "--quiet", "--html",
            "page.html"]  # fmt: skip


def lint_claims(folder: Path, data: Path | None) -> list[str] | None:
    """Check a thousand claim sets of real applications, each in a file of its own."""
    path = data and data / "pap2pat" / "sample.jsonl.gz"
    if not path or not path.exists():
        return None
    with gzip.open(path, "rt", encoding="utf-8") as file:
        sets = [json.loads(line)["claims"] for line in file]
    names = [f"claims{number:04}.txt" for number in range(CLAIM_SETS)]
    for name, claims in zip(names, cycle(sets), strict=False):
        (folder / name).write_text("\n".join(claims), encoding="utf-8")
    return ["claims", "lint", *names, "--quiet", "--json"]


def score_claims(folder: Path, data: Path | None) -> list[str] | None:
    """Score pairs of generated claim sets, none twice."""
    path = data and data / "patent_ce" / "quality_dev.json"
    if not path or not path.exists():
        return None
    drafts: dict[str, dict[str, None]] = {}
    for pair in json.loads(path.read_text(encoding="utf-8")):
        drafts.setdefault(pair["gold_claim"], {}).update({pair["A"]: None, pair["B"]: None})
    pairs = (
        {"gold_claim": gold, "A": first, "B": second}
        for gold, own in drafts.items()
        for first, second in combinations(own, 2)
    )
    chosen = list(islice(pairs, CLAIM_PAIRS))
    (folder / "pairs.json").write_text(json.dumps(chosen), encoding="utf-8")
    return ["claims", "score", "--pairs", "pairs.json", "--quiet", "--html", "page.html"]


def build_collection(folder: Path, data: Path | None) -> list[str]:
    """Build a collection of families of real size, about 250 sentences a document."""
    from patmark.collections.corpus import demo_families

    usual = demo_families._SIZES
    larger = {name: (REAL_FACTOR * a, REAL_FACTOR * b) for name, (a, b) in usual.items()}
    demo_families._SIZES = larger
    try:
        pipeline = demo_families.DemoFamilies(FAMILIES).write(folder / "demo")
    finally:
        demo_families._SIZES = usual
    return ["corpus", "build", str(pipeline), "--out", "built", "--workers", "1", "--quiet"]


def check_patent(folder: Path, data: Path | None) -> list[str]:
    """Check an invented patent of 60 pages against its translation."""
    from patmark.collections.corpus.demo_families import Writer

    writer = Writer(random.Random(0))
    said = writer.section("embodiments", PAGES * SENTENCES_OF_PAGE)
    for language, blank in (("zh", ""), ("en", " ")):
        texts = [getattr(one, language) for one in said]
        paragraphs = [
            f"[{number:04}] " + blank.join(texts[start : start + PARAGRAPH])
            for number, start in enumerate(range(0, len(texts), PARAGRAPH), 1)
        ]
        (folder / f"patent.{language}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    return ["check", "patent.zh.txt", "patent.en.txt", "--lang", "zh-en", "--quiet", "--html",
            "page.html"]  # fmt: skip


ROWS = (
    Row("compare, 130 runs × 2,000 lines, BLEU, NIST, RIBES, HTML", 15.0, compare_many),
    Row(
        "compare, 12 systems × 3,000 lines × 5 measures, HTML, XLSX, CSV", 12.0,
        compare_in_all_formats,
    ),
    Row("meta, 130 runs × 2,000 lines, BLEU, NIST, RIBES", 10.0, judge_metrics),
    Row("reproduce wmt21-ted-zhen with data", 12.0, reproduce_wmt21),
    Row("claims lint, 1,000 real claim sets", 10.0, lint_claims, (0, 1)),
    Row("claims score, 500 pairs", 5.0, score_claims),
    Row("check of a 60-page patent", 5.0, check_patent),
    Row("corpus build, a family of real size", 0.3, build_collection, divide=FAMILIES),
)  # fmt: skip


def measure(row: Row, data: Path | None) -> bool:
    """Run the command of a row and print its line; True if its goals are reached."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        arguments = row.prepare(folder, data)
        if arguments is None:
            print(f"{row.title}: left out, its data are not there")
            return True
        spent, megabytes = child_usage([program("patmark"), *arguments], folder, row.accepted)
        spent /= row.divide
        page = folder / "page.html"
        size = page.stat().st_size / 1e6 if page.exists() else 0.0
    reached = spent <= row.most_seconds and megabytes <= MOST_MEGABYTES and size <= MOST_PAGE
    print(
        f"{row.title}: {spent:.2f} s (goal {row.most_seconds:g}), {megabytes:.0f} MB"
        + (f", page {size:.1f} MB" if size else "")
        + ("" if reached else "  MISSED"),
        flush=True,
    )
    return reached


def main() -> int:
    """Print a line for each row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path)
    parser.add_argument("rows", nargs="*")
    given = parser.parse_args()
    chosen = [row for row in ROWS if not given.rows or row.title.startswith(tuple(given.rows))]
    data = given.data.resolve() if given.data else None
    reached = True
    for row in chosen:
        try:
            reached &= measure(row, data)
        except (Exception, SystemExit) as error:  # whatever one command does, the rest is measured
            last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            print(f"{row.title}: failed: {last[0]} (goal {row.most_seconds:g})  MISSED", flush=True)
            reached = False
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
