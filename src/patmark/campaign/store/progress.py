"""What the organiser watches: how far everybody is, and which pages were remarked on."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, Subquery, case, func, select

from patmark.campaign.store.answers import Answers, latest, people
from patmark.campaign.store.database import now
from patmark.campaign.store.records import Progress, Remark
from patmark.campaign.store.saving import lock_evaluator, open_page, storable
from patmark.campaign.store.tables import answers, campaigns, evaluators, pages, remarks


class Watching(Answers):
    """The part of the store that counts, and that keeps remarks."""

    def progress(self, campaign: str) -> list[Progress]:
        """How far each evaluator is, counted by the database."""
        everybody = people(campaign)
        work, spent = _work(everybody), _spent(everybody)
        chosen = (
            select(evaluators.c.name, work, spent)
            .outerjoin(work, work.c.evaluator == evaluators.c.number)
            .outerjoin(spent, spent.c.evaluator == evaluators.c.number)
            .where(evaluators.c.number.in_(everybody))
            .order_by(evaluators.c.number)
        )
        with self._reading() as connection:
            self._campaign_number(connection, campaign)
            return [_progress(row) for row in connection.execute(chosen)]

    def done_pages(self, campaign: str, evaluator: str) -> frozenset[str]:
        """The pages of an evaluator on which nothing is missing."""
        counted = _counted(people(campaign, evaluator))
        chosen = (
            select(pages.c.id)
            .join(counted, pages.c.number == counted.c.page)
            .where(counted.c.given >= pages.c.needed)
        )
        with self._reading() as connection:
            return frozenset(connection.scalars(chosen))

    def save_remark(
        self, campaign: str, evaluator: str, page: str, text: str, flagged: bool
    ) -> None:
        """Add a comment on a page; the last one counts. Refused where an answer would be."""
        storable(text)
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            page_number, _ = open_page(connection, number, page)
            connection.execute(
                remarks.insert().values(
                    page=page_number, evaluator=number, text=text, flagged=flagged, saved=now()
                )
            )

    def remarks(
        self, campaign: str, evaluator: str | None = None, page: str | None = None
    ) -> list[Remark]:
        """The last remark on each page, in order of the plan; without those that were emptied."""
        later = remarks.alias("later")
        chosen = _select_remarks().where(
            campaigns.c.id == campaign,
            (remarks.c.text != "") | remarks.c.flagged,
            ~select(later.c.number)
            .where(later.c.page == remarks.c.page, later.c.number > remarks.c.number)
            .exists(),
        )
        if evaluator is not None:
            chosen = chosen.where(evaluators.c.name == evaluator)
        if page is not None:
            chosen = chosen.where(pages.c.id == page)
        with self._reading() as connection:
            return [Remark(*row) for row in connection.execute(chosen)]


def _progress(row: Any) -> Progress:
    return Progress(
        evaluator=row.name,
        done=row.done or 0,
        total=row.total or 0,
        training_done=row.training_done or 0,
        training_total=row.training_total or 0,
        answers=row.answers or 0,
        seconds=row.seconds or 0.0,
        last_saved=row.last_saved,
    )


def _select_remarks() -> Select[Any]:
    return (
        select(
            evaluators.c.name, pages.c.id, pages.c.segment,
            remarks.c.text, remarks.c.flagged, remarks.c.saved,
        )
        .join(pages, remarks.c.page == pages.c.number)
        .join(evaluators, remarks.c.evaluator == evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .order_by(evaluators.c.number, pages.c.position)
    )  # fmt: skip


def _counted(evaluators: Select[Any]) -> Subquery:
    """How many of the answers that it needs each page of these people has."""
    kept = latest(select(answers).where(answers.c.evaluator.in_(evaluators)))
    return (
        select(kept.c.page, func.count().label("given"))
        .where(kept.c.counts)
        .group_by(kept.c.page)
        .subquery("counted")
    )


def _work(evaluators: Select[Any]) -> Subquery:
    """Numbers of pages by evaluator."""
    counted = _counted(evaluators)
    is_training = pages.c.phase == "training"
    is_done = func.coalesce(counted.c.given, 0) >= pages.c.needed
    cases = {
        "done": ~is_training & is_done,
        "total": ~is_training,
        "training_done": is_training & is_done,
        "training_total": is_training,
    }
    return (
        select(
            pages.c.evaluator,
            *(func.sum(case((test, 1), else_=0)).label(name) for name, test in cases.items()),
        )
        .outerjoin(counted, counted.c.page == pages.c.number)
        .where(pages.c.evaluator.in_(evaluators))
        .group_by(pages.c.evaluator)
        .subquery("work")
    )


def _spent(evaluators: Select[Any]) -> Subquery:
    """Numbers of saves and seconds by evaluator."""
    return (
        select(
            answers.c.evaluator,
            func.count().label("answers"),
            func.sum(answers.c.seconds).label("seconds"),
            func.max(answers.c.saved).label("last_saved"),
        )
        .where(answers.c.evaluator.in_(evaluators))
        .group_by(answers.c.evaluator)
        .subquery("spent")
    )
