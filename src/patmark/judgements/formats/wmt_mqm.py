"""MQM annotations as WMT publishes them: one row per error, the error between <v> and </v>.

The columns are ``system``, ``doc``, ``doc_id``, ``seg_id``, ``rater``, ``source``, ``target``,
``category`` and ``severity``; others are not read. There is no quoting: a quotation mark is only
that. The tags stand in the target, or in the source for what is missing. A row of the severity
``No-error`` says that the rater found none. A row without tags is an error of the whole segment,
and a tag that is not closed marks the rest of the text.

Segments that are numbered anew in every document get the name of the document before their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from patmark.data import (
    AnnotatedSide,
    AnnotatedTexts,
    Annotation,
    Annotations,
    FilePath,
    Rating,
    raise_if_any,
    read_lines,
    shown,
    write_atomically,
)
from patmark.errors import InputError, Problem
from patmark.judgements.checks import Known
from patmark.judgements.formats.reading import Collected, Reading

WMT_COLUMNS = ("system", "doc", "seg_id", "rater", "source", "target", "category", "severity")
_WRITTEN = (*WMT_COLUMNS[:2], "doc_id", *WMT_COLUMNS[2:])
_NO_ERROR = "No-error"
_OPEN, _CLOSE = "<v>", "</v>"
_Key = TypeVar("_Key", str, tuple[str, str])


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    fields: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields[column]


def read_wmt_mqm(path: FilePath, known: Known) -> Reading:
    """Annotations, with the texts that the rows repeat."""
    collected = Collected.of(path, known)
    rows = _rows(path, collected.problems)
    names = _segment_names(rows)
    unclosed = 0
    for row in rows:
        segment = names[row["doc"], row["seg_id"]]
        places = [_place(row, side, collected) for side in ("source", "target")]
        if None in places:
            continue
        [source, target] = [place for place in places if place is not None]
        unclosed += source.unclosed + target.unclosed
        _keep(collected, row, collected.sources, segment, source.text)
        _keep(collected, row, collected.targets, (row["system"], segment), target.text)
        rating = Rating(row["system"], segment, row["rater"], document=row["doc"] or None)
        collected.ratings.setdefault(rating.key, rating)
        if row["severity"].lower() == _NO_ERROR.lower():
            continue
        side: AnnotatedSide = "source" if source.marked and not target.marked else "target"
        where = source if side == "source" else target
        collected.marks.append(
            Annotation(
                *rating.key,
                where.start,
                where.end,
                side,
                row["category"],
                row["severity"].lower(),
            )
        )
    collected.note(unclosed, "mark", "without an end taken to the end of the text")
    return collected.reading("WMT MQM TSV")


def write_wmt_mqm(
    path: FilePath, annotations: Annotations, texts: AnnotatedTexts
) -> tuple[str, ...]:
    """Write one row per error, and one per rating without; says what the format cannot hold."""
    problems = list(_unwritable(annotations, texts))
    raise_if_any([Problem(message, str(path)) for message in dict.fromkeys(problems)])
    places = _document_places(annotations)
    lines = ["\t".join(_WRITTEN)]
    for rating in annotations.rated:
        source = texts.sources.get(rating.segment, "")
        target = texts.targets[rating.system, rating.segment]
        document = rating.document or ""
        about = [rating.system, document, str(places[document, rating.segment])]
        about += [rating.segment, rating.evaluator]
        marks = annotations.by_rating[rating.key]
        lines += [
            "\t".join(
                [
                    *about,
                    _tagged(source, mark) if mark.side == "source" else source,
                    _tagged(target, mark) if mark.side == "target" else target,
                    mark.category,
                    mark.severity[:1].upper() + mark.severity[1:],
                ]
            )
            for mark in marks
        ]
        if not marks:
            lines.append("\t".join([*about, source, target, _NO_ERROR, _NO_ERROR]))
    write_atomically(path, "".join(f"{line}\n" for line in lines))
    scored = sum(one.score is not None for one in annotations.rated)
    return (f"{scored} scores from 0 to 100 are not kept",) if scored else ()


def _rows(path: FilePath, problems: list[Problem]) -> list[_Row]:
    header, *lines = (line.split("\t") for line in read_lines(path))
    lacking = [name for name in WMT_COLUMNS if name not in header]
    if lacking:
        message = f"column {lacking[0]!r} is missing; expected {', '.join(WMT_COLUMNS)}"
        raise InputError.at(message, shown(path), 1)
    rows = []
    for line, fields in enumerate(lines, 2):
        if len(fields) != len(header):
            message = f"expected {len(header)} fields as in the header, found {len(fields)}"
            problems.append(Problem(message, shown(path), line))
            continue
        row = _Row(line, dict(zip(header, fields, strict=True)))
        needed = ("system", "seg_id", "rater", "category", "severity")
        empty = [name for name in needed if not row[name].strip()]
        problems += [Problem(f"field {name!r} is empty", shown(path), line) for name in empty]
        if not empty:
            rows.append(row)
    return rows


def _segment_names(rows: Sequence[_Row]) -> dict[tuple[str, str], str]:
    """The name of the segment of each document and number."""
    owners: dict[str, set[str]] = {}
    for row in rows:
        owners.setdefault(row["seg_id"], set()).add(row["doc"])
    plain = all(len(documents) == 1 for documents in owners.values())
    return {
        (document, number): number if plain else f"{document}:{number}"
        for number, documents in owners.items()
        for document in documents
    }


@dataclass(frozen=True, slots=True)
class _Place:
    """A text without its tags, and what they marked."""

    text: str
    start: int = 0
    end: int = 0
    marked: bool = False
    unclosed: bool = False


def _place(row: _Row, side: AnnotatedSide, collected: Collected) -> _Place | None:
    text = row[side]
    opened, closed = text.count(_OPEN), text.count(_CLOSE)
    if not opened and not closed:
        return _Place(text)
    start = text.find(_OPEN)
    before = text.replace(_OPEN, "", 1)
    end = before.find(_CLOSE)
    if opened != 1 or closed > 1 or (closed and end < start):
        message = f"{side}: expected one {_OPEN}…{_CLOSE} in a row, found {opened} and {closed}"
        collected.problems.append(Problem(message, collected.path, row.line))
        return None
    if not closed:
        return _Place(before, start, len(before), marked=True, unclosed=True)
    return _Place(before.replace(_CLOSE, "", 1), start, end, marked=True)


def _keep(collected: Collected, row: _Row, texts: dict[_Key, str], key: _Key, text: str) -> None:
    """Remember a text; rows of one output must have the same."""
    if texts.setdefault(key, text) != text:
        message = f"another row has another text for {key!r}"
        collected.problems.append(Problem(message, collected.path, row.line))


def _document_places(annotations: Annotations) -> dict[tuple[str, str], int]:
    """The number of each segment in its document, from 1."""
    places: dict[tuple[str, str], int] = {}
    size: dict[str, int] = {}
    for rating in annotations.rated:
        document = rating.document or ""
        if (document, rating.segment) not in places:
            size[document] = size.get(document, 0) + 1
            places[document, rating.segment] = size[document]
    return places


def _tagged(text: str, mark: Annotation) -> str:
    inside = text[mark.start : mark.end]
    return f"{text[: mark.start]}{_OPEN}{inside}{_CLOSE}{text[mark.end :]}"


def _unwritable(annotations: Annotations, texts: AnnotatedTexts) -> Iterator[str]:
    """What a file without quoting cannot hold."""
    for rating in annotations.rated:
        if (rating.system, rating.segment) not in texts.targets:
            yield f"the output of {rating.system!r} for segment {rating.segment!r} is not known"
        fields = [*rating.key, rating.document or ""]
        fields += [texts.sources.get(rating.segment, "")]
        fields += [texts.targets.get((rating.system, rating.segment), "")]
        if any(sign in one for one in fields for sign in "\t\n\r"):
            yield f"segment {rating.segment!r}: a tab or a line break cannot be written"
        if any(tag in one for one in fields for tag in (_OPEN, _CLOSE)):
            yield f"segment {rating.segment!r}: a text has {_OPEN} or {_CLOSE} in it"
    for mark in annotations.marks:
        if mark.side == "source" and mark.segment not in texts.sources:
            yield f"the source of segment {mark.segment!r} is not known"
        if mark.severity.lower() == _NO_ERROR.lower():
            yield f"{_NO_ERROR!r} is no severity of an error"
        if any(sign in one for one in (mark.category, mark.severity) for sign in "\t\n\r"):
            yield f"segment {mark.segment!r}: a tab or a line break cannot be written"
    yield from texts.problems(annotations.marks)
