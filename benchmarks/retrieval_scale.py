"""How time, memory and disk of an index grow with the number of its documents.

    python benchmarks/retrieval_scale.py [--exact] [--spark] [DOCUMENTS …]

Documents have 12 words, so that numbers are those of documents and not of their texts; the 100
topics have 12 words, too. Each step is a process of its own: `build` is patmark retrieve index,
`open` asks an index how many documents it has, `search` is patmark retrieve search with all
topics. With --exact, `duckdb` searches by exact BM25 in SQL, and with --spark the same statement
runs on Spark on this machine; the rankings of both must be equal. Seconds are those of the
processor (of Spark, those on the clock), megabytes the largest that one process used. The slope
tells how a number grows between two sizes: 1 is in proportion to the documents.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from pathlib import Path

from child_time import child_usage, program
from retrieval_collection import size_of, write_collection

SIZES = (10_000, 30_000, 100_000)
WORDS, TOPICS, TYPES = 12, 100, 50_000
_OPEN = """
from pathlib import Path
from patmark.retrieval import OpenIndex
OpenIndex.at(Path("index")).manifest.documents
"""


def steps(documents: int, exact: bool, spark: bool) -> dict[str, tuple[float, float]]:
    """Seconds and megabytes of each step; the size on disk stands in the place of megabytes."""
    index = [program("patmark"), "retrieve", "index", "documents.jsonl", "--out", "index"]
    search = [program("patmark"), "retrieve", "search", "index", "--topics", "topics.jsonl"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_collection(folder, documents, WORDS, TOPICS, WORDS, TYPES)
        exactly = ["--exact"] if exact or spark else []
        found = {
            "build": child_usage([*index, "--lang", "en", "--quiet", *exactly], folder),
            "open": child_usage([sys.executable, "-c", _OPEN], folder),
            "search": child_usage([*search, "--out", "fast.run", "--quiet"], folder),
            "disk": (math.nan, size_of(folder / "index")),
        }
        if exactly:
            sql = [*search, "--quiet", "--engine", "duckdb", "--out", "exact.run"]
            found["duckdb"] = child_usage(sql, folder)
        if spark:
            sql = [*search, "--quiet", "--engine", "spark", "--out", "spark.run"]
            start = time.perf_counter()
            _, memory = child_usage([*sql, "--master", f"local[{os.cpu_count()}]"], folder)
            found["spark"] = (time.perf_counter() - start, memory)
            equal = _rows(folder / "exact.run") == _rows(folder / "spark.run")
            print(
                f"{documents} documents: the rankings of DuckDB and Spark are "
                + ("equal" if equal else "DIFFERENT")
            )
    return found


def _rows(run: Path) -> list[list[str]]:
    """The rows of a run without its name."""
    return [line.split()[:5] for line in run.read_text(encoding="utf-8").splitlines()]


def slope(small: float, large: float, growth: float) -> float:
    """The exponent with which a number grows."""
    return math.log(large / small) / math.log(growth)


def main() -> int:
    """Print a table for each size, and slopes against the size before."""
    options = {one for one in sys.argv[1:] if one.startswith("--")}
    sizes = [int(one) for one in sys.argv[1:] if one not in options] or list(SIZES)
    before: tuple[int, dict[str, tuple[float, float]]] | None = None
    for documents in sizes:
        found = steps(documents, "--exact" in options, "--spark" in options)
        for step, (seconds, memory) in found.items():
            line = f"{documents:>9} documents  {step:8}{seconds:9.2f} s{memory:9.1f} MB"
            if before is not None:
                growth = documents / before[0]
                pairs = zip(before[1][step], (seconds, memory), strict=True)
                line += "   slope" + "".join(f"{slope(*pair, growth):7.2f}" for pair in pairs)
            print(line, flush=True)
        before = documents, found
    return 0


if __name__ == "__main__":
    sys.exit(main())
