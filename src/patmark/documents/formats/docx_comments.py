"""Comments in a copy of a Word file, each on the runs of its span."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from itertools import accumulate
from typing import Any

from patmark.catalogue import load_library
from patmark.data import FilePath, read_bytes, shown
from patmark.documents.formats.docx import (
    DocxBlock,
    DocxPiece,
    DocxWalk,
    Revisions,
    read_docx_parts,
)
from patmark.documents.formats.safe_xml import Element, local_name
from patmark.documents.model import DocumentComment
from patmark.errors import InputError

_PRESERVE = "{http://www.w3.org/XML/1998/namespace}space"
AUTHOR = "patmark"


def docx_with_comments(
    path: FilePath, comments: Iterable[DocumentComment], revisions: Revisions
) -> bytes:
    """Return the bytes of a file with comments; offsets are those of the same reading."""
    docx = load_library("docx", "documents")
    parts = read_docx_parts(path)
    try:
        file = docx.Document(io.BytesIO(read_bytes(path)))
    except (KeyError, ValueError) as error:
        raise InputError.at(f"takes no comments: {error}", shown(path)) from None
    walk = DocxWalk(replace(parts, document=file.element), revisions)
    blocks = [replace(block, pieces=list(block.pieces)) for block in walk.blocks()]
    starts = [0, *accumulate(len(block.text) + 1 for block in blocks)]
    run = load_library("docx.text.run", "documents").Run
    for comment in comments:
        place = min(bisect_right(starts, comment.start), len(blocks)) - 1
        runs = _runs(blocks[place], comment.start - starts[place], comment.end - starts[place])
        file.add_comment(
            [run(runs[0], file), run(runs[-1], file)], comment.text, AUTHOR, AUTHOR[:2]
        )
    written = io.BytesIO()
    file.save(written)
    return written.getvalue()


def _runs(block: DocxBlock, start: int, end: int) -> list[Element]:
    """Return the runs of a span after splitting those at its ends.

    Text without its own run (numbers, equations) uses the nearest. A note or text box, in which
    Word allows no comments, uses the run that refers to it.
    """
    if block.anchor is not None:
        return [block.anchor]
    pieces: Any = block.pieces
    for offset in (start, end):
        _cut(pieces, offset)
    own = []
    at = 0
    for piece in pieces:
        if at < end and at + len(piece.text) > start and piece.run is not None:
            own.append(piece.run)
        at += len(piece.text)
    if own:
        return own
    other = next((piece.run for piece in pieces if piece.run is not None), None)
    return [other if other is not None else _added_run(block.paragraph)]


def _cut(pieces: list[DocxPiece], offset: int) -> None:
    """Let a run begin at an offset, if the text there can be divided."""
    at = 0
    for place, piece in enumerate(pieces):
        inside = offset - at
        at += len(piece.text)
        if piece.run is None or piece.node is None or not 0 <= inside < len(piece.text):
            continue
        first = place if inside == 0 else place + 1
        if inside:
            if local_name(piece.node.tag) not in ("t", "delText") or piece.text != piece.node.text:
                return
            rest = deepcopy(piece.node)
            rest.tail = None
            piece.node.text, rest.text = piece.text[:inside], piece.text[inside:]
            for node in (piece.node, rest):
                node.set(_PRESERVE, "preserve")
            piece.node.addnext(rest)
            pieces[place] = piece._replace(text=piece.text[:inside])
            pieces.insert(first, DocxPiece(piece.text[inside:], rest, piece.run))
        elif place == 0 or pieces[place - 1].run is not piece.run:
            return
        _divide(pieces, first)
        return


def _divide(pieces: list[DocxPiece], first: int) -> None:
    """Move the text of a run from a piece on into a new run with the same properties."""
    old: Any = pieces[first].run
    node: Any = pieces[first].node
    new = deepcopy(old)
    for inside in list(new):
        if local_name(inside.tag) != "rPr":
            new.remove(inside)
    new.extend([node, *node.itersiblings()])
    old.addnext(new)
    for place in range(first, len(pieces)):
        if pieces[place].run is old:
            pieces[place] = pieces[place]._replace(run=new)


def _added_run(paragraph: Element) -> Element:
    """Add an empty run to a paragraph without any."""
    run = paragraph.makeelement(paragraph.tag.replace("}p", "}r"))
    paragraph.append(run)
    return run
