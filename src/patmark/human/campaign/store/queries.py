"""Select statements that several parts of the store run, and the records of their rows.

Statements are built once, because every request needs them; names come in as parameters.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
)

from patmark.human.campaign.plan import Answer
from patmark.human.campaign.records import (
    CampaignInfo,
    Consensus,
    EvaluatorInfo,
    NoCampaign,
    PageInfo,
    StoredAnswer,
)
from patmark.human.campaign.store.pool import waiting, waiting_extras
from patmark.human.campaign.store.tables import (
    answers,
    campaigns,
    consensus,
    evaluators,
    items,
    pages,
    remarks,
)

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_CAMPAIGN_FIELDS = [one.name for one in fields(CampaignInfo) if one.name not in ("form", "seed")]
_EVALUATOR_COLUMNS = ("expires", "revoked", "qualified", "excluded", "enrolled", "background")
_LINK_COLUMNS = ("token_hash", "expires", "revoked", "excluded")
_ANSWER_COLUMNS = (
    "candidate", "question", "value", "detail", "revision", "client", "seconds", "saved", "counts",
)  # fmt: skip


@cache
def select_campaigns(*, pool: bool = True) -> Select[Any]:
    """Select campaigns, with the number of places in their pools, or with 0."""
    if not pool:
        return select(campaigns, literal(0).label("places"))
    own = (items.c.campaign == campaigns.c.number) & (items.c.phase == "main")
    places = select(func.coalesce(func.sum(items.c.times), 0)).where(own).scalar_subquery()
    return select(campaigns, places.label("places"))


@cache
def select_campaign() -> Select[Any]:
    """Select one campaign."""
    return select_campaigns().where(campaigns.c.id == bindparam("campaign"))


def campaign_row(connection: Connection, campaign: str) -> Any:
    """Return the row of a campaign that must exist."""
    row = connection.execute(select_campaign(), {"campaign": campaign}).first()
    if row is None:
        raise NoCampaign(campaign)
    return row


def campaign_info(row: Any) -> CampaignInfo:
    """Return the record of a row of ``select_campaigns``."""
    values = {name: getattr(row, name) for name in _CAMPAIGN_FIELDS}
    return CampaignInfo(**values | {"form": row.form_id, "seed": int(row.seed)})


@cache
def select_evaluators(
    one: bool = False, *, anywhere: bool = False, with_campaign: bool = False, pool: bool = True
) -> Select[Any]:
    """Select evaluators in the order in which they joined, optionally with their campaign.

    With ``pool`` the items that wait for each of them in a shared pool are counted.
    """
    counts = (waiting(), waiting_extras()) if pool else (literal(0), literal(0))
    of_campaign = select()
    if with_campaign:
        agreed = consensus.c.campaign == campaigns.c.number
        of_campaign = select_campaigns(pool=False).add_columns(
            *(
                select(value).where(agreed).scalar_subquery().label(name)
                for name, value in (
                    ("agreed", func.count()),
                    ("agreed_last", func.max(consensus.c.number)),
                )
            )
        )
    mine = evaluators.c
    chosen = (
        of_campaign.add_columns(
            campaigns.c.id.label("campaign_id"),
            mine.number.label("evaluator_number"),
            mine.name.label("evaluator_name"),
            *(mine[name] for name in _EVALUATOR_COLUMNS),
            counts[0].label("waiting"),
            counts[1].label("extras"),
        )
        .select_from(evaluators.join(campaigns, mine.campaign == campaigns.c.number))
        .order_by(mine.number)
    )
    return chosen if anywhere else _only(chosen, one)


def evaluator_info(row: Any) -> EvaluatorInfo:
    """Return the record of a row of ``select_evaluators``."""
    values = {name: getattr(row, name) for name in (*_EVALUATOR_COLUMNS, "waiting", "extras")}
    values["background"] = json.loads(row.background or "{}")
    return EvaluatorInfo(campaign=row.campaign_id, name=row.evaluator_name, **values)


@cache
def select_access() -> Select[Any]:
    """Select name, link and revocation of everybody in a campaign, in the order of arrival.

    Whoever came by the common link has no link of their own.
    """
    mine = evaluators.c
    chosen = (
        select(*(mine[name] for name in ("number", "name", "return_hash", *_LINK_COLUMNS)))
        .join(campaigns, mine.campaign == campaigns.c.number)
        .order_by(mine.number)
    )
    return _only(chosen, False)


@cache
def select_pages(
    one: bool = False, *, all_texts: bool = True, training: bool = False, later: bool = False
) -> Select[Any]:
    """Select held pages by evaluator and position.

    Texts come with all of them, or with those of the training and one more page. ``training``
    leaves out all others; ``later`` gives the texts of later pages alone.
    """
    body: Any = pages.c.body
    is_wanted: ColumnElement[bool] = or_(
        pages.c.phase == "training", pages.c.id == bindparam("page")
    )
    if later:
        is_wanted = pages.c.number > bindparam("last")
    if later or not all_texts:
        body = case((is_wanted, pages.c.body)).label("body")
    chosen = (
        select(*PAGE_COLUMNS, body)
        .join(evaluators, pages.c.evaluator == evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .where(pages.c.released.is_(None))
        .order_by(evaluators.c.number, pages.c.position)
    )
    return _only(chosen.where(is_wanted) if training else chosen, one)


PAGE_COLUMNS = (
    *(pages.c[name] for name in ("id", "position", "phase", "segment")),
    evaluators.c.name.label("evaluator_name"),
    *(pages.c[name] for name in ("needed", "item", "claimed", "content")),
)
"""The fields of ``PageInfo`` in their order."""


def page_info(row: Any) -> PageInfo:
    """Return the record of a row that begins with ``PAGE_COLUMNS``."""
    return PageInfo(*row[: len(PAGE_COLUMNS)])


@cache
def select_answers(
    one: bool = False, *, one_page: bool = False, training: bool = False, later: bool = False
) -> Select[Any]:
    """Select all saves by evaluator, position of the page and time."""
    chosen = (
        select(evaluators.c.name, pages.c.id, *(answers.c[name] for name in _ANSWER_COLUMNS))
        .join(pages, answers.c.page == pages.c.number)
        .join(evaluators, answers.c.evaluator == evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .order_by(evaluators.c.number, pages.c.position, answers.c.number)
    )
    if one_page:
        chosen = chosen.where(pages.c.id == bindparam("page"))
    if training:
        chosen = chosen.where(pages.c.phase == "training")
    if later:
        chosen = chosen.where(answers.c.number > bindparam("last"))
    return _only(chosen, one)


def stored_answer(row: Iterable[Any]) -> StoredAnswer:
    """Return the record of a row of ``select_answers``."""
    name, page, candidate, question, value, detail, revision, client, seconds, saved, counts = row
    parts = _NOTHING if detail == "{}" else json.loads(detail)
    answer = Answer(page, candidate, question, value, parts, revision, client or "", seconds, saved)
    return StoredAnswer(name, answer, counts)


@cache
def select_remarks(one: bool = False) -> Select[Any]:
    """Select the last remark on each page, if it was not emptied."""
    later = remarks.alias("later")
    is_replaced = (
        select(later.c.number)
        .where(later.c.page == remarks.c.page, later.c.number > remarks.c.number)
        .exists()
    )
    chosen = (
        select(
            evaluators.c.name,
            *(pages.c.id, pages.c.segment),
            *(remarks.c.text, remarks.c.flagged, remarks.c.saved),
        )
        .join(pages, remarks.c.page == pages.c.number)
        .join(evaluators, remarks.c.evaluator == evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .where((remarks.c.text != "") | remarks.c.flagged, ~is_replaced)
        .order_by(evaluators.c.number, pages.c.position)
    )
    return _only(chosen, one)


@cache
def select_consensus() -> Select[Any]:
    """Select the last common result of each place, if it was not taken back."""
    later, mine = consensus.alias("later"), consensus.c
    place = ("campaign", "segment", "systems", "question")
    is_replaced = (
        select(later.c.number)
        .where(*(later.c[name] == mine[name] for name in place), later.c.number > mine.number)
        .exists()
    )
    return (
        select(consensus)
        .join(campaigns, mine.campaign == campaigns.c.number)
        .where(campaigns.c.id == bindparam("campaign"), mine.value.is_not(None), ~is_replaced)
        .order_by(mine.number)
    )


def consensus_record(row: Any) -> Consensus:
    """Return the record of a row of ``select_consensus``."""
    systems = tuple(json.loads(row.systems))
    return Consensus(row.segment, systems, row.question, row.value, row.note, row.saved)


def _only(chosen: Select[Any], one: bool) -> Select[Any]:
    chosen = chosen.where(campaigns.c.id == bindparam("campaign"))
    return chosen.where(evaluators.c.name == bindparam("evaluator")) if one else chosen
