"""Label Studio exports: JSON (tasks with annotations) and JSON-MIN (one object per annotation).

Read from a task:

* the segment is the field ``segment`` of its data, else its ``id``; the document ``document``;
* a rating, a number or a single choice is a grade. Its control is named after the criterion, as
  ``adequacy``, or after criterion and output, as ``adequacy_output2``. The system is the field
  ``output2_system`` of the data, else ``output2``; without an output, the field ``system``;
* a choice between two outputs (``Pairwise``) is a preference. The systems are the fields
  ``system1`` and ``system2``, else named ``output1`` and ``output2`` or ``text1`` and ``text2``
  if the data has such fields, else ``left`` and ``right``. Label Studio has no button for a draw:
  an annotation without a choice is one, in a file where others have a choice.

* a labelled piece of text is an error annotation: the label is the category, a choice for the same
  piece the severity. If the labels are severities themselves, the category is ``Unspecified``.
  The text is that of the field that the control is for, ``source`` for errors in the source. If
  a project has such labels, an annotation without any has found no error; a grade ``da`` or ``esa``
  is its score. Places count characters, or UTF-16 units if only these fit the labelled text.

Other annotations are skipped and counted in the notes. The format is that of Label Studio 1.x;
PatentEval's ``final_c2c.json`` is a JSON-MIN export.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from patmark.data import (
    NO_CATEGORY,
    SEVERITIES,
    AnnotatedSide,
    AnnotatedTexts,
    Annotation,
    Annotations,
    Decision,
    FilePath,
    Rating,
    RatingKey,
    Record,
    json_type,
    parse_listed_records,
    write_atomically,
)
from patmark.human.judgements.checks import Known
from patmark.human.judgements.formats.campaign_jsonl import SCORE_CRITERIA, grade_text
from patmark.human.judgements.formats.reading import Collected, Reading, utf16_places
from patmark.human.judgements.model import PREFERENCE, Judgement, Preference, parse_number

_PAIR_FIELDS = (("output1", "output2"), ("text1", "text2"))
_GRADE_KEYS = ("rating", "number", "choices")
_OUTPUT = "output"
_ASKED = "asked_for_errors"
_NOBODY = ("", "", "")
_DECISIONS: Mapping[str, Decision] = {"prediction": "accepted", "prediction-changed": "changed"}
"""Decisions on proposed marks, by the ``origin`` of a labelled region."""
_ORIGINS = {decision: origin for origin, decision in _DECISIONS.items()}
_ANNOTATION_KEYS = {*_GRADE_KEYS, "selected", "labels", "taxonomy", "text", "ranker"}


@dataclass(frozen=True, slots=True)
class _Annotation:
    """Annotation of one task by one person: values by control; ``outputs`` by control if known.

    ``results`` are those of the JSON export; JSON-MIN does not relate values to regions.
    """

    record: Record
    data: Mapping[str, Any]
    evaluator: str
    segment: str
    values: Mapping[str, Any]
    outputs: Mapping[str, str] = field(default_factory=dict)
    results: Sequence[Mapping[str, Any]] | None = None


def read_label_studio(path: FilePath, known: Known) -> Reading:
    """Read judgements and preferences from a Label Studio export."""
    collected = Collected.of(path, known)
    records, collected.problems = parse_listed_records(path)
    annotations: list[_Annotation] = []
    controls = {
        name
        for record in records
        for name, value in record.fields.items()
        if _looks_annotated(value) or _named(name, None, known)[0] is not None
    }
    cancelled = 0
    for record in records:
        if "annotations" in record.fields:
            cancelled += _add_full(record, annotations)
        elif "annotator" in record.fields:
            fields = record.fields
            values = {name: value for name, value in fields.items() if name in controls}
            who = _evaluator(record, fields["annotator"])
            annotations.append(_Annotation(record, fields, who, _segment(record, fields), values))
        else:
            record.complain("expected a task with 'annotations' or an annotation with 'annotator'")
    _take_marks(annotations, collected)
    aside: Counter[str] = Counter()
    pairwise = sorted(
        {
            control
            for annotation in annotations
            for control, value in annotation.values.items()
            if isinstance(one := _single(value), dict) and "selected" in one
        }
    )
    draws = 0
    for annotation in annotations:
        _take_grades(annotation, collected, aside)
        draws += sum(_take_choice(annotation, control, collected) for control in pairwise)
    collected.note(cancelled, "skipped annotation", "left aside")
    collected.note(draws, "annotation", "without a choice taken as a draw")
    for control, count in sorted(aside.items()):
        collected.note(count, "annotation", f"of {control!r} left aside: no scale of that name")
    return collected.reading("Label Studio JSON")


def _add_full(record: Record, annotations: list[_Annotation]) -> int:
    """Add the annotations of a task of the JSON export; return the number of cancelled ones."""
    data, entries = record.fields.get("data"), record.fields["annotations"]
    if not isinstance(data, dict) or not isinstance(entries, list):
        record.complain("expected a task with an object 'data' and a list 'annotations'")
        return 0
    cancelled = 0
    for entry in entries:
        results = entry.get("result") if isinstance(entry, dict) else None
        if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
            record.complain("expected annotations with a list 'result' of objects")
            continue
        if entry.get("was_cancelled"):
            cancelled += 1
            continue
        whole = [one for one in results if "from_name" in one and "value" in one]
        annotations.append(
            _Annotation(
                record,
                data,
                _evaluator(record, entry.get("completed_by")),
                _segment(record, data),
                {str(one["from_name"]): one["value"] for one in whole if not _of_region(one)},
                {str(one["from_name"]): str(one.get("to_name", "")) for one in whole},
                whole,
            )
        )
    return cancelled


def _of_region(result: Mapping[str, Any]) -> bool:
    """Return True if a result belongs to a region of a text, such as a label."""
    value = result.get("value")
    return isinstance(value, dict) and "start" in value and "end" in value


def _take_marks(annotations: Sequence[_Annotation], collected: Collected) -> None:
    """Read labelled regions of the outputs, if a project has some with a severity.

    An output with a label without severity is skipped as a whole, because it is not free of errors.
    """
    labelled = [one for one in annotations if one.results is not None]
    if not any(_marks(one, _NOBODY) or one.data.get(_ASKED) for one in labelled):
        return
    unclear = 0
    for annotation in labelled:
        system, data = _system(annotation, None), annotation.data
        if system is None:
            continue
        key = (system, annotation.segment, annotation.evaluator)
        marks = _marks(annotation, key)
        if len(marks) < len(_labels(annotation)):
            unclear += 1
            continue
        if key in collected.ratings:
            annotation.record.complain(f"{key[2]!r} annotated this output of {system!r} twice")
            continue
        score = next(filter(None, map(annotation.values.get, SCORE_CRITERIA)), None)
        given = parse_number(_grade(_single(score)) or "")
        collected.ratings[key] = Rating(*key, given, _document(data))
        for mark, place in marks:
            if place is None:
                what = f"{mark.side}: a piece labelled {mark.category!r} is not where it should be"
                annotation.record.complain(what)
            else:
                collected.marks.append(replace(mark, start=place[0], end=place[1]))
        if isinstance(data.get("source"), str):
            collected.sources[key[1]] = data["source"]
        if isinstance(data.get(_OUTPUT), str):
            collected.targets[key[:2]] = data[_OUTPUT]
    collected.note(unclear, "annotation", "left aside: a labelled piece of text has no severity")


def _labels(annotation: _Annotation) -> list[Mapping[str, Any]]:
    found = annotation.results or ()
    return [one for one in found if _of_region(one) and "labels" in one["value"]]


def _marks(
    annotation: _Annotation, key: RatingKey
) -> list[tuple[Annotation, tuple[int, int] | None]]:
    """Return labelled regions with a severity, and their places; None if the text differs."""
    severities = {
        str(one.get("id")): _single(one["value"]["choices"])
        for one in annotation.results or ()
        if _of_region(one) and "choices" in one["value"]
    }
    marks = []
    for one in _labels(annotation):
        label, severity = _single(one["value"]["labels"]), severities.get(str(one.get("id")))
        if severity is None and isinstance(label, str) and label.lower() in SEVERITIES:
            label, severity = NO_CATEGORY, label
        if not isinstance(severity, str) or not isinstance(label, str):
            continue
        name = str(one.get("to_name", _OUTPUT))
        side: AnnotatedSide = "source" if name == "source" else "target"
        place = _region_place(one["value"], annotation.data.get(name))
        proposal = _DECISIONS.get(str(one.get("origin")))
        marks.append((Annotation(*key, 0, 0, side, label, severity, proposal), place))
    return marks


def _region_place(value: Mapping[str, Any], text: object) -> tuple[int, int] | None:
    """Return the place of a region in characters; None if the text differs."""
    start, end, piece = value["start"], value["end"], value.get("text")
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        return None
    if not isinstance(text, str):
        return start, end
    units = utf16_places(text)
    in_units = tuple([*units, len(text)][min(place, len(units))] for place in (start, end))
    fitting = [
        (low, high)
        for low, high in ((start, end), in_units)
        if high <= len(text) and piece in (None, text[low:high])
    ]
    return fitting[0] if fitting else None


def write_label_studio(path: FilePath, annotations: Annotations, texts: AnnotatedTexts) -> None:
    """Write tasks with annotations in the format of Label Studio.

    There is a task for each output, with ``segment``, ``system``, ``source`` and ``output``. A
    proposed mark has the ``origin`` of a prediction; deleted ones cannot be represented.
    """
    tasks: dict[tuple[str, str], list[Rating]] = {}
    for rating in annotations.rated:
        tasks.setdefault((rating.system, rating.segment), []).append(rating)
    content = [
        {
            "id": number,
            "data": {
                name: value
                for name, value in {
                    "segment": segment,
                    "system": system,
                    "document": next((one.document for one in ratings if one.document), None),
                    "source": texts.sources.get(segment),
                    _OUTPUT: texts.targets.get((system, segment)),
                    _ASKED: True,
                }.items()
                if value is not None
            },
            "annotations": [
                {
                    "completed_by": {"email": rating.evaluator},
                    "result": _results(rating, annotations.by_rating[rating.key], texts),
                }
                for rating in ratings
            ],
        }
        for number, ((system, segment), ratings) in enumerate(tasks.items(), 1)
    ]
    write_atomically(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _results(
    rating: Rating, marks: Sequence[Annotation], texts: AnnotatedTexts
) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for number, mark in enumerate(marks, 1):
        whole = texts.of_mark(mark)
        place: dict[str, Any] = {"start": mark.start, "end": mark.end}
        if whole is not None:
            place["text"] = whole[mark.start : mark.end]
        of = {"id": f"e{number}", "to_name": "source" if mark.side == "source" else _OUTPUT}
        if mark.proposal in _ORIGINS:
            of["origin"] = _ORIGINS[mark.proposal]
        results += [
            of | {"from_name": name, "type": kind, "value": place | {kind: [value]}}
            for name, kind, value in (
                ("errors", "labels", mark.category),
                ("severity", "choices", mark.severity),
            )
        ]
    if rating.score is not None:
        score = {"from_name": "da", "to_name": _OUTPUT, "type": "number"}
        results.append(score | {"value": {"number": rating.score}})
    return results


def _looks_annotated(value: object) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and bool(_ANNOTATION_KEYS & set(first))


def _evaluator(record: Record, person: object) -> str:
    """Return the name of an annotator: a number, a text, or an object with either."""
    if isinstance(person, dict):
        person = person.get("email") or person.get("id")
    if type(person) in (str, int):
        return str(person)
    record.complain(f"expected the id or name of an annotator, found {json_type(person)}")
    return "?"


def _segment(record: Record, data: Mapping[str, Any]) -> str:
    found = data.get("segment", record.fields.get("id"))
    if type(found) in (str, int):
        return str(found)
    record.mismatch("id", "a string or a whole number")
    return "?"


def _document(data: Mapping[str, Any]) -> str | None:
    found = data.get("document")
    return None if found in (None, "") else str(found)


def _take_grades(annotation: _Annotation, collected: Collected, aside: Counter[str]) -> None:
    for control, value in annotation.values.items():
        one = _single(value)
        if isinstance(one, dict) and "selected" in one:
            continue
        criterion, output = _named(control, annotation.outputs.get(control), collected.known)
        if criterion is None:
            aside[control] += 1
            continue
        system = _system(annotation, output)
        grade = _grade(one)
        if system is None or grade is None:
            wanted = "one rating, number or choice" if grade is None else "a field 'system'"
            annotation.record.complain(f"{control!r}: expected {wanted}")
            continue
        collected.judgements.append(
            Judgement(
                annotation.evaluator,
                system,
                annotation.segment,
                criterion,
                grade,
                _document(annotation.data),
                line=annotation.record.line,
            )
        )


def _named(control: str, output: str | None, known: Known) -> tuple[str | None, str | None]:
    """Return criterion and output of a control; no criterion without a scale of that name."""
    if control in known.scales:
        return control, output
    for criterion in known.scales:
        if control.startswith(f"{criterion}_"):
            return criterion, control.removeprefix(f"{criterion}_")
    return None, None


def _system(annotation: _Annotation, output: str | None) -> str | None:
    named = annotation.data.get(f"{output}_system", annotation.data.get("system"))
    found = named if named is not None else output
    return None if found is None else str(found)


def _single(value: object) -> object:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _grade(value: object) -> str | None:
    """Return the grade in a rating, a number or a choice; None if there is not exactly one."""
    if isinstance(value, dict):
        found = [value[key] for key in _GRADE_KEYS if key in value]
        value = _single(found[0]) if len(found) == 1 else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return grade_text(value)


def _take_choice(annotation: _Annotation, control: str, collected: Collected) -> bool:
    """Add a preference; return True if it is a tie because nothing was chosen."""
    first, second = _pair(annotation.data)
    one = _single(annotation.values.get(control))
    selected = one.get("selected") if isinstance(one, dict) else None
    if selected not in (None, "left", "right"):
        annotation.record.complain(f"{control!r}: expected left or right, found {selected!r}")
        return False
    collected.preferences.append(
        Preference(
            annotation.evaluator,
            annotation.segment,
            first,
            second,
            {"left": first, "right": second}.get(selected or ""),
            PREFERENCE,
            _document(annotation.data),
            line=annotation.record.line,
        )
    )
    return selected is None


def _pair(data: Mapping[str, Any]) -> tuple[str, str]:
    if "system1" in data and "system2" in data:
        return str(data["system1"]), str(data["system2"])
    return next((pair for pair in _PAIR_FIELDS if set(pair) <= set(data)), ("left", "right"))
