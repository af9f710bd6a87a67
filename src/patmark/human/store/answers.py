"""Answers: added one after the other, numbered without gaps, never changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Select, Subquery, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert

from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import Answer
from patmark.human.store.answering import check_answer, check_place, counts_for_done
from patmark.human.store.campaigns import Campaigns
from patmark.human.store.database import now
from patmark.human.store.packing import to_json
from patmark.human.store.records import Refused, Saved, StoredAnswer
from patmark.human.store.tables import answers, campaigns, evaluators, pages


class Answers(Campaigns):
    """The part of the store that keeps what evaluators answer."""

    def save(self, campaign: str, evaluator: str, answer: Answer) -> Saved:
        """Add an answer; once this returns, it survives the end of the process.

        The store gives the revision and the time; those of ``answer`` are ignored. A save with
        the ``client`` id of an earlier one is that save sent again. ``seconds`` is the time spent
        on the page since the save before. No value and no ``reason`` in the detail: taken back.
        """
        return self.save_many(campaign, evaluator, [answer])[0]

    def save_many(self, campaign: str, evaluator: str, answers: Iterable[Answer]) -> list[Saved]:
        """Add several answers of one evaluator, all of them or none."""
        given = list(answers)
        for answer in given:
            check_answer(answer)
        form = self.form(campaign)

        def add(connection: Connection) -> list[Saved]:
            number = lock_evaluator(connection, campaign, evaluator)
            if len(given) == 1:
                return self._add_answers(connection, form, number, given)
            with connection.begin_nested():
                return self._add_answers(connection, form, number, given)

        return self._write(add, (campaign, evaluator))

    def answers(
        self, campaign: str, evaluator: str | None = None, page: str | None = None
    ) -> list[StoredAnswer]:
        """The answers that count, by evaluator and place in the plan; also those taken back."""
        return self._read(latest(_given(campaign, evaluator, page)), campaign)

    def history(self, campaign: str, page: str | None = None) -> list[StoredAnswer]:
        """All answers that were ever saved, by evaluator, place in the plan and time."""
        return self._read(_given(campaign, None, page).subquery("given"), campaign)

    def _read(self, table: Subquery, campaign: str) -> list[StoredAnswer]:
        chosen = (
            select(table, pages.c.id.label("page_id"), evaluators.c.name.label("evaluator_name"))
            .join(pages, table.c.page == pages.c.number)
            .join(evaluators, table.c.evaluator == evaluators.c.number)
            .order_by(evaluators.c.number, pages.c.position, table.c.number)
        )
        with self._reading() as connection:
            rows = connection.execute(chosen).all()
            if not rows:
                self._campaign_number(connection, campaign)
        return [_stored(row) for row in rows]

    def _add_answers(
        self, connection: Connection, form: Form, evaluator: int, given: list[Answer]
    ) -> list[Saved]:
        """Check where the answers belong, and add them."""
        found: dict[str, tuple[int, list[str]]] = {}
        for answer in given:
            if answer.page not in found:
                found[answer.page] = open_page(connection, evaluator, answer.page)
            check_place(form, found[answer.page][1], answer)
        return [
            self._add_answer(connection, form, evaluator, found[answer.page][0], answer)
            for answer in given
        ]

    def _add_answer(
        self, connection: Connection, form: Form, evaluator: int, page: int, answer: Answer
    ) -> Saved:
        """Add one answer, unless the same save was added before."""
        detail = to_json(answer.detail)
        insert = _INSERT_SQLITE if self._is_sqlite else _INSERT_POSTGRESQL
        revision = connection.scalar(
            insert,
            {
                "of_page": page,
                "of_evaluator": evaluator,
                "of_candidate": answer.candidate,
                "of_question": answer.question,
                "given_value": answer.value,
                "given_detail": detail,
                "given_counts": counts_for_done(form, answer),
                "given_client": answer.client or None,
                "given_seconds": answer.seconds,
                "given_saved": now(),
            },
        )
        if revision is not None:
            return Saved(revision, stored=True)
        earlier = connection.execute(
            _BY_CLIENT, {"of_evaluator": evaluator, "given_client": answer.client}
        ).one()
        same = (page, answer.candidate, answer.question, answer.value, detail)
        if tuple(earlier)[1:] != same:
            raise Refused("reused", f"the client id {answer.client!r} is that of another answer")
        return Saved(earlier.revision, stored=False)


def people(campaign: str, evaluator: str | None = None) -> Select[Any]:
    """The numbers of the evaluators of a campaign, or of one of them."""
    chosen = (
        select(evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .where(campaigns.c.id == campaign)
    )
    return chosen if evaluator is None else chosen.where(evaluators.c.name == evaluator)


def latest(chosen: Select[Any]) -> Subquery:
    """Of these rows of the table of answers, the ones that no later one replaces.

    They are numbered in one pass: a search for later ones, row by row, takes PostgreSQL many
    seconds as long as it has no statistics of the table.
    """
    same = (answers.c.page, answers.c.candidate, answers.c.question)
    back = func.row_number().over(partition_by=same, order_by=answers.c.revision.desc())
    numbered = chosen.add_columns(back.label("back")).subquery("numbered")
    return select(numbered).where(numbered.c.back == 1).subquery("latest")


def _given(campaign: str, evaluator: str | None, page: str | None) -> Select[Any]:
    """Rows of the table of answers."""
    chosen = select(answers).where(answers.c.evaluator.in_(people(campaign, evaluator)))
    if page is None:
        return chosen
    wanted = (
        select(pages.c.number)
        .join(campaigns, pages.c.campaign == campaigns.c.number)
        .where(campaigns.c.id == campaign, pages.c.id == page)
    )
    return chosen.where(answers.c.page == wanted.scalar_subquery())


def _stored(row: Any) -> StoredAnswer:
    answer = Answer(
        page=row.page_id,
        candidate=row.candidate,
        question=row.question,
        value=row.value,
        detail=json.loads(row.detail),
        revision=row.revision,
        client=row.client or "",
        seconds=row.seconds,
        saved=row.saved,
    )
    return StoredAnswer(row.evaluator_name, answer)


def lock_evaluator(connection: Connection, campaign: str, evaluator: str) -> int:
    """The evaluator who saves. Locked, so that closing, revoking and reassigning wait."""
    names = {"campaign_id": campaign, "evaluator_name": evaluator}
    row = connection.execute(_LOCK, names).first()
    if row is None:
        raise Refused("not-assigned", f"the campaign has no evaluator {evaluator!r}")
    if row.revoked is not None:
        raise Refused("revoked", "the access of the evaluator was ended")
    return int(row.number)


def open_page(connection: Connection, evaluator: int, page: str) -> tuple[int, list[str]]:
    """A page that the evaluator may answer, and the labels of its candidates."""
    row = connection.execute(_PAGE, {"of_evaluator": evaluator, "page_id": page}).first()
    if row is None:
        raise Refused("not-assigned", f"the page {page!r} is not one of the evaluator")
    if row.closed is not None:
        raise Refused("closed", "the campaign is closed")
    return row.number, json.loads(row.labels)


def _insert(dialect: Any) -> ReturningInsert[Any]:
    """An insert that counts the revision up and does nothing if the client id is known."""
    before = (
        select(func.coalesce(func.max(answers.c.revision), 0) + 1)
        .where(
            answers.c.page == bindparam("of_page"),
            answers.c.candidate == bindparam("of_candidate"),
            answers.c.question == bindparam("of_question"),
        )
        .scalar_subquery()
    )
    row = {
        "page": bindparam("of_page"),
        "evaluator": bindparam("of_evaluator"),
        "candidate": bindparam("of_candidate"),
        "question": bindparam("of_question"),
        "revision": before,
        "value": bindparam("given_value"),
        "detail": bindparam("given_detail"),
        "counts": bindparam("given_counts"),
        "client": bindparam("given_client"),
        "seconds": bindparam("given_seconds"),
        "saved": bindparam("given_saved"),
    }
    added = dialect.insert(answers).values(row)
    known = added.on_conflict_do_nothing(index_elements=["evaluator", "client"])
    return known.returning(answers.c.revision)  # type: ignore[no-any-return]


# Built once, because every save runs them.
_INSERT_SQLITE = _insert(sqlite)
_INSERT_POSTGRESQL = _insert(postgresql)
_BY_CLIENT = select(
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
_PAGE = (
    select(pages.c.number, pages.c.labels, campaigns.c.closed)
    .join(campaigns, pages.c.campaign == campaigns.c.number)
    .join(evaluators, pages.c.evaluator == evaluators.c.number)
    .where(
        pages.c.id == bindparam("page_id"),
        evaluators.c.number == bindparam("of_evaluator"),
        pages.c.campaign == evaluators.c.campaign,
    )
)
