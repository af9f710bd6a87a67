"""Errors and warnings of a check as comments in a copy of the checked file."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from patmark.data import FilePath, ending, read_bytes, shown, write_atomically
from patmark.documents.checking import CheckedDocument
from patmark.documents.file_pairs import FilePair
from patmark.documents.findings import DocumentFinding
from patmark.documents.formats.docx import Revisions
from patmark.documents.formats.docx_comments import docx_with_comments
from patmark.documents.formats.read import BILINGUAL_ENDINGS, XLIFF_ENDINGS
from patmark.documents.formats.safe_xml import parse_xml, without_forbidden
from patmark.documents.formats.xliff import read_xliff, with_notes, xliff_segments
from patmark.documents.model import DocumentComment, Span
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


_LONGEST_QUOTATION = 120


def commented_copies(pairs: tuple[FilePair, ...], side: FilePath, out: FilePath) -> list[Path]:
    """Return the file of each commented copy; refuse to overwrite, and formats without comments.

    If some files support comments, the writer refuses the others one by one. ``out`` is a file with
    an extension for comments, or a folder, which gets the names that the translations have in the
    folder ``side``.
    """
    originals = [pair.files[-1] for pair in pairs]
    if not any(ending(original) in COMMENTED_ENDINGS for original in originals):
        raise UsageError(takes_no_comments(originals[0]))
    if len(pairs) > 1 and ending(out) in COMMENTED_ENDINGS:
        raise UsageError(f"{out}: copies of several documents need a folder")
    copies = []
    for original in originals:
        copy = Path(out)
        if ending(copy) not in COMMENTED_ENDINGS:
            copy /= original.relative_to(side) if Path(side).is_dir() else original.name
        if copy.exists():
            fault = "is an input" if copy.samefile(original) else "exists already"
            raise UsageError(f"{copy} {fault}; it would be overwritten")
        copies.append(copy)
    return copies


def write_commented_copy(
    checked: CheckedDocument, original: Path, copy: Path, revisions: Revisions
) -> None:
    """Write a copy of the translation, or of the bilingual file, with findings as comments."""
    bilingual = ending(original) in BILINGUAL_ENDINGS
    copy.parent.mkdir(parents=True, exist_ok=True)
    comments = [
        _comment(one, checked, bilingual) for one in checked.findings if one.severity != "info"
    ]
    write_comments(original, comments, copy, revisions=revisions)


def _comment(
    finding: DocumentFinding, checked: CheckedDocument, bilingual: bool
) -> DocumentComment:
    """Return the comment of a finding; one without a place in the translation quotes the source."""
    text = f"{finding.kind}: {finding.message}"
    if finding.target is not None:
        return DocumentComment(*finding.target, text)
    if finding.source is not None and bilingual:
        return DocumentComment(*finding.source, text, "source")
    words = _quoted(checked, finding.source)
    return DocumentComment(*_before(checked, finding.source), f"{text}{words}")


def _quoted(checked: CheckedDocument, span: Span | None) -> str:
    if span is None:
        return ""
    words = checked.aligned.source.document.text[slice(*span)]
    cut = words if len(words) <= _LONGEST_QUOTATION else f"{words[:_LONGEST_QUOTATION]}…"
    return f": {cut}"


def _before(checked: CheckedDocument, span: Span | None) -> Span:
    """Return the translation of the last bead before a span of the source."""
    found: Span = (0, 1)
    source, target = checked.aligned.source, checked.aligned.target
    for bead in checked.aligned.beads:
        begins, place = source.span(bead.source), target.span(bead.target)
        if span is None or (begins is not None and begins[0] >= span[0]):
            break
        found = place or found
    return found
