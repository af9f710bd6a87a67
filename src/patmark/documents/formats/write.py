"""Comments in copies of the files that they are about."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from patmark.data import FilePath, ending, read_bytes, shown, write_atomically
from patmark.documents.formats.docx import Revisions
from patmark.documents.formats.docx_comments import docx_with_comments
from patmark.documents.formats.read import XLIFF_ENDINGS
from patmark.documents.formats.safe_xml import parse_xml, without_forbidden
from patmark.documents.formats.xliff import read_xliff, with_notes, xliff_segments
from patmark.documents.model import DocumentComment
from patmark.errors import UsageError

COMMENTED_ENDINGS = (".docx", *XLIFF_ENDINGS)
"""Endings of files that can be written back with comments."""


def takes_no_comments(path: FilePath) -> str:
    """Return the message on a file of a format without comments."""
    known = ", ".join(COMMENTED_ENDINGS)
    return f"{shown(path)}: comments can be written into {known} only"


def write_comments(
    original: FilePath,
    comments: Sequence[DocumentComment],
    out: FilePath,
    *,
    revisions: Revisions = "final",
) -> None:
    """Write a copy of a Word or XLIFF file with comments; identical if there are none.

    Offsets are those of ``read_document`` or ``read_bilingual``, with the same ``revisions``.
    """
    name = ending(shown(original))
    if name not in COMMENTED_ENDINGS:
        raise UsageError(takes_no_comments(original))
    comments = [replace(one, text=without_forbidden(one.text)) for one in comments]
    if not comments:
        write_atomically(out, read_bytes(original))
    elif name in XLIFF_ENDINGS:
        write_atomically(out, _xliff_with_comments(original, comments))
    else:
        write_atomically(out, docx_with_comments(original, comments, revisions))


def _xliff_with_comments(path: FilePath, comments: Iterable[DocumentComment]) -> bytes:
    data, document = read_bytes(path), read_xliff(path)
    segments = list(xliff_segments(parse_xml(data, shown(path))))
    in_unit: dict[int, int] = defaultdict(int)
    for segment in segments:
        in_unit[segment.unit] += 1
    sides = {
        "source": ([one for one in segments if one.source.strip()], document.source.blocks),
        "target": ([one for one in segments if one.target.strip()], document.target.blocks),
    }
    notes: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for comment in comments:
        own, blocks = sides[comment.side]
        place = bisect_right(blocks, comment.start, key=lambda block: block.start) - 1
        segment = own[max(place, 0)]
        text = comment.text if in_unit[segment.unit] == 1 else f"[{segment.id}] {comment.text}"
        notes[segment.unit].append((comment.side, text))
    return with_notes(data, notes, shown(path))
