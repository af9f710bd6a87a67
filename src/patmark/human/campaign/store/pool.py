"""A shared pool: which item an evaluator takes next, and when a lease on a page ends.

An item becomes a page of everybody who takes it: of as many evaluators as the campaign wants, of
nobody twice. Among the open items, the next one is of the systems that the evaluator has judged
least. A check or a repeat comes as soon as its distance is reached, or when nothing else is left.
A lease ends when its evaluator has saved nothing on the page for so long, or has no access any
more; the page goes to somebody for whom nothing else is open. ``CampaignState.next_view`` decides
before if an evaluator may judge at all.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    ScalarSelect,
    Select,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    union_all,
    update,
)

from patmark.human.campaign.extra_pages import repeated
from patmark.human.campaign.form import Form
from patmark.human.campaign.page_completion import needed_answers
from patmark.human.campaign.plan import Page, PoolItem
from patmark.human.campaign.planning import random_id
from patmark.human.campaign.records import PageInfo
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.store.tables import (
    answers,
    campaigns,
    evaluators,
    items,
    now,
    pack_page,
    pages,
    pools,
    to_json,
    unpack_page,
)
from patmark.human.judgements import PHASES, Phase


def page_row(form: Form, page: Page, **others: Any) -> dict[str, Any]:
    """Return the row of a page."""
    return {
        "id": page.id,
        "position": page.position,
        "phase": page.phase,
        "segment": page.segment,
        "labels": to_json([candidate.label for candidate in page.candidates]),
        "needed": needed_answers(form, page),
        "content": page.content if page.phase == "main" else None,
        "body": pack_page(page),
        **others,
    }


def insert_pool(
    connection: Connection, campaign: int, pool: Sequence[PoolItem], start: int = 0
) -> None:
    """Insert the items of a plan from a position on; those that follow others come after them."""
    numbers: dict[int, int] = {}
    placed = list(enumerate(pool, start))
    for group in (
        [(place, item) for place, item in placed if item.follows is None],
        [(place, item) for place, item in placed if item.follows is not None],
    ):
        rows = [
            {
                "campaign": campaign,
                "position": place,
                "phase": item.page.phase,
                "segment": item.page.segment,
                "times": item.times,
                "follows": None if item.follows is None else numbers[item.follows],
                "distance": item.distance,
                **_outputs_row(item.page),
            }
            for place, item in group
        ]
        if rows:
            connection.execute(items.insert(), rows)
        known = select(items.c.position, items.c.number).where(items.c.campaign == campaign)
        numbers = {row.position: row.number for row in connection.execute(known)}
    if pool:
        _add_open(connection, campaign, sum(item.page.phase == "main" for item in pool))


def _add_open(connection: Connection, campaign: int, number: int) -> None:
    own = update(pools).where(pools.c.campaign == campaign)
    if not connection.execute(own.values(open_items=pools.c.open_items + number)).rowcount:
        connection.execute(pools.insert().values(campaign=campaign, open_items=number))


def _outputs_row(page: Page) -> dict[str, Any]:
    systems = sorted({name for one in page.candidates for name in one.systems})
    return {"systems": to_json(systems), "body": pack_page(page)}


def change_items(connection: Connection, campaign: int, changed: Mapping[int, Page]) -> None:
    """Let items, by their position in the pool, have other outputs."""
    for place, page in changed.items():
        own = update(items).where(items.c.campaign == campaign, items.c.position == place)
        connection.execute(own.values(**_outputs_row(page)))


def untouched_items(connection: Connection, campaign: int) -> frozenset[int]:
    """Return the positions of items without a page, now or earlier."""
    taken = select(pages.c.number).where(pages.c.item == items.c.number).exists()
    chosen = select(items.c.position).where(items.c.campaign == campaign, ~taken)
    return frozenset(connection.scalars(chosen))


def pool_items(
    connection: Connection, campaign: str, phases: Sequence[Phase] = PHASES
) -> tuple[PoolItem, ...]:
    """Return the items of a pool as they were planned, of some phases or of all."""
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


# Open items, as columns and conditions

_IS_OPEN = (items.c.phase == "main") & (items.c.taken < items.c.times)


def waiting() -> ScalarSelect[int]:
    """Return the number of pool items that an evaluator could still take, as a column."""
    own = pages.alias("own")
    mine = own.c.evaluator == evaluators.c.number
    named = select(campaigns.c.number).where(campaigns.c.id == bindparam("campaign"))
    own_pool = pools.c.campaign == named.correlate(None).scalar_subquery()
    all_open = select(func.coalesce(func.max(pools.c.open_items), 0)).where(own_pool)
    known = select(func.count(items.c.number.distinct())).where(
        mine, own.c.item == items.c.number, _IS_OPEN
    )
    everywhere = all_open.correlate(None).scalar_subquery()
    count = everywhere - known.correlate(evaluators).scalar_subquery()
    return select(count).correlate(evaluators).scalar_subquery()


def waiting_extras() -> ScalarSelect[int]:
    """Return the number of checks and repeats still to come for an evaluator, as a column."""
    own, again = pages.alias("own"), pages.alias("again")
    is_taken = (
        select(again.c.number)
        .where(again.c.evaluator == own.c.evaluator, again.c.item == items.c.number)
        .exists()
    )
    extras = select(func.count()).where(
        own.c.evaluator == evaluators.c.number,
        own.c.released.is_(None),
        items.c.follows == own.c.item,
        ~is_taken,
    )
    return extras.correlate(evaluators).scalar_subquery()


def recount_taken(
    connection: Connection, of_items: ColumnElement[bool], were_open: Counter[int] | None = None
) -> None:
    """Store how many pages some items have, and how many items are open.

    Every transaction that takes, releases or deletes pages, or excludes an evaluator, ends with it.
    ``were_open`` counts the items that were open before, by campaign, where that is known.
    """
    held, holder = pages.alias("held"), evaluators.alias("holder")
    taken = (
        select(func.count())
        .select_from(held.join(holder, held.c.evaluator == holder.c.number))
        .where(
            held.c.item == items.c.number, held.c.released.is_(None), holder.c.excluded.is_(None)
        )
        .scalar_subquery()
    )
    before = were_open
    if before is None:
        before = Counter(connection.scalars(select(items.c.campaign).where(of_items, _IS_OPEN)))
    changed = update(items).where(of_items).values(taken=taken)
    now_there = connection.execute(changed.returning(items.c.campaign, _IS_OPEN.label("is_open")))
    after = Counter(row.campaign for row in now_there if row.is_open)
    for campaign in {*before, *after}:
        if after[campaign] != before[campaign]:
            _add_open(connection, campaign, after[campaign] - before[campaign])


def items_of_evaluator(evaluator: int) -> ColumnElement[bool]:
    """Return the condition that an evaluator has or had a page of an item."""
    own = select(pages.c.item).where(pages.c.evaluator == evaluator, pages.c.item.is_not(None))
    return items.c.number.in_(own)


# Taking a page


def take_page(
    connection: Connection, campaign: int, evaluator: int, state: CampaignState
) -> str | None:
    """Assign a page of the pool to an evaluator; return None if no page is open to them.

    Everybody of the campaign must be locked, so that no place is taken twice.
    """
    [who] = state.evaluators
    numbers = {"of_campaign": campaign, "taker": evaluator}
    rows = connection.execute(_NEXT_ITEMS, numbers).all()
    item = _next_item(rows, state.room(who.name))
    is_returned = item is None
    if item is None and state.room(who.name):
        moments = {"since": now(-60.0 * state.lease_minutes), "at": now()}
        item = connection.execute(_END_OLDEST_LEASE, {**numbers, **moments}).first()
    if item is None:
        return None
    info = PageInfo(random_id(), 0, item.phase, item.segment, who.name)
    rng = np.random.default_rng([state.info.seed, item.number, *who.name.encode()])
    if item.phase == "repeat":
        page = repeated(unpack_page(info, item.followed), rng)
    else:
        page = unpack_page(info, item.body).reshuffled(rng)
    owner = {"campaign": campaign, "evaluator": evaluator}
    values = page_row(state.form, page, **owner, item=item.number, claimed=now())
    last = func.coalesce(func.max(pages.c.position), 0)
    values["position"] = select(last + 1).where(pages.c.evaluator == evaluator).scalar_subquery()
    connection.execute(pages.insert().values(**values))
    if not is_returned:  # else the page took the place of the one released
        was_open = Counter({campaign: int(item.phase == "main")})
        recount_taken(connection, items.c.number == item.number, was_open)
    return info.id


def _next_item(rows: Sequence[Any], room: float) -> Any:
    """Return the next item, if any, among those that an evaluator knows or may take."""
    known = {row.number: row for row in rows if row.held_at is not None}
    live = {number: row for number, row in known.items() if row.released is None}
    last = max((row.held_at for row in known.values()), default=0)
    others = [row for row in rows if row.number not in known]
    extras = sorted(
        (row for row in others if row.follows is not None), key=lambda row: row.position
    )
    for row in extras:
        if last - live[row.follows].held_at >= row.distance:
            return row
    first = [row for row in others if row.follows is None] if room else []
    judged = [row for row in live.values() if row.phase == "main"]
    seen = Counter(name for row in judged for name in json.loads(row.systems))
    rarest = min(first, key=lambda row: (_share(row.systems, seen), row.position), default=None)
    return rarest or next(iter(extras), None)


def _share(systems: str, seen: Counter[str]) -> float:
    """Return how often the systems of an item were judged on average."""
    names = json.loads(systems)
    return sum(seen[name] for name in names) / len(names)


def release(connection: Connection, campaign: int, ids: Iterable[str]) -> None:
    """Take pages from their evaluators; their answers stay in the history and count no more."""
    own = (pages.c.campaign == campaign) & pages.c.id.in_(list(ids))
    connection.execute(update(pages).where(own, pages.c.released.is_(None)).values(released=now()))
    recount_taken(connection, items.c.number.in_(select(pages.c.item).where(own)))


_ITEM_COLUMNS = ("number", "position", "phase", "segment", "systems", "follows", "distance")


def _next_items() -> Select[Any]:
    """Select the items that an evaluator has or had, their extras, and the first open ones.

    There is a first one for each group of systems. An item comes with its text if it can be taken,
    and with that of the page that it follows.
    """
    own, followed, live, known = (
        pages.alias(name) for name in ("own", "followed", "live", "known")
    )
    taker = bindparam("taker", type_=Integer)
    in_pool = items.c.campaign == bindparam("of_campaign")
    # A loose index scan: the groups of systems, each found by one look into the index.
    lowest = select(func.min(items.c.systems).label("systems")).where(in_pool, _IS_OPEN)
    groups = lowest.cte("groups", recursive=True)
    following = lowest.where(items.c.systems > groups.c.systems).correlate(groups)
    groups = groups.union_all(
        select(following.scalar_subquery()).where(groups.c.systems.is_not(None))
    )
    first = items.alias("first")
    is_known = select(known.c.number).where(
        known.c.item == first.c.number, known.c.evaluator == taker
    )
    first_open = (
        select(first.c.number)
        .where(
            first.c.campaign == bindparam("of_campaign"),
            first.c.systems == groups.c.systems,
            first.c.phase == "main",
            first.c.taken < first.c.times,
            ~is_known.exists(),
        )
        .order_by(first.c.position)
        .limit(1)
        .correlate(groups)
        .scalar_subquery()
    )
    extra = items.alias("extra")
    numbers = union_all(
        select(live.c.item).where(live.c.evaluator == taker, live.c.item.is_not(None)),
        select(extra.c.number)
        .join(live, extra.c.follows == live.c.item)
        .where(live.c.evaluator == taker, live.c.released.is_(None)),
        select(first_open).select_from(groups),
    ).subquery("numbers")
    return (
        select(
            *(items.c[name] for name in _ITEM_COLUMNS),
            own.c.position.label("held_at"),
            own.c.released,
            case((own.c.number.is_(None), items.c.body)).label("body"),
            followed.c.body.label("followed"),
        )
        .outerjoin(own, and_(own.c.item == items.c.number, own.c.evaluator == taker))
        .outerjoin(
            followed,
            and_(
                own.c.number.is_(None),
                followed.c.item == items.c.follows,
                followed.c.evaluator == taker,
            ),
        )
        .where(items.c.number.in_(select(numbers)))
    )


def _end_oldest_lease() -> Any:
    """Release the page idle for longest among those that an evaluator may take."""
    left, owner, own = pages.alias("left"), evaluators.alias("owner"), pages.alias("own")
    saved = select(func.max(answers.c.saved)).where(answers.c.page == left.c.number)
    touched = func.coalesce(saved.scalar_subquery(), left.c.claimed)
    is_known = select(own.c.number).where(
        own.c.item == left.c.item, own.c.evaluator == bindparam("taker")
    )
    oldest = (
        select(left.c.number)
        .join(items, left.c.item == items.c.number)
        .join(owner, left.c.evaluator == owner.c.number)
        .where(
            left.c.campaign == bindparam("of_campaign"),
            left.c.phase == "main",
            left.c.released.is_(None),
            owner.c.excluded.is_(None),
            left.c.done.is_(False),
            ~is_known.exists(),
            or_(touched < bindparam("since"), owner.c.revoked.is_not(None)),
            items.c.taken <= items.c.times,
        )
        .order_by(touched, left.c.number)
        .limit(1)
        .scalar_subquery()
    )
    body = select(items.c.body).where(items.c.number == pages.c.item).scalar_subquery()
    return (
        update(pages)
        .where(pages.c.number == oldest)
        .values(released=bindparam("at"))
        .returning(pages.c.item.label("number"), pages.c.phase, pages.c.segment, body.label("body"))
    )


# Built once, because they are long and every page that is taken runs one of them.
_NEXT_ITEMS = _next_items()
_END_OLDEST_LEASE = _end_oldest_lease()
