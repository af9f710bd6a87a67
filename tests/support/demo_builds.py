"""Builds of the invented collection."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from patmark.collections.corpus.build.pipeline import Build, build_corpus
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.collections.corpus.demo_families import DemoFamilies
from patmark.engine.engine import Engine


def demo_pipeline(folder: Path, families: int = 24, language: str = "zh", align: str = "") -> Path:
    """Write the documents and settings; ``align`` are other settings of the aligner."""
    path = DemoFamilies(families, language).write(folder)
    if align:
        settings = path.read_text(encoding="utf-8").replace("passes = 2", align)
        path.write_text(settings, encoding="utf-8")
    return path


def built(pipeline: Path, folder: Path, engine: Engine, **options: Any) -> Build:
    """Build with an engine and close it."""
    folder.mkdir(exist_ok=True)
    try:
        return build_corpus(read_pipeline(pipeline), folder, engine, **options)
    finally:
        engine.close()


def contents(folder: Path) -> dict[str, str]:
    """The hash of every file that a user is given; the folder of steps does not count."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "steps" not in path.relative_to(folder).parts
    }


def keeps_all(sources: list[str], targets: list[str], *languages: str) -> list[bool]:
    """A filter of one's own that refuses nothing."""
    return [True] * len(sources)
