"""What the organiser decides: each decision is kept in the log of the campaign."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from patmark.campaign.plan import Page
from patmark.campaign.store.campaigns import Campaigns, check_pages
from patmark.campaign.store.database import new_secret, now
from patmark.campaign.store.packing import to_json
from patmark.campaign.store.records import Consensus, Event
from patmark.campaign.store.saving import storable
from patmark.campaign.store.tables import (
    answers,
    campaigns,
    consensus,
    evaluators,
    events,
    pages,
    remarks,
)
from patmark.data.counting import counted
from patmark.errors import UsageError


class Organising(Campaigns):
    """The part of the store that only the organiser uses."""

    def close_campaign(self, campaign: str) -> None:
        """No more answers: each save either was acknowledged before this returns, or is refused."""
        self._set_closed(campaign, now(), "closed")

    def reopen(self, campaign: str) -> None:
        """Accept answers again."""
        self._set_closed(campaign, None, "reopened")

    def add_evaluator(
        self, campaign: str, name: str, pages: Sequence[Page], expires: str | None = None
    ) -> str:
        """Add an evaluator with pages, made for this evaluator; gives the token of the link."""
        check_pages(pages, [storable(name)])
        token, form = new_secret(), self.form(campaign)
        try:
            with self._writing() as connection:
                campaign_number = self._campaign_number(connection, campaign)
                number = self._add(connection, campaign_number, form, name, token, expires, pages)
                detail = counted(len(pages), "page")
                self._record(connection, campaign_number, "added", number, detail)
        except IntegrityError:
            raise UsageError(
                f"the evaluator {name!r}, or one of the pages, is in the campaign already"
            ) from None
        return token

    def reassign(self, campaign: str, page_ids: Iterable[str], to_evaluator: str) -> None:
        """Give pages that nobody has begun to another evaluator, after the pages already there.

        All of them or none: a page that was answered or remarked on stays where it is.
        """
        wanted = list(dict.fromkeys(page_ids))
        with self._writing() as connection:
            campaign_number = self._campaign_number(connection, campaign)
            _lock_everybody(connection, campaign_number)
            target = self._evaluator_number(connection, campaign, to_evaluator)
            owners = _movable(connection, campaign_number, wanted)
            moved = {id: owner for id, owner in owners.items() if owner != target}
            _move(connection, campaign_number, list(moved), target)
            for giver in sorted(set(moved.values())):
                taken = ", ".join(id for id, owner in moved.items() if owner == giver)
                self._record(connection, campaign_number, "pages taken", giver, taken)
            if moved:
                given = ", ".join(moved)
                self._record(connection, campaign_number, "pages given", target, given)

    def set_consensus(
        self, campaign: str, segment: str, systems: Sequence[str], question: str,
        value: str | None, note: str = "",
    ) -> None:  # fmt: skip
        """Fix the common result for the text of some systems; ``()`` for a question about a page.

        The last one counts, and None takes it back.
        """
        for text in (segment, *systems, question, value or "", note):
            storable(text)
        with self._writing() as connection:
            number = self._campaign_number(connection, campaign)
            connection.execute(
                consensus.insert().values(
                    campaign=number, segment=segment, systems=to_json(sorted(systems)),
                    question=question, value=value, note=note, saved=now(),
                )
            )  # fmt: skip
            self._record(connection, number, "consensus", detail=f"{segment}, {question}")

    def consensus(self, campaign: str) -> list[Consensus]:
        """The common results that hold now, oldest first."""
        later, mine = consensus.alias("later"), consensus.c
        chosen = (
            select(consensus)
            .join(campaigns, mine.campaign == campaigns.c.number)
            .where(
                campaigns.c.id == campaign,
                mine.value.is_not(None),
                ~select(later.c.number)
                .where(
                    later.c.campaign == mine.campaign,
                    later.c.segment == mine.segment,
                    later.c.systems == mine.systems,
                    later.c.question == mine.question,
                    later.c.number > mine.number,
                )
                .exists(),
            )
            .order_by(mine.number)
        )
        with self._reading() as connection:
            return [
                Consensus(
                    row.segment, tuple(json.loads(row.systems)), row.question, row.value,
                    row.note, row.saved,
                )
                for row in connection.execute(chosen)
            ]  # fmt: skip

    def qualified(self, campaign: str, evaluator: str) -> bool | None:
        """Whether an evaluator passed the training; None if that is not decided."""
        chosen = (
            select(evaluators.c.qualified)
            .join(campaigns, evaluators.c.campaign == campaigns.c.number)
            .where(campaigns.c.id == campaign, evaluators.c.name == evaluator)
        )
        with self._reading() as connection:
            return connection.scalar(chosen)

    def set_qualified(self, campaign: str, evaluator: str, qualified: bool | None) -> None:
        """Decide whether an evaluator passed the training."""
        words = {True: "qualified", False: "not qualified", None: "qualification open"}
        self._decide(campaign, evaluator, words[qualified], "", qualified=qualified)

    def exclude(self, campaign: str, evaluator: str, reason: str) -> None:
        """Decide that the answers of an evaluator do not count. They stay in the database."""
        if not reason.strip():
            raise UsageError("an exclusion needs a reason")
        self._decide(campaign, evaluator, "excluded", reason, excluded=storable(reason))

    def include(self, campaign: str, evaluator: str, reason: str) -> None:
        """Let the answers of an excluded evaluator count again."""
        self._decide(campaign, evaluator, "included", storable(reason), excluded=None)

    def events(self, campaign: str) -> list[Event]:
        """The log of the campaign, oldest first."""
        chosen = (
            select(events.c.at, events.c.actor, events.c.action, evaluators.c.name, events.c.detail)
            .join(campaigns, events.c.campaign == campaigns.c.number)
            .outerjoin(evaluators, events.c.evaluator == evaluators.c.number)
            .where(campaigns.c.id == campaign)
            .order_by(events.c.number)
        )
        with self._reading() as connection:
            return [Event(*row) for row in connection.execute(chosen)]

    def _decide(
        self, campaign: str, evaluator: str, action: str, detail: str, **values: bool | str | None
    ) -> None:
        """Change the state of an evaluator, and say so in the log."""
        with self._writing() as connection:
            number = self._evaluator_number(connection, campaign, evaluator)
            connection.execute(
                update(evaluators).where(evaluators.c.number == number).values(**values)
            )
            campaign_number = self._campaign_number(connection, campaign)
            self._record(connection, campaign_number, action, number, detail)

    def _set_closed(self, campaign: str, closed: str | None, action: str) -> None:
        with self._writing() as connection:
            number = self._campaign_number(connection, campaign)
            _lock_everybody(connection, number)
            connection.execute(
                update(campaigns).where(campaigns.c.number == number).values(closed=closed)
            )
            self._record(connection, number, action)


def _lock_everybody(connection: Connection, campaign: int) -> None:
    """Wait for all saves that run, and hold back new ones until the transaction ends.

    In the order of names in which saves lock, too. A write to SQLite has locked all of it already.
    """
    if connection.dialect.name == "sqlite":
        return
    connection.execute(
        select(evaluators.c.number)
        .where(evaluators.c.campaign == campaign)
        .order_by(evaluators.c.name.collate("C"))
        .with_for_update(key_share=True)
    ).all()


def _movable(connection: Connection, campaign: int, wanted: list[str]) -> dict[str, int]:
    """The evaluator of each page, in the order wanted; refused if a page was begun."""
    begun = [
        select(table.c.number).where(table.c.page == pages.c.number).exists()
        for table in (answers, remarks)
    ]
    rows = connection.execute(
        select(pages.c.id, pages.c.evaluator, or_(*begun).label("begun")).where(
            pages.c.campaign == campaign, pages.c.id.in_(wanted)
        )
    )
    found = {row.id: row for row in rows}
    for id in wanted:
        if id not in found:
            raise UsageError(f"the campaign has no page {id!r}")
        if found[id].begun:
            raise UsageError(f"page {id!r} cannot be reassigned: its evaluator has begun with it")
    return {id: found[id].evaluator for id in wanted}


def _move(connection: Connection, campaign: int, ids: list[str], target: int) -> None:
    """Put pages after those that the evaluator has."""
    last = connection.scalar(select(func.max(pages.c.position)).where(pages.c.evaluator == target))
    for position, id in enumerate(ids, start=0 if last is None else last + 1):
        connection.execute(
            update(pages)
            .where(pages.c.campaign == campaign, pages.c.id == id)
            .values(evaluator=target, position=position)
        )
