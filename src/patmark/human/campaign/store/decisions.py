"""Decisions of organisers about evaluators and answers, and the log that records them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, select

from patmark.errors import UsageError
from patmark.human.campaign.consensus import common_items
from patmark.human.campaign.records import Event
from patmark.human.campaign.settings import is_mail_address
from patmark.human.campaign.store.pool import items_of_evaluator, recount_taken
from patmark.human.campaign.store.queries import campaign_row
from patmark.human.campaign.store.state_reader import StateReader
from patmark.human.campaign.store.tables import (
    campaigns,
    consensus,
    evaluators,
    events,
    now,
    publications,
    storable,
    to_json,
)
from patmark.human.campaign.store.transactions import (
    change_row,
    lock_evaluator,
    lock_everybody,
    number_of,
)
from patmark.wording import tr


class DecisionStore(StateReader):
    """Qualification, exclusion, common results, and the log."""

    def publish(self, campaign: str, page: str | None) -> None:
        """Store the results page, replacing an earlier one; None deletes it."""
        with self._writing() as connection:
            number = number_of(connection, campaign)
            connection.execute(delete(publications).where(publications.c.campaign == number))
            if page is not None:
                added = publications.insert().values(campaign=number, at=now(), page=storable(page))
                connection.execute(added)
            action = "withdrew the results" if page is None else "published the results"
            self._log(connection, number, action)

    def published(self, campaign: str) -> str | None:
        """Return the page with the results of a campaign, if it is published."""
        own = campaigns.c.id == campaign
        chosen = select(publications.c.page).join(campaigns).where(own)
        with self._reading() as connection:
            found: str | None = connection.scalar(chosen)
        return found

    def record_mails(self, campaign: str, kind: str, names: Sequence[str]) -> None:
        """Log who was written to."""
        with self._writing() as connection:
            number = number_of(connection, campaign)
            for name in names:
                evaluator = lock_evaluator(connection, campaign, name)
                self._log(connection, number, "mailed", evaluator, kind)

    def set_mail_address(self, campaign: str, evaluator: str, address: str | None) -> None:
        """Store the mail address of an evaluator, or forget it; the log does not tell it."""
        if address is not None and not is_mail_address(address):
            raise UsageError(tr("'{address}' is no mail address", address=address))
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            row = campaign_row(connection, campaign)
            settings = json.loads(row.settings)
            people = settings.setdefault("evaluators", [])
            own = next((one for one in people if one["name"] == evaluator), None)
            if own is None:
                people.append(own := {"name": evaluator})
            own["address"] = address
            change_row(connection, campaigns, row.number, settings=to_json(settings))
            self._log(connection, row.number, "new mail address", number)

    def agree(self, campaign: str, key: str, value: str | None, note: str = "") -> None:
        """Fix or withdraw the agreed value of an item; it must be a possible one."""
        with self._writing() as connection:
            number = number_of(connection, campaign)
            _, state = self._read_state(connection, campaign)
            item = next((one for one in common_items(state) if one.key == key), None)
            if item is None or value not in (None, *item.possible):
                raise UsageError("there is no such common item, or no such value")
            place = item.segment, item.systems, item.question
            self._insert_consensus(connection, number, place, value, note)

    def _insert_consensus(
        self,
        connection: Connection,
        campaign: int,
        place: tuple[str, Sequence[str], str],
        value: str | None,
        note: str,
    ) -> None:
        segment, systems, question = place
        for given in (segment, *systems, question, value or "", note):
            storable(given)
        connection.execute(
            consensus.insert().values(
                campaign=campaign,
                segment=segment,
                systems=to_json(sorted(systems)),
                question=question,
                value=value,
                note=note,
                saved=now(),
            )
        )
        self._log(connection, campaign, "consensus", detail=f"{segment}, {question}")

    def set_qualified(self, campaign: str, evaluator: str, qualified: bool | None) -> None:
        """Decide if an evaluator passed the training; None leaves it to the pass mark."""
        words = {True: "qualified", False: "not qualified", None: "qualification open"}
        self._decide(campaign, evaluator, words[qualified], {"qualified": qualified})

    def exclude(self, campaign: str, evaluator: str, reason: str) -> None:
        """Decide that the answers of an evaluator do not count. They stay in the database."""
        if not reason.strip():
            raise UsageError("an exclusion needs a reason")
        self._decide(campaign, evaluator, "excluded", {"excluded": storable(reason)}, reason)

    def include(self, campaign: str, evaluator: str, reason: str) -> None:
        """Let the answers of an excluded evaluator count again."""
        self._decide(campaign, evaluator, "included", {"excluded": None}, storable(reason))

    def _decide(
        self,
        campaign: str,
        evaluator: str,
        action: str,
        values: Mapping[str, Any],
        detail: str = "",
    ) -> None:
        with self._writing() as connection:
            if "excluded" in values:
                lock_everybody(connection, campaign)
            number = lock_evaluator(connection, campaign, evaluator)
            change_row(connection, evaluators, number, **values)
            if "excluded" in values:
                recount_taken(connection, items_of_evaluator(number))
            self._log(connection, number_of(connection, campaign), action, number, detail)

    def events(self, campaign: str | None) -> list[Event]:
        """Return the log of a campaign, or of the database, oldest first."""
        mine = events.c
        chosen = (
            select(mine.at, mine.actor, mine.organiser, mine.action, evaluators.c.name, mine.detail)
            .outerjoin(campaigns, mine.campaign == campaigns.c.number)
            .outerjoin(evaluators, mine.evaluator == evaluators.c.number)
            .where(campaigns.c.id.is_not_distinct_from(campaign))
            .order_by(mine.number)
        )
        with self._reading() as connection:
            return [Event(*row) for row in connection.execute(chosen)]
