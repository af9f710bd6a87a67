"""Corpus building: speed and memory of a build and of splitting, and whether ranking helps.

    python benchmarks/corpus_build.py [FAMILIES] [PAIRS]
    python benchmarks/corpus_build.py ranking FOLDER

The build is that of the invented collection, by one worker and by two, each in a process of its
own; the seconds of its steps are printed. Pairs to be split are invented sentences of 25 words;
SQL may use 1 GB. Exits with 1 if splitting holds more than the goal in memory.

FOLDER holds the Bible with its gold beads (``zh/001 en/001 gold/001.align``), which is made into
disturbed documents as in ``align_quality.py``. Printed is the share of one-to-one pairs that are
right, by tenths of the ranking.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FAMILIES, PAIRS, MOST_MEGABYTES = 60, 200_000, 3000.0

_BUILD = """
import sys, time
from pathlib import Path
from patmark.collections.corpus.build.pipeline import build_corpus
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.collections.corpus.demo_families import DemoFamilies
from patmark.engine import open_engine
if __name__ == "__main__":
    folder, families, workers = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    pipeline = DemoFamilies(families).write(folder / "demo")
    begun = {}
    def note(step, done, total):
        begun.setdefault(step, time.perf_counter())
    start = time.perf_counter()
    engine = open_engine("local", workers=workers)
    built = build_corpus(read_pipeline(pipeline), folder / "built", engine, progress=note)
    engine.close()
    end = time.perf_counter()
    steps = sorted(begun.items(), key=lambda item: item[1])
    ends = [begin for _, begin in steps[1:]] + [end]
    slow = sorted(((e - b, n) for (n, b), e in zip(steps, ends)), reverse=True)[:5]
    print(f"{workers} workers: {end - start:.1f} s, {built.facts['pairs']['total']} pairs;",
          ", ".join(f"{name} {seconds:.1f} s" for seconds, name in slow))
"""
_SPLIT = """
import random, resource, sys, time
from pathlib import Path
from patmark.collections.corpus.build.pair_files import split_pairs
from patmark.engine import open_engine
from patmark.engine.datasets import write_rows
from patmark.collections.corpus.build.settings import SplitSettings
from patmark.examples.vocabulary import coined_word
if __name__ == "__main__":
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    words = [coined_word(number).en for number in range(20_000)]
    rng = random.Random(0)
    def rows():
        for n in range(count):
            family, year = f"F{n // 30}", 1995 + n // 30 % 15
            source, target = (" ".join(rng.choices(words, k=25)) + "." for _ in range(2))
            yield {"id": str(n), "family": family, "target_date": f"{year}-01-01",
                   "source_date": f"{year}-01-01", "source": source, "target": target}
    schema = dict.fromkeys(("id", "family", "target_date", "source_date", "source", "target"),
                           "string")
    write_rows(folder / "in", rows(), schema, count)
    [pairs] = (folder / "in").glob("*.parquet")
    engine = open_engine("local", workers=2, memory="1GB")
    start = time.perf_counter()
    wanted = SplitSettings(test_from=2006)
    facts = split_pairs(pairs, folder, wanted, 0, engine).to_json()
    engine.close()
    peak = max(resource.getrusage(who).ru_maxrss / 1024
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(time.perf_counter() - start, peak, {n: s["pairs"] for n, s in facts["splits"].items()},
          sep="\\t")
"""


def run(script: str, *arguments: str | int) -> str:
    """Run a script as a file, so that its workers can import it; return its output."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "work.py"
        path.write_text(script, encoding="utf-8")
        command = [sys.executable, str(path), folder, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def ranking(folder: Path) -> int:
    """Print the table of docs/build.md."""
    from align_quality import bible, disturbed, documents
    from patmark.alignment.aligners import senses_for
    from patmark.alignment.gale_church import GaleChurch
    from patmark.alignment.hybrid import Hybrid, learn_lexicon

    texts = [disturbed(part, k, 0.3, 0.12, 0.01)
             for half in bible(folder) for k, part in enumerate(documents(half, 120))]  # fmt: skip
    senses = senses_for("cedict", "zh", "en")
    both = [(source, target) for source, target, _ in texts]
    hybrid, alone = Hybrid("zh", "en", senses), Hybrid("zh", "en")
    lexicons = learn_lexicon(both, hybrid), learn_lexicon(both, alone)
    for name, aligner, words in (
        ("hybrid, SIM of dictionary and lexicon", hybrid, (senses, lexicons[0])),
        ("hybrid, SIM of dictionary", hybrid, (senses, None)),
        ("hybrid without dictionary, SIM of lexicon", alone, (None, lexicons[1])),
        ("Gale-Church, SIM of dictionary", GaleChurch(adapt=True), (senses, None)),
    ):
        print(f"{name}:", " ".join(f"{share:.2f}" for share in tenths(texts, aligner, words)))
    return 0


def tenths(texts: Sequence[Any], aligner: Any, words: tuple[Any, Any]) -> list[float]:
    """Return the number of right pairs in each tenth of the ranking."""
    import numpy as np

    from patmark.alignment.similarity import WordMatches

    scores, right = [], []
    for source, target, gold in texts:
        beads = aligner.align(source, target)
        sims = WordMatches.of(source, target, ("zh", "en"), *words).similarities(beads)
        mean = sims[[bool(bead.source and bead.target) for bead in beads]].mean()
        for bead, sim in zip(beads, sims, strict=True):
            if bead.kind == "1-1":
                scores.append(sim * mean)
                right.append((bead.source, bead.target) in gold)
    ordered = np.array(right)[np.argsort(-np.array(scores), kind="stable")]
    return [float(part.mean()) for part in np.array_split(ordered, 10)]


def main(families: int, pairs: int) -> int:
    """Run both, and say whether the goal is met."""
    for workers in (1, 2):
        print(run(_BUILD, families, workers), flush=True)
    seconds, megabytes, sizes = run(_SPLIT, pairs).split("\t")
    print(f"splitting {pairs:,} pairs: {float(seconds):.1f} s, {float(megabytes):.0f} MB, {sizes}")
    return int(float(megabytes) > MOST_MEGABYTES)


if __name__ == "__main__":
    if sys.argv[1:2] == ["ranking"]:
        sys.exit(ranking(Path(sys.argv[2])))
    given = [int(each) for each in sys.argv[1:]]
    sys.exit(main(*(given + [FAMILIES, PAIRS][len(given) :])))
