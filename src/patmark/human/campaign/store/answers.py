"""Saving of answers and remarks: one transaction checks, inserts and marks the page as done."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Engine, and_, bindparam, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert

from patmark.errors import UsageError
from patmark.human.campaign.answer_validity import answer_problem
from patmark.human.campaign.page_completion import counts_for_done, page_is_done
from patmark.human.campaign.plan import Answer, Page
from patmark.human.campaign.records import (
    AnswerBasis,
    Refused,
    SavedAnswers,
    SaveReceipt,
    StaleAnswer,
    StoredAnswer,
)
from patmark.human.campaign.store.batch_writer import BatchWriter
from patmark.human.campaign.store.queries import (
    PAGE_COLUMNS,
    campaign_row,
    page_info,
    select_answers,
    stored_answer,
)
from patmark.human.campaign.store.state_reader import StateReader
from patmark.human.campaign.store.tables import (
    answers,
    campaigns,
    evaluators,
    events,
    now,
    pages,
    remarks,
    storable,
    to_json,
    unpack_page,
)
from patmark.human.campaign.store.transactions import add_event, lock_evaluator, number_of
from patmark.wording import tr

LATE = "answer after closing"
"""The event of an answer that came when the campaign was closed."""


class AnswerStore(StateReader):
    """Saves of evaluators, and their history."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._writer = BatchWriter(self._writing)

    def save(self, campaign: str, evaluator: str, answer: Answer) -> SaveReceipt:
        """Add an answer; once this returns, it survives the end of the process.

        The store gives the revision and the time; those of ``answer`` are ignored. A save with
        the ``client`` id of an earlier one is that save sent again. ``seconds`` is the time spent
        on the page since the save before. No value and no ``reason`` in the detail: taken back.
        """
        return self.save_soon(campaign, evaluator, answer).result()

    def save_soon(
        self,
        campaign: str,
        evaluator: str,
        answer: Answer,
        *,
        gated: bool = False,
        basis: AnswerBasis | None = None,
    ) -> Future[SaveReceipt]:
        """Save without waiting; saves that come together share a transaction.

        ``gated`` also refuses pages behind an unfinished training, and final training answers.
        With a ``basis``, an answer that is older than the stored one raises ``StaleAnswer``.
        """
        _check_storable(answer)
        self._constants_of(campaign)
        return self._writer.submit(
            lambda connection: self._add_answer(
                connection, campaign, evaluator, answer, gated, basis
            ),
            (campaign, evaluator),
        )

    def log_late_answer(self, campaign: str, evaluator: str) -> None:
        """Log, once for each closing, that an answer of an evaluator came after it."""
        with self._writing() as connection:
            key = lock_evaluator(connection, campaign, evaluator)
            row = campaign_row(connection, campaign)
            known = select(events.c.number).where(
                events.c.evaluator == key, events.c.action == LATE, events.c.at >= row.closed
            )
            if row.closed is not None and connection.execute(known).first() is None:
                add_event(connection, row.number, LATE, key, by="evaluator")

    def save_many(
        self, campaign: str, evaluator: str, answers: Iterable[Answer]
    ) -> list[SaveReceipt]:
        """Add several answers of one evaluator, all of them or none."""
        given = list(answers)
        for answer in given:
            _check_storable(answer)
        self._constants_of(campaign)
        with self._writing() as connection:
            return [self._add_answer(connection, campaign, evaluator, one) for one in given]

    def answers(
        self, campaign: str, evaluator: str | None = None, page: str | None = None
    ) -> list[StoredAnswer]:
        """Return the latest answers by evaluator and position, also those taken back."""
        saves = SavedAnswers().with_later(self._history(campaign, evaluator, page))
        return list(saves.latest_on(saves.by_page))

    def history(self, campaign: str, page: str | None = None) -> list[StoredAnswer]:
        """Return all answers that were ever saved, by evaluator, position and time."""
        return self._history(campaign, None, page)

    def save_remark(
        self,
        campaign: str,
        evaluator: str,
        page: str,
        text: str,
        flagged: bool,
        *,
        gated: bool = False,
    ) -> None:
        """Add a comment on a page; the last one counts. Refuse it if an answer would be refused."""
        storable(text)
        with self._writing() as connection:
            row = _lock_page(connection, campaign, evaluator, page)
            if gated:
                self._check_gate(connection, campaign, evaluator, row)
            connection.execute(
                remarks.insert().values(
                    page=row.page_number,
                    evaluator=row.evaluator_number,
                    text=text,
                    flagged=flagged,
                    saved=now(),
                )
            )

    def _history(
        self, campaign: str, evaluator: str | None, page: str | None
    ) -> list[StoredAnswer]:
        chosen = select_answers(evaluator is not None, one_page=page is not None)
        names = {"campaign": campaign, "evaluator": evaluator, "page": page}
        with self._reading() as connection:
            rows = connection.execute(chosen, names).all()
            if not rows:
                number_of(connection, campaign)
        return list(map(stored_answer, rows))

    def _add_answer(
        self,
        connection: Connection,
        campaign: str,
        evaluator: str,
        answer: Answer,
        gated: bool = False,
        basis: AnswerBasis | None = None,
    ) -> SaveReceipt:
        """Add one answer, unless the same save was added before."""
        constants = self._constants_of(campaign)
        row = _lock_page(connection, campaign, evaluator, answer.page)
        page = unpack_page(page_info(row), row.body)
        if gated:
            self._check_gate(connection, campaign, evaluator, row, page, answer)
        if problem := answer_problem(constants.form, page, answer):
            raise Refused("invalid", problem)
        detail = to_json(answer.detail)
        newer = basis and _newer_answer(connection, row, answer, basis)
        if newer and (newer.value, to_json(newer.detail)) == (answer.value, detail):
            return SaveReceipt(newer.revision, stored=False, phase=page.phase)
        if newer:
            raise StaleAnswer(newer)
        revision = connection.scalar(
            _INSERT[connection.dialect.name],
            {
                "page": row.page_number,
                "evaluator": row.evaluator_number,
                "candidate": answer.candidate,
                "question": answer.question,
                "value": answer.value,
                "detail": detail,
                "counts": counts_for_done(constants.form, answer),
                "client": answer.client or None,
                "seconds": answer.seconds,
                "saved": now(),
                "answered": basis.answered if basis else None,
            },
        )
        if revision is None:
            return _earlier_save(connection, campaign, evaluator, answer, row, detail)
        rows = connection.execute(_LATEST_ON_PAGE, {"page": row.page_number})
        latest = [(one.question, one.counts) for one in rows]
        done = page_is_done(page_info(row), latest, checked=constants.checked)
        connection.execute(_SET_DONE, {"page_number": row.page_number, "is_done": done})
        return SaveReceipt(revision, stored=True, phase=page.phase)

    def _check_gate(
        self,
        connection: Connection,
        campaign: str,
        evaluator: str,
        row: Any,
        page: Page | None = None,
        answer: Answer | None = None,
    ) -> None:
        """Refuse pages behind an unfinished training, and training answers that are final.

        A save that has come before is acknowledged again, also on a page that is final.
        """
        if not row.is_gated:
            return
        names = {"campaign": campaign, "evaluator": evaluator, "page": row.id}
        _, state = self._read_part(connection, names, True)
        page = page or state.texts[row.id]
        if not state.standing(evaluator).is_open(page):
            raise Refused("training", tr("finish the training first"))
        if answer is not None and state.is_final(page) and not _is_known(connection, row, answer):
            raise Refused(
                "training", tr("the reference answers have been shown: training answers are final")
            )


def _check_storable(answer: Answer) -> None:
    for text in (*answer.key, answer.value or "", answer.client, to_json(answer.detail)):
        storable(text)
    if answer.seconds is not None and not (math.isfinite(answer.seconds) and answer.seconds >= 0):
        raise UsageError(f"the seconds must be a number from 0 up, not {answer.seconds}")


def _lock_page(connection: Connection, campaign: str, evaluator: str, page: str) -> Any:
    """Lock the evaluator, and return the row of a page that may be answered.

    Closing, revoking and reassigning wait for the lock. PostgreSQL may answer for the page as it
    was before it waited for the lock, so the insert that follows looks again.
    """
    names = {"campaign_id": campaign, "evaluator": evaluator, "page_id": page}
    row = connection.execute(_LOCK_PAGE, names).first()
    if row is None:
        raise Refused("not-assigned", f"the campaign has no evaluator {evaluator!r}")
    if row.revoked is not None:
        raise Refused("revoked", tr("your access was ended"))
    if row.page_number is None:
        raise Refused("not-assigned", tr("the page is not one of yours"))
    if row.closed is not None:
        raise Refused("closed", tr("the campaign is closed"))
    return row


def _is_known(connection: Connection, row: Any, answer: Answer) -> bool:
    """Return True if a save with the same client id has come before."""
    known = select(answers.c.number).where(
        answers.c.evaluator == row.evaluator_number, answers.c.client == answer.client
    )
    return bool(answer.client) and connection.execute(known).first() is not None


def _newer_answer(
    connection: Connection, row: Any, answer: Answer, basis: AnswerBasis
) -> Answer | None:
    mine = answers.c
    latest = (
        select(
            *(mine.value, mine.detail, mine.revision, mine.saved),
            func.coalesce(mine.answered, mine.saved).label("given"),
        )
        .where(
            mine.page == row.page_number,
            mine.candidate == answer.candidate,
            mine.question == answer.question,
        )
        .order_by(mine.revision.desc())
        .limit(1)
    )
    found = connection.execute(latest).first()
    if found is None or found.revision <= basis.known or found.given <= basis.answered:
        return None
    if _is_known(connection, row, answer):
        return None
    kept = {"value": found.value, "detail": json.loads(found.detail)}
    return replace(answer, **kept, revision=found.revision, saved=found.saved)


def _earlier_save(
    connection: Connection, campaign: str, evaluator: str, answer: Answer, row: Any, detail: str
) -> SaveReceipt:
    """Return the earlier save with the same client id; refuse it if it differs."""
    mine = answers.c
    same_client = (mine.evaluator == row.evaluator_number) & (mine.client == answer.client)
    columns = (mine.revision, mine.page, mine.candidate, mine.question, mine.value, mine.detail)
    earlier = connection.execute(select(*columns).where(same_client)).first()
    if earlier is None:
        _lock_page(connection, campaign, evaluator, answer.page)
        raise Refused("closed", tr("the campaign was closed, or the page given to somebody else"))
    sent = (row.page_number, answer.candidate, answer.question, answer.value, detail)
    if tuple(earlier)[1:] != sent:
        raise Refused("reused", f"the client id {answer.client!r} is that of another answer")
    return SaveReceipt(earlier.revision, stored=False, phase=row.phase)


def _insert(dialect: Any) -> ReturningInsert[Any]:
    """Return an insert that counts the revision up.

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


def _select_page_to_lock() -> Any:
    """Select an evaluator with one page, and if enrolment, training or a decision gates it."""
    other = pages.alias("other")
    training = (other.c.evaluator == evaluators.c.number) & (other.c.phase == "training")
    is_gated = or_(
        evaluators.c.qualified.is_not(None),
        evaluators.c.enrolled.is_(None),
        select(other.c.number).where(training).exists(),
    )
    return (
        select(
            *PAGE_COLUMNS,
            evaluators.c.number.label("evaluator_number"),
            evaluators.c.revoked,
            campaigns.c.closed,
            is_gated.label("is_gated"),
            pages.c.number.label("page_number"),
            pages.c.body,
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
            evaluators.c.name == bindparam("evaluator"),
            campaigns.c.id == bindparam("campaign_id"),
        )
        .with_for_update(key_share=True, of=evaluators)
    )


# Built once, because every save runs them.
_INSERT = {"sqlite": _insert(sqlite), "postgresql": _insert(postgresql)}
_LOCK_PAGE = _select_page_to_lock()
_SET_DONE = (
    update(pages)
    .where(pages.c.number == bindparam("page_number"), pages.c.done != bindparam("is_done"))
    .values(done=bindparam("is_done"))
)
_later = answers.alias("later")
_LATEST_ON_PAGE = (
    select(answers.c.question, answers.c.counts)
    .where(
        answers.c.page == bindparam("page"),
        ~select(_later.c.number)
        .where(
            *(_later.c[name] == answers.c[name] for name in ("page", "candidate", "question")),
            _later.c.revision > answers.c.revision,
        )
        .exists(),
    )
    .order_by(answers.c.number)
)
