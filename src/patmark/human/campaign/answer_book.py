"""The answers that count, found by page, candidate and question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from patmark.errors import InputError, Problem
from patmark.human.campaign.form import Question
from patmark.human.campaign.form_answers import answer_problem, latest_answers
from patmark.human.campaign.form_checks import PREFERENCE_VALUES
from patmark.human.campaign.plan import Answer, Page, Plan


@dataclass(frozen=True, slots=True)
class AnswerBook:
    """A plan with the latest of its answers, each of which fits the form and its page."""

    plan: Plan
    answers: Mapping[tuple[str, str, str], Answer]

    @classmethod
    def of(cls, plan: Plan, answers: Iterable[Answer]) -> AnswerBook:
        """Keep the highest revision of each answer; all that do not fit are refused together."""
        latest = latest_answers(answers)
        pages = {page.id: page for page in plan.pages}
        problems = []
        for answer in latest:
            page = pages.get(answer.page)
            message = "is of no page of the plan" if page is None else None
            message = message or answer_problem(plan.form, pages[answer.page], answer)
            if message:
                problems.append(Problem(f"answer to page {answer.page!r}: {message}", plan.name))
        if problems:
            raise InputError(problems)
        return cls(plan, {(one.page, one.candidate, one.question): one for one in latest})

    def answer(self, page: Page, candidate: str, question: str) -> Answer | None:
        """The answer, None if none was given."""
        return self.answers.get((page.id, candidate, question))

    def value(self, page: Page, candidate: str, question: str) -> str | None:
        """The value of the answer, None if none was given or it was taken back."""
        found = self.answer(page, candidate, question)
        return None if found is None else found.value


def places(question: Question) -> tuple[str, ...]:
    """The values of a question that have an order, worst first; a second output before the first.

    A ranking and spans have none.
    """
    if question.kind == "number":
        return tuple(map(str, range(question.lowest, question.highest + 1)))
    if question.kind == "preference":
        return PREFERENCE_VALUES[::-1]
    if question.kind in ("grade", "chart"):
        return tuple(one.value for one in reversed(question.choices) if one.is_grade)
    return ()


def place_of(question: Question, value: str) -> int | None:
    """The place of a value from the worst, 0; None for a value without a place."""
    if question.kind == "number":
        return int(value) - question.lowest
    known = places(question)
    return known.index(value) if value in known else None
