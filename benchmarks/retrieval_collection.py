"""A collection of invented words for benchmarks of retrieval, and topics that are pieces of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from patmark.examples.vocabulary import coined_word

TYPES, CLASSES, DAY = 300_000, 80, date(2002, 1, 1)
_BLOCK = 1000


def write_collection(
    folder: Path, documents: int, words: int, topics: int, topic_words: int, types: int = TYPES
) -> None:
    """Write documents.jsonl, whose words follow Zipf's law, and topics.jsonl."""
    rng = np.random.default_rng(0)
    chosen = set(rng.choice(documents // 2, min(topics, documents // 2), replace=False).tolist())
    with (
        (folder / "documents.jsonl").open("w", encoding="utf-8") as file,
        (folder / "topics.jsonl").open("w", encoding="utf-8") as topic_file,
    ):
        for number, picked in enumerate(_picked(rng, documents, words, types)):
            ipc = [f"{'ABCDEFGH'[number % 8]}{number % CLASSES + 10}B 1/00"]
            day = date(1993, 1, 1) + timedelta(days=number * 3650 // documents)
            row = {"id": f"D{number:07}", "date": day.isoformat(), "ipc": ipc}
            file.write(json.dumps({**row, "description": " ".join(picked)}) + "\n")
            if number in chosen:
                text = " ".join(picked[:topic_words])
                topic = {"id": f"T{number:07}", "text": text, "date": DAY.isoformat(), "ipc": ipc}
                topic_file.write(json.dumps(topic) + "\n")


def _picked(rng: Any, documents: int, words: int, types: int) -> Iterator[list[str]]:
    known = np.array([coined_word(number).en for number in range(types)], dtype=object)
    weights = np.cumsum(1 / (np.arange(types) + 2.7))
    for start in range(0, documents, _BLOCK):
        lengths = rng.integers(words // 2, words * 3 // 2 + 1, min(_BLOCK, documents - start))
        drawn = rng.random(int(lengths.sum())) * weights[-1]
        parts = np.split(known[np.searchsorted(weights, drawn)], np.cumsum(lengths)[:-1])
        yield from (part.tolist() for part in parts)


def size_of(folder: Path) -> float:
    """Return the size of all files in a folder, in megabytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
