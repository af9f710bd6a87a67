"""Speed and size of the index and of filtered searches, and ratios against bm25s and rank_bm25.

    python benchmarks/retrieval_speed.py [DOCUMENTS]

Documents hold 800 words on average, drawn by Zipf's law from 300,000 invented ones; 80 IPC
classes. A search takes 140 words of a document, restricted by class and date, and asks for the
best 1000. The index is built from JSONL by a process of its own, tokenising included; the peers
get the ready terms. All searches run one at a time in a warm process, with ready terms. rank_bm25
takes seconds for a search of the whole collection, so it is compared on its first documents, with
an index of ours of the same ones. A ratio is the time of the peer divided by ours. Peers that are
not installed are named. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from patmark.examples.vocabulary import coined_word
from patmark.retrieval.collection import read_collection
from patmark.retrieval.filters import Filters, TopicFilter, topic_filters
from patmark.retrieval.index_terms import term_procedure
from patmark.retrieval.search import (
    OpenIndex,
    SearchSettings,
    TopicSearcher,
    search_topics,
    topic_terms,
)
from patmark.retrieval.topics import Topic

DOCUMENTS, WORDS, TYPES, CLASSES = 50_000, 800, 300_000, 80
QUERIES, QUERY_WORDS, BEST = 100, 140, 1000
SLOW_DOCUMENTS, SLOW_QUERIES = 5_000, 10
MOST_SECONDS, MOST_MEGABYTES, MOST_BYTES, MOST_MILLISECONDS = 90.0, 600.0, 2048.0, 30.0
_BLOCK = 1000

_BUILD = """
import resource, sys, time
from pathlib import Path
from patmark.retrieval.collection import read_collection
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


def build(documents: Path, folder: Path) -> tuple[float, float, float]:
    """Index in a process of its own: seconds, seconds of the processor, megabytes."""
    built = subprocess.run(
        [sys.executable, "-c", _BUILD, str(documents), str(folder)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    seconds, cpu, memory = map(float, built.stdout.split())
    return seconds, cpu, memory


def ours(documents: Path, folder: Path, topics: list[Topic]) -> tuple[bool, float, float]:
    """Build and search; whether goals are reached, seconds of the build, ms of a search."""
    seconds, cpu, memory = build(documents, folder)
    index = OpenIndex.at(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    mean, slow = milliseconds(single_searches(index, topics))
    good = [
        report(f"index, from JSONL (CPU {cpu:.1f} s)", seconds, "s", MOST_SECONDS),
        report("memory of the build", memory, "MB", MOST_MEGABYTES),
        report("index per document", size / len(index.documents), "B", MOST_BYTES),
        report(f"search (95 %: {slow:.1f} ms)", mean, "ms", MOST_MILLISECONDS),
    ]
    start = time.perf_counter()
    result = search_topics(index, topics, SearchSettings(Filters("class"), BEST))
    spent = 1000 * (time.perf_counter() - start) / len(topics)
    print(f"all topics at once, on all processors: {spent:.1f} ms for a topic")
    first = sum(rows[0][0] == f"D{int(name[1:]):07}" for name, rows in result.found.items())
    print(f"the known document is the first result of {first} of {len(topics)} searches")
    return all(good), seconds, mean


def single_searches(index: OpenIndex, topics: list[Topic]) -> list[Callable[[], Any]]:
    """A call for each topic, with its terms ready."""
    searcher = TopicSearcher(index)
    terms, wanted = topic_terms(index, topics), topic_filters(topics, Filters("class"))
    pairs = zip(terms, wanted, strict=True)
    return [lambda q=q, f=f: searcher.search(q, f, BEST) for q, f in pairs]


@dataclass(frozen=True, slots=True)
class PeerData:
    """What a peer is given: the terms of documents and topics, and a mask for each topic."""

    corpus: list[list[str]]
    queries: list[list[str]]
    masks: list[Any]

    @classmethod
    def of(cls, documents: Path, topics: list[Topic], count: int | None = None) -> PeerData:
        """The terms of the first documents of the file."""
        procedure = term_procedure("en-stem")
        corpus, days, codes = [], [], []
        for document in islice(read_collection([documents]), count):
            corpus.append(procedure.terms(document.text))
            days.append(str(document.date))
            codes.append(document.ipc[0][:3])
        queries = [procedure.terms(topic.text) for topic in topics]

        def mask(one: TopicFilter) -> Any:
            return (np.array(days) < str(one.before)) & np.isin(codes, sorted(one.codes or ()))

        return cls(corpus, queries, [mask(one) for one in topic_filters(topics, Filters("class"))])


def _bm25s(data: PeerData) -> tuple[float, float]:
    import bm25s

    engine = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    start = time.perf_counter()
    engine.index(data.corpus, show_progress=False)
    spent = time.perf_counter() - start
    best = min(BEST, len(data.corpus))

    def search(query: list[str], mask: Any) -> Any:
        weights = mask.astype(np.float32)
        return engine.retrieve([query], k=best, weight_mask=weights, show_progress=False)

    pairs = zip(data.queries, data.masks, strict=True)
    return spent, milliseconds([lambda q=q, m=m: search(q, m) for q, m in pairs])[0]


def _rank_bm25(data: PeerData) -> tuple[float, float]:
    from rank_bm25 import BM25Okapi

    start = time.perf_counter()
    engine = BM25Okapi(data.corpus, k1=1.2, b=0.75)
    spent = time.perf_counter() - start

    def search(query: list[str], mask: Any) -> Any:
        return np.argsort(-engine.get_scores(query) * mask)[:BEST]

    pairs = zip(data.queries, data.masks, strict=True)
    return spent, milliseconds([lambda q=q, m=m: search(q, m) for q, m in pairs])[0]


def compare(name: str, size: int, peer: tuple[float, float], own: tuple[float, float]) -> None:
    """Print a peer beside our numbers for the same documents."""
    (peer_seconds, peer_mean), (seconds, mean) = peer, own
    print(
        f"{name} {version(name)}, {size} documents: index {peer_seconds:.1f} s, ours with reading "
        f"and tokenising {seconds:.1f} (ratio {peer_seconds / seconds:.2f}); "
        f"search {peer_mean:.2f} ms, ours {mean:.2f} (ratio {peer_mean / mean:.2f})",
        flush=True,
    )


def first_documents(documents: Path, count: int) -> Path:
    """A file with the first documents of another."""
    part = documents.with_name("first.jsonl")
    with documents.open(encoding="utf-8") as whole, part.open("w", encoding="utf-8") as file:
        file.writelines(islice(whole, count))
    return part


def against_rank_bm25(documents: Path, folder: Path, topics: list[Topic]) -> None:
    """Both on the same first documents, with few searches."""
    part = first_documents(documents, SLOW_DOCUMENTS)
    few = topics[:SLOW_QUERIES]
    seconds, _, _ = build(part, folder)
    index = OpenIndex.at(folder)
    own = seconds, milliseconds(single_searches(index, few))[0]
    compare("rank_bm25", len(index.documents), _rank_bm25(PeerData.of(part, few)), own)


def main() -> int:
    """Print our numbers, then ratios."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    with tempfile.TemporaryDirectory() as name:
        documents = Path(name) / "documents.jsonl"
        topics = collection(documents, count)
        print(f"{count} documents of {WORDS} words, {len(topics)} topics of {QUERY_WORDS} words")
        good, seconds, mean = ours(documents, Path(name) / "index", topics)
        missing = [peer for peer in ("bm25s", "rank_bm25") if not find_spec(peer)]
        if "bm25s" not in missing:
            compare("bm25s", count, _bm25s(PeerData.of(documents, topics)), (seconds, mean))
        if "rank_bm25" not in missing:
            against_rank_bm25(documents, Path(name) / "first", topics)
        if missing:
            print(f"not installed, so not compared: {', '.join(missing)}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
