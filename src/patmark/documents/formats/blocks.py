"""Blocks of a format to a document: their texts joined by line breaks, with offsets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from patmark.collections.patents import lowered, tidy
from patmark.data import Notice
from patmark.documents.model import BlockKind, Place, TextBlock, WholeDocument


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
