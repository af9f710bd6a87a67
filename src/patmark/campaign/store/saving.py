"""Saving an answer: who may save, on which page, and one row more."""

from __future__ import annotations

import json
import math
from typing import Any

from sqlalchemy import Connection, and_, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert

from patmark.campaign.answers import counts_for_done
from patmark.campaign.form import Form
from patmark.campaign.plan import Answer
from patmark.campaign.records import Refused, Saved
from patmark.campaign.store.database import now
from patmark.campaign.store.packing import to_json
from patmark.campaign.store.tables import answers, campaigns, evaluators, pages
from patmark.errors import UsageError


def storable(text: str) -> str:
    """The same text; refused if it holds NUL or half a character, which PostgreSQL cannot keep."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the text holds half a character (a lone surrogate)") from None
    if "\0" in text:
        raise UsageError("the text holds a NUL character")
    return text


def check_storable(answer: Answer) -> None:
    """Refuse an answer that no database can keep."""
    names = (answer.page, answer.candidate, answer.question)
    for text in (*names, answer.value or "", answer.client, to_json(answer.detail)):
        storable(text)
    if answer.seconds is not None and not (math.isfinite(answer.seconds) and answer.seconds >= 0):
        raise UsageError(f"the seconds must be a number from 0 up, not {answer.seconds}")


def lock_page(
    connection: Connection, campaign: str, evaluator: str, page: str
) -> tuple[int, int, list[str]]:
    """Numbers of evaluator and page, and the labels of its candidates, if it may be answered.

    The evaluator is locked, so that closing, revoking and reassigning wait. PostgreSQL may answer
    for the page as it was before it waited for the lock, so the insert that follows looks again.
    """
    names = {"campaign_id": campaign, "evaluator_name": evaluator, "page_id": page}
    row = connection.execute(_LOCK_PAGE, names).first()
    if row is None:
        raise Refused("not-assigned", f"the campaign has no evaluator {evaluator!r}")
    if row.revoked is not None:
        raise Refused("revoked", "the access of the evaluator was ended")
    if row.page is None:
        raise Refused("not-assigned", f"the page {page!r} is not one of the evaluator")
    if row.closed is not None:
        raise Refused("closed", "the campaign is closed")
    return row.number, row.page, json.loads(row.labels)


def add_answer(
    connection: Connection, form: Form, campaign: str, evaluator: str, answer: Answer
) -> Saved:
    """Add one answer, unless the same save was added before."""
    number, page, labels = lock_page(connection, campaign, evaluator, answer.page)
    _check_place(form, labels, answer)
    detail = to_json(answer.detail)
    revision = connection.scalar(
        _INSERT[connection.dialect.name],
        {
            "page": page,
            "evaluator": number,
            "candidate": answer.candidate,
            "question": answer.question,
            "value": answer.value,
            "detail": detail,
            "counts": counts_for_done(form, answer),
            "client": answer.client or None,
            "seconds": answer.seconds,
            "saved": now(),
        },
    )
    if revision is not None:
        return Saved(revision, stored=True)
    mine = answers.c
    same_client = (mine.evaluator == number) & (mine.client == answer.client)
    earlier = connection.execute(
        select(
            mine.revision, mine.page, mine.candidate, mine.question, mine.value, mine.detail
        ).where(same_client)
    ).first()
    if earlier is None:
        lock_page(connection, campaign, evaluator, answer.page)
        raise Refused("closed", "the campaign was closed, or the page given to somebody else")
    if tuple(earlier)[1:] != (page, answer.candidate, answer.question, answer.value, detail):
        raise Refused("reused", f"the client id {answer.client!r} is that of another answer")
    return Saved(earlier.revision, stored=False)


def _check_place(form: Form, labels: list[str], answer: Answer) -> None:
    """Refuse an answer to a question, or about a candidate, that the page does not have."""
    asked = next((one for one in form.questions if one.id == answer.question), None)
    if asked is None:
        raise Refused("no-such-question", f"there is no question {answer.question!r}")
    if asked.about_page and answer.candidate:
        raise Refused("no-such-question", f"{asked.id} is asked about the whole page")
    if not asked.about_page and answer.candidate not in labels:
        raise Refused("no-such-question", f"the page has no candidate {answer.candidate!r}")


def _insert(dialect: Any) -> ReturningInsert[Any]:
    """An insert that counts the revision up.

    It does nothing if the client id is known, the campaign closed or the page somebody else's.
    """
    given = {
        column.name: bindparam(column.name, type_=column.type)
        for column in answers.columns
        if column.name not in ("number", "revision")
    }
    revision = (
        select(func.coalesce(func.max(answers.c.revision), 0) + 1)
        .where(*(answers.c[name] == given[name] for name in ("page", "candidate", "question")))
        .scalar_subquery()
    )
    row = {**given, "revision": revision}
    still_open = (
        select(*(value.label(name) for name, value in row.items()))
        .select_from(pages.join(campaigns, pages.c.campaign == campaigns.c.number))
        .where(
            pages.c.number == given["page"],
            pages.c.evaluator == given["evaluator"],
            campaigns.c.closed.is_(None),
        )
    )
    added = dialect.insert(answers).from_select(list(row), still_open)
    known = added.on_conflict_do_nothing(index_elements=["evaluator", "client"])
    return known.returning(answers.c.revision)  # type: ignore[no-any-return]


# Built once, because every save runs them.
_INSERT = {"sqlite": _insert(sqlite), "postgresql": _insert(postgresql)}
_LOCK_PAGE = (
    select(
        evaluators.c.number,
        evaluators.c.revoked,
        campaigns.c.closed,
        pages.c.number.label("page"),
        pages.c.labels,
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
    .where(
        evaluators.c.name == bindparam("evaluator_name"),
        campaigns.c.id == bindparam("campaign_id"),
    )
    .with_for_update(key_share=True, of=evaluators)
)
