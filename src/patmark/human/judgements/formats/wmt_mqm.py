"""MQM annotations as published by WMT: one row per error, the error between <v> and </v>.

The header gives the order of the columns: ``system``, ``doc``, ``doc_id``, ``seg_id``, ``rater``,
``source``, ``target``, ``category`` and ``severity``, or their newer names (``docSegId``,
``globalSegId``). ``score`` is the ESA grade from 0 to 100, without a category. Other columns are
ignored. There is no quoting. The tags are in the target, or in the source for omissions. A row of
the severity ``No-error`` means that the rater found none. A row without tags is an error of the
whole segment, and an unclosed tag marks the rest of the text. A repeated row is no second error.
Rows without a rater and tests of the rater's attention are skipped. A column whose name begins with
``#`` may be empty. Texts that differ only in white space are equal.

If segments are numbered within each document, the document name precedes their number. If all have
the same number, they are numbered within the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from patmark.data import (
    NO_CATEGORY,
    AnnotatedSide,
    AnnotatedTexts,
    Annotation,
    Annotations,
    FilePath,
    Rating,
    raise_if_any,
    read_lines,
    same_text,
    shown,
    write_atomically,
)
from patmark.errors import InputError, Problem
from patmark.human.judgements.checks import Known
from patmark.human.judgements.formats.campaign_jsonl import grade_text
from patmark.human.judgements.formats.reading import Collected, Reading
from patmark.human.judgements.model import parse_number

_COLUMNS = ("system", "doc", "seg_id", "rater", "source", "target", "category", "severity")
_WRITTEN = (*_COLUMNS[:2], "doc_id", *_COLUMNS[2:])
_SCORE = "score"
_NEEDED = ("system", "seg_id", "rater", "source", "target", "severity")
_OTHER_NAMES = {
    "doc_seg_id": "doc_id",
    "docSegId": "doc_id",
    "global_seg_id": "seg_id",
    "globalSegId": "seg_id",
    "document": "doc",
    "segment": "seg_id",
    "annotator": "rater",
    "evaluator": "rater",
    "src": "source",
    "tgt": "target",
    "esa_score": _SCORE,
    "esa": _SCORE,
}
_NO_ERROR = "No-error"
_AWAKE = "hotw"  # hands on the wheel: inserted errors
_OPEN, _CLOSE = "<v>", "</v>"
_Key = TypeVar("_Key", str, tuple[str, str])


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    fields: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "")


def is_wmt_header(line: str) -> bool:
    """Return True if a line names the columns of such a file."""
    return set(_NEEDED) <= set(_names(line))


def _names(header: str) -> list[str]:
    return [_OTHER_NAMES.get(name, name) for name in header.split("\t")]


def read_wmt_mqm(path: FilePath, known: Known) -> Reading:
    """Read annotations, with the texts that the rows repeat."""
    collected = Collected.of(path, known)
    rows = _rows(path, collected)
    names = _segment_names(rows)
    unclosed = respaced = 0
    whole: set[tuple[str, ...]] = set()
    for row in rows:
        segment = names[row["doc"], row["doc_id"], row["seg_id"]]
        places = [_place(row, side, collected) for side in ("source", "target")]
        if None in places:
            continue
        [source, target] = [place for place in places if place is not None]
        unclosed += source.unclosed + target.unclosed
        kept = (
            _kept(collected, row, collected.sources, segment, source),
            _kept(collected, row, collected.targets, (row["system"], segment), target),
        )
        respaced += kept != (source, target)
        source, target = kept
        score = _score(row, collected)
        rating = Rating(row["system"], segment, row["rater"], score, row["doc"] or None)
        if collected.ratings.setdefault(rating.key, rating).score != score:
            _complain(collected, row, "another row has another score for the same output")
        if row["severity"].lower() == _NO_ERROR.lower():
            continue
        category = row["category"] or NO_CATEGORY
        if not source.marked and not target.marked:
            fields = (*rating.key, category, row["severity"].lower())
            if fields in whole and known.repeated_marks == "once":
                collected.repeated += 1
                continue
            whole.add(fields)
        side: AnnotatedSide = "source" if source.marked and not target.marked else "target"
        where = source if side == "source" else target
        collected.marks.append(
            Annotation(
                *rating.key,
                where.start,
                where.end,
                side,
                category,
                row["severity"],
            )
        )
    collected.note(unclosed, "mark", "without an end taken to the end of the text")
    collected.note(
        respaced, "row", "with a text that differs from another row's in white space only"
    )
    return collected.reading("WMT MQM TSV")


def write_wmt_mqm(path: FilePath, annotations: Annotations, texts: AnnotatedTexts) -> None:
    """Write one row per error, and one per rating without; scores are in the last column."""
    problems = list(_unwritable(annotations, texts))
    raise_if_any([Problem(message, str(path)) for message in dict.fromkeys(problems)])
    places = _document_places(annotations)
    scored = any(one.score is not None for one in annotations.rated)
    lines = ["\t".join((*_WRITTEN, *([_SCORE] if scored else [])))]
    for rating in annotations.rated:
        source = texts.sources.get(rating.segment, "")
        target = texts.targets[rating.system, rating.segment]
        document = rating.document or ""
        about = [rating.system, document, str(places[document, rating.segment])]
        about += [rating.segment, rating.evaluator]
        score = ["" if rating.score is None else grade_text(rating.score)] if scored else []
        marks = annotations.by_rating[rating.key]
        lines += [
            "\t".join(
                [
                    *about,
                    _tagged(source, mark) if mark.side == "source" else source,
                    _tagged(target, mark) if mark.side == "target" else target,
                    mark.category,
                    mark.severity[:1].upper() + mark.severity[1:],
                    *score,
                ]
            )
            for mark in marks
        ]
        if not marks:
            lines.append("\t".join([*about, source, target, _NO_ERROR, _NO_ERROR, *score]))
    write_atomically(path, "".join(f"{line}\n" for line in lines))


def _rows(path: FilePath, collected: Collected) -> list[_Row]:
    first, *lines = read_lines(path)
    header = _names(first)
    wanted = (*_NEEDED, *(() if _SCORE in header else ("category",)))
    for name in wanted:
        if name not in header:
            message = f"column {name!r} is missing; expected {', '.join(_COLUMNS)}"
            raise InputError.at(message, shown(path), 1)
    if doubled := [name for name in (*_WRITTEN, _SCORE) if header.count(name) > 1]:
        raise InputError.at(f"column {doubled[0]!r} occurs twice", shown(path), 1)
    filled = [name for name in wanted if name not in ("source", "target")]
    valued = [name for name in header if not name.startswith("#")]
    rows, awake, unrated = [], 0, 0
    for line, fields in enumerate((text.split("\t") for text in lines), 2):
        columns = valued if len(fields) == len(valued) else header
        if len(fields) != len(columns):
            message = f"expected {len(header)} fields as in the header, found {len(fields)}"
            collected.problems.append(Problem(message, shown(path), line))
            continue
        row = _Row(line, dict(zip(columns, fields, strict=True)))
        if row["severity"].lower().startswith(_AWAKE):
            awake += 1
        elif not any(row[name].strip() for name in ("rater", "category", "severity")):
            unrated += 1
        elif empty := [name for name in filled if not row[name].strip()]:
            for name in empty:
                _complain(collected, row, f"field {name!r} is empty")
        else:
            rows.append(row)
    collected.note(awake, "row", "left aside: a test of whether a rater is awake")
    collected.note(unrated, "row", "left aside: nobody rated there")
    return rows


def _segment_names(rows: Sequence[_Row]) -> dict[tuple[str, str, str], str]:
    places = {(row["doc"], row["doc_id"], row["seg_id"]) for row in rows}
    if len({number for _, _, number in places}) == 1 and len({one[:2] for one in places}) > 1:
        numbers = {place: place[1] for place in places}
    else:
        numbers = {place: place[2] for place in places}
    owners: dict[str, set[str]] = {}
    for place, number in numbers.items():
        owners.setdefault(number, set()).add(place[0])
    plain = all(len(documents) == 1 for documents in owners.values())
    return {place: number if plain else f"{place[0]}:{number}" for place, number in numbers.items()}


def _score(row: _Row, collected: Collected) -> float | None:
    text = row[_SCORE].strip()
    if text in ("", "None"):
        return None
    number = parse_number(text)
    if number is None or not 0 <= number <= 100:
        _complain(collected, row, f"{_SCORE}: expected a number from 0 to 100, found {text!r}")
        return None
    return number


def _complain(collected: Collected, row: _Row, message: str) -> None:
    collected.problems.append(Problem(message, collected.path, row.line))


@dataclass(frozen=True, slots=True)
class _Place:
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
        found = f"found {opened} and {closed}"
        _complain(collected, row, f"{side}: expected one {_OPEN}…{_CLOSE} in a row, {found}")
        return None
    if not closed:
        return _Place(before, start, len(before), marked=True, unclosed=True)
    return _Place(before.replace(_CLOSE, "", 1), start, end, marked=True)


def _kept(
    collected: Collected, row: _Row, texts: dict[_Key, str], key: _Key, place: _Place
) -> _Place:
    """Return the place in the first text of an output; others may differ in white space only."""
    first = texts.setdefault(key, place.text)
    if first == place.text:
        return place
    if not same_text(first, place.text):
        _complain(collected, row, f"another row has another text for {key!r}")
        return place
    if not place.marked:
        return replace(place, text=first)
    solid = [at for at, sign in enumerate(first) if not sign.isspace()]
    before, until = (len("".join(place.text[:end].split())) for end in (place.start, place.end))
    start = solid[before] if before < len(solid) else len(first)
    end = solid[until - 1] + 1 if until > before else start
    return replace(place, text=first, start=start, end=end)


def _document_places(annotations: Annotations) -> dict[tuple[str, str], int]:
    """Return the number of each segment in its document, from 1."""
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
    """Describe texts that cannot be written without quoting."""
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
