"""Error spans and scores (ESA) as published by WMT since 2024: one JSON object per line.

A line is one rating (``system``, ``annotator``, ``langs``, ``doc_id``, ``line_id``, ``src``,
``tgt``, ``esa_score`` from 0 to 100, ``esa_spans``), or one source with all its ratings
(``doc_id``, ``src_text``, ``tgt_text`` from system to text, and ``scores`` from system to a list of
``score``, ``annotator`` and ``errors``).

Spans are those of Appraise: ``start_i`` and ``end_i`` count UTF-16 units of the output without
surrounding blanks, including line breaks and the last unit. Both are ``missing`` for omissions.
``error_type`` is a list of a category and its parts, or null, as in ESA. Spans without a severity
(``undecided``) and outside the text are skipped and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from patmark.data import (
    NO_CATEGORY,
    Annotation,
    FilePath,
    Rating,
    RatingKey,
    Record,
    parse_records,
)
from patmark.human.judgements.checks import Known
from patmark.human.judgements.formats.reading import Collected, Reading, utf16_places
from patmark.human.judgements.model import parse_number

ESA_SPANS, SCORES = "esa_spans", "scores"
_MISSING, _UNDECIDED = "missing", "undecided"


@dataclass(slots=True)
class Spans:
    """Reader of Appraise spans, with counts of skipped ones."""

    undecided: int = 0
    outside: int = 0
    problems: list[str] = field(default_factory=list)

    def marks(self, key: RatingKey, spans: object, text: str | None) -> Iterator[Annotation]:
        """Yield the marks of one output; without its text, units count as characters."""
        for span in spans if isinstance(spans, list) else [spans]:
            fields: dict[str, Any] = span if isinstance(span, dict) else {}
            units, severity = (fields.get("start_i"), fields.get("end_i")), fields.get("severity")
            known = units == (_MISSING, _MISSING) or all(type(one) is int for one in units)
            if not known or not isinstance(severity, str):
                expected = "expected a span with start_i, end_i and severity"
                self.problems.append(f"{expected}, found {span!r}")
            elif severity.lower() == _UNDECIDED:
                self.undecided += 1
            elif (place := _place(*units, text)) is None:
                self.outside += 1
            else:
                category = _category(fields.get("error_type"))
                yield Annotation(*key, *place, "target", category, severity)

    def note(self, collected: Collected) -> None:
        """Add notes on skipped spans."""
        collected.note(self.undecided, "mark", "without a severity left aside")
        collected.note(self.outside, "mark", "outside the text left aside")


def _category(given: object) -> str:
    parts = given if isinstance(given, list) else [given]
    return "/".join(part for part in parts if isinstance(part, str) and part) or NO_CATEGORY


def _place(first: Any, last: Any, text: str | None) -> tuple[int, int] | None:
    """Return the characters from one unit to another; None outside the text.

    Omissions are at the end.
    """
    if first == _MISSING:
        return (0, 0) if text is None else (len(text), len(text))
    if not 0 <= first <= last:
        return None
    if text is None:
        return first, last + 1
    before = len(text) - len(text.lstrip())
    units = [before + place for place in utf16_places(text.strip())]
    return (units[first], units[last] + 1) if last < len(units) else None


def segment_names(places: Iterable[tuple[str, str]], collected: Collected) -> dict[Any, str]:
    """Return the name of each (languages, segment), with the languages if there are several."""
    known = dict.fromkeys(places)
    languages = sorted({pair for pair, _ in known})
    if len(languages) < 2:
        return {place: place[1] for place in known}
    collected.notes.append(
        f"holds {len(languages)} language pairs ({', '.join(languages)}); a ranking over all of "
        "them compares systems on different texts: keep the rows of one"
    )
    return {place: ":".join(place) for place in known}


@dataclass(frozen=True, slots=True)
class _Rated:
    record: Record
    languages: str
    segment: str
    document: str
    system: str
    evaluator: str
    source: str
    target: str
    score: object
    spans: object


def read_wmt_esa(path: FilePath, known: Known) -> Reading:
    """Read annotations with scores and texts."""
    collected = Collected.of(path, known)
    records, collected.problems = parse_records(path)
    rated = [one for record in records for one in _ratings(record)]
    names = segment_names(((one.languages, one.segment) for one in rated), collected)
    spans, again = Spans(), 0
    marks: dict[RatingKey, list[Annotation]] = {}
    for one in rated:
        segment = names[one.languages, one.segment]
        score = parse_number(str(one.score))
        if score is None or not 0 <= score <= 100:
            one.record.complain(f"the score of {one.system!r}: expected a number from 0 to 100, "
                                f"found {one.score!r}")  # fmt: skip
        rating = Rating(one.system, segment, one.evaluator, score, one.document or None)
        source = collected.sources.setdefault(segment, one.source)
        target = collected.targets.setdefault((one.system, segment), one.target)
        if (source, target) != (one.source, one.target):
            one.record.complain(f"another line has another text for segment {segment!r}")
        again += rating.key in collected.ratings
        collected.ratings[rating.key] = rating
        marks[rating.key] = list(spans.marks(rating.key, one.spans, one.target))
        for message in spans.problems:
            one.record.complain(message)
        spans.problems.clear()
    collected.marks = [mark for found in marks.values() for mark in found]
    collected.note(again, "rating", "given again later left aside")
    spans.note(collected)
    return collected.reading("WMT ESA JSONL")


def _ratings(record: Record) -> Iterator[_Rated]:
    fields = record.fields
    if SCORES not in fields:
        line = fields.get("line_id")
        if not isinstance(line, int | str):
            record.mismatch("line_id", "a number or a string")
        about = (record.optional_text("langs") or "", str(line), record.text("doc_id"))
        texts = (record.text("src"), record.text("tgt"))
        who = (record.text("system"), record.text("annotator"))
        yield _Rated(record, *about, *who, *texts, fields.get("esa_score"), fields.get(ESA_SPANS))
        return
    outputs, scores = fields.get("tgt_text"), fields[SCORES]
    if not isinstance(outputs, dict) or not isinstance(scores, dict):
        record.complain("expected objects 'tgt_text' and 'scores' from system to text and ratings")
        return
    segment, source = record.text("doc_id"), record.text("src_text")
    document = segment.rpartition("_#_")[0] or segment
    for system, given in scores.items():
        for one in given if isinstance(given, list) else [given]:
            target = outputs.get(system)
            if not isinstance(one, dict) or not isinstance(target, str):
                record.complain(f"system {system!r}: expected a text, and ratings as objects")
                continue
            evaluator, spans = str(one.get("annotator")), one.get("errors", [])
            texts = (source, target)
            about = ("", segment, document)
            yield _Rated(record, *about, system, evaluator, *texts, one.get("score"), spans)
