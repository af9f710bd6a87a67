"""Pearmut: its annotations are read as judgements, its campaigns are written.

Annotations are the log of a campaign (JSON Lines) or the download of its dashboard; the log is
written, too.

A line of the log is one document of one person: ``user_id``, ``item_i``, ``item`` (a list with
``item_id``, ``tgt`` and more) and ``annotation`` (a list of the same length, from system to
``score`` or ``sliders``). The download is one JSON object from campaign to such a list.

A ``score`` has the criterion ``da``; a slider that of its name, in lower case if only that has a
scale. The position of a system in ``tgt`` is the order of the outputs. Items of ``data_welcome``
and skippable ones with a ``validation`` are training, those of ``data_random`` and the others with
a ``validation`` are checks. The last version of a document counts, and records before a reset do
not. The format is that of Pearmut 1.1.

``error_spans`` are error annotations, and the ``score`` beside them is theirs. Pearmut counts
UTF-16 units without line breaks, the last one included, and has a place ``[missing]`` after the
text. An error in the source, or at an empty place inside the text, is written as missing, with the
additional fields ``side``, ``start`` and ``end``. Spans without a category, as in ESA, get the
category ``Unspecified``. A log without any span is assumed not to ask for errors, unless it says
``protocol_error_spans``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from patmark.data import (
    NO_CATEGORY,
    AnnotatedSide,
    AnnotatedTexts,
    Annotation,
    Annotations,
    FilePath,
    Rating,
    RatingKey,
    Record,
    Run,
    Segment,
    TestSet,
    json_object,
    parse_records,
    raise_if_any,
    read_lines,
    shown,
    write_atomically,
    write_json_lines,
)
from patmark.errors import Problem, UsageError
from patmark.human.judgements.checks import Known
from patmark.human.judgements.formats.campaign_jsonl import grade_text
from patmark.human.judgements.formats.reading import Collected, Reading, utf16_places
from patmark.human.judgements.model import Judgement, Phase, Scale

_RESET = "__RESET__"
_ASKED = "protocol_error_spans"
_OWNER = ("campaign", "user_id", "item_i")
_WELCOME, _RANDOM, _GOODBYE = "welcome_", "random_", "goodbye_"


def read_pearmut(path: FilePath, known: Known) -> Reading:
    """Read judgements from the annotations of Pearmut."""
    collected = Collected.of(path, known)
    records, collected.problems = _log(path)
    active = _active(records)
    latest: dict[tuple[str, ...], Judgement] = {}
    marked: dict[tuple[str, RatingKey], tuple[Rating, list[Annotation]]] = {}
    forms = unanswered = earlier = 0
    for record in active:
        items: Any = record.fields.get("item")
        answers: Any = record.fields.get("annotation")
        if str(record.fields.get("item_i")).startswith(_GOODBYE) or _is_form(items):
            forms += 1
            continue
        lists = isinstance(items, list) and isinstance(answers, list)
        if (
            not lists
            or len(items) != len(answers)
            or not all(isinstance(one, dict) for one in items)
        ):
            record.complain("expected lists 'item' and 'annotation' of the same length")
            continue
        rows, missing, ratings = _rows(record, items, answers, collected)
        found = {(_document_key(record), *row.key): row for row in rows}
        unanswered += missing
        earlier += len(set(found) & set(latest))
        latest |= found
        for rating, marks in ratings:
            marked[_document_key(record), rating.key] = (rating, marks)
    asked = any(record.fields.get(_ASKED) is True for record in active)
    if asked or any(marks for _, marks in marked.values()):
        collected.ratings = {rating.key: rating for rating, _ in marked.values()}
        last = {rating.key: marks for rating, marks in marked.values()}
        collected.marks = [mark for marks in last.values() for mark in marks]
    else:
        collected.sources.clear()
        collected.targets.clear()
    collected.judgements = list(latest.values())
    collected.note(len(records) - len(active), "record", "left aside: resets and what they removed")
    collected.note(earlier, "grade", "saved again later left aside")
    collected.note(forms, "record", "of forms and last pages left aside")
    collected.note(unanswered, "output", "without a score")
    return collected.reading("Pearmut annotations")


def _log(path: FilePath) -> tuple[list[Record], list[Problem]]:
    """Return the entries of a log, or of all campaigns of a download."""
    try:
        whole = json_object("\n".join(read_lines(path)))
    except ValueError:
        return parse_records(path)
    problems: list[Problem] = []
    if "annotation" in whole:
        return [Record(whole, shown(path), 1, problems)], problems
    records: list[Record] = []
    for campaign, entries in whole.items():
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            message = f"campaign {campaign!r}: expected a list of annotations"
            problems.append(Problem(message, shown(path)))
            continue
        records += [
            Record(entry | {"campaign": campaign}, shown(path), 1, problems) for entry in entries
        ]
    raise_if_any(problems)
    return records, problems


def _active(records: list[Record]) -> list[Record]:
    """Return the records that no later reset of a person or a document removes."""
    kept: list[Record] = []
    for record in records:
        if record.fields.get("annotation") != _RESET:
            kept.append(record)
            continue
        names = [name for name in _OWNER if name in record.fields]
        reset = {name: record.fields[name] for name in names}
        kept = [one for one in kept if {name: one.fields.get(name) for name in names} != reset]
    return kept


def _document_key(record: Record) -> str:
    return json.dumps([record.fields.get("campaign"), record.fields.get("item_i")])


def _is_form(items: object) -> bool:
    return isinstance(items, list) and any(isinstance(one, dict) and "form" in one for one in items)


def _rows(
    record: Record, items: list[Any], answers: list[Any], collected: Collected
) -> tuple[list[Judgement], int, list[tuple[Rating, list[Annotation]]]]:
    """Return judgements of one document, the number of outputs without a score, and marked errors.

    Only outputs of the main phase for which errors were asked have marks.
    """
    evaluator, scales = record.text("user_id"), collected.known.scales
    rows: list[Judgement] = []
    marked: list[tuple[Rating, list[Annotation]]] = []
    missing = 0
    for item, answer in zip(items, answers, strict=True):
        outputs, segment, document = item.get("tgt"), item.get("item_id"), _document(item)
        if not isinstance(outputs, dict):
            record.complain("expected an item with an object 'tgt'")
            continue
        if not isinstance(segment, str | int):
            record.complain("an item has no 'item_id', without which answers cannot be matched")
            continue
        phase = _phase(record.fields.get("item_i"), item)
        for order, (system, text) in enumerate(outputs.items(), 1):
            own = answer.get(system) if isinstance(answer, dict) else None
            own = own if isinstance(own, dict) else {}
            given = _values(own)
            missing += not given
            rows += [
                Judgement(
                    evaluator=evaluator,
                    system=system,
                    segment=str(segment),
                    criterion=name if name in scales else name.lower(),
                    value=_number(record, f"{name!r} of {system!r}", value),
                    document=document,
                    order=order,
                    phase=phase,
                    line=record.line,
                )
                for name, value in given.items()
            ]
            spans, score = own.get("error_spans"), own.get("score")
            if phase != "main" or not isinstance(text, str) or not isinstance(spans, list):
                continue
            is_number = isinstance(score, int | float) and not isinstance(score, bool)
            grade = float(cast(float, score)) if is_number else None
            rating = Rating(system, str(segment), evaluator, grade, document)
            if isinstance(item.get("src"), str):
                collected.sources[str(segment)] = item["src"]
            collected.targets[system, str(segment)] = text
            marks = [_mark(record, rating.key, span, text) for span in spans]
            marked.append((rating, [mark for mark in marks if mark is not None]))
    return rows, missing, marked


def _mark(record: Record, key: RatingKey, span: Any, text: str) -> Annotation | None:
    fields = span if isinstance(span, dict) else {}
    first, last = fields.get("start_i"), fields.get("end_i")
    severity, category = fields.get("severity"), fields.get("category") or NO_CATEGORY
    units = _units(text)
    if (
        type(first) is not int
        or type(last) is not int
        or not 0 <= first <= last <= len(units)
        or not isinstance(severity, str)
        or not isinstance(category, str)
    ):
        record.complain(
            f"'error_spans' of {key[0]!r}: expected start_i, end_i (up to {len(units)}) and "
            f"severity, found {json.dumps(span, ensure_ascii=False)}"
        )
        return None
    side: AnnotatedSide = "source" if fields.get("side") == "source" else "target"
    start, end = fields.get("start"), fields.get("end")
    if type(start) is int and type(end) is int and 0 <= start <= end:
        return Annotation(*key, start, end, side, category, severity)
    if first == len(units):
        return Annotation(*key, len(text), len(text), "target", category, severity)
    end = len(text) if last == len(units) else units[last] + 1
    return Annotation(*key, units[first], end, "target", category, severity)


def _units(text: str) -> list[int]:
    """Return the character at each place of Pearmut: UTF-16 units without line breaks."""
    return [place for place in utf16_places(text) if text[place] != "\n"]


def write_pearmut_annotations(
    path: FilePath, annotations: Annotations, texts: AnnotatedTexts, campaign: str = "annotations"
) -> None:
    """Write these ratings as the log of a campaign, one line per page."""
    raise_if_any(
        [
            Problem(f"the output of {one.system!r} for segment {one.segment!r} is not known")
            for one in annotations.rated
            if (one.system, one.segment) not in texts.targets
        ]
    )
    pages: dict[tuple[str, str], list[Rating]] = {}
    for rating in annotations.rated:
        pages.setdefault((rating.evaluator, rating.segment), []).append(rating)
    numbers = {segment: place for place, segment in enumerate(annotations.segments)}
    write_json_lines(
        path,
        (
            {
                "annotation": [
                    {
                        one.system: {
                            "score": one.score,
                            "error_spans": [
                                _span(mark, texts.targets[one.system, segment])
                                for mark in annotations.by_rating[one.key]
                            ],
                        }
                        for one in ratings
                    }
                ],
                "item": [
                    _known(
                        item_id=segment,
                        document=ratings[0].document,
                        src=texts.sources.get(segment),
                        tgt={one.system: texts.targets[one.system, segment] for one in ratings},
                    )
                ],
                "user_id": evaluator,
                "item_i": numbers[segment],
                "campaign": campaign,
                _ASKED: True,
            }
            for (evaluator, segment), ratings in pages.items()
        ),
    )


def _known(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _span(mark: Annotation, text: str) -> dict[str, Any]:
    category = None if mark.category == NO_CATEGORY else mark.category
    about = {"category": category, "severity": mark.severity}
    units = _units(text)
    shown_at = [place for place, sign in enumerate(units) if mark.start <= sign < mark.end]
    if mark.side == "target" and shown_at:
        span = {"start_i": shown_at[0], "end_i": shown_at[-1], **about}
        whole = units[shown_at[0]], units[shown_at[-1]] + 1
        if whole == (mark.start, mark.end):
            return span
        return span | {"side": mark.side, "start": mark.start, "end": mark.end}
    missing = {"start_i": len(units), "end_i": len(units), **about}
    if mark.side == "target" and mark.start == mark.end == len(text):
        return missing
    return missing | {"side": mark.side, "start": mark.start, "end": mark.end}


def _values(answer: Mapping[str, Any]) -> dict[str, Any]:
    sliders = answer.get("sliders")
    values = sliders if isinstance(sliders, dict) and sliders else {"da": answer.get("score")}
    return {name: value for name, value in values.items() if value is not None}


def _number(record: Record, what: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        record.complain(f"{what}: expected a number, found {value!r}")
        return "?"
    return grade_text(value)


def _document(item: Mapping[str, Any]) -> str | None:
    found = item.get("document")
    return found if isinstance(found, str) and found else None


def _phase(item_i: object, item: Mapping[str, Any]) -> Phase:
    if str(item_i).startswith(_WELCOME):
        return "training"
    if str(item_i).startswith(_RANDOM):
        return "check"
    if "validation" in item:
        return "training" if item.get("skippable") else "check"
    return "main"


def write_pearmut_campaign(
    path: FilePath,
    test_set: TestSet,
    runs: Sequence[Run],
    *,
    campaign: str,
    people: int = 1,
    protocol: str = "DA",
    scales: Iterable[Scale] = (),
) -> None:
    """Write a campaign in which each of ``people`` judges every segment of every system.

    Interval scales become sliders (continuous ones in steps of a half). Without any, Pearmut shows
    its own slider from 0 to 100.
    """
    if people < 1:
        raise UsageError(f"a campaign needs at least one person, found {people}")
    _check_runs(test_set, runs)
    info: dict[str, Any] = {"assignment": "task-based", "protocol": protocol}
    if sliders := [_slider(scale) for scale in scales]:
        info["sliders"] = sliders
    items = [_item(segment, place, runs) for place, segment in enumerate(test_set)]
    grouped = groupby(enumerate(items), key=lambda entry: _group(*entry))
    documents = [[item for _, item in group] for _, group in grouped]
    content = {"info": info, "campaign_id": campaign, "data": [documents] * people}
    write_atomically(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _group(place: int, item: dict[str, Any]) -> tuple[object, ...]:
    """Return the key of a page; with one page per group, Pearmut shuffles systems."""
    return (item.get("document", place), *item["tgt"])


def _slider(scale: Scale) -> dict[str, Any]:
    if scale.kind == "ordinal":
        raise UsageError(f"Pearmut has no ordinal grades like those of {scale.criterion!r}")
    low, high = (float(value) for value in (scale.values[0], scale.values[-1]))
    step = 0.5 if scale.continuous else 1
    return {"name": scale.criterion, "min": low, "max": high, "step": step}


def _item(segment: Segment, place: int, runs: Sequence[Run]) -> dict[str, Any]:
    return _known(
        item_id=segment.id,
        document=segment.document,
        src=segment.source,
        ref=segment.references[0] if segment.references else None,
        tgt=_known(**{run.system: run.hypotheses[place] for run in runs}),
    )


def _check_runs(test_set: TestSet, runs: Sequence[Run]) -> None:
    problems = [
        Problem(f"the run of {run.system} has {len(run.hypotheses)} hypotheses for {test_set.name}")
        for run in runs
        if len(run.hypotheses) != len(test_set)
    ]
    problems += [
        Problem(f"{run.system!r} occurs twice")
        for place, run in enumerate(runs)
        if run.system in [other.system for other in runs[:place]]
    ]
    problems += [
        Problem(f"Pearmut takes no name of digits alone for a system: {run.system!r}")
        for run in runs
        if run.system.isdigit()
    ]
    if not runs:
        problems.append(Problem("a campaign needs at least one system"))
    raise_if_any(problems)
