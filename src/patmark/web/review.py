"""The list of all own answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from patmark.human.campaign.form import Form, Question
from patmark.human.campaign.plan import Answer
from patmark.web.progress import Standing
from patmark.web.sessions import Visit
from patmark.web.words import in_language

_SHOWN = 120


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """One answer in short; ``value`` is None where a reason says why there is no answer."""

    candidate: str
    question: str
    value: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One page with its answers."""

    id: str
    number: int
    is_training: bool
    is_done: bool
    is_flagged: bool
    beginning: str
    answers: tuple[ReviewAnswer, ...]


def review_rows(visit: Visit, form: Form, standing: Standing, language: str) -> list[ReviewRow]:
    """All pages that are open to the evaluator, in order, with what was answered."""
    given: defaultdict[str, list[Answer]] = defaultdict(list)
    for one in visit.store.answers(visit.campaign, visit.evaluator):
        given[one.answer.page].append(one.answer)
    remarks = visit.store.remarks(visit.campaign, visit.evaluator)
    flagged = {remark.page for remark in remarks if remark.flagged}
    trained = len(standing.training)
    rows = []
    for place, info in enumerate(standing.open_pages):
        page = visit.store.page(visit.campaign, visit.evaluator, info.id)
        if page is None:
            continue
        is_training = info.phase == "training"
        text = page.source if form.shows_source else page.candidates[0].text
        rows.append(
            ReviewRow(
                id=info.id,
                number=place + 1 - (0 if is_training else trained),
                is_training=is_training,
                is_done=info.id in standing.done,
                is_flagged=info.id in flagged,
                beginning=text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…",
                answers=_in_order(form, given[info.id], language),
            )
        )
    return rows


def _in_order(form: Form, answers: list[Answer], language: str) -> tuple[ReviewAnswer, ...]:
    """The answers by candidate, then by question of the form."""
    places = {question.id: place for place, question in enumerate(form.questions)}
    several = len(form.questions) > 1
    kept = [one for one in answers if one.value is not None or one.detail.get("reason")]
    kept.sort(key=lambda one: (one.candidate, places[one.question]))
    return tuple(
        ReviewAnswer(
            candidate=one.candidate,
            question=in_language(form.question(one.question).title, language) if several else "",
            value=_shown_value(form.question(one.question), one.value, language),
            reason=str(one.detail.get("reason", "")),
        )
        for one in kept
    )


def _shown_value(question: Question, value: str | None, language: str) -> str | None:
    """The words of a preference, and else the value itself."""
    if question.kind != "preference" or value is None:
        return value
    labels = {choice.value: in_language(choice.label, language) for choice in question.choices}
    return labels.get(value, value)
