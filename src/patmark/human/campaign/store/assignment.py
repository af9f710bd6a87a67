"""Assignment of pages to evaluators: newcomers, replacements, and pages that change hands.

Each decision reads, validates and writes in one transaction, in which everybody of the campaign is
locked. A unique index backs the rule that nobody judges the same outputs twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from patmark.data import counted
from patmark.errors import UsageError
from patmark.human.campaign.extension import (
    Extension,
    extend_plan,
    pages_for_newcomer,
    pages_of_leaver,
    pages_to_move,
)
from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import Page, Plan
from patmark.human.campaign.planning import random_id
from patmark.human.campaign.settings import CampaignSettings
from patmark.human.campaign.store.access import end_access, insert_evaluator
from patmark.human.campaign.store.pool import (
    change_items,
    insert_pool,
    page_row,
    pool_items,
    release,
    untouched_items,
)
from patmark.human.campaign.store.queries import (
    campaign_row,
    page_info,
    select_access,
    select_pages,
)
from patmark.human.campaign.store.state_reader import StateReader
from patmark.human.campaign.store.tables import (
    answers,
    campaigns,
    new_secret,
    pages,
    remarks,
    storable,
    to_json,
)
from patmark.human.campaign.store.transactions import (
    change_row,
    lock_evaluator,
    lock_everybody,
    number_of,
)


class AssignmentStore(StateReader):
    """Decisions about who judges which pages."""

    def add_evaluator(
        self, campaign: str, name: str, like: str | None = None, expires: str | None = None
    ) -> tuple[str, int]:
        """Add an evaluator, with the pages of another one or the training alone.

        Return the token of the link, and the number of pages.
        """
        token, form = new_secret(), self.form(campaign)
        with self._writing() as connection:
            number = number_of(connection, campaign)
            lock_everybody(connection, campaign)
            plan = self._plan_around(connection, campaign, like)
            made = pages_for_newcomer(plan, storable(name), like)
            added = insert_evaluator(connection, number, form, name, token, expires, made)
            self._log(connection, number, "added", added, counted(len(made), "page"))
        return token, len(made)

    def replace_evaluator(self, campaign: str, leaver: str, name: str) -> tuple[str, int]:
        """Assign the unfinished pages of a leaver to a newcomer.

        The leaver keeps the finished pages, whose answers count, and loses access. Return the
        token of the newcomer's link, and the number of pages.
        """
        token, form = new_secret(), self.form(campaign)
        with self._writing() as connection:
            number = number_of(connection, campaign)
            lock_everybody(connection, campaign)
            leaving = lock_evaluator(connection, campaign, leaver)
            names = {"campaign": campaign, "evaluator": leaver, "page": ""}
            _, state = self._read_part(connection, names, all_texts=True, only_pages=True)
            plan = self._plan_around(connection, campaign, leaver)
            made = pages_of_leaver(plan, state.done, leaver, storable(name))
            end_access(connection, leaving)
            self._log(connection, number, "revoked", leaving)
            release(connection, number, [one.id for one in state.pages if one.id not in state.done])
            added = insert_evaluator(connection, number, form, name, token, None, made)
            self._log(connection, number, "replaced", leaving, name)
            self._log(connection, number, "added", added, counted(len(made), "page"))
        return token, len(made)

    def extend(
        self, campaign: str, settings: CampaignSettings, *, dry_run: bool = False
    ) -> Extension:
        """Add the segments and systems of a campaign file that a campaign does not have.

        ``dry_run`` plans them and changes nothing.
        """
        form = self.form(campaign)
        with self._writing() as connection:
            row = campaign_row(connection, campaign)
            lock_everybody(connection, campaign)
            if row.closed is not None:
                raise UsageError(f"{row.name} is closed; open it again before something is added")
            _, state = self._read_state(connection, campaign)
            pool = pool_items(connection, campaign)
            free = untouched_items(connection, row.number)
            made = extend_plan(settings, state, pool, free)
            if dry_run:
                return made
            for page in made.merged:
                own = update(pages).where(pages.c.campaign == row.number, pages.c.id == page.id)
                values = page_row(form, page)
                connection.execute(own.values(body=values["body"], content=values["content"]))
            self._replace_pages(connection, row.number, form, made.replaced)
            self._append_pages(connection, campaign, form, made.pages)
            change_items(connection, row.number, made.changed_items)
            insert_pool(connection, row.number, made.items, len(pool))
            kept = to_json(json.loads(row.settings) | dict(made.settings))
            notes = to_json([*json.loads(row.notes), *made.notes])
            change_row(connection, campaigns, row.number, settings=kept, notes=notes)
            self._log(connection, row.number, "extended", detail=made.added)
        return made

    def _replace_pages(
        self, connection: Connection, campaign: int, form: Form, replaced: Mapping[str, Page]
    ) -> None:
        own = (pages.c.campaign == campaign) & pages.c.id.in_(list(replaced))
        held = connection.execute(
            select(pages.c.id, pages.c.evaluator, pages.c.position).where(own)
        )
        owners = {row.id: row for row in held}
        release(connection, campaign, replaced)
        for id, page in replaced.items():
            made = replace(page, id=random_id(), position=owners[id].position)
            values = page_row(form, made, campaign=campaign, evaluator=owners[id].evaluator)
            connection.execute(pages.insert().values(**values))

    def _append_pages(
        self, connection: Connection, campaign: str, form: Form, given: Sequence[Page]
    ) -> None:
        number = number_of(connection, campaign)
        for name in dict.fromkeys(one.evaluator for one in given):
            evaluator = lock_evaluator(connection, campaign, name)
            owner = {"campaign": number, "evaluator": evaluator}
            own = [one for one in given if one.evaluator == name]
            start = _next_position(connection, evaluator)
            rows = [
                page_row(form, replace(page, id=random_id(), position=position), **owner)
                for position, page in enumerate(own, start)
            ]
            connection.execute(pages.insert(), rows)
            self._log(connection, number, "pages added", evaluator, counted(len(rows), "page"))

    def _plan_around(self, connection: Connection, campaign: str, evaluator: str | None) -> Plan:
        """Return a plan with all evaluators, but only the pages of one of them (the first)."""
        people = connection.execute(select_access(), {"campaign": campaign}).all()
        known = [one.name for one in people]
        chosen = evaluator if evaluator in known else next(iter(known), None)
        training = pool_items(connection, campaign, ["training"])
        if chosen is None:
            raise UsageError(
                "the campaign has no evaluators left whose training could be taken over"
            )
        names = {"campaign": campaign, "evaluator": chosen, "page": ""}
        _, state = self._read_part(connection, names, all_texts=True, only_pages=True)
        return replace(state.plan, evaluators=tuple(known), pool=training)

    def reassign(self, campaign: str, page_ids: Iterable[str], to_evaluator: str) -> None:
        """Give pages that nobody has begun to another evaluator, after the pages already there.

        All of them or none: a page that was answered or remarked on stays where it is.
        """
        wanted = list(dict.fromkeys(page_ids))
        with self._writing() as connection:
            number = number_of(connection, campaign)
            lock_everybody(connection, campaign)
            target = lock_evaluator(connection, campaign, to_evaluator)
            owners = _owners_of_open_pages(connection, number, wanted)
            moved = {id: owner for id, owner in owners.items() if owner != target}
            self._move(connection, number, moved, target)

    def reassign_open_pages(self, campaign: str, giver: str, taker: str, most: int) -> int:
        """Give up to so many pages of one evaluator to another, and return their number.

        Pages that the giver has begun stay, as do outputs that the taker judges already.
        """
        with self._writing() as connection:
            number = number_of(connection, campaign)
            lock_everybody(connection, campaign)
            target = lock_evaluator(connection, campaign, taker)
            owner = lock_evaluator(connection, campaign, giver)
            names = {"campaign": campaign, "page": ""}
            if owner == target:
                raise UsageError("pages can only be given to somebody else")
            statement = select_pages(True, all_texts=False)
            own, others = (
                tuple(map(page_info, connection.execute(statement, {**names, "evaluator": name})))
                for name in (giver, taker)
            )
            wanted = _select_own([one.id for one in own], number, pages.c.id)
            begun = frozenset(connection.scalars(wanted.where(_IS_BEGUN)))
            chosen = pages_to_move(own, begun, others, most)
            if not chosen:
                raise UsageError(f"{taker} can take no page of {giver}")
            moved = dict.fromkeys((one.id for one in chosen), owner)
            self._move(connection, number, moved, target)
        return len(chosen)

    def _move(
        self, connection: Connection, campaign: int, moved: dict[str, int], target: int
    ) -> None:
        """Append pages, given with the keys of their owners, to those of an evaluator."""
        for position, id in enumerate(moved, _next_position(connection, target)):
            change = update(pages).where(pages.c.campaign == campaign, pages.c.id == id)
            try:
                connection.execute(change.values(evaluator=target, position=position))
            except IntegrityError:
                raise UsageError(
                    f"page {id!r} cannot be reassigned: the evaluator judges the same outputs "
                    "already"
                ) from None
        for giver in sorted(set(moved.values())):
            taken = ", ".join(id for id, owner in moved.items() if owner == giver)
            self._log(connection, campaign, "pages taken", giver, taken)
        if moved:
            self._log(connection, campaign, "pages given", target, ", ".join(moved))


def _next_position(connection: Connection, evaluator: int) -> int:
    last = select(func.max(pages.c.position)).where(pages.c.evaluator == evaluator)
    found = connection.scalar(last)
    return 0 if found is None else int(found) + 1


def _select_own(wanted: Sequence[str], campaign: int, *columns: Any) -> Any:
    """Select columns of some held pages of a campaign."""
    return select(*columns).where(
        pages.c.campaign == campaign, pages.c.id.in_(wanted), pages.c.released.is_(None)
    )


def _owners_of_open_pages(
    connection: Connection, campaign: int, wanted: list[str]
) -> dict[str, int]:
    """Return the evaluator of each page, in the order wanted; refuse pages that were begun."""
    columns = (pages.c.id, pages.c.evaluator, _IS_BEGUN.label("begun"))
    found = {row.id: row for row in connection.execute(_select_own(wanted, campaign, *columns))}
    for id in wanted:
        if id not in found:
            raise UsageError(f"the campaign has no page {id!r}")
        if found[id].begun:
            raise UsageError(f"page {id!r} cannot be reassigned: its evaluator has begun with it")
    return {id: found[id].evaluator for id in wanted}


_IS_BEGUN = or_(
    *(
        select(table.c.number).where(table.c.page == pages.c.number).exists()
        for table in (answers, remarks)
    )
)
