"""The pages of an evaluator: overview, guidelines, judging, review, and the end."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.campaign.form import Form, Question
from patmark.campaign.plan import Answer, Page
from patmark.campaign.web.page_view import feedback, page_state, page_view
from patmark.campaign.web.progress import (
    Standing,
    agreed_page,
    references_are_shown,
    standing_of,
    tolerance_of,
)
from patmark.campaign.web.rendering import (
    in_language,
    language_of,
    message_page,
    render,
    starting_with,
    to_markup,
)
from patmark.campaign.web.sessions import (
    ORGANISER_COOKIE,
    EvaluatorVisit,
    Visit,
    room_of,
    session_of,
)

router = APIRouter()
_SCRIPT_WORDS = (
    "save.",
    "page.cannot",
    "page.feedback",
    "chart.",
    "ranking.",
    "spans.",
)


@router.get("/")
def show_home(request: Request) -> Response:
    """The overview; for strangers, where to find the entrance."""
    session = session_of(request)
    if session is None or session.evaluator is None:
        if request.cookies.get(ORGANISER_COOKIE):
            return RedirectResponse("/organiser", 303)
        return message_page(request, "closed", 200)
    visit = Visit(room_of(request), session, session.campaign, session.evaluator)
    return render(request, "home.html.j2", **_common(visit))


@router.get("/guideline")
def show_guideline(request: Request, visit: EvaluatorVisit) -> Response:
    """The guidelines of the form."""
    guideline = visit.store.form(visit.campaign).guideline
    text = in_language(guideline, language_of(request))
    return render(request, "guideline.html.j2", text=to_markup(text), **_common(visit))


@router.get("/next")
def go_on(visit: EvaluatorVisit, after: str | None = None) -> Response:
    """Go to the first page that is not complete, else to what comes after all pages."""
    standing = _standing(visit)
    training_ids = {page.id for page in standing.training}
    if after in training_ids and standing.training_is_done:
        return RedirectResponse("/training", 303)
    page = standing.first_open(after)
    if page is not None:
        return RedirectResponse(f"/page/{page.id}", 303)
    return RedirectResponse("/done" if standing.may_judge else "/training", 303)


@router.get("/page/{page_id}")
def show_page(request: Request, page_id: str, visit: EvaluatorVisit) -> Response:
    """One page to judge."""
    page = visit.store.page(visit.campaign, visit.evaluator, page_id)
    if page is None:
        raise HTTPException(404)
    standing = _standing(visit)
    shown = [info.id for info in standing.open_pages]
    if page_id not in shown:
        return RedirectResponse("/next", 303)
    common = _common(visit, standing)
    place = shown.index(page_id)
    is_training = page.phase == "training"
    state = _state(visit, page)
    state["previous"] = f"/page/{shown[place - 1]}" if place else None
    return render(
        request,
        "page.html.j2",
        view=page_view(common["form"], common["campaign"], page),
        state=state,
        number=place + 1 if is_training else place + 1 - len(standing.training),
        is_training=is_training,
        words=starting_with(_SCRIPT_WORDS, language_of(request)),
        **common,
    )


@router.get("/training")
def show_training(request: Request, visit: EvaluatorVisit) -> Response:
    """How the training went."""
    standing = _standing(visit)
    if not standing.training_is_done or (not standing.training and standing.may_judge):
        return RedirectResponse("/next", 303)
    return render(request, "training.html.j2", **_common(visit, standing))


@router.get("/review")
def show_review(request: Request, visit: EvaluatorVisit) -> Response:
    """All own answers, to be looked through and changed."""
    common = _common(visit)
    rows = review_rows(visit, common["form"], common["standing"], language_of(request))
    return render(request, "review.html.j2", rows=rows, **common)


@router.get("/done")
def show_done(request: Request, visit: EvaluatorVisit) -> Response:
    """Thanks, once everything is complete."""
    common = _common(visit)
    if common["standing"].first_open() is not None or not common["standing"].may_judge:
        return RedirectResponse("/next", 303)
    return render(request, "done.html.j2", **common)


def _common(visit: Visit, standing: Standing | None = None) -> dict[str, Any]:
    """What all pages of an evaluator show."""
    return {
        "form": visit.store.form(visit.campaign),
        "campaign": visit.store.campaign(visit.campaign),
        "standing": standing or _standing(visit),
    }


def _state(visit: Visit, page: Page) -> dict[str, Any]:
    """What the script of a page needs; the reference answers only once they may be seen."""
    store, campaign, evaluator = visit.store, visit.campaign, visit.evaluator
    form = store.form(campaign)
    answers = [one.answer for one in store.answers(campaign, evaluator, page.id)]
    remarks = store.remarks(campaign, evaluator, page.id)
    is_final, tolerance = references_are_shown(store, campaign, evaluator, page), 0
    if is_final:
        page, tolerance = agreed_page(store, campaign, page), tolerance_of(store, campaign)
    return {
        **page_state(form, page, answers, remarks[0] if remarks else None),
        "feedback": feedback(form, page, answers, tolerance) if is_final else None,
        "csrf": visit.session.csrf,
        "who": _pseudonym(visit),
        "locked": is_final or not store.campaign(campaign).is_open,
        "next": f"/next?after={page.id}",
    }


def _standing(visit: Visit) -> Standing:
    return standing_of(visit.store, visit.campaign, visit.evaluator)


def _pseudonym(visit: Visit) -> str:
    """Keeps the unsent answers of two evaluators on one device apart, without naming them."""
    name = f"{visit.campaign}\0{visit.evaluator}".encode()
    return hashlib.sha256(name).hexdigest()[:16]


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
