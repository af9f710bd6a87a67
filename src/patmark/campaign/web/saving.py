"""What the script of a page writes: answers one by one, and remarks.

Fifty people may save at once. Threads are dear then: only what must ask the database uses one, and
of an answer on a page that is being judged nothing but the save itself does.
"""

from __future__ import annotations

from asyncio import wrap_future
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

from fastapi import HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from patmark.campaign.answers import answer_problem
from patmark.campaign.plan import Answer, Page
from patmark.campaign.store.records import Refused
from patmark.campaign.web.page_view import feedback
from patmark.campaign.web.progress import agreed_page, references_are_shown, tolerance_of
from patmark.campaign.web.rendering import language_of, phrases
from patmark.campaign.web.sessions import (
    NoSession,
    Visit,
    found_session,
    remembered_session,
    token_of,
    writing_evaluator,
)
from patmark.errors import UsageError

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
    content = await request.body()
    visit = writing_evaluator(request, await remembered_session(request))
    body = _parsed(AnswerBody, request, content)
    page = await _page(request, visit, body.page)
    is_training = page.phase == "training"
    if is_training and await run_in_threadpool(_is_final, visit, page, body.client):
        language = await run_in_threadpool(language_of, request)
        raise HTTPException(409, phrases(language)("training.final"))
    answer = _answer(visit, page, body)
    with _refusals():
        saved = await wrap_future(
            visit.store.save_soon(visit.campaign, visit.evaluator, answer, token_of(request))
        )
    said: dict[str, Any] = {"revision": saved.revision, "conflict": None, "feedback": None}
    if saved.stored and saved.revision > body.known + 1:
        said["conflict"] = await run_in_threadpool(_replaced, visit, answer, saved.revision - 1)
    if is_training:
        said["feedback"] = await run_in_threadpool(_feedback, visit, page)
    return JSONResponse(said)


async def save_remark(request: Request) -> Response:
    """Keep a remark on a page."""
    content = await request.body()
    visit = writing_evaluator(request, await found_session(request))
    body = _parsed(RemarkBody, request, content)
    await _page(request, visit, body.page)
    with _refusals():
        await run_in_threadpool(
            visit.store.save_remark,
            visit.campaign, visit.evaluator, body.page, body.text, body.flagged,
        )  # fmt: skip
    return JSONResponse({})


ROUTES = (
    Route("/api/answer", save_answer, methods=["POST"]),
    Route("/api/remark", save_remark, methods=["POST"]),
)
"""Put before all others, because most requests are saves."""


def _answer(visit: Visit, page: Page, body: AnswerBody) -> Answer:
    """The answer of a body, which fits the form and its page."""
    answer = Answer(
        page=body.page,
        candidate=body.candidate,
        question=body.question,
        value=body.value,
        detail=body.detail,
        client=body.client,
        seconds=body.seconds,
    )
    # Free text of evaluators stays out of tables that organisers open in other programs.
    problem = "a comment is saved as a remark" if "comment" in body.detail else None
    problem = problem or answer_problem(visit.store.form(visit.campaign), page, answer)
    if problem:
        raise HTTPException(422, problem)
    return answer


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
        if error.reason == "no-session":
            raise NoSession from error
        raise HTTPException(_STATUS.get(error.reason, 422), str(error)) from error
    except UsageError as error:
        raise HTTPException(422, str(error)) from error


async def _page(request: Request, visit: Visit, page_id: str) -> Page:
    """A page that the evaluator may write to now."""
    known = visit.room.permissions.remembered(visit.campaign, visit.evaluator, page_id)
    if known is not None:
        return known
    return await run_in_threadpool(_read_page, request, visit, page_id)


def _read_page(request: Request, visit: Visit, page_id: str) -> Page:
    campaign, evaluator = visit.campaign, visit.evaluator
    page = visit.room.permissions.page(campaign, evaluator, page_id)
    if page is None:
        raise HTTPException(404, "there is no such page")
    if page.phase != "training" and not visit.room.permissions.may_judge(campaign, evaluator):
        raise HTTPException(409, phrases(language_of(request))("training.first"))
    visit.store.form(campaign)  # known from here on
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
