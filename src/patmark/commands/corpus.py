"""patmark corpus in Python: parse, families, align, build, estimate, split, stats, demo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.commands.inputs import file_list
from patmark.corpus import (
    AlignSetup,
    DemoFamilies,
    SplitSettings,
    TextPair,
    align_texts,
    build_corpus,
    collection_stats,
    estimate_build,
    read_pipeline,
    split_pairs,
    write_card,
)
from patmark.data import language_pair
from patmark.engine import open_engine
from patmark.errors import UsageError
from patmark.patents import build_families, family_kind, parse_files, read_links
from patmark.report import notebook_progress

if TYPE_CHECKING:
    from patmark.corpus import AlignedTexts
    from patmark.data import FilePath
    from patmark.engine import Engine
    from patmark.patents import Families, ParseResult
    from patmark.report import Result


def parse(
    files: FilePath | Sequence[FilePath], out: FilePath, *, mapping: str | None = None
) -> ParseResult:
    """Read patent documents of any known format into one form, JSON Lines."""
    return parse_files(file_list(files), str(out), mapping=mapping)


def families(
    documents: FilePath | Sequence[FilePath], out: FilePath, *, kind: str = "simple"
) -> Families:
    """Put documents of parse into families by their priorities."""
    found = build_families(read_links(file_list(documents)), family_kind(kind))
    found.write(str(out))
    return found


def align(
    source: Sequence[str],
    target: Sequence[str],
    *,
    lang: str,
    aligner: str = "hybrid",
    **setup: Any,
) -> AlignedTexts:
    """Align the sentences of a text with those of its translation, each a list of sentences.

    ``setup`` are dictionary, lexicon, ratio, translations and vectors, as in the command.
    """
    first, second = language_pair(lang)
    if first is None:
        raise UsageError(f"lang={lang!r}: two languages are needed, such as zh-en")
    texts, chosen = TextPair(source, target), AlignSetup(aligner, (first, second), **setup)
    return align_texts(texts, chosen.make(texts), chosen)


def build(pipeline: FilePath, out: FilePath, *, from_: str | None = None, **engine: Any) -> Result:
    """Make a test collection with its data card: families, aligned pairs, splits, sample.

    ``engine`` as in the command: engine, workers, memory, master.
    """
    folder = _made(out)
    with _engine(**engine) as running, notebook_progress() as progress:
        made = build_corpus(
            read_pipeline(str(pipeline)), folder, running, progress=progress, from_=from_
        )
    write_card(folder, made)
    return made


def estimate(pipeline: FilePath, documents: int, **machines: int) -> Result:
    """What a build of so many documents will take, from the sample that the settings name.

    ``machines`` as in the command: workers, executors, cores.
    """
    with notebook_progress() as progress:
        settings = read_pipeline(str(pipeline))
        return estimate_build(settings, documents, progress=progress, **machines)


def split(
    pairs: FilePath,
    out: FilePath,
    *,
    settings: SplitSettings | None = None,
    seed: int = 0,
    **engine: Any,
) -> Result:
    """Divide pairs into train, dev and test, by family and year, without leakage."""
    folder, chosen = _made(out), settings or SplitSettings()
    with _engine(**engine) as running, notebook_progress() as progress:
        made = split_pairs(Path(pairs), folder, chosen, seed, running, progress=progress)
    write_card(folder, made)
    return made


def stats(place: FilePath) -> Result:
    """What is in the folder of a build, or in a file of pairs."""
    return collection_stats(Path(place))


def demo(out: FilePath, *, lang: str = "zh-en", families: int = 60, seed: int = 0) -> Path:
    """Invent patent families, with settings from which build makes a collection."""
    source, _ = language_pair(lang)
    return DemoFamilies(families, source or "", seed).write(Path(out))


def _made(folder: FilePath) -> Path:
    Path(folder).mkdir(exist_ok=True)
    return Path(folder)


@contextmanager
def _engine(engine: str = "local", **settings: Any) -> Iterator[Engine]:
    running = open_engine(engine, **settings)
    try:
        yield running
    finally:
        running.close()
