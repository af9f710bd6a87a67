"""Pearmut annotations: the log of a campaign (JSON Lines), or the download of its dashboard.

A line of the log is one document of one person: ``user_id``, ``item_i``, ``item`` (a list with
``item_id``, ``tgt`` and more) and ``annotation`` (a list of the same length, from system to
``score`` or ``sliders``). The download is one JSON object from campaign to such a list.

A ``score`` has the criterion ``da``; a slider has that of its name, in lower case if only that has
a scale. The place of a system in ``tgt`` is the order in which the outputs were shown. Items of
``data_welcome`` and skippable ones with a ``validation`` are training, those of ``data_random`` and
the others with a ``validation`` are checks. A document that was saved again counts in its last
form; what stands before a reset does not count. The form is that of Pearmut 1.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from patmark.data import (
    FilePath,
    Record,
    json_object,
    parse_records,
    raise_if_any,
    read_lines,
    shown,
)
from patmark.errors import Problem
from patmark.human.campaign_jsonl import grade_text
from patmark.human.checks import Known
from patmark.human.judgements import Judgement, Phase
from patmark.human.reading import Collected, Reading

_RESET = "__RESET__"
_OWNER = ("campaign", "user_id", "item_i")
_WELCOME, _RANDOM, _GOODBYE = "welcome_", "random_", "goodbye_"


def read_pearmut(path: FilePath, known: Known) -> Reading:
    """Judgements from the annotations of Pearmut."""
    collected = Collected.of(path, known)
    records, collected.problems = _log(path)
    active = _active(records)
    latest: dict[tuple[str, ...], Judgement] = {}
    forms = unanswered = earlier = 0
    for record in active:
        items: Any = record.fields.get("item")
        answers: Any = record.fields.get("annotation")
        if str(record.fields.get("item_i")).startswith(_GOODBYE) or _is_form(items):
            forms += 1
            continue
        if not _fit(items, answers):
            record.complain("expected lists 'item' and 'annotation' of the same length")
            continue
        rows, missing = _rows(record, items, answers, known)
        found = {(_document_key(record), *row.key): row for row in rows}
        unanswered += missing
        earlier += len(set(found) & set(latest))
        latest |= found
    collected.judgements = list(latest.values())
    collected.note(len(records) - len(active), "record", "left aside: resets and what they removed")
    collected.note(earlier, "grade", "saved again later left aside")
    collected.note(forms, "record", "of forms and last pages left aside")
    collected.note(unanswered, "output", "without a score")
    return collected.reading("Pearmut annotations")


def _log(path: FilePath) -> tuple[list[Record], list[Problem]]:
    """The entries of a log, or of all campaigns of a download."""
    try:
        whole = json_object("\n".join(read_lines(path)))
    except ValueError:
        return parse_records(path)
    if "annotation" in whole:
        return parse_records(path)
    problems: list[Problem] = []
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
    """What no later reset removes; a reset is for a person, or for one document of a person."""
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
    """Which document of which campaign an entry is about."""
    return json.dumps([record.fields.get("campaign"), record.fields.get("item_i")])


def _is_form(items: object) -> bool:
    return isinstance(items, list) and any(isinstance(one, dict) and "form" in one for one in items)


def _fit(items: Any, answers: Any) -> bool:
    if not isinstance(items, list) or not isinstance(answers, list):
        return False
    whole = all(isinstance(item, dict) for item in items)
    return whole and len(items) == len(answers)


def _rows(
    record: Record, items: list[Any], answers: list[Any], known: Known
) -> tuple[list[Judgement], int]:
    """The judgements of one document, and how many outputs have no score."""
    evaluator = record.text("user_id")
    rows: list[Judgement] = []
    missing = 0
    for item, answer in zip(items, answers, strict=True):
        outputs = item.get("tgt")
        segment = item.get("item_id")
        if not isinstance(outputs, dict):
            record.complain("expected an item with an object 'tgt'")
            continue
        if not isinstance(segment, str | int):
            record.complain("an item has no 'item_id', without which answers cannot be matched")
            continue
        for order, system in enumerate(outputs, 1):
            given = _values(answer.get(system) if isinstance(answer, dict) else None)
            missing += not given
            rows += [
                Judgement(
                    evaluator=evaluator,
                    system=system,
                    segment=str(segment),
                    criterion=name if name in known.scales else name.lower(),
                    value=_number(record, f"{name!r} of {system!r}", value),
                    document=_document(item),
                    order=order,
                    phase=_phase(record.fields.get("item_i"), item),
                    line=record.line,
                )
                for name, value in given.items()
            ]
    return rows, missing


def _values(answer: object) -> dict[str, Any]:
    """The grades of one output by name: its sliders, or its score."""
    if not isinstance(answer, dict):
        return {}
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
