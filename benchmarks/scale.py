"""Growth of a build, an index and exact BM25: seconds and memory of each step at several sizes.

    python benchmarks/scale.py build [FAMILIES …]          # 300 1000 3000
    python benchmarks/scale.py index [DOCUMENTS …]         # 1000 10000 100000
    python benchmarks/scale.py bm25 [DOCUMENTS …] [--topics N]
    python benchmarks/scale.py real FAMILIES               # of real size, 250 sentences a document
    python benchmarks/scale.py estimate SAMPLE FAMILIES    # against the build of that size

What was measured is kept in --keep FILE (scale.json) and not measured again, so that each size can
have its own quiet hour; the table always has all sizes of the file. Seconds are those of the
processor; of Spark, those of its tasks. Slopes are between two sizes in logarithms: 1 is linear.
Exits with 1 if a step that takes more than two seconds grows faster than n^1.1 between the two
largest sizes.

Families are invented and small (about 25 sentences a document), dev and test have 20 pairs. A build
is done by one process, whose memory is read anew for each step; SQL may have --memory (400MB).
Documents of an index, and its 100 topics, have 12 words. `bm25` is one statement for all topics
(100 words each), on DuckDB and, with --master, on Spark; the rankings must be equal.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from child_time import child_usage, program
from retrieval_collection import size_of, write_collection

# seconds and megabytes of each step
Steps: TypeAlias = dict[str, tuple[float, float]]

SIZES = {
    "build": (300, 1000, 3000),
    "index": (1_000, 10_000, 100_000),
    "bm25": (10_000, 30_000, 100_000),
}
MOST_SLOPE, LEAST_SECONDS = 1.1, 2.0
REAL_FACTOR = 12
INDEX_WORDS, INDEX_TOPICS, TOPIC_WORDS, DOCUMENT_WORDS, TYPES = 12, 100, 100, 150, 50_000

_BUILD = """
import json, re, sys
from pathlib import Path
from patmark.collections.corpus import demo_families
from patmark.collections.corpus.build import pipeline as steps_of_build
from patmark.collections.corpus.build.estimate import estimate_build
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.engine import open_engine

peaks, current = {}, "start"

def peak():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1024

def note(step, done, total):
    global current
    if step != current:
        peaks[current] = max(peaks.get(current, 0), peak())
        Path("/proc/self/clear_refs").write_text("5")
        current = step

if __name__ == "__main__":
    folder, families, factor, wanted = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    sizes = demo_families._SIZES
    demo_families._SIZES = {name: (a * factor, b * factor) for name, (a, b) in sizes.items()}
    pipeline = demo_families.DemoFamilies(families).write(folder / "demo")
    pipeline.write_text(re.sub("(dev|test) = .*", r"\\1 = 20", pipeline.read_text()))
    settings = read_pipeline(pipeline)
    if wanted:
        print(json.dumps(estimate_build(settings, wanted, workers=1).to_json()))
        sys.exit()
    engine = open_engine("local", workers=1, memory=sys.argv[5])
    steps_of_build._named_for_users = lambda progress: progress  # each step by itself
    built = steps_of_build.build_corpus(settings, folder / "built", engine, progress=note)
    engine.close()
    note("end", 0, 0)
    disk = sum(f.stat().st_size for f in (folder / "built").rglob("*") if f.is_file()) / 1e6
    steps = {step: (cost.seconds, peaks[step]) for step, cost in built.costs.items()}
    whole = sum(cost.seconds for cost in built.costs.values()), max(peaks.values())
    print(json.dumps({**steps, "whole": whole, "disk": (None, disk)}))
"""
_EVENTS = (
    "--conf spark.eventLog.enabled=true --conf spark.eventLog.dir={folder} "
    "--conf spark.eventLog.compress=false --conf spark.eventLog.rolling.enabled=false pyspark-shell"
)
_OPEN = """
from pathlib import Path
from patmark.collections.retrieval import OpenIndex
OpenIndex.at(Path("index")).manifest.documents
"""


def build(families: int, options: argparse.Namespace, factor: int = 1) -> Steps:
    """Return the steps of a build, in a process of its own."""
    return dict(_build(families, factor, 0, options.memory))


def _build(families: int, factor: int, wanted: int, memory: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "work.py"
        script.write_text(_BUILD, encoding="utf-8")
        given = [str(each) for each in (families, factor, wanted, memory)]
        command = [sys.executable, str(script), folder, *given]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return dict(json.loads(done.stdout.splitlines()[-1]))


def index(documents: int, options: argparse.Namespace) -> Steps:
    """Index a collection, open it, search for 100 topics; each in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_collection(folder, documents, INDEX_WORDS, INDEX_TOPICS, INDEX_WORDS, TYPES)
        return {
            "index": child_usage(_index(), folder),
            "open": child_usage([sys.executable, "-c", _OPEN], folder),
            "search": child_usage([*_search("fast.run")], folder),
            "disk": (math.nan, size_of(folder / "index")),
        }


def _index() -> list[str]:
    index = [program("patmark"), "retrieve", "index", "documents.jsonl", "--out", "index"]
    return [*index, "--lang", "en", "--quiet"]


def _search(run: str) -> list[str]:
    search = [program("patmark"), "retrieve", "search", "index", "--topics", "topics.jsonl"]
    return [*search, "--quiet", "--ipc", "off", "--out", run]


def bm25(documents: int, options: argparse.Namespace) -> Steps:
    """Exact BM25 of all topics as one statement, on DuckDB and on Spark."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_collection(folder, documents, DOCUMENT_WORDS, options.topics, TOPIC_WORDS, TYPES)
        found = {
            "index": child_usage([*_index(), "--exact"], folder),
            "duckdb": child_usage([*_search("duckdb.run"), "--engine", "duckdb"], folder),
        }
        if options.master:
            spark = ["--engine", "spark", "--master", options.master]
            os.environ["PYSPARK_SUBMIT_ARGS"] = _EVENTS.format(folder=folder.as_uri())
            start = time.perf_counter()
            child_usage([*_search("spark.run"), *spark], folder)
            print(f"{documents:,} documents: Spark took {time.perf_counter() - start:.0f} s")
            found["spark"] = _of_tasks(folder)
            if _rows(folder / "duckdb.run") != _rows(folder / "spark.run"):
                raise SystemExit("the rankings of DuckDB and Spark are not equal")
        return found


def _of_tasks(folder: Path) -> tuple[float, float]:
    """CPU seconds of all tasks of Spark, and the megabytes of the one that held most."""
    seconds, largest = 0.0, 0
    for log in folder.glob("*local-*"):
        for line in log.read_text(encoding="utf-8").splitlines():
            metrics = json.loads(line).get("Task Metrics") or {}
            seconds += metrics.get("Executor CPU Time", 0) / 1e9
            largest = max(largest, metrics.get("Peak Execution Memory", 0))
    return seconds, largest / 1e6


def _rows(run: Path) -> list[list[str]]:
    """Return the rows of a run without its name."""
    return [line.split()[:5] for line in run.read_text(encoding="utf-8").splitlines()]


def slope(small: float, large: float, times: float) -> float:
    """Estimate the exponent of growth."""
    return math.log(max(large, 1e-3) / max(small, 1e-3)) / math.log(times)


def show(found: dict[int, Steps]) -> list[str]:
    """Print a table of all sizes; return the steps that grow too fast."""
    sizes = sorted(found)
    print(" " * 16 + "".join(f"{size:>19,}" for size in sizes) + "   slope")
    too_fast = []
    for step in found[sizes[-1]]:
        cells = [found[size][step] for size in sizes]
        line = f"{step:16}" + "".join(f"{_cell(*cell):>19}" for cell in cells)
        if len(sizes) > 1 and cells[-1][0] is not None and not math.isnan(cells[-1][0]):
            grown = slope(cells[-2][0], cells[-1][0], sizes[-1] / sizes[-2])
            line += f"   n^{grown:.2f}"
            if cells[-1][0] > LEAST_SECONDS and grown > MOST_SLOPE:
                too_fast.append(step)
        print(line)
    return too_fast


def _cell(seconds: float | None, megabytes: float) -> str:
    taken = "" if seconds is None or math.isnan(seconds) else f"{seconds:.1f} s"
    return f"{taken} {megabytes:6.0f} MB"


def estimate(sample: int, families: int, options: argparse.Namespace) -> None:
    """Compare the estimate from a sample with the actual build."""
    real = _measured(options.keep).get("build", {}).get(str(families))
    if real is None:
        raise SystemExit(f"build {families} first")
    told = _build(sample, 1, families * 2, options.memory)
    print(
        f"from {sample:,} families for {families:,}: {told['cpu_seconds']:.0f} CPU s "
        f"({told['least_cpu_seconds']:.0f} to {told['most_cpu_seconds']:.0f}), "
        f"{told['disk_bytes'] / 1e6:.0f} MB of disk, slowest {told['slowest_step']}; the build "
        f"took {real['whole'][0]:.0f} CPU s, {real['disk'][1]:.0f} MB"
    )
    inside = told["least_cpu_seconds"] <= real["whole"][0] <= told["most_cpu_seconds"]
    print("the build is inside the interval" if inside else "THE BUILD IS OUTSIDE THE INTERVAL")


def _measured(file: Path) -> dict[str, dict[str, Any]]:
    return json.loads(file.read_text()) if file.exists() else {}


def main() -> int:
    """Measure what is not measured yet, and show everything."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=[*SIZES, "real", "estimate"])
    parser.add_argument("sizes", type=int, nargs="*")
    parser.add_argument("--keep", type=Path, default=Path("scale.json"))
    parser.add_argument("--memory", default="400MB")
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--master", default="", help="of Spark, for example local[2]")
    options = parser.parse_args()
    if options.what == "real":
        show({size: build(size, options, REAL_FACTOR) for size in options.sizes})
        return 0
    if options.what == "estimate":
        estimate(*options.sizes, options)
        return 0
    measure: Callable[[int, argparse.Namespace], Steps] = globals()[options.what]
    name = f"bm25 {options.topics} topics" if options.what == "bm25" else options.what
    for size in options.sizes or SIZES[options.what]:
        if str(size) not in _measured(options.keep).get(name, {}):
            steps = measure(size, options)
            known = _measured(options.keep)
            known.setdefault(name, {})[str(size)] = steps
            options.keep.write_text(json.dumps(known, indent=1))
    found = {int(size): steps for size, steps in _measured(options.keep)[name].items()}
    too_fast = show(found)
    if too_fast:
        print(f"faster than n^{MOST_SLOPE}: {', '.join(too_fast)}")
    return int(bool(too_fast))


if __name__ == "__main__":
    sys.exit(main())
