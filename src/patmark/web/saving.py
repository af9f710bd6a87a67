"""What the script of a page writes: answers one by one, and remarks.

Fifty people may save at once, so each write goes through one thread, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

from fastapi import HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from patmark.errors import UsageError
from patmark.human.campaign.form_answers import answer_problem
from patmark.human.campaign.plan import Answer, Page
from patmark.human.store import Refused
from patmark.web.page_view import feedback
from patmark.web.progress import agreed_page, references_are_shown, tolerance_of
from patmark.web.rendering import language_of
from patmark.web.sessions import Visit, writing_evaluator
from patmark.web.words import phrases

_STATUS = {"not-assigned": 404, "closed": 409, "revoked": 403, "reused": 409}
_LONGEST_DAY = 24 * 3600.0

_Body = TypeVar("_Body", bound=BaseModel)
Name = Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")]


class AnswerBody(BaseModel):
    """One answer as the browser sends it; ``known`` is the last revision that it has seen."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    page: Name
    candidate: Name
    question: Name
    value: Annotated[str, Field(max_length=2000)] | None
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


async def save_answer(request: Request) -> Response:
    """Keep an answer. It is on the disk when this returns.

    If another window has answered in between, its answer comes back as ``conflict``: the last
    one counts, but not unseen.
    """
    return await run_in_threadpool(_save_answer, request, await request.body())


async def save_remark(request: Request) -> Response:
    """Keep a remark on a page."""
    return await run_in_threadpool(_save_remark, request, await request.body())


ROUTES = (
    Route("/api/answer", save_answer, methods=["POST"]),
    Route("/api/remark", save_remark, methods=["POST"]),
)
"""Put before all others, because most requests are saves."""


def _save_answer(request: Request, content: bytes) -> Response:
    visit = writing_evaluator(request)
    body = _parsed(AnswerBody, request, content)
    page = _page(request, visit, body.page)
    if _is_final(visit, page, body.client):
        raise HTTPException(409, phrases(language_of(request))("training.final"))
    answer = Answer(
        page=body.page,
        candidate=body.candidate,
        question=body.question,
        value=body.value,
        detail=body.detail,
        client=body.client,
        seconds=body.seconds,
    )
    form = visit.store.form(visit.campaign)
    # Free text of evaluators stays out of tables that organisers open in other programs.
    problem = "a comment is saved as a remark" if "comment" in body.detail else None
    problem = problem or answer_problem(form, page, answer)
    if problem:
        raise HTTPException(422, problem)
    with _refusals():
        saved = visit.store.save(visit.campaign, visit.evaluator, answer)
    replaced = saved.stored and saved.revision > body.known + 1
    return JSONResponse(
        {
            "revision": saved.revision,
            "conflict": _replaced(visit, answer, saved.revision - 1) if replaced else None,
            "feedback": _feedback(visit, page),
        }
    )


def _save_remark(request: Request, content: bytes) -> Response:
    visit = writing_evaluator(request)
    body = _parsed(RemarkBody, request, content)
    _page(request, visit, body.page)
    with _refusals():
        visit.store.save_remark(visit.campaign, visit.evaluator, body.page, body.text, body.flagged)
    return JSONResponse({})


def _parsed(kind: type[_Body], request: Request, content: bytes) -> _Body:
    """The body of a write; all that is wrong with it is said."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(422, "expected application/json")
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        raise RequestValidationError(
            [{**one, "loc": ("body", *one["loc"])} for one in found]
        ) from error


@contextmanager
def _refusals() -> Iterator[None]:
    """What the store refuses, as an answer to the browser."""
    try:
        yield
    except Refused as error:
        raise HTTPException(_STATUS.get(error.reason, 422), str(error)) from error
    except UsageError as error:
        raise HTTPException(422, str(error)) from error


def _page(request: Request, visit: Visit, page_id: str) -> Page:
    """A page that the evaluator may write to now."""
    campaign, evaluator = visit.campaign, visit.evaluator
    page = visit.room.permissions.page(campaign, evaluator, page_id)
    if page is None:
        raise HTTPException(404, "there is no such page")
    if page.phase != "training" and not visit.room.permissions.may_judge(campaign, evaluator):
        raise HTTPException(409, phrases(language_of(request))("training.first"))
    return page


def _is_final(visit: Visit, page: Page, client: str) -> bool:
    """Whether the reference answers have been shown; a save sent again is acknowledged still."""
    if not references_are_shown(visit.store, visit.campaign, visit.evaluator, page):
        return False
    history = visit.store.history(visit.campaign, page.id)
    return all(one.answer.client != client for one in history)


def _feedback(visit: Visit, page: Page) -> dict[str, Any] | None:
    """The reference answers of a training page, once they may be seen."""
    store, campaign, evaluator = visit.store, visit.campaign, visit.evaluator
    if not references_are_shown(store, campaign, evaluator, page):
        return None
    answers = [one.answer for one in store.answers(campaign, evaluator, page.id)]
    agreed, tolerance = agreed_page(store, campaign, page), tolerance_of(store, campaign)
    return feedback(store.form(campaign), agreed, answers, tolerance)


def _replaced(visit: Visit, answer: Answer, revision: int) -> dict[str, Any] | None:
    """The own answer that was replaced without having been seen."""
    for one in visit.store.history(visit.campaign, answer.page):
        before = one.answer
        place = (before.candidate, before.question, before.revision)
        wanted = (answer.candidate, answer.question, revision)
        if one.evaluator == visit.evaluator and place == wanted:
            return {"value": before.value, "detail": dict(before.detail)}
    return None
