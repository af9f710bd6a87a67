"""The demo collection as files: documents, topics and judgements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from patmark.data import atomic_writer
from patmark.retrieval.demo_collection import DemoCollection
from patmark.retrieval.documents import PatentDocument
from patmark.retrieval.topics import Topic

DOCUMENTS, TOPICS, QRELS = "documents.jsonl", "topics.jsonl", "qrels.txt"


def write_demo(folder: Path, demo: DemoCollection, topics: int) -> None:
    """Write documents, topics in the language of the documents, and TREC qrels to a folder."""
    write_rows(folder / DOCUMENTS, map(document_row, demo.documents()))
    write_rows(folder / TOPICS, map(topic_row, demo.topics(topics)))
    qrels = demo.qrels(topics)
    with atomic_writer(folder / QRELS) as file:
        rows = zip(qrels.topic_of, qrels.document_of, qrels.grades, strict=True)
        for topic, document, grade in rows:
            file.write(f"{qrels.topics[topic]} 0 {qrels.documents[document]} {grade}\n")


def document_row(document: PatentDocument) -> dict[str, Any]:
    """A document as a row of a collection; empty fields are left out."""
    fields = {name: getattr(document, name) for name in document.__slots__}
    day = None if document.date is None else document.date.isoformat()
    return {name: value for name, value in {**fields, "date": day}.items() if value}


def topic_row(topic: Topic) -> dict[str, Any]:
    """A topic as a row of a file of topics."""
    day = None if topic.date is None else topic.date.isoformat()
    fields = {"id": topic.id, "text": topic.text, "date": day, "ipc": list(topic.ipc)}
    return {**fields, "family": topic.family}


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSONL, one row per line."""
    with atomic_writer(path) as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
