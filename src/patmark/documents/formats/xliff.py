"""XLIFF 1.2 and 2, with the dialects of Trados (sdlxliff), memoQ (mqxliff) and Phrase (mxliff)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from xml.parsers import expat
from xml.sax.saxutils import escape

from patmark.data import FilePath, Notice, read_bytes, shown
from patmark.documents.formats.bilingual import SegmentPair, bilingual_document, empty_targets
from patmark.documents.formats.safe_xml import (
    Element,
    attribute,
    child,
    children,
    integer,
    local_name,
    parse_xml,
)
from patmark.documents.model import BilingualDocument
from patmark.errors import InputError, UsageError
from patmark.languages import language_code
from patmark.wording import tr_n

_CODES = frozenset(("x", "bx", "ex", "bpt", "ept", "ph", "it", "sc", "ec"))
_NO_CHARACTER = 0xFFFD
_PHRASE = "memsource.com"
_PHRASE_TAG = re.compile(r"\{(?:\d+|[biu_^]+)>|<(?:\d+|[biu_^]+)\}|\{\d+\}")


@dataclass(frozen=True, slots=True)
class _Xliff:
    """Element names of a version of the format."""

    unit: str
    source_language: str
    target_language: str


_FIRST = _Xliff("trans-unit", "source-language", "target-language")
_SECOND = _Xliff("unit", "srcLang", "trgLang")


def read_xliff(path: FilePath) -> BilingualDocument:
    """Read the segments of a file: confirmed or not, locked or not, translated or not."""
    root = _root(read_bytes(path), shown(path))
    version = _version(root)
    owner = root if version is _SECOND else child(root, "file")
    languages = (
        _code(attribute(owner, version.source_language)),
        _code(attribute(owner, version.target_language)),
    )
    segments = list(xliff_segments(root))
    if not segments:
        raise InputError.at("holds no segments", shown(path))
    kept_out = sum(1 for unit in _units(root, root) if _is_kept_out(unit))
    notices = empty_targets(segments)
    if kept_out:
        text = tr_n(
            "{n} unit that must not be translated is not checked",
            "{n} units that must not be translated are not checked",
            n=kept_out,
        )
        notices.append(Notice("note", "not-translatable", text))
    return bilingual_document(shown(path), segments, languages, notices)


def _root(data: bytes, origin: str) -> Element:
    root = parse_xml(data, origin)
    if local_name(root.tag) != "xliff":
        message = f"is XML, but no XLIFF: its root is {local_name(root.tag)}"
        raise InputError.at(message, origin)
    return root


def _version(root: Element) -> _Xliff:
    return _SECOND if (root.get("version") or "1").startswith("2") else _FIRST


def _code(name: str | None) -> str | None:
    try:
        return language_code(name) if name else None
    except UsageError:
        return None


def _units(parent: Element, root: Element) -> Iterator[Element]:
    yield from parent.iter(f"{{*}}{_version(root).unit}")


def _is_kept_out(unit: Element) -> bool:
    return bool(unit.get("translate") == "no")


def xliff_segments(root: Element) -> Iterator[SegmentPair]:
    """Yield the segments of the units that may be translated, in order."""
    files = children(root, "file")
    in_text = _PHRASE in " ".join(root.nsmap.values())
    parts = _parts_of_second if _version(root) is _SECOND else _parts_of_first
    units = ((number, unit) for number, file in enumerate(files, 1) for unit in _units(file, root))
    for place, (number, unit) in enumerate(units):
        prefix = f"{number}/" if len(files) > 1 else ""
        for identifier, source, target in () if _is_kept_out(unit) else parts(unit):
            texts = [_text(side) if side is not None else "" for side in (source, target)]
            if in_text:
                texts = [_PHRASE_TAG.sub("", text) for text in texts]
            yield SegmentPair(f"{prefix}{identifier}", texts[0], texts[1], place)


_Part = tuple[str, Element | None, Element | None]


def _parts_of_first(unit: Element) -> Iterator[_Part]:
    """Yield the segments of a unit: the marks of a segmented source, else source and target."""
    source, target = child(unit, "seg-source"), child(unit, "target")
    marks = _segment_marks(source) if source is not None else {}
    if not marks:
        yield unit.get("id") or "", child(unit, "source"), target
        return
    targets = _segment_marks(target) if target is not None else {}
    if target is not None and not targets and len(marks) == 1:
        targets = dict.fromkeys(marks, target)
    for identifier, mark in marks.items():
        yield identifier, mark, targets.get(identifier)


def _segment_marks(element: Element) -> dict[str, Element]:
    marks = (mark for mark in element.iter("{*}mrk") if mark.get("mtype") == "seg")
    return {mark.get("mid") or "": mark for mark in marks}


def _parts_of_second(unit: Element) -> Iterator[_Part]:
    segments = children(unit, "segment")
    for place, segment in enumerate(segments, 1):
        own = segment.get("id") or str(place)
        identifier = unit.get("id") or ""
        if len(segments) > 1:
            identifier = f"{identifier}/{own}"
        yield identifier, child(segment, "source"), child(segment, "target")


def _text(element: Element) -> str:
    """Return the text of a side without codes and without text that was deleted in review."""
    pieces = [element.text or ""]
    for node in element:
        name = local_name(node.tag)
        if name == "cp":
            code = integer(node.get("hex"), _NO_CHARACTER, 16)
            pieces.append(chr(code if 0 <= code < sys.maxunicode else _NO_CHARACTER))
        elif name in _CODES:
            pieces.append("\n" if node.get("ctype") == "lb" else "")
            pieces += [_text(sub) for sub in children(node, "sub")]
        elif name and node.get("mtype") != "x-sdl-deleted":
            pieces.append(_text(node))
        pieces.append(node.tail or "")
    return "".join(pieces)


def with_notes(data: bytes, notes: dict[int, list[tuple[str, str]]], origin: str) -> bytes:
    """Return a file with notes in its units, otherwise byte for byte the same.

    ``notes`` are side and text of each note, by the number of the unit in the file.
    """
    version = _version(_root(data, origin))
    places = _note_places(data, version, origin)
    encoding = _encoding(data)
    written = bytearray(data)
    for unit in sorted(notes, key=lambda unit: -places[unit].at):
        place = places[unit]
        tag = f"{place.prefix}note"
        if version is _FIRST:
            texts = [
                f'<{tag} from="patmark" annotates="{side}">{escape(text)}</{tag}>'
                for side, text in notes[unit]
            ]
        else:
            texts = [
                f'<{tag} category="patmark" appliesTo="{side}">{escape(text)}</{tag}>'
                for side, text in notes[unit]
            ]
            if not place.has_notes:
                group = f"{place.prefix}notes"
                texts = [f"<{group}>", *texts, f"</{group}>"]
        written[place.at : place.at] = "".join(texts).encode(encoding, "xmlcharrefreplace")
    return bytes(written)


@dataclass(slots=True)
class _NotePlace:
    prefix: str
    at: int = 0
    has_notes: bool = False


def _encoding(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"<\x00"):
        return "utf-16-le"
    if data[:2] in (b"\xfe\xff", b"\x00<"):
        return "utf-16-be"
    declared = re.match(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]*encoding=["']([\w.-]+)""", data)
    return declared[1].decode("ascii") if declared else "utf-8"


def _note_places(data: bytes, version: _Xliff, origin: str) -> list[_NotePlace]:
    """Return the byte of each unit where the rules of the format allow a note.

    In version 1.2 this is after source, target and other notes; in version 2 at the end of the
    notes, or before the first segment.
    """
    parser = expat.ParserCreate()
    found: list[_NotePlace] = []
    path: list[str] = []
    open_units: list[_NotePlace] = []
    waiting: list[_NotePlace] = []

    def arrive() -> None:
        if waiting:
            waiting.pop().at = parser.CurrentByteIndex

    def start(tag: str, attributes: dict[str, str]) -> None:
        arrive()
        prefix, _, name = tag.rpartition(":")
        inside = path[-1] if path else ""
        path.append(name)
        if name == version.unit:
            found.append(_NotePlace(f"{prefix}:" if prefix else "", -1))
            open_units.append(found[-1])
        elif version is _SECOND and inside == version.unit:
            place = open_units[-1]
            if name in ("originalData", "segment", "ignorable") and place.at < 0:
                place.at = parser.CurrentByteIndex

    def end(tag: str) -> None:
        arrive()
        name = path.pop()
        if name == version.unit:
            open_units.pop()
        if not path or path[-1] != version.unit:
            return
        place = open_units[-1]
        if version is _FIRST and name in ("source", "seg-source", "target", "note"):
            waiting.append(place)
        elif version is _SECOND and name == "notes":
            place.at, place.has_notes = parser.CurrentByteIndex, True

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: arrive()
    parser.CommentHandler = lambda text: arrive()
    parser.ProcessingInstructionHandler = lambda target, text: arrive()
    parser.StartCdataSectionHandler = arrive
    parser.buffer_text = False
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError.at(f"cannot be written back: {error}", origin) from None
    return found
