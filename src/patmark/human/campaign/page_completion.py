"""Completion of a page: the answers that it needs, and when they are settled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from patmark.human.campaign.form import CHECKED, Form
from patmark.human.campaign.plan import Answer, Page
from patmark.human.campaign.records import PageInfo


def page_is_done(page: PageInfo, latest: Sequence[tuple[str, bool]], *, checked: bool) -> bool:
    """Return True if a page has all required answers.

    ``latest`` holds question and ``counts`` of the latest answers, in the order of their saves.
    ``checked``: a training page that was changed since its last check must be checked again.
    """
    if sum(counts for _, counts in latest) < page.needed:
        return False
    return not checked or page.phase != "training" or latest[-1][0] == CHECKED


def missing(form: Form, page: Page, answers: Iterable[Answer]) -> tuple[tuple[str, str], ...]:
    """Return candidate and question of every missing required answer.

    A question with a reason why it cannot be answered is not missing.
    """
    given = {
        (answer.candidate, answer.question)
        for answer in latest_answers(answers)
        if answer.page == page.id and is_settled(answer)
    }
    wanted = [
        ("" if question.about_page else candidate.label, question.id)
        for candidate in page.candidates
        for question in form.questions
        if question.required
    ]
    return tuple(place for place in dict.fromkeys(wanted) if place not in given)


def is_settled(answer: Answer) -> bool:
    """Return True if an answer has a value, or the reason why it cannot be given."""
    return answer.value is not None or bool(answer.detail.get("reason"))


def needed_answers(form: Form, page: Page) -> int:
    """Return the number of answers that a page needs; one of any kind if none is required.

    A training page must also have been checked.
    """
    return (len(missing(form, page, ())) or 1) + (page.phase == "training")


def counts_for_done(form: Form, answer: Answer) -> bool:
    """Return True if an answer is one of those that its page needs."""
    if answer.question == CHECKED:
        return True
    nothing_is_required = not any(question.required for question in form.questions)
    return is_settled(answer) and (nothing_is_required or form.question(answer.question).required)


def latest_answers(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """Return the highest revision of each answer, in the order in which they were first given.

    If two answers have the same revision, the later one in the list counts.
    """
    latest: dict[tuple[str, str, str], Answer] = {}
    for answer in answers:
        known = latest.get(answer.key)
        if known is None or answer.revision >= known.revision:
            latest[answer.key] = answer
    return tuple(latest.values())
