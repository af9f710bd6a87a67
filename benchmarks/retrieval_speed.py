"""Speed and size of the index and of filtered searches, and ratios against bm25s and rank_bm25.

    python benchmarks/retrieval_speed.py [DOCUMENTS]

Documents hold 800 words on average, drawn by Zipf's law from 300,000 invented ones; 80 IPC
classes. A search takes 140 words of a document, restricted by class and date, and asks for the
best 1000. The index is built from JSONL by a process of its own, tokenising included; the peers
get the ready terms. Peers that are not installed are left out. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from patmark.retrieval.demo_vocabulary import coined_word
from patmark.retrieval.documents import read_collection
from patmark.retrieval.filters import Filters, topic_filters
from patmark.retrieval.index_terms import term_procedure
from patmark.retrieval.search import OpenIndex, SearchSettings, search_topics
from patmark.retrieval.topics import Topic

DOCUMENTS, WORDS, TYPES, CLASSES = 50_000, 800, 300_000, 80
QUERIES, QUERY_WORDS, BEST = 100, 140, 1000
MOST_SECONDS, MOST_MEGABYTES, MOST_BYTES, MOST_MILLISECONDS = 90.0, 600.0, 2048.0, 30.0
_BLOCK = 1000

_BUILD = """
import resource, sys, time
from pathlib import Path
from patmark.retrieval.documents import read_collection
from patmark.retrieval.index import build_index
from patmark.retrieval.index_terms import term_procedure
start = time.perf_counter()
build_index(Path(sys.argv[2]), read_collection([sys.argv[1]]), term_procedure("en-stem"))
spent = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - start, spent.ru_utime + spent.ru_stime, spent.ru_maxrss / 1024)
"""


def collection(path: Path, count: int) -> list[Topic]:
    """Write the documents; give back the topics, which are pieces of some of them."""
    rng = np.random.default_rng(0)
    words = np.array([coined_word(number).en for number in range(TYPES)], dtype=object)
    weights = np.cumsum(1 / (np.arange(TYPES) + 2.7))
    weights /= weights[-1]
    chosen = set(rng.choice(count // 2, min(QUERIES, count // 2), replace=False).tolist())
    topics = []
    with path.open("w", encoding="utf-8") as file:
        for number, picked in enumerate(_picked(rng, words, weights, count)):
            ipc = f"{'ABCDEFGH'[number % 8]}{number % CLASSES + 10}B 1/00"
            day = date(1993, 1, 1) + timedelta(days=number * 3650 // count)
            row = {"id": f"D{number:07}", "date": day.isoformat(), "ipc": [ipc]}
            file.write(json.dumps({**row, "description": " ".join(picked)}) + "\n")
            if number in chosen:
                piece = " ".join(picked[:QUERY_WORDS])
                topics.append(Topic(f"T{number}", piece, date(2002, 1, 1), (ipc,)))
    return topics


def _picked(rng: Any, words: Any, weights: Any, count: int) -> Iterator[list[str]]:
    for start in range(0, count, _BLOCK):
        lengths = rng.integers(WORDS // 2, WORDS * 3 // 2, min(_BLOCK, count - start))
        drawn = words[np.searchsorted(weights, rng.random(int(lengths.sum())))]
        yield from (part.tolist() for part in np.split(drawn, np.cumsum(lengths)[:-1]))


def milliseconds(searches: Sequence[Callable[[], Any]]) -> tuple[float, float]:
    """Mean and 95th percentile of single searches, after one that warms up."""
    searches[0]()
    times = []
    for search in searches:
        start = time.perf_counter()
        search()
        times.append(1000 * (time.perf_counter() - start))
    return float(np.mean(times)), float(np.percentile(times, 95))


def report(name: str, value: float, unit: str, goal: float) -> bool:
    """Print a number beside its goal."""
    print(f"{name:44}{value:10.1f} {unit:4} goal < {goal:g}", flush=True)
    return value < goal


def ours(documents: Path, folder: Path, topics: list[Topic]) -> tuple[bool, float, float]:
    """Build and search; whether goals are reached, seconds of the build, ms of a search."""
    built = subprocess.run(
        [sys.executable, "-c", _BUILD, str(documents), str(folder)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    seconds, cpu, memory = map(float, built.stdout.split())
    index = OpenIndex.at(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    good = [
        report(f"index, from JSONL (CPU {cpu:.1f} s)", seconds, "s", MOST_SECONDS),
        report("memory of the build", memory, "MB", MOST_MEGABYTES),
        report("index per document", size / len(index.documents), "B", MOST_BYTES),
    ]
    mean, slow, found = search_times(index, topics)
    good.append(report(f"search (95 %: {slow:.1f} ms)", mean, "ms", MOST_MILLISECONDS))
    print(f"the known document is the first result of {found} of {len(topics)} searches")
    return all(good), seconds, mean


def search_times(index: OpenIndex, topics: list[Topic]) -> tuple[float, float, int]:
    """Mean and 95th percentile in a warm process, and how often the known document is first."""
    settings = SearchSettings(Filters("class"), BEST)
    times: list[float] = []
    began = time.perf_counter()

    def lap(done: int) -> None:
        nonlocal began
        now = time.perf_counter()
        times.append(1000 * (now - began))
        began = now

    search_topics(index, topics, settings)
    began = time.perf_counter()
    result = search_topics(index, topics, settings, lap)
    first = sum(rows[0][0] == f"D{int(name[1:]):07}" for name, rows in result.found.items())
    return float(np.mean(times[1:])), float(np.percentile(times[1:], 95)), first


def peers(documents: Path, topics: list[Topic]) -> Iterator[tuple[str, float, float]]:
    """Name, seconds of the build and milliseconds of a search of each peer."""
    wanted = [name for name in ("bm25s", "rank_bm25") if find_spec(name)]
    if not wanted:
        return
    procedure = term_procedure("en-stem")
    corpus, days, codes = [], [], []
    for document in read_collection([documents]):
        corpus.append(procedure.terms(document.text))
        days.append(str(document.date))
        codes.append(document.ipc[0][:3])
    queries = [procedure.terms(topic.text) for topic in topics]
    filters = topic_filters(topics, Filters("class"))
    masks = [
        (np.array(days) < str(one.before)) & np.isin(codes, sorted(one.codes or ()))
        for one in filters
    ]
    if "bm25s" in wanted:
        yield ("bm25s", *_bm25s(corpus, queries, masks))
    if "rank_bm25" in wanted:
        yield ("rank_bm25", *_rank_bm25(corpus, queries[:3], masks))


def _bm25s(corpus: Any, queries: Any, masks: Any) -> tuple[float, float]:
    import bm25s

    engine = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    start = time.perf_counter()
    engine.index(corpus, show_progress=False)
    spent = time.perf_counter() - start
    best = min(BEST, len(corpus))

    def search(query: list[str], mask: Any) -> Any:
        weights = mask.astype(np.float32)
        return engine.retrieve([query], k=best, weight_mask=weights, show_progress=False)

    pairs = zip(queries, masks, strict=True)
    return spent, milliseconds([lambda q=q, m=m: search(q, m) for q, m in pairs])[0]


def _rank_bm25(corpus: Any, queries: Any, masks: Any) -> tuple[float, float]:
    from rank_bm25 import BM25Okapi

    start = time.perf_counter()
    engine = BM25Okapi(corpus, k1=1.2, b=0.75)
    spent = time.perf_counter() - start

    def search(query: list[str], mask: Any) -> Any:
        return np.argsort(-engine.get_scores(query) * mask)[:BEST]

    pairs = zip(queries, masks, strict=False)
    return spent, milliseconds([lambda q=q, m=m: search(q, m) for q, m in pairs])[0]


def main() -> int:
    """Print our numbers, then ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    with tempfile.TemporaryDirectory() as name:
        documents = Path(name) / "documents.jsonl"
        topics = collection(documents, count)
        print(f"{count} documents of {WORDS} words, {len(topics)} topics of {QUERY_WORDS} words")
        good, seconds, mean = ours(documents, Path(name) / "index", topics)
        for peer, peer_seconds, peer_mean in peers(documents, topics):
            print(
                f"{peer:12} index {peer_seconds:7.1f} s (ratio {peer_seconds / seconds:.2f}), "
                f"search {peer_mean:8.1f} ms (ratio {peer_mean / mean:.2f})",
                flush=True,
            )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
