"""Speed and memory of corpus building: a whole build, and the splitting of many pairs.

    python benchmarks/corpus_build.py [FAMILIES] [PAIRS]

The build is that of the invented collection, by one worker and by two, each in a process of its
own; the seconds of its steps are printed. Pairs to be split are invented sentences of 25 words;
SQL may use 1 GB. Exits with 1 if splitting holds more than the goal in memory.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

FAMILIES, PAIRS, MOST_MEGABYTES = 60, 200_000, 3000.0

_BUILD = """
import sys, time
from pathlib import Path
from patmark.corpus.build import build_corpus, read_pipeline
from patmark.corpus.demo_families import DemoFamilies
from patmark.corpus.engine import open_engine
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
from patmark.corpus.build import split_pairs
from patmark.corpus.engine import open_engine, write_rows
from patmark.corpus.split_settings import SplitSettings
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
    facts = split_pairs(pairs, folder, wanted, 0, engine)
    engine.close()
    peak = max(resource.getrusage(who).ru_maxrss / 1024
               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(time.perf_counter() - start, peak, {n: s["pairs"] for n, s in facts["splits"].items()},
          sep="\\t")
"""


def run(script: str, *arguments: str | int) -> str:
    """What a script prints, run as a file, so that its workers can import it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "work.py"
        path.write_text(script, encoding="utf-8")
        command = [sys.executable, str(path), folder, *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main(families: int, pairs: int) -> int:
    """Run both, and say whether the goal is met."""
    for workers in (1, 2):
        print(run(_BUILD, families, workers), flush=True)
    seconds, megabytes, sizes = run(_SPLIT, pairs).split("\t")
    print(f"splitting {pairs:,} pairs: {float(seconds):.1f} s, {float(megabytes):.0f} MB, {sizes}")
    return int(float(megabytes) > MOST_MEGABYTES)


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    sys.exit(main(*(given + [FAMILIES, PAIRS][len(given) :])))
