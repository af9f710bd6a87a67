"""The state of a campaign: one full snapshot, then incremental changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

from sqlalchemy import Connection, Engine, Select, func, select

from patmark.errors import UsageError
from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import Page, Plan, has_pool
from patmark.human.campaign.records import Consensus, NoCampaign, PageInfo, Remark, SavedAnswers
from patmark.human.campaign.state import CampaignState, NextView
from patmark.human.campaign.store.pool import pool_items, take_page
from patmark.human.campaign.store.queries import (
    campaign_info,
    campaign_row,
    consensus_record,
    evaluator_info,
    page_info,
    select_answers,
    select_campaign,
    select_consensus,
    select_evaluators,
    select_pages,
    select_remarks,
    stored_answer,
)
from patmark.human.campaign.store.tables import (
    answers,
    campaigns,
    consensus,
    evaluators,
    events,
    pages,
    remarks,
    unpack_form,
    unpack_page,
)
from patmark.human.campaign.store.transactions import Transactions, lock_everybody, number_of

SESSION_OPENED = "opened a session"
_Version: TypeAlias = Mapping[str, tuple[int, ...]]
"""Count and highest number of the rows of a campaign, by table."""
_NO_TEXTS: Mapping[str, Page] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CampaignConstants:
    """Properties of a campaign that never change.

    ``checked``: training pages count as done only after a check of their last answers.
    """

    form: Form
    is_pool: bool
    checked: bool


class StateReader(Transactions):
    """Reader of campaigns that keeps the last state of each in memory."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._constants: dict[str, CampaignConstants] = {}
        self._states: dict[str, tuple[_Version, CampaignState]] = {}
        self._agreed: dict[str, tuple[tuple[int, int], tuple[Consensus, ...]]] = {}

    def form(self, campaign: str) -> Form:
        """Return the form of a campaign."""
        return self._constants_of(campaign).form

    def plan(self, campaign: str) -> Plan:
        """Return the plan with all pages as they are assigned now, and the training of a pool."""
        with self._reading() as connection:
            training = pool_items(connection, campaign, ["training"])
        return replace(self.state(campaign).plan, pool=training)

    def state(self, campaign: str) -> CampaignState:
        """Return the whole state of a campaign; only its changes are read again."""
        with self._snapshot() as connection:
            version, state = self._read_state(connection, campaign)
        self._states[campaign] = version, state
        return state

    def _read_state(self, connection: Connection, campaign: str) -> tuple[_Version, CampaignState]:
        names = {"campaign": campaign}
        row = connection.execute(_select_campaign_with_version(), names).first()
        if row is None:
            raise NoCampaign(campaign)
        version = _version(row)
        before, known = self._states.get(campaign, (None, None))
        if before is not None and known is not None:
            if before == version:
                return version, known
            updated = _updated_state(connection, campaign, known, before, version)
            if updated is not None:
                return version, updated
        people, held, saved, remarked, agreed = (
            connection.execute(part, names).all()
            for part in (
                select_evaluators(),
                select_pages(),
                select_answers(),
                select_remarks(),
                select_consensus(),
            )
        )
        # An extension may change the systems of known pages, and always changes the settings.
        is_same = known is not None and known.settings == json.loads(row.settings)
        texts = known.texts if known and is_same else _NO_TEXTS
        common = map(consensus_record, agreed)
        return version, self._built(row, people, held, saved, remarked, common, texts)

    def state_of(
        self,
        campaign: str,
        evaluator: str,
        page: str = "",
        *,
        only_training: bool = False,
        all_texts: bool = False,
    ) -> CampaignState:
        """Return the part of a campaign that one evaluator sees.

        Only pages of the training and this ``page`` have texts, or all of them. ``only_training``
        leaves out all other pages but this one, their answers and remarks.
        """
        names = {"campaign": campaign, "evaluator": evaluator, "page": page}
        with self._snapshot() as connection:
            return self._read_part(connection, names, only_training, all_texts=all_texts)[1]

    def next_view(self, campaign: str, evaluator: str, after: str | None = None) -> NextView:
        """Return the next view of an evaluator; take a page from a shared pool for them.

        It is read and taken in one transaction, so that two windows get the same page.
        """
        is_pool = self._constants_of(campaign).is_pool
        names = {"campaign": campaign, "evaluator": evaluator, "page": ""}
        with self._writing() if is_pool else self._snapshot() as connection:
            if is_pool:
                lock_everybody(connection, campaign)
            row, state = self._read_part(connection, names, only_pages=True)
            view = state.next_view(evaluator, after)
            if view.kind != "pool":
                return view
            page = take_page(connection, row.number, row.evaluator_number, state)
        return NextView("page", page) if page else NextView("done")

    def _read_part(
        self,
        connection: Connection,
        names: dict[str, str],
        training: bool = False,
        *,
        all_texts: bool = False,
        only_pages: bool = False,
    ) -> tuple[Any, CampaignState]:
        """Return the part of an evaluator, with the keys of both in the row.

        ``only_pages`` leaves out remarks, and the count of items that wait in a shared pool.
        """
        people = select_evaluators(True, with_campaign=True, pool=not only_pages)
        row = connection.execute(people, names).first()
        if row is None:
            number_of(connection, names["campaign"])
            raise UsageError(f"the campaign has no evaluator {names['evaluator']!r}")
        found = connection.execute(
            select_pages(True, all_texts=all_texts, training=training), names
        ).all()
        is_trained = any(page.phase == "training" for page in found)
        saved: Iterable[Any] = ()
        remarked: Iterable[Any] = ()
        agreed: Iterable[Consensus] = ()
        if is_trained or not training:
            saved = connection.execute(select_answers(True, training=training), names)
        if not (only_pages or training):
            remarked = connection.execute(select_remarks(True), names)
        if is_trained and row.agreed:
            agreed = self._agreed_in(connection, names["campaign"], (row.agreed, row.agreed_last))
        return row, self._built(row, [row], found, saved, remarked, agreed)

    def _agreed_in(
        self, connection: Connection, campaign: str, version: tuple[int, int]
    ) -> tuple[Consensus, ...]:
        """Return the common results of a campaign without notes; they are read when they change."""
        known = self._agreed.get(campaign)
        if known is None or known[0] != version:
            rows = connection.execute(select_consensus(), {"campaign": campaign})
            known = version, tuple(replace(consensus_record(row), note="") for row in rows)
            self._agreed[campaign] = known
        return known[1]

    def _built(
        self,
        row: Any,
        people: Iterable[Any],
        found: Sequence[Any],
        saved: Iterable[Any],
        remarked: Iterable[Any],
        agreed: Iterable[Consensus],
        texts: Mapping[str, Page] = _NO_TEXTS,
    ) -> CampaignState:
        """Build a state from rows of tables; ``texts`` were read before."""
        infos = tuple(map(page_info, found))
        return CampaignState(
            info=campaign_info(row),
            form=self._constants_of(row.id, row).form,
            settings=json.loads(row.settings),
            notes=tuple(json.loads(row.notes)),
            evaluators=tuple(map(evaluator_info, people)),
            pages=infos,
            texts={
                info.id: _page(info, page.body, texts.get(info.id))
                for info, page in zip(infos, found, strict=True)
                if page.body is not None
            },
            saves=SavedAnswers().with_later(map(stored_answer, saved)),
            remarks=tuple(Remark(*remark) for remark in remarked),
            consensus=tuple(agreed),
        )

    def _constants_of(self, campaign: str, row: Any = None) -> CampaignConstants:
        """Return the constants of a campaign, from its row if that was read anyway."""
        if campaign not in self._constants:
            if row is None:
                with self._reading() as connection:
                    row = campaign_row(connection, campaign)
            settings = json.loads(row.settings)
            self._constants[campaign] = CampaignConstants(
                unpack_form(row.form), has_pool(settings), "tries" in settings
            )
        return self._constants[campaign]

    def _forget_state(self, campaign: str) -> None:
        """Drop the state of a campaign from memory."""
        self._states.pop(campaign, None)
        self._constants.pop(campaign, None)
        self._agreed.pop(campaign, None)


@cache
def _select_campaign_with_version() -> Select[Any]:
    """Select a campaign, and then count and highest number of the rows of each changing table.

    Numbers alone would not do: of two transactions, the one with the lower number may end last.
    Sessions that were opened do not count.
    """
    number = campaigns.c.number
    people = select(evaluators.c.number).where(evaluators.c.campaign == number)
    tests = {
        answers: answers.c.evaluator.in_(people),
        remarks: remarks.c.evaluator.in_(people),
        consensus: consensus.c.campaign == number,
        pages: pages.c.campaign == number,
        events: (events.c.campaign == number) & (events.c.action != SESSION_OPENED),
    }
    counts = [
        select(value).select_from(table).where(test).scalar_subquery().label(f"{table}_{name}")
        for table, test in tests.items()
        for name, value in (("count", func.count()), ("last", func.max(table.c.number)))
    ]
    released = select(func.count(pages.c.released)).where(pages.c.campaign == number)
    return select_campaign().add_columns(*counts, released.scalar_subquery().label("released"))


def _version(row: Any) -> _Version:
    """Return the version of a campaign by table: whatever changes with its rows."""
    version: dict[str, tuple[int, ...]] = {
        str(table): (getattr(row, f"{table}_count"), getattr(row, f"{table}_last") or 0)
        for table in (answers, remarks, consensus, pages, events)
    }
    version["pages"] = (*version["pages"], row.released)
    return version


def _updated_state(
    connection: Connection, campaign: str, known: CampaignState, old: _Version, new: _Version
) -> CampaignState | None:
    """Return a state with everything saved since an old version of it.

    None if it must be read anew: something was decided, or an answer is neither in it nor later.
    """
    if old["events"] != new["events"]:
        return None
    names: dict[str, Any] = {"campaign": campaign, "last": old["answers"][1]}
    added = connection.execute(select_answers(later=True), names).all()
    if old["answers"][0] + len(added) != new["answers"][0]:
        return None
    if old["pages"] != new["pages"]:
        known = _with_new_pages(connection, names | {"last": old["pages"][1]}, known)
    if old["remarks"] != new["remarks"]:
        found = connection.execute(select_remarks(), names)
        known = replace(known, remarks=tuple(Remark(*one) for one in found))
    if old["consensus"] != new["consensus"]:
        agreed = tuple(map(consensus_record, connection.execute(select_consensus(), names)))
        known = replace(known, consensus=agreed)
    return replace(known, saves=known.saves.with_later(map(stored_answer, added)))


def _with_new_pages(
    connection: Connection, names: Mapping[str, Any], known: CampaignState
) -> CampaignState:
    """Return a state with the pages as they are held now; only new texts are read."""
    found = connection.execute(select_pages(later=True), names).all()
    infos = tuple(map(page_info, found))
    added = {
        info.id: unpack_page(info, row.body)
        for info, row in zip(infos, found, strict=True)
        if row.body is not None
    }
    people = connection.execute(select_evaluators(), names)
    return replace(
        known,
        evaluators=tuple(map(evaluator_info, people)),
        pages=infos,
        texts={**known.texts, **added},
    )


def _page(info: PageInfo, body: str, known: Page | None) -> Page:
    """Return the page of a row; reuse a known page unless its evaluator changed."""
    if known and (known.evaluator, known.position) == (info.evaluator, info.position):
        return known
    return unpack_page(info, body)
