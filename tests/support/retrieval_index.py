"""Small indexes for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from patmark.collections.retrieval.demo_collection import DemoCollection
from patmark.collections.retrieval.index import build_index
from patmark.collections.retrieval.index_terms import term_procedure
from patmark.collections.retrieval.search import OpenIndex
from patmark.data import PatentDocument

WORDS = term_procedure("en-word")


def open_index(folder: Path, documents: Iterable[PatentDocument], **options: Any) -> OpenIndex:
    """An index of English words with exact tables."""
    build_index(folder, documents, WORDS, exact_tables=True, **options)
    return OpenIndex.at(folder)


def demo_index(folder: Path, demo: DemoCollection, terms: str, **options: Any) -> OpenIndex:
    """The index of a demo collection with exact tables."""
    procedure = term_procedure(terms)
    build_index(folder, demo.documents(), procedure, exact_tables=True, **options)
    return OpenIndex.at(folder)
