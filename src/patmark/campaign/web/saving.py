"""Writes of a page's script: answers one by one, and remarks."""

from __future__ import annotations

from asyncio import wrap_future
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from patmark.campaign.form import CHECKED, LONGEST_WRITTEN
from patmark.campaign.plan import Answer
from patmark.campaign.records import Refused
from patmark.campaign.web.page_view import shown_feedback
from patmark.campaign.web.rendering import language_of
from patmark.campaign.web.sessions import EvaluatorRequest, WritingEvaluator, writing_evaluator
from patmark.errors import UsageError
from patmark.wording import translated

router = APIRouter()
_STATUS = {"not-assigned": 404, "closed": 409, "revoked": 403, "reused": 409, "training": 409}
_LONGEST_DAY = 24 * 3600.0

Name = Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")]


class AnswerBody(BaseModel):
    """One answer as the browser sends it; ``known`` is the last revision that it has seen."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    page: Name
    candidate: Name
    question: Name
    value: Annotated[str, Field(max_length=LONGEST_WRITTEN)] | None
    detail: dict[str, Any]
    known: Annotated[int, Field(ge=0)]
    client: Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{16,64}$")]
    seconds: Annotated[float, Field(ge=0, le=_LONGEST_DAY)]


class RemarkBody(BaseModel):
    """A comment on a page, and whether somebody should look at it."""

    model_config = ConfigDict(strict=True, extra="forbid")

    page: Name
    text: Annotated[str, Field(max_length=5000)]
    flagged: bool


@router.post("/api/answer")
async def save_answer(request: Request, body: AnswerBody) -> Response:
    """Keep an answer. It is on the disk when this returns.

    If another window has answered in between, its answer comes back as ``conflict``: the last
    one counts, but not unseen.
    """
    evaluator = await run_in_threadpool(writing_evaluator, request)
    # Free text of evaluators stays out of tables that organisers open in other programs.
    if "comment" in body.detail:
        raise HTTPException(422, "a comment is saved as a remark")
    answer = Answer(**body.model_dump(exclude={"known"}))
    with _refusals(request):
        saved = await wrap_future(
            evaluator.store.save_soon(evaluator.campaign, evaluator.evaluator, answer, gated=True)
        )
    said: dict[str, Any] = {"revision": saved.revision, "conflict": None, "feedback": None}
    if saved.stored and saved.revision > body.known + 1:
        said["conflict"] = await run_in_threadpool(_replaced, evaluator, answer, saved.revision - 1)
    if saved.phase == "training":
        said["feedback"] = await run_in_threadpool(_feedback, evaluator, answer)
    return JSONResponse(said)


@router.post("/api/remark")
def save_remark(evaluator: WritingEvaluator, body: RemarkBody) -> Response:
    """Keep a remark on a page."""
    with _refusals(evaluator.request):
        evaluator.store.save_remark(
            evaluator.campaign, evaluator.evaluator, body.page, body.text, body.flagged, gated=True
        )
    return JSONResponse({})


def _feedback(evaluator: EvaluatorRequest, answer: Answer) -> dict[str, Any] | None:
    """Return the reference answers, if a page was checked by this save.

    In campaigns that know no checks, the last answer of a page is one.
    """
    state = evaluator.state(answer.page, only_training=True)
    if answer.question != CHECKED and "tries" in state.settings:
        return None
    return shown_feedback(state, state.texts[answer.page])


@contextmanager
def _refusals(request: Request) -> Iterator[None]:
    """Turn refusals of the store into responses to the browser."""
    try:
        yield
    except Refused as error:
        reason = translated(error.message, language_of(request))
        raise HTTPException(_STATUS.get(error.reason, 422), reason) from error
    except UsageError as error:
        raise HTTPException(422, str(error)) from error


def _replaced(evaluator: EvaluatorRequest, answer: Answer, revision: int) -> dict[str, Any] | None:
    """Return the own answer that was replaced without having been seen."""
    for one in evaluator.store.history(evaluator.campaign, answer.page):
        before = one.answer
        place = (before.candidate, before.question, before.revision)
        wanted = (answer.candidate, answer.question, revision)
        if one.evaluator == evaluator.evaluator and place == wanted:
            return {"value": before.value, "detail": dict(before.detail)}
    return None
