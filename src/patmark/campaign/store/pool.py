"""A shared pool: items that become pages of whoever takes them, and pages that are given back.

Each item is taken by as many evaluators as the campaign wants, by nobody twice. A claim locks its
evaluator and the campaign, so that two claims never take the same place.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    bindparam,
    func,
    or_,
    select,
    update,
)

from patmark.campaign.answers import needed_answers
from patmark.campaign.extra_pages import repeated
from patmark.campaign.form import Form
from patmark.campaign.plan import Page, PoolItem
from patmark.campaign.planning import random_id
from patmark.campaign.records import PageInfo, Refused
from patmark.campaign.store.tables import (
    answers,
    campaigns,
    evaluators,
    items,
    now,
    pack_page,
    pages,
    to_json,
    unpack_page,
)
from patmark.judgements import PHASES, Phase


def page_row(form: Form, page: Page, **others: Any) -> dict[str, Any]:
    """A page as the table holds it."""
    return {
        "id": page.id,
        "position": page.position,
        "phase": page.phase,
        "segment": page.segment,
        "labels": to_json([candidate.label for candidate in page.candidates]),
        "needed": needed_answers(form, page),
        "body": pack_page(page),
        **others,
    }


def insert_pool(connection: Connection, campaign: int, pool: Sequence[PoolItem]) -> None:
    """Keep the items of a plan; those that follow others come after them."""
    numbers: dict[int, int] = {}
    for group in (
        [place for place, item in enumerate(pool) if item.follows is None],
        [place for place, item in enumerate(pool) if item.follows is not None],
    ):
        rows = [_item_row(campaign, place, pool[place], numbers) for place in group]
        if rows:
            connection.execute(items.insert(), rows)
        known = select(items.c.position, items.c.number).where(items.c.campaign == campaign)
        numbers = {row.position: row.number for row in connection.execute(known)}


def _item_row(campaign: int, place: int, item: PoolItem, numbers: dict[int, int]) -> dict[str, Any]:
    page = item.page
    return {
        "campaign": campaign,
        "position": place,
        "phase": page.phase,
        "segment": page.segment,
        "systems": to_json(sorted({name for one in page.candidates for name in one.systems})),
        "times": item.times,
        "follows": None if item.follows is None else numbers[item.follows],
        "distance": item.distance,
        "body": pack_page(page),
    }


def pool_items(
    connection: Connection, campaign: str, phases: Sequence[Phase] = PHASES
) -> tuple[PoolItem, ...]:
    """The items of a pool as they were planned, of some phases or of all."""
    chosen = (
        select(items)
        .join(campaigns, items.c.campaign == campaigns.c.number)
        .where(campaigns.c.id == campaign, items.c.phase.in_(phases))
        .order_by(items.c.position)
    )
    rows = connection.execute(chosen).all()
    places = {row.number: row.position for row in rows}
    return tuple(
        PoolItem(
            unpack_page(PageInfo("", 0, row.phase, row.segment), row.body),
            row.times,
            places.get(row.follows),
            row.distance,
        )
        for row in rows
    )


def waiting() -> ScalarSelect[int]:
    """How many items of the pool an evaluator could still take, as a column beside evaluators."""
    own = pages.alias("own")
    mine = own.c.evaluator == evaluators.c.number
    all_open = select(func.count()).where(items.c.campaign == evaluators.c.campaign, is_open())
    known = select(func.count()).where(mine, own.c.item == items.c.number, is_open())
    parts = [one.correlate(evaluators).scalar_subquery() for one in (all_open, known)]
    return select(parts[0] - parts[1]).correlate(evaluators).scalar_subquery()


def waiting_extras() -> ScalarSelect[int]:
    """How many checks and repeats still follow the pages of an evaluator, as such a column."""
    own, again = pages.alias("own"), pages.alias("again")
    is_taken = (
        select(again.c.number)
        .where(again.c.evaluator == evaluators.c.number, again.c.item == items.c.number)
        .exists()
    )
    extras = select(func.count()).where(
        own.c.evaluator == evaluators.c.number,
        own.c.released.is_(None),
        items.c.follows == own.c.item,
        ~is_taken,
    )
    return extras.correlate(evaluators).scalar_subquery()


def is_open() -> ColumnElement[bool]:
    """Whether an item has fewer pages than it shall be judged times.

    Pages that were released, and those of excluded evaluators, are none.
    """
    held, holder = pages.alias("held"), evaluators.alias("holder")
    taken = (
        select(func.count())
        .select_from(held.join(holder, held.c.evaluator == holder.c.number))
        .where(
            held.c.item == items.c.number, held.c.released.is_(None), holder.c.excluded.is_(None)
        )
        .correlate(items)
        .scalar_subquery()
    )
    return (items.c.phase == "main") & (taken < items.c.times)


def is_replaced(save: Any) -> ColumnElement[bool]:
    """Whether a later save has taken the place of one, which is ``answers`` or an alias of it."""
    later = answers.alias("later")
    place = [later.c[name] == save.c[name] for name in ("page", "candidate", "question")]
    return select(later.c.number).where(*place, later.c.revision > save.c.revision).exists()


def claim(
    connection: Connection, form: Form, campaign: str, evaluator: str, after: str | None = None
) -> str | None:
    """Give an evaluator the next page of the pool; None if nothing is open to them.

    A page that was claimed before and is not done comes again, those behind ``after`` first; so two
    windows get the same. Of the open items, one of the systems comes that the evaluator has judged
    least; a check or a repeat comes as soon as its distance is reached, or when nothing else is
    left.
    """
    names = {"campaign_id": campaign, "evaluator_name": evaluator}
    who = connection.execute(_LOCK, names).first()
    if who is None or who.revoked is not None:
        raise Refused("revoked", "the access of the evaluator was ended")
    if who.closed is not None:
        raise Refused("closed", "the campaign is closed")
    rows = connection.execute(_HELD, {"evaluator": who.number}).all()
    live = {row.number: row for row in rows if row.released is None}
    ids = [row.id for row in live.values()]
    start = ids.index(after) + 1 if after in ids else 0
    unfinished = [row.id for row in live.values() if not row.is_done]
    for id in (*ids[start:], *ids[:start]):
        if id in unfinished:
            return str(id)
    item = _next_item(connection, who, rows)
    if item is None:
        return None
    info = PageInfo(random_id(), 0, item.phase, item.segment, evaluator)
    rng = np.random.default_rng([int(who.seed), item.number, *evaluator.encode()])
    if item.phase == "repeat":
        page = repeated(unpack_page(info, item.own_body), rng)
    else:
        page = unpack_page(info, item.body).reshuffled(rng)
    owner = {"campaign": who.campaign, "evaluator": who.number}
    values = page_row(form, page, **owner, item=item.number, claimed=now())
    last = select(func.coalesce(func.max(pages.c.position), 0)).where(
        pages.c.evaluator == who.number
    )
    values["position"] = last.scalar_subquery() + 1
    connection.execute(pages.insert().values(**values))
    return info.id


def _next_item(connection: Connection, who: Any, rows: Sequence[Any]) -> Any:
    """The item that comes next, if there is one; a repeat with the page that is shown again."""
    known = {row.item for row in rows}
    live = {row.number: row for row in rows if row.released is None}
    last = max((row.position for row in rows), default=0)
    extras = sorted(
        (row for row in rows if row.released is None and row.extra not in (None, *known)),
        key=lambda row: row.extra_position,
    )
    for row in extras:
        if last - row.position >= row.extra_distance:
            return connection.execute(_item(items.c.number == row.extra, row.number)).one()
    most = (json.loads(who.settings).get("assignment") or {}).get("items_per_evaluator")
    judged = [row for row in live.values() if row.phase == "main"]
    if most is None or len(judged) < most:
        seen = Counter(name for row in judged for name in json.loads(row.systems))
        first = connection.execute(
            select(items.c.systems, func.min(items.c.position).label("position"))
            .where(items.c.campaign == who.campaign, is_open(), items.c.number.not_in(known))
            .group_by(items.c.systems)
        ).all()
        if first:
            rarest = min(first, key=lambda row: (_share(row.systems, seen), row.position))
            at = (items.c.campaign == who.campaign) & (items.c.position == rarest.position)
            return connection.execute(_item(at)).one()
    if not extras:
        return None
    return connection.execute(_item(items.c.number == extras[0].extra, extras[0].number)).one()


def _item(wanted: ColumnElement[bool], own: int | None = None) -> Select[Any]:
    """An item, beside the page of the evaluator that it follows."""
    body = select(pages.c.body).where(pages.c.number == own).scalar_subquery()
    return select(items, body.label("own_body")).where(wanted)


def _share(systems: str, seen: Counter[str]) -> float:
    """How often the systems of an item were judged, in the mean."""
    names = json.loads(systems)
    return sum(seen[name] for name in names) / len(names)


def release(
    connection: Connection, campaign: int, ids: Iterable[str], idle_since: str | None = None
) -> None:
    """Take pages from their evaluators. What they saved stays in the history, and does not count.

    Of pages that were idle since some time, only those that still are.
    """
    chosen = update(pages).where(
        pages.c.campaign == campaign, pages.c.id.in_(list(ids)), pages.c.released.is_(None)
    )
    if idle_since is not None:
        saved = (
            select(answers.c.number)
            .where(answers.c.page == pages.c.number, answers.c.saved >= idle_since)
            .exists()
        )
        owner = select(evaluators.c.revoked).where(evaluators.c.number == pages.c.evaluator)
        is_idle = (pages.c.claimed < idle_since) & ~saved
        chosen = chosen.where(or_(is_idle, owner.scalar_subquery().is_not(None)))
    connection.execute(chosen.values(released=now()))


_LOCK = (
    select(
        evaluators.c.number,
        evaluators.c.revoked,
        campaigns.c.number.label("campaign"),
        campaigns.c.closed,
        campaigns.c.seed,
        campaigns.c.settings,
    )
    .join_from(evaluators, campaigns, evaluators.c.campaign == campaigns.c.number)
    .where(
        evaluators.c.name == bindparam("evaluator_name"),
        campaigns.c.id == bindparam("campaign_id"),
    )
    .with_for_update(key_share=True)
)
_EXTRA = items.alias("extra")
_COUNTING = (
    select(func.count())
    .where(answers.c.page == pages.c.number, answers.c.counts, ~is_replaced(answers))
    .correlate(pages)
    .scalar_subquery()
)
_HELD = (
    select(
        pages.c.number,
        pages.c.id,
        pages.c.item,
        pages.c.position,
        pages.c.released,
        items.c.phase,
        items.c.systems,
        (pages.c.needed <= _COUNTING).label("is_done"),
        _EXTRA.c.number.label("extra"),
        _EXTRA.c.position.label("extra_position"),
        _EXTRA.c.distance.label("extra_distance"),
    )
    .join(items, pages.c.item == items.c.number)
    .outerjoin(_EXTRA, _EXTRA.c.follows == items.c.number)
    .where(pages.c.evaluator == bindparam("evaluator"))
    .order_by(pages.c.position)
)
"""The pages of the pool that an evaluator holds or held, once for each item that follows theirs."""
