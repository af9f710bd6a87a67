"""Answers: added one after the other, numbered without gaps, never changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any

from sqlalchemy import Connection, Select, Subquery, func, select

from patmark.campaign.form import Form
from patmark.campaign.plan import Answer
from patmark.campaign.store.campaigns import Campaigns
from patmark.campaign.store.database import now
from patmark.campaign.store.packing import to_json
from patmark.campaign.store.records import Refused, Saved, StoredAnswer
from patmark.campaign.store.saving import (
    BY_CLIENT,
    INSERT_POSTGRESQL,
    INSERT_SQLITE,
    check_answer,
    check_place,
    counts_for_done,
    lock_evaluator,
    lock_page,
    open_page,
)
from patmark.campaign.store.tables import answers, campaigns, evaluators, pages


class Answers(Campaigns):
    """The part of the store that keeps what evaluators answer."""

    def save(self, campaign: str, evaluator: str, answer: Answer) -> Saved:
        """Add an answer; once this returns, it survives the end of the process.

        The store gives the revision and the time; those of ``answer`` are ignored. A save with
        the ``client`` id of an earlier one is that save sent again. ``seconds`` is the time spent
        on the page since the save before. No value and no ``reason`` in the detail: taken back.
        """
        return self.save_soon(campaign, evaluator, answer).result()

    def save_soon(
        self, campaign: str, evaluator: str, answer: Answer, session: str | None = None
    ) -> Future[Saved]:
        """As ``save``, without waiting; saves that come together share a transaction.

        With the token of a ``session``, the save is refused if that session has ended.
        """
        check_answer(answer)
        form = self.form(campaign)

        def add(connection: Connection) -> Saved:
            number, page, labels = lock_page(connection, campaign, evaluator, answer.page, session)
            check_place(form, labels, answer)
            return self._add_answer(connection, form, number, page, answer)

        return self._together.submit(add, (campaign, evaluator))

    def save_many(self, campaign: str, evaluator: str, answers: Iterable[Answer]) -> list[Saved]:
        """Add several answers of one evaluator, all of them or none."""
        given = list(answers)
        for answer in given:
            check_answer(answer)
        form = self.form(campaign)
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            return self._add_answers(connection, form, number, given)

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
        insert = INSERT_SQLITE if self._is_sqlite else INSERT_POSTGRESQL
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
            BY_CLIENT, {"of_evaluator": evaluator, "given_client": answer.client}
        ).first()
        if earlier is None:
            open_page(connection, evaluator, answer.page)
            raise Refused("closed", "the campaign was closed, or the page given to somebody else")
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
