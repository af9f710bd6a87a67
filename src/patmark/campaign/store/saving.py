"""Saving answers: who may save, on which page, one row more, and many rows in one transaction.

SQLite takes one writer at a time. If fifty threads took turns, each would wait for fifty commits;
so one thread writes all that came while it was busy.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, and_, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert

from patmark.campaign.answers import counts_for_done
from patmark.campaign.form import CHECKED, Form
from patmark.campaign.plan import Answer
from patmark.campaign.records import Refused, Saved
from patmark.campaign.store.tables import answers, campaigns, evaluators, now, pages, to_json
from patmark.errors import PatmarkError, UsageError

_T = TypeVar("_T")
_LARGEST_BATCH = 64


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
    if answer.question == CHECKED and not answer.candidate:
        return
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
            pages.c.released.is_(None),
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
            pages.c.released.is_(None),
        ),
    )
    .where(
        evaluators.c.name == bindparam("evaluator_name"),
        campaigns.c.id == bindparam("campaign_id"),
    )
    .with_for_update(key_share=True, of=evaluators)
)


@dataclass(slots=True, eq=False)
class _Write(Generic[_T]):
    """A write that waits, and the future that will tell its result."""

    job: Callable[[Connection], _T]
    locks: tuple[str, ...]
    future: Future[_T] = field(default_factory=Future)


class BatchWriter:
    """Does many writes in one transaction of ``begin``, in a thread of its own."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._begin = begin
        self._waiting: deque[_Write[Any]] = deque()
        self._thread = ThreadPoolExecutor(1, "patmark-writer")

    def submit(self, job: Callable[[Connection], _T], locks: tuple[str, ...] = ()) -> Future[_T]:
        """Do a job soon; its future has the result once it is durable.

        A job that raises a ``PatmarkError`` must not have written anything: the others go on.
        After any other error they are rolled back and repeated, so a job does nothing but write.
        ``locks`` names what the job locks. Jobs are done in the order of these names, so that the
        transactions of two processes never wait for each other.
        """
        write = _Write(job, locks)
        self._waiting.append(write)
        self._thread.submit(self._write_batch)
        return write.future

    def close(self) -> None:
        """Do what is still waiting, and end the thread."""
        self._thread.shutdown()

    def _write_batch(self) -> None:
        """Do all writes that wait. Called once for each, so most calls find nothing left to do."""
        taken = [self._waiting.popleft() for _ in range(min(_LARGEST_BATCH, len(self._waiting)))]
        batch = [write for write in taken if write.future.set_running_or_notify_cancel()]
        batch.sort(key=lambda write: write.locks)
        while batch:
            batch = self._try(batch)

    def _try(self, batch: list[_Write[Any]]) -> list[_Write[Any]]:
        """Do writes in one transaction, tell their results, and give those to be repeated.

        A write that fails rolls back all of them, so the others are repeated without it. If the
        transaction cannot begin or end, nobody may take a write for durable.
        """
        results: list[tuple[_Write[Any], Any, BaseException | None]] = []
        current: _Write[Any] | None = None
        again: list[_Write[Any]] = []
        try:
            with self._begin() as connection:
                for current in batch:
                    results.append((current, *_outcome(current, connection)))
                current = None
        except BaseException as error:
            failed = batch if current is None else [current]
            results = [(write, None, error) for write in failed]
            again = [write for write in batch if write not in failed]
        for write, result, refusal in results:
            if refusal is None:
                write.future.set_result(result)
            else:
                write.future.set_exception(refusal)
        return again


def _outcome(write: _Write[Any], connection: Connection) -> tuple[Any, PatmarkError | None]:
    try:
        return write.job(connection), None
    except PatmarkError as error:
        return None, error
