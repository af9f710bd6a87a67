"""Training items: JSON lines with candidates and the answers that are held for right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from patmark.data import FilePath, Record, TestSet, parse_records, raise_if_any
from patmark.errors import Problem
from patmark.human.campaign.form import Form
from patmark.human.campaign.form_answers import value_problem
from patmark.human.campaign.labels import label
from patmark.human.campaign.settings import TrainingCandidate, TrainingItem

_ITEM = ("id", "source", "reference", "document", "candidates", "expected")
_CANDIDATE = ("text", "system", "expected")


def read_training_items(
    path: FilePath, form: Form, test_set: TestSet | None = None
) -> tuple[TrainingItem, ...]:
    """The items of a file, with expected answers that fit the form.

    An id must not be one of the test set: a training page is no part of it.
    """
    records, problems = parse_records(path)
    taken = {segment.id for segment in test_set} if test_set else set()
    seen: set[str] = set()
    items = []
    for record in records:
        item = _item(record, form)
        if item.id in taken:
            record.complain(f"id {item.id!r} is also a segment of the test set")
        if item.id in seen:
            record.complain(f"id {item.id!r} occurs twice")
        seen.add(item.id)
        items.append(item)
    if not items and not problems:
        problems.append(Problem("has no training items", str(path)))
    raise_if_any(problems)
    return tuple(items)


def _item(record: Record, form: Form) -> TrainingItem:
    record.only(_ITEM)
    candidates = _candidates(record, form)
    labels = [label(place) for place in range(len(candidates))]
    source, reference = record.optional_text("source"), record.optional_text("reference")
    if form.shows_source and not (source or "").strip():
        record.complain("field 'source' is missing or empty, and the form shows the source")
    if form.shows_reference and not (reference or "").strip():
        record.complain("field 'reference' is missing or empty, and the form shows the reference")
    return TrainingItem(
        record.text("id"),
        candidates,
        source or "",
        reference or "",
        record.optional_text("document"),
        _expected(record, form, record.fields.get("expected", {}), True, labels),
    )


def _candidates(record: Record, form: Form) -> tuple[TrainingCandidate, ...]:
    value = record.fields.get("candidates")
    if not isinstance(value, list):
        record.mismatch("candidates", "a list of objects with a text")
        return ()
    if not value:
        record.complain("field 'candidates' is empty")
    if value and form.candidates and len(value) != form.candidates:
        record.complain(f"expected {form.candidates} candidates on a page, found {len(value)}")
    found = []
    for place, item in enumerate(value):
        if not isinstance(item, dict):
            record.complain(f"candidate {place + 1}: expected an object with a text")
            continue
        own = Record(item, record.path, record.line, record.problems)
        own.only(_CANDIDATE)
        system = own.optional_text("system") or f"training-{label(place)}"
        expected = _expected(record, form, item.get("expected", {}), False, ())
        found.append(TrainingCandidate(own.text("text"), system, expected))
    return tuple(found)


def _expected(
    record: Record, form: Form, value: Any, about_page: bool, labels: Sequence[str]
) -> dict[str, str]:
    """Expected answers by question; numbers may be written as numbers."""
    if not isinstance(value, dict):
        record.complain("field 'expected': expected an object of question and answer")
        return {}
    questions = {one.id: one for one in form.questions if one.about_page == about_page}
    found = {}
    for name, answer in value.items():
        text = str(answer) if type(answer) is int else answer
        if name not in questions or questions[name].kind == "spans":
            where = "page" if about_page else "candidate"
            record.complain(f"expected answer: {name!r} is no question about a {where} of the form")
        elif not questions[name].required:
            record.complain(
                f"expected answer: {name!r} is optional, and a page ends with its required answers"
            )
        elif not isinstance(text, str):
            record.complain(f"expected answer to {name!r}: expected a text or a whole number")
        elif problem := value_problem(questions[name], text, labels):
            record.complain(f"expected answer: {problem}")
        else:
            found[name] = text
    return found
