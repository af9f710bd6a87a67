"""Training: answers beside the expected ones, and how well they agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from patmark.human.campaign.answer_book import AnswerBook, place_of
from patmark.human.campaign.consistency import Consistency, consistency
from patmark.human.campaign.form import Form, Question
from patmark.human.campaign.form_answers import latest_answers, parse_ranking
from patmark.human.campaign.plan import Answer, Page, Plan


@dataclass(frozen=True, slots=True)
class Correction:
    """An answer of a training page beside the one that is held for right."""

    page: str
    candidate: str
    question: str
    expected: str
    given: str | None
    agrees: bool


def corrections(plan: Plan, answers: Iterable[Answer], evaluator: str) -> tuple[Correction, ...]:
    """All expected answers of an evaluator's training, beside what was given.

    An answer agrees within the tolerance of the campaign, in steps of the scale.
    """
    given, tolerance = tuple(answers), int(plan.settings.get("tolerance", 0))
    return tuple(
        correction
        for page in plan.pages_of(evaluator)
        if page.phase == "training"
        for correction in page_corrections(plan.form, page, given, tolerance)
    )


def page_corrections(
    form: Form, page: Page, answers: Iterable[Answer], tolerance: int = 0
) -> tuple[Correction, ...]:
    """The expected answers of one page beside what was given, for feedback on the page itself.

    Two rankings agree if they put the same candidates at each place, however they are written.
    """
    given = {
        (one.candidate, one.question): one.value
        for one in latest_answers(answers)
        if one.page == page.id
    }
    return tuple(
        _correction(page, label, form.question(name), expected, given.get((label, name)), tolerance)
        for label, questions in page.expected.items()
        for name, expected in questions.items()
    )


def training_agreement(plan: Plan, answers: Iterable[Answer]) -> tuple[Consistency, ...]:
    """The answers of each evaluator against the expected ones, by question."""
    book = AnswerBook.of(plan, answers)
    found = []
    for evaluator in plan.evaluators:
        pages = [page for page in plan.pages_of(evaluator) if page.phase == "training"]
        for question in plan.form.questions:
            pairs = [
                (expected[question.id], book.value(page, label, question.id))
                for page in pages
                for label, expected in page.expected.items()
                if question.id in expected
            ]
            found += consistency(evaluator, question, pairs)
    return tuple(found)


def _correction(
    page: Page, label: str, question: Question, expected: str, given: str | None, tolerance: int
) -> Correction:
    agrees = given is not None and _agrees(question, expected, given, tolerance)
    return Correction(page.id, label, question.id, expected, given, agrees)


def _agrees(question: Question, expected: str, given: str, tolerance: int) -> bool:
    if question.kind == "ranking":
        return list(map(set, parse_ranking(expected))) == list(map(set, parse_ranking(given)))
    one, other = place_of(question, expected), place_of(question, given)
    if one is None or other is None:
        return expected == given
    return abs(one - other) <= tolerance
