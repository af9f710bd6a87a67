"""When an answer counts as given, when a page is done, and which text can be kept."""

from __future__ import annotations

import math

from patmark.errors import UsageError
from patmark.human.campaign.form import Form
from patmark.human.campaign.form_answers import is_settled
from patmark.human.campaign.plan import Answer, Page
from patmark.human.store.packing import to_json
from patmark.human.store.records import Refused


def needed_answers(form: Form, page: Page) -> int:
    """How many answers a page needs; one of any kind if no question is required."""
    required = [question for question in form.questions if question.required]
    return sum(1 if one.about_page else len(page.candidates) for one in required) or 1


def counts_for_done(form: Form, answer: Answer) -> bool:
    """Whether an answer is one of those that a page needs."""
    is_needed = form.question(answer.question).required
    nothing_is = not any(question.required for question in form.questions)
    return is_settled(answer) and (is_needed or nothing_is)


def check_place(form: Form, labels: list[str], answer: Answer) -> None:
    """Refuse an answer to a question, or about a candidate, that the page does not have."""
    asked = next((one for one in form.questions if one.id == answer.question), None)
    if asked is None:
        raise Refused("no-such-question", f"there is no question {answer.question!r}")
    if asked.about_page and answer.candidate:
        raise Refused("no-such-question", f"{asked.id} is asked about the whole page")
    if not asked.about_page and answer.candidate not in labels:
        raise Refused("no-such-question", f"the page has no candidate {answer.candidate!r}")


def check_answer(answer: Answer) -> None:
    """Refuse what no database can keep."""
    names = (answer.page, answer.candidate, answer.question)
    for text in (*names, answer.value or "", answer.client, to_json(answer.detail)):
        storable(text)
    if answer.seconds is not None and not (math.isfinite(answer.seconds) and answer.seconds >= 0):
        raise UsageError(f"the seconds must be a number from 0 up, not {answer.seconds}")


def storable(text: str) -> str:
    """The same text; refused if it holds NUL or half a character, which PostgreSQL cannot keep."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the text holds half a character (a lone surrogate)") from None
    if "\0" in text:
        raise UsageError("the text holds a NUL character")
    return text
