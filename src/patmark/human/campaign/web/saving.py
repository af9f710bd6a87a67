"""Writes of a page's script: answers one by one, and remarks."""

from __future__ import annotations

from asyncio import wrap_future
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from patmark.errors import UsageError
from patmark.human.campaign.form import CHECKED, LONGEST_WRITTEN
from patmark.human.campaign.plan import Answer
from patmark.human.campaign.records import AnswerBasis, Refused, StaleAnswer
from patmark.human.campaign.store.tables import now
from patmark.human.campaign.web.page_view import shown_feedback
from patmark.human.campaign.web.rendering import language_of
from patmark.human.campaign.web.sessions import (
    EvaluatorRequest,
    WritingEvaluator,
    writing_evaluator,
)
from patmark.wording import translated

router = APIRouter()
_STATUS = {"not-assigned": 404, "revoked": 403, "invalid": 422}
_LONGEST_DAY = 24 * 3600.0
_LONGEST_WAIT = 366 * _LONGEST_DAY
_WAITED = 1.0
"""Seconds from which an answer counts as one that waited, and may be overtaken by another."""

Name = Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")]


class AnswerBody(BaseModel):
    """One answer as the browser sends it.

    ``known`` is the last revision that the browser had seen, ``age`` the seconds since the answer.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    page: Name
    candidate: Name
    question: Name
    value: Annotated[str, Field(max_length=LONGEST_WRITTEN)] | None
    detail: dict[str, Any]
    known: Annotated[int, Field(ge=0)]
    client: Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{16,64}$")]
    seconds: Annotated[float, Field(ge=0, le=_LONGEST_DAY)]
    age: Annotated[float, Field(ge=0)] = 0.0


class RemarkBody(BaseModel):
    """A comment on a page; the evaluator may ask for a look at it."""

    model_config = ConfigDict(strict=True, extra="forbid")

    page: Name
    text: Annotated[str, Field(max_length=5000)]
    flagged: bool


@router.post("/api/answer")
async def save_answer(request: Request, body: AnswerBody) -> Response:
    """Keep an answer. It is on the disk when this returns.

    If another window has answered in between, its answer comes back as ``conflict``: the last
    one counts, but not unseen. An answer that waited while a later one was saved elsewhere is
    refused, with the later one as ``newer``.
    """
    evaluator = await run_in_threadpool(writing_evaluator, request)
    # Free text of evaluators stays out of tables that organisers open in other programs.
    if "comment" in body.detail:
        raise HTTPException(422, "a comment is saved as a remark")
    answer = Answer(**body.model_dump(exclude={"known", "age"}))
    waited = body.age >= _WAITED
    basis = AnswerBasis(body.known, now(-min(body.age, _LONGEST_WAIT))) if waited else None
    store, who = evaluator.store, (evaluator.campaign, evaluator.evaluator)
    try:
        saved = await wrap_future(store.save_soon(*who, answer, gated=True, basis=basis))
    except Refused as error:
        if error.reason == "closed":
            await run_in_threadpool(store.log_late_answer, *who)
        return _refusal(request, error)
    except UsageError as error:
        raise HTTPException(422, str(error)) from error
    response: dict[str, Any] = {"revision": saved.revision, "conflict": None, "feedback": None}
    if saved.stored and saved.revision > body.known + 1:
        response["conflict"] = await run_in_threadpool(
            _replaced, evaluator, answer, saved.revision - 1
        )
    if saved.phase == "training":
        response["feedback"] = await run_in_threadpool(_feedback, evaluator, answer)
    return JSONResponse(response)


@router.post("/api/remark")
def save_remark(evaluator: WritingEvaluator, body: RemarkBody) -> Response:
    """Keep a remark on a page."""
    who = evaluator.campaign, evaluator.evaluator
    try:
        evaluator.store.save_remark(*who, body.page, body.text, body.flagged, gated=True)
    except Refused as error:
        if error.reason == "closed":
            evaluator.store.log_late_answer(*who)
        return _refusal(evaluator.request, error)
    except UsageError as error:
        raise HTTPException(422, str(error)) from error
    return JSONResponse({})


def _feedback(evaluator: EvaluatorRequest, answer: Answer) -> dict[str, Any] | None:
    """Return the reference answers, if a page was checked by this save.

    In campaigns that know no checks, the last answer of a page is one.
    """
    state = evaluator.state(answer.page, only_training=True)
    if answer.question != CHECKED and "tries" in state.settings:
        return None
    return shown_feedback(state, state.texts[answer.page], language_of(evaluator.request))


def _refusal(request: Request, error: Refused) -> Response:
    content: dict[str, Any] = {
        "detail": translated(error.message, language_of(request)),
        "reason": error.reason,
    }
    if isinstance(error, StaleAnswer):
        later = error.newer
        content["newer"] = {
            "value": later.value,
            "detail": dict(later.detail),
            "revision": later.revision,
        }
    return JSONResponse(content, _STATUS.get(error.reason, 409))


def _replaced(evaluator: EvaluatorRequest, answer: Answer, revision: int) -> dict[str, Any] | None:
    """Return the own answer that was replaced without having been seen."""
    for one in evaluator.store.history(evaluator.campaign, answer.page):
        before = one.answer
        place = (before.candidate, before.question, before.revision)
        wanted = (answer.candidate, answer.question, revision)
        if one.evaluator == evaluator.evaluator and place == wanted:
            return {"value": before.value, "detail": dict(before.detail)}
    return None
