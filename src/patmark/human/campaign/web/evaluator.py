"""The pages of an evaluator: overview, guidelines, judging, review, and the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from patmark.human.campaign.completion_codes import completions
from patmark.human.campaign.evaluator_progress import Person
from patmark.human.campaign.form import CHECKED, Form, Question
from patmark.human.campaign.page_completion import is_settled
from patmark.human.campaign.plan import Answer, Page
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.web.page_view import page_state, shown_feedback
from patmark.human.campaign.web.rendering import (
    CLOSED,
    assets,
    in_language,
    language_of,
    message_page,
    render,
    to_markup,
)
from patmark.human.campaign.web.sessions import (
    ALL_CAMPAIGNS,
    MANAGER_COOKIE,
    ORGANISER_COOKIE,
    Evaluator,
    EvaluatorRequest,
    app_state,
    evaluator_request,
    pseudonym,
    read_cookie,
    return_cookie,
    root_of,
    session_of,
)

router = APIRouter()
_EXCERPT = 80


@router.get("/")
def show_home(request: Request) -> Response:
    """Show the overview, or the way to the entrance to people without a session."""
    session = session_of(request)
    if session is None or session.evaluator is None:
        if read_cookie(request, ORGANISER_COOKIE, request.scope.get("campaign")):
            return RedirectResponse("/organiser", 303)
        if read_cookie(request, MANAGER_COOKIE):
            return RedirectResponse("/organiser" if root_of(request) else ALL_CAMPAIGNS, 303)
        return message_page(request, *CLOSED, 200)
    evaluator = evaluator_request(request)
    code = read_cookie(request, return_cookie(evaluator.evaluator), evaluator.campaign)
    return _render(evaluator, "home.html.j2", evaluator.state(), return_code=code)


@router.get("/guideline")
def show_guideline(request: Request, evaluator: Evaluator) -> Response:
    """Show the guidelines of the form."""
    state = evaluator.state()
    text = in_language(state.form.guideline, language_of(request))
    return _render(evaluator, "guideline.html.j2", state, text=to_markup(text))


@router.get("/next")
def go_on(evaluator: Evaluator, after: str | None = None) -> Response:
    """Redirect to the next view."""
    view = evaluator.store.next_view(evaluator.campaign, evaluator.evaluator, after)
    return RedirectResponse(f"/page/{view.page}" if view.page else f"/{view.kind}", 303)


@router.get("/page/{page_id}")
def show_page(request: Request, page_id: str, evaluator: Evaluator) -> Response:
    """Show one page to judge."""
    state = evaluator.state(page_id)
    page = state.texts.get(page_id)
    if page is None:
        raise HTTPException(404)
    standing = state.standing(evaluator.evaluator)
    shown = [info.id for info in standing.open_pages]
    if page_id not in shown:
        return RedirectResponse("/next", 303)
    place = shown.index(page_id)
    is_training = page.phase == "training"
    return _render(
        evaluator,
        "page.html.j2",
        state,
        view=app_state(request).views.of(state, page),
        state={
            **_script_state(evaluator, state, page),
            "previous": f"{root_of(request)}/page/{shown[place - 1]}" if place else None,
        },
        number=place + 1 if is_training else place + 1 - len(standing.training),
        is_training=is_training,
    )


@router.get("/training")
def show_training(evaluator: Evaluator) -> Response:
    """Show the result of the training."""
    state = evaluator.state()
    standing = state.standing(evaluator.evaluator)
    if not standing.training_is_done or not standing.training or not standing.enrolled:
        return RedirectResponse("/next", 303)
    return _render(evaluator, "training.html.j2", state)


@router.get("/review")
def show_review(request: Request, evaluator: Evaluator) -> Response:
    """Show all own answers, to be looked through and changed.

    No texts are shown: a page that comes back, unchanged or degraded on purpose, would be
    found by its text, and answered as before.
    """
    state = evaluator.state()
    standing = state.standing(evaluator.evaluator)
    rows = review_rows(state, standing, language_of(request))
    return _render(evaluator, "review.html.j2", state, rows=rows)


@router.get("/done")
def show_done(evaluator: Evaluator) -> Response:
    """Show thanks, once everything is complete."""
    state = evaluator.state(all_texts=True)
    standing = state.standing(evaluator.evaluator)
    if standing.first_open() is not None or not standing.may_judge:
        return RedirectResponse("/next", 303)
    code = next(iter(completions(state).rows), None)
    return _render(evaluator, "done.html.j2", state, completion=code, is_pool=state.is_pool)


def _render(
    evaluator: EvaluatorRequest, template: str, campaign_state: CampaignState, **content: Any
) -> Response:
    """Render a page with the parts that all pages of an evaluator show."""
    return render(
        evaluator.request,
        template,
        form=campaign_state.form,
        campaign=campaign_state.info,
        contact=campaign_state.settings.get("contact", ""),
        deadline=campaign_state.deadline_of(evaluator.evaluator),
        standing=campaign_state.standing(evaluator.evaluator),
        words=assets.words(language_of(evaluator.request)),
        who=pseudonym(evaluator),
        **content,
    )


def _script_state(evaluator: EvaluatorRequest, state: CampaignState, page: Page) -> dict[str, Any]:
    """Return the data of a page's script; reference answers only once they may be seen."""
    remark = next((one for one in state.remarks if one.page == page.id), None)
    is_final = state.is_final(page)
    return {
        **page_state(state.form, page, state.answers_on(page.id), remark),
        "feedback": shown_feedback(state, page, language_of(evaluator.request)),
        "csrf": evaluator.session.csrf,
        "who": pseudonym(evaluator),
        "open": state.info.is_open,
        "locked": is_final or not state.info.is_open,
        "next": f"{root_of(evaluator.request)}/next?after={page.id}",
    }


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    """One answer in short; ``value`` is None if a reason says why there is no answer."""

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
    answers: tuple[ReviewAnswer, ...]


def review_rows(state: CampaignState, standing: Person, language: str) -> list[ReviewRow]:
    """Return all pages that are open to the evaluator, in order, with what was answered."""
    flagged = {remark.page for remark in state.remarks if remark.flagged}
    trained = len(standing.training)
    rows = []
    for place, info in enumerate(standing.open_pages):
        is_training = info.phase == "training"
        rows.append(
            ReviewRow(
                id=info.id,
                number=place + 1 - (0 if is_training else trained),
                is_training=is_training,
                is_done=info.id in standing.complete,
                is_flagged=info.id in flagged,
                answers=_in_order(state.form, state.answers_on(info.id), language),
            )
        )
    return rows


def _in_order(form: Form, answers: Iterable[Answer], language: str) -> tuple[ReviewAnswer, ...]:
    """Return the answers by candidate, then by question of the form."""
    places = {question.id: place for place, question in enumerate(form.questions)}
    several = len(form.questions) > 1
    kept = [one for one in answers if is_settled(one) and one.question != CHECKED]
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
    """Return the words of a preference, the beginning of a text, and else the value itself."""
    if question.is_written and value is not None:
        return value if len(value) <= _EXCERPT else f"{value[:_EXCERPT]}…"
    if question.kind != "preference" or value is None:
        return value
    labels = {choice.value: in_language(choice.label, language) for choice in question.choices}
    return labels.get(value, value)
