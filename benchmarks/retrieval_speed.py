"""Whole commands against bm25s: build an index, and search it with all topics.

    python benchmarks/retrieval_speed.py [DOCUMENTS]

50,000 documents of 200 words on average (title, abstract and a claim), drawn by Zipf's law from
300,000 invented words; 100 topics of 100 words of a document each, and the best 1000 documents
for each. Both programs do the same work from file to file: the collection from JSONL to an index
on disk, topics from JSONL to a TREC run. bm25s lower-cases and drops stop words; patmark stems
as well, and leaves out what was published after the date of the topic. Times are seconds of the
processor over all threads and processes, from start to end; searches are the best of three.
Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from child_time import best_of, child_usage, program
from retrieval_collection import size_of, write_collection

DOCUMENTS, WORDS, TOPICS, TOPIC_WORDS, REPEATS = 50_000, 200, 100, 100, 3
MOST_INDEX, MOST_SEARCH, MOST_MEGABYTES = 1.2, 1.0, 25.0

PEER_INDEX = """
import json, bm25s
with open("documents.jsonl", encoding="utf-8") as file:
    texts = [json.loads(line)["description"] for line in file]
tokens = bm25s.tokenize(texts, stopwords="en", show_progress=False)
engine = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
engine.index(tokens, show_progress=False)
engine.save("bm25s")
"""
PEER_SEARCH = """
import json, bm25s
engine = bm25s.BM25.load("bm25s", mmap=True)
with open("topics.jsonl", encoding="utf-8") as file:
    topics = [json.loads(line) for line in file]
tokens = bm25s.tokenize([topic["text"] for topic in topics], stopwords="en", show_progress=False)
documents, scores = engine.retrieve(tokens, k=1000, show_progress=False)
with open("bm25s.run", "w", encoding="utf-8") as file:
    for topic, found, values in zip(topics, documents.tolist(), scores.tolist()):
        for rank, (number, score) in enumerate(zip(found, values), 1):
            file.write(f"{topic['id']} Q0 D{number:07} {rank} {score} bm25s\\n")
"""


def report(name: str, value: float, unit: str, other: float | None, goal: float) -> bool:
    """Print a number beside that of the peer and the goal, which is a ratio if there is a peer."""
    shown = value if other is None else value / other
    beside = "" if other is None else f"  bm25s {other:.2f} {unit}, ratio {shown:.2f}"
    missed = "" if shown <= goal else "  MISSED"
    print(f"{name:36}{value:8.2f} {unit}{beside}  goal ≤ {goal:g}{missed}", flush=True)
    return not missed


def known_items(run: Path) -> int:
    """Count the topics that find the document that they were taken from first."""
    with run.open(encoding="utf-8") as file:
        rows = (line.split() for line in file)
        return sum(row[3] == "1" and row[0][1:] == row[2][1:] for row in rows)


def main() -> int:
    """Print our numbers beside those of the peer."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    python, patmark = sys.executable, program("patmark")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_collection(folder, count, WORDS, TOPICS, TOPIC_WORDS)
        print(f"bm25s {version('bm25s')}; {count} documents of {WORDS} words, {TOPICS} topics")
        index = [patmark, "retrieve", "index", "documents.jsonl", "--out", "index", "--lang", "en"]
        search = [patmark, "retrieve", "search", "index", "--topics", "topics.jsonl"]
        search += ["--out", "patmark.run", "--quiet"]
        ours, memory = child_usage([*index, "--quiet"], folder)
        theirs, _ = child_usage([python, "-c", PEER_INDEX], folder)
        searches = best_of(REPEATS, (search, folder), ([python, "-c", PEER_SEARCH], folder))
        good = [
            report("index", ours, "s", theirs, MOST_INDEX),
            report("search, start-up included", searches[0], "s", searches[1], MOST_SEARCH),
            report("index on disk", size_of(folder / "index"), "MB", None, MOST_MEGABYTES),
        ]
        print(f"bm25s on disk {size_of(folder / 'bm25s'):.1f} MB; our build used {memory:.0f} MB")
        found = [known_items(folder / f"{one}.run") for one in ("patmark", "bm25s")]
        print(f"known documents found first: patmark {found[0]}, bm25s {found[1]} of {TOPICS}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
