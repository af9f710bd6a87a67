"""Segment pairs of a bilingual file to its two documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from patmark.collections.patents import lowered, tidy
from patmark.data import Notice
from patmark.documents.model import (
    BilingualDocument,
    BlockKind,
    Place,
    Span,
    TextBlock,
    WholeDocument,
)
from patmark.wording import tr


class SegmentPair(NamedTuple):
    """Texts of a segment; ``unit`` counts the units of the file that may take a note."""

    id: str
    source: str
    target: str
    unit: int = 0


def bilingual_document(
    name: str,
    segments: Sequence[SegmentPair],
    languages: tuple[str | None, str | None],
    notices: Iterable[Notice] = (),
) -> BilingualDocument:
    """Return the documents of both sides, paired segment by segment."""
    source, target = (
        document_of(name, (NewBlock(text, "paragraph", Place(segment=pair.id))
                           for pair, text in zip(segments, side, strict=True)), lang, notices)
        for side, lang in zip(_sides(segments), languages, strict=True)
    )  # fmt: skip
    spans = [iter([(block.start, block.end) for block in one.blocks]) for one in (source, target)]
    pairs: list[tuple[Span | None, Span | None]] = []
    for pair in segments:
        left = next(spans[0]) if pair.source.strip() else None
        right = next(spans[1]) if pair.target.strip() else None
        if left or right:
            pairs.append((left, right))
    return BilingualDocument(source, target, tuple(pairs))


def _sides(segments: Sequence[SegmentPair]) -> tuple[list[str], list[str]]:
    return [pair.source for pair in segments], [pair.target for pair in segments]


def empty_targets(segments: Sequence[SegmentPair]) -> list[Notice]:
    """Return a warning if segments have no translation."""
    empty = sum(1 for pair in segments if pair.source.strip() and not pair.target.strip())
    if not empty:
        return []
    text = tr("{n} of {total} segments have no translation", n=empty, total=len(segments))
    return [Notice("warning", "empty-targets", text)]


class NewBlock(NamedTuple):
    """The text of a block before it has offsets."""

    text: str
    kind: BlockKind
    place: Place
    section: str = ""


def document_of(
    name: str,
    blocks: Iterable[NewBlock],
    lang: str | None = None,
    notices: Iterable[Notice] = (),
) -> WholeDocument:
    """Join blocks that hold text, with one line break between them."""
    texts: list[str] = []
    placed: list[TextBlock] = []
    start = 0
    for block in blocks:
        if block.text.strip():
            end = start + len(block.text)
            placed.append(TextBlock(start, end, block.kind, block.place, block.section))
            texts.append(block.text)
            start = end + 1
    return WholeDocument(name, "\n".join(texts), tuple(placed), lang, tuple(notices))


def subscript(before: str, text: str) -> str:
    """Return an index in plain text: ``H2O``, but ``10₂`` after a digit."""
    return tidy(before + lowered(text))[len(before) :] if before.isdecimal() else text
