"""Training: pages with reference answers, and how well the answers given agree with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from patmark.data import FilePath, Record, TestSet, parse_records, raise_if_any
from patmark.errors import Problem
from patmark.human.campaign.answer_validity import parse_ranking, value_problem
from patmark.human.campaign.attention_checks import AnswerConsistency, consistency
from patmark.human.campaign.form import Form, Question
from patmark.human.campaign.marks import marked_text, marks_problem, side_of
from patmark.human.campaign.page_completion import latest_answers
from patmark.human.campaign.plan import Answer, Candidate, Page, Plan, label
from patmark.human.campaign.results import AnswerBook, place_of

Feedback: TypeAlias = Literal["each", "end"]


@dataclass(frozen=True, slots=True)
class TrainingCandidate:
    """A text of a training page with the answers that are held for right, by question, and why."""

    text: str
    system: str
    expected: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True)
class TrainingItem:
    """A training page, the same for everyone; ``expected`` are the answers about the whole page."""

    id: str
    candidates: tuple[TrainingCandidate, ...]
    source: str = ""
    reference: str = ""
    document: str | None = None
    expected: Mapping[str, str] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Training:
    """Training before the main phase.

    A page is checked when its evaluator asks for it. Feedback comes then, or after the last page.
    An answer within ``tolerance`` steps of the expected one agrees with it; ``pass_mark`` is the
    share that must agree. After ``tries`` checks the answers of a page are final.
    """

    items: tuple[TrainingItem, ...]
    feedback: Feedback = "each"
    pass_mark: float | None = None
    tolerance: int = 0
    tries: int = 1


_ITEM = ("id", "source", "reference", "document", "candidates", "expected", "why")
_CANDIDATE = ("text", "system", "expected", "why")


def read_training_items(
    path: FilePath, form: Form, test_set: TestSet | None = None
) -> tuple[TrainingItem, ...]:
    """Read the items of a file, with expected answers that fit the form.

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
    candidates = _candidates(record, form, str(record.fields.get("source") or ""))
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
        record.optional_text("why") or "",
    )


def _candidates(record: Record, form: Form, source: str) -> tuple[TrainingCandidate, ...]:
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
        text = own.text("text")
        shown = Page("", "", 0, "training", "", (Candidate("", (system,), text),), source)
        expected = _expected(record, form, item.get("expected", {}), False, (), shown)
        why = own.optional_text("why") or ""
        found.append(TrainingCandidate(text, system, expected, why))
    return tuple(found)


def _expected(
    record: Record,
    form: Form,
    value: Any,
    about_page: bool,
    labels: Sequence[str],
    shown: Page | None = None,
) -> dict[str, Any]:
    """Parse expected answers by question; numbers may be numbers, marks are a list.

    ``shown`` is a page with the text that is judged.
    """
    if not isinstance(value, dict):
        record.complain("field 'expected': expected an object of question and answer")
        return {}
    questions = {one.id: one for one in form.questions if one.about_page == about_page}
    found: dict[str, Any] = {}
    for name, answer in value.items():
        text = str(answer) if type(answer) is int else answer
        if name not in questions:
            where = "page" if about_page else "candidate"
            record.complain(f"expected answer: {name!r} is no question about a {where} of the form")
        elif questions[name].is_written:
            record.complain(f"expected answer: {name!r} asks for a text, which cannot be compared")
        elif questions[name].kind == "spans" and shown is not None:
            if problem := marks_problem(questions[name], shown, shown.candidates[0], answer):
                record.complain(f"expected answer to {name!r}: {problem}")
            else:
                found[name] = answer
        elif not isinstance(text, str):
            record.complain(f"expected answer to {name!r}: expected a text or a whole number")
        elif problem := value_problem(questions[name], text, labels):
            record.complain(f"expected answer: {problem}")
        else:
            found[name] = text
    return found


@dataclass(frozen=True, slots=True)
class Correction:
    """An answer of a training page beside the one that is held for right.

    Each expected mark of an error has one; an empty ``expected`` is that nothing else is marked.
    """

    page: str
    candidate: str
    question: str
    expected: str
    given: str | None
    agrees: bool


def page_corrections(
    form: Form, page: Page, answers: Iterable[Answer], tolerance: int = 0, language: str = ""
) -> tuple[Correction, ...]:
    """Return the expected answers of one page with the given ones, for feedback.

    In a ``language``, expected answers are named as the form names them; else by their values.

    An answer agrees within the tolerance, in steps of the scale.
    Two rankings agree if they put the same candidates at each place, however they are written.
    """
    given = {
        (one.candidate, one.question): one for one in latest_answers(answers) if one.page == page.id
    }
    found = []
    for shown, questions in page.expected.items():
        for name, expected in questions.items():
            question, answer = form.question(name), given.get((shown, name))
            value = None if answer is None else answer.value
            if question.kind == "spans":
                marks = answer.detail.get("spans", ()) if answer and value is not None else ()
                pairs = _mark_corrections(
                    page, shown, question, expected, marks, tolerance, language
                )
            else:
                named = question.named(question.choices, expected, language)
                if named != expected and question.kind == "grade":
                    named = f"{expected} ({named})"
                agrees = value is not None and _agrees(question, expected, value, tolerance)
                pairs = iter([(named, agrees)])
            found += [
                Correction(page.id, shown, name, text, value, agrees and value is not None)
                for text, agrees in pairs
            ]
    return tuple(found)


def training_agreement(
    plan: Plan, answers: Iterable[Answer] | AnswerBook
) -> tuple[AnswerConsistency, ...]:
    """Return the answers of each evaluator against the expected ones, by question."""
    book = AnswerBook.of(plan, answers)
    found = []
    for evaluator in plan.evaluators:
        pages = [page for page in plan.pages_of(evaluator) if page.phase == "training"]
        for question in plan.form.questions:
            pairs = [
                (expected[question.id], book.value(page, label, question.id))
                for page in pages
                for label, expected in page.expected.items()
                if question.id in expected and question.is_scaled
            ]
            found += consistency(evaluator, question, pairs)
    return tuple(found)


def _mark_corrections(
    page: Page,
    label: str,
    question: Question,
    expected: Sequence[Mapping[str, Any]],
    marks: Sequence[Mapping[str, Any]],
    tolerance: int,
    language: str,
) -> Iterator[tuple[str, bool]]:
    """Yield each expected mark and if it was found, then ``""`` and if nothing else is marked.

    A mark is found by one of the same side and kind that overlaps it, with a severity within the
    tolerance.
    """
    candidate = page.candidate(label)
    levels = [choice.value for choice in question.choices]
    left = list(marks)
    for wanted in expected:
        found = [
            mark
            for mark in left
            if _overlap(wanted, mark) and wanted["category"] == mark["category"]
            if abs(levels.index(wanted["severity"]) - levels.index(mark["severity"])) <= tolerance
        ]
        if found:
            left.remove(max(found, key=lambda mark: _overlap(wanted, mark)))
        named = [question.named(question.choices, wanted["severity"], language)]
        if question.categories:
            named.append(question.named(question.categories, wanted["category"], language))
        yield f"“{marked_text(page, candidate, wanted)}” ({', '.join(named)})", bool(found)
    yield "", not left


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    """Return the number of characters that two marks share; 1 for two marks without a place."""
    if side_of(one) != side_of(other):
        return 0
    shared = min(one["end"], other["end"]) - max(one["start"], other["start"])
    is_same_gap = one["start"] == one["end"] == other["start"] == other["end"]
    return 1 if is_same_gap else max(shared, 0)


def _agrees(question: Question, expected: str, given: str, tolerance: int) -> bool:
    if question.kind == "ranking":
        return list(map(set, parse_ranking(expected))) == list(map(set, parse_ranking(given)))
    one, other = place_of(question, expected), place_of(question, given)
    if one is None or other is None:
        return expected == given
    return abs(one - other) <= tolerance
