"""What every save asks of the database: who saves, on which page, and one row more."""

from __future__ import annotations

import json
import math
from typing import Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Float,
    Integer,
    Text,
    and_,
    bindparam,
    func,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert

from patmark.campaign.answers import is_settled
from patmark.campaign.form import Form
from patmark.campaign.plan import Answer, Page
from patmark.campaign.store.database import hash_of, now
from patmark.campaign.store.packing import to_json
from patmark.campaign.store.records import Refused
from patmark.campaign.store.tables import answers, campaigns, evaluators, pages, sessions
from patmark.errors import UsageError


def lock_evaluator(connection: Connection, campaign: str, evaluator: str) -> int:
    """The evaluator who saves. Locked, so that closing, revoking and reassigning wait."""
    names = {"campaign_id": campaign, "evaluator_name": evaluator}
    return _may_save(connection.execute(_LOCK, names).first(), evaluator)


def open_page(connection: Connection, evaluator: int, page: str) -> tuple[int, list[str]]:
    """A page that the evaluator may answer, and the labels of its candidates."""
    row = connection.execute(_PAGE, {"of_evaluator": evaluator, "page_id": page}).first()
    return _may_answer(row, page)


def lock_page(
    connection: Connection, campaign: str, evaluator: str, page: str, session: str | None = None
) -> tuple[int, int, list[str]]:
    """The evaluator, locked, and the page, by one question to the database.

    PostgreSQL may answer for the page as it was before it waited for the lock. So the insert that
    follows looks again whether the campaign is open and whose page it is.
    """
    row = connection.execute(
        _LOCK_PAGE,
        {
            "campaign_id": campaign,
            "evaluator_name": evaluator,
            "page_id": page,
            "session_hash": hash_of(session or ""),
            "moment": now(),
        },
    ).first()
    if session is not None and (row is None or row.session is None):
        raise Refused("no-session", "the session has ended")
    number = _may_save(row, evaluator)
    return number, *_may_answer(row if row is not None and row.page is not None else None, page)


def _may_save(row: Any, evaluator: str) -> int:
    if row is None:
        raise Refused("not-assigned", f"the campaign has no evaluator {evaluator!r}")
    if row.revoked is not None:
        raise Refused("revoked", "the access of the evaluator was ended")
    return int(row.number)


def _may_answer(row: Any, page: str) -> tuple[int, list[str]]:
    if row is None:
        raise Refused("not-assigned", f"the page {page!r} is not one of the evaluator")
    if row.closed is not None:
        raise Refused("closed", "the campaign is closed")
    return int(row.page), json.loads(row.labels)


def _insert(dialect: Any) -> ReturningInsert[Any]:
    """An insert that counts the revision up.

    It does nothing if the client id is known, the campaign closed or the page somebody else's.
    """
    before = (
        select(func.coalesce(func.max(answers.c.revision), 0) + 1)
        .where(
            answers.c.page == bindparam("of_page", type_=Integer),
            answers.c.candidate == bindparam("of_candidate", type_=Text),
            answers.c.question == bindparam("of_question", type_=Text),
        )
        .scalar_subquery()
    )
    row: dict[str, ColumnElement[Any]] = {
        "page": bindparam("of_page", type_=Integer),
        "evaluator": bindparam("of_evaluator", type_=Integer),
        "candidate": bindparam("of_candidate", type_=Text),
        "question": bindparam("of_question", type_=Text),
        "revision": before,
        "value": bindparam("given_value", type_=Text),
        "detail": bindparam("given_detail", type_=Text),
        "counts": bindparam("given_counts", type_=Boolean),
        "client": bindparam("given_client", type_=Text),
        "seconds": bindparam("given_seconds", type_=Float),
        "saved": bindparam("given_saved", type_=Text),
    }
    still_open = (
        select(*(value.label(name) for name, value in row.items()))
        .select_from(pages.join(campaigns, pages.c.campaign == campaigns.c.number))
        .where(
            pages.c.number == bindparam("of_page", type_=Integer),
            pages.c.evaluator == bindparam("of_evaluator", type_=Integer),
            campaigns.c.closed.is_(None),
        )
    )
    added = dialect.insert(answers).from_select(list(row), still_open)
    known = added.on_conflict_do_nothing(index_elements=["evaluator", "client"])
    return known.returning(answers.c.revision)  # type: ignore[no-any-return]


# Built once, because every save runs them.
INSERT_SQLITE = _insert(sqlite)
INSERT_POSTGRESQL = _insert(postgresql)
BY_CLIENT = select(
    answers.c.revision, answers.c.page, answers.c.candidate, answers.c.question,
    answers.c.value, answers.c.detail,
).where(
    answers.c.evaluator == bindparam("of_evaluator"), answers.c.client == bindparam("given_client")
)  # fmt: skip
_LOCK = (
    select(evaluators.c.number, evaluators.c.revoked)
    .where(
        evaluators.c.name == bindparam("evaluator_name"),
        evaluators.c.campaign
        == select(campaigns.c.number)
        .where(campaigns.c.id == bindparam("campaign_id"))
        .scalar_subquery(),
    )
    .with_for_update(key_share=True)
)
_LOCK_PAGE = (
    select(
        evaluators.c.number, evaluators.c.revoked, campaigns.c.closed,
        pages.c.number.label("page"), pages.c.labels, sessions.c.hash.label("session"),
    )
    .join_from(evaluators, campaigns, evaluators.c.campaign == campaigns.c.number)
    .outerjoin(
        pages,
        and_(
            pages.c.id == bindparam("page_id"),
            pages.c.campaign == campaigns.c.number,
            pages.c.evaluator == evaluators.c.number,
        ),
    )
    .outerjoin(
        sessions,
        and_(
            sessions.c.hash == bindparam("session_hash"),
            sessions.c.evaluator == evaluators.c.number,
            sessions.c.expires > bindparam("moment"),
        ),
    )
    .where(
        evaluators.c.name == bindparam("evaluator_name"),
        campaigns.c.id == bindparam("campaign_id"),
    )
    .with_for_update(key_share=True, of=evaluators)
)  # fmt: skip
_PAGE = (
    select(pages.c.number.label("page"), pages.c.labels, campaigns.c.closed)
    .join(campaigns, pages.c.campaign == campaigns.c.number)
    .join(evaluators, pages.c.evaluator == evaluators.c.number)
    .where(
        pages.c.id == bindparam("page_id"),
        evaluators.c.number == bindparam("of_evaluator"),
        pages.c.campaign == evaluators.c.campaign,
    )
)


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
