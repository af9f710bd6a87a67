"""Campaign answers as JSON Lines: one line per answer, later revisions after earlier ones.

A graded answer has ``evaluator``, ``item``, ``system`` and ``values`` (criterion to grade); a
preference has ``evaluator``, ``item``, ``first``, ``second``, ``winner``. Further fields give its
origin. The highest revision of an answer counts. Lines with a ``kind`` are other campaign data, not
judgements.

Marked errors are ``spans`` of an answer: ``start`` and ``end`` in characters of the output,
``category``, ``severity`` and, for marks in the source, ``side``. They are error annotations, and a
grade ``da`` or ``esa`` of the same output is their score. An answer of the value 0 found no errors.
``proposal`` records if a proposed mark was accepted or changed; removed ones are ``deleted``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from patmark.data import (
    DECISIONS,
    SIDES,
    Annotation,
    Decision,
    FilePath,
    Rating,
    RatingKey,
    Record,
    json_text,
    parse_records,
    write_json_lines,
)
from patmark.human.judgements.checks import Known
from patmark.human.judgements.formats.csv import winning_system
from patmark.human.judgements.formats.reading import Collected, Reading
from patmark.human.judgements.model import (
    PREFERENCE,
    Judgement,
    Judgements,
    Phase,
    Preference,
    Preferences,
    parse_number,
)

SCORE_CRITERIA = ("da", "esa")
"""The criteria whose grade from 0 to 100 belongs to a rating with marked errors."""
ANSWER_FIELDS = (
    "campaign", "protocol", "version", "item", "document", "system", "evaluator", "position",
    "values", "first", "second", "winner", "criterion", "copied", "spans", "deleted", "comment",
    "started", "saved", "revision", "phase", "kind", "page", "candidate", "systems", "value",
    "edit_distance", "reason", "steps", "places", "unfinished", "text", "flagged", "note",
    "seconds", "page_seconds",
)  # fmt: skip
OTHER_KINDS = {
    "answer": "other answer",
    "text": "written text",
    "remark": "remark",
    "consensus": "agreed value",
}
"""Descriptions of lines that are not judgements."""
_Row = TypeVar("_Row", Judgement, Preference)
_PAIR_ONLY = ("first", "second", "winner", "criterion")
_GRADED_ONLY = ("system", "values", "position")


def read_campaign_jsonl(path: FilePath, known: Known) -> Reading:
    """Read judgements and preferences from the answers of a campaign."""
    collected = Collected.of(path, known)
    records, collected.problems = parse_records(path)
    revisions: dict[int, int] = {}
    others: Counter[str] = Counter()
    for record in records:
        record.only(ANSWER_FIELDS)
        revisions[record.line] = _whole(record, "revision", 1) or 1
        kind = record.fields.get("kind")
        if "kind" not in record.fields:
            _take(record, collected)
        elif isinstance(kind, str) and kind in OTHER_KINDS:
            others[kind] += not _marked_systems(record)[0]
        else:
            record.mismatch("kind", f"one of {', '.join(OTHER_KINDS)}")
    total = len(collected.judgements) + len(collected.preferences)
    collected.judgements = _latest(collected.judgements, revisions)
    collected.preferences = _latest(collected.preferences, revisions)
    left = total - len(collected.judgements) - len(collected.preferences)
    collected.note(left, "earlier revision", "of answers left aside")
    for kind, noun in OTHER_KINDS.items():
        collected.note(others[kind], noun, "left aside")
    _take_marks(records, revisions, collected)
    return collected.reading("campaign JSONL")


def _take_marks(
    records: Sequence[Record], revisions: Mapping[int, int], collected: Collected
) -> None:
    """Take marked errors of the main phase from the latest answer about each output."""
    latest: dict[RatingKey, tuple[bool, int, Record]] = {}
    others = 0
    for record in records:
        marked, systems = _marked_systems(record)
        if marked and record.fields.get("phase", "main") != "main":
            others += 1
            continue
        for system in systems if marked else ():
            key = (system, str(record.fields.get("item")), str(record.fields.get("evaluator")))
            # Lines of grades repeat the marks, but the answer itself is more reliable.
            rank = ("kind" in record.fields, revisions[record.line], record)
            if key not in latest or rank[:2] >= latest[key][:2]:
                latest[key] = rank
    scores = {
        (row.system, row.segment, row.evaluator): parse_number(row.value)
        for row in collected.judgements
        if row.criterion in SCORE_CRITERIA and row.phase == "main"
    }
    for key, (_, _, record) in latest.items():
        document = record.optional_text("document")
        collected.ratings[key] = Rating(*key, scores.get(key), document)
        collected.marks += _marks(record, key)
    collected.note(others, "answer", "with marked errors of other phases left aside")


def _marked_systems(record: Record) -> tuple[bool, tuple[str, ...]]:
    """Return True if an answer reports marked errors, or none; and the outputs."""
    spans = record.fields.get("spans")
    has_spans = isinstance(spans, list)
    if "kind" not in record.fields:
        system = record.fields.get("system")
        return bool(spans) and has_spans and isinstance(system, str), (str(system),)
    value = record.fields.get("value")  # the number of marks; none while some are unfinished
    complete = isinstance(value, str) and value.isdecimal() and (has_spans or value == "0")
    found = record.fields["kind"] == "answer" and complete
    return found, record.texts("systems") if found else ()


def _marks(record: Record, key: RatingKey) -> Iterator[Annotation]:
    kept, deleted = (record.fields.get(name, []) for name in ("spans", "deleted"))
    for span, decision in [*((one, None) for one in kept), *((one, "deleted") for one in deleted)]:
        fields = span if isinstance(span, dict) else {}
        start, end = fields.get("start"), fields.get("end")
        category, severity = fields.get("category"), fields.get("severity")
        side = fields.get("side", "target")
        if (
            type(start) is int
            and type(end) is int
            and 0 <= start <= end
            and isinstance(category, str)
            and isinstance(severity, str)
            and side in SIDES
        ):
            decision = decision or fields.get("proposal")
            known = cast(Decision, decision) if decision in DECISIONS else None
            yield Annotation(*key, start, end, side, category, severity, known)
        else:
            record.complain(
                "field 'spans': expected objects with start, end, category and severity, and "
                f"perhaps a side ({' or '.join(SIDES)}), found {json_text(span)}"
            )


def write_campaign_jsonl(
    path: FilePath,
    data: Judgements | Preferences,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write one answer per line; ``facts`` (campaign, protocol, version) go into every line."""
    write_json_lines(path, ({**(facts or {}), **row_record(row)} for row in data.rows))


def row_record(
    row: Judgement | Preference, spans: Sequence[Mapping[str, Any]] = (), **source: Any
) -> dict[str, Any]:
    """Return a judgement or a preference as a line, without unknown fields.

    There is one line per criterion, so that comments and places stay with their grade. ``source``
    gives the time and the revision of the answer.
    """
    if isinstance(row, Judgement):
        record = {
            "item": row.segment,
            "document": row.document,
            "system": row.system,
            "evaluator": row.evaluator,
            "position": row.order,
            "values": {row.criterion: row.value},
            "comment": row.comment,
            "copied": row.copied or None,
            "spans": [dict(span) for span in spans],
        }
    else:
        record = {
            "item": row.segment,
            "document": row.document,
            "evaluator": row.evaluator,
            "first": row.first,
            "second": row.second,
            "winner": "equal" if row.winner is None else row.winner,
            "criterion": row.criterion,
            "copied": row.copied or None,
        }
    record |= {**source, "phase": row.phase}
    return {name: value for name, value in record.items() if value not in (None, "", [])}


def _latest(rows: list[_Row], revisions: Mapping[int, int]) -> list[_Row]:
    """Return only the highest revision of each answer; duplicates of it are reported later."""
    highest: dict[tuple[str, ...], int] = {}
    for row in rows:
        highest[row.key] = max(highest.get(row.key, 0), revisions[row.line or 0])
    return [row for row in rows if revisions[row.line or 0] == highest[row.key]]


def _whole(record: Record, name: str, default: int | None) -> int | None:
    value = record.fields.get(name, default)
    if value is None or (type(value) is int and value >= 1):
        return value
    record.mismatch(name, "a whole number from 1")
    return default


def _take(record: Record, collected: Collected) -> None:
    is_pair = "winner" in record.fields or "first" in record.fields
    for name in _GRADED_ONLY if is_pair else _PAIR_ONLY:
        if name in record.fields:
            kind = "a choice between two outputs" if is_pair else "a graded answer"
            record.complain(f"field {name!r} does not belong to {kind}")
    if is_pair:
        _take_preference(record, collected)
    else:
        _take_grades(record, collected)


def _take_grades(record: Record, collected: Collected) -> None:
    known = len(record.problems)
    evaluator, system = record.text("evaluator"), record.text("system")
    item, document = record.text("item"), record.optional_text("document")
    comment, order = record.optional_text("comment"), _whole(record, "position", None)
    phase = cast(Phase, record.optional_text("phase") or "main")
    values = record.fields.get("values")
    if not isinstance(values, dict) or not values:
        record.mismatch("values", "an object with at least one criterion and its grade")
    elif not all(isinstance(value, str) or _is_number(value) for value in values.values()):
        record.complain("field 'values': expected a string or a number as each grade")
    if len(record.problems) > known:
        return
    for criterion, value in cast(dict[str, Any], values).items():
        collected.judgements.append(
            Judgement(
                evaluator,
                system,
                item,
                criterion,
                grade_text(value),
                document,
                order,
                phase,
                comment,
                _copied(record),
                record.line,
            )
        )


def _take_preference(record: Record, collected: Collected) -> None:
    known = len(record.problems)
    first, second, winner = (record.text(name) for name in ("first", "second", "winner"))
    preference = Preference(
        evaluator=record.text("evaluator"),
        segment=record.text("item"),
        first=first,
        second=second,
        winner=winning_system(winner, first, second),
        criterion=record.optional_text("criterion") or PREFERENCE,
        document=record.optional_text("document"),
        phase=cast(Phase, record.optional_text("phase") or "main"),
        copied=_copied(record),
        line=record.line,
    )
    if len(record.problems) == known:
        collected.preferences.append(preference)


def _copied(record: Record) -> bool:
    value = record.fields.get("copied")
    if value is not None and type(value) is not bool:
        record.mismatch("copied", "true or false")
    return value is True


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def grade_text(value: str | int | float) -> str:
    """Return a grade as text; 4.0 is 4."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else repr(value)
