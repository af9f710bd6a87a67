"""Steps of what organisers decide: people and pages are added, locked, moved and forgotten."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, func, or_, select, update

from patmark.campaign.answers import needed_answers
from patmark.campaign.form import Form
from patmark.campaign.plan import Page, Plan
from patmark.campaign.store.saving import storable
from patmark.campaign.store.tables import (
    answers,
    campaigns,
    consensus,
    evaluators,
    events,
    hash_of,
    now,
    pack_page,
    pages,
    remarks,
    to_json,
)
from patmark.errors import UsageError

_FORGOTTEN = "(forgotten)"


def number_of(connection: Connection, campaign: str) -> int:
    """The key of a campaign that must exist."""
    chosen = select(campaigns.c.number).where(campaigns.c.id == campaign)
    found = connection.scalar(chosen)
    if found is None:
        raise UsageError(f"there is no campaign {campaign!r}")
    return int(found)


def lock_evaluator(connection: Connection, campaign: str, evaluator: str) -> int:
    """The key of an evaluator who must exist, locked so that no save runs meanwhile."""
    number = number_of(connection, campaign)
    found = connection.scalar(
        select(evaluators.c.number)
        .where(evaluators.c.campaign == number, evaluators.c.name == evaluator)
        .with_for_update(key_share=True)
    )
    if found is None:
        raise UsageError(f"campaign {campaign!r} has no evaluator {evaluator!r}")
    return int(found)


def lock_everybody(connection: Connection, campaign: int) -> None:
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


def add_event(
    connection: Connection,
    campaign: int,
    action: str,
    evaluator: int | None = None,
    detail: str = "",
    by: str = "organiser",
) -> None:
    """Add to the log of the campaign."""
    connection.execute(
        events.insert().values(
            campaign=campaign, evaluator=evaluator, at=now(), actor=by, action=action, detail=detail
        )
    )


def insert_evaluator(
    connection: Connection,
    campaign: int,
    form: Form,
    name: str,
    token: str,
    expires: str | None,
    given: Iterable[Page],
) -> int:
    """Add an evaluator with pages to a campaign; gives the number."""
    number: int = connection.execute(
        evaluators.insert()
        .values(campaign=campaign, name=name, token_hash=hash_of(token), expires=expires)
        .returning(evaluators.c.number)
    ).scalar_one()
    rows = [
        {
            "campaign": campaign,
            "evaluator": number,
            "id": page.id,
            "position": page.position,
            "phase": page.phase,
            "segment": page.segment,
            "labels": to_json([candidate.label for candidate in page.candidates]),
            "needed": needed_answers(form, page),
            "body": pack_page(page),
        }
        for page in given
    ]
    if rows:
        connection.execute(pages.insert(), rows)
    return number


def check_plan(plan: Plan) -> None:
    if len(set(plan.evaluators)) < len(plan.evaluators):
        raise UsageError("an evaluator is named twice")
    for name in (plan.name, *plan.evaluators):
        storable(name)
    check_pages(plan.pages, plan.evaluators)


def check_pages(given: Iterable[Page], names: Iterable[str]) -> None:
    """Refuse pages that nobody could keep apart, or that belong to nobody of these."""
    known, seen = set(names), set[str]()
    for page in given:
        if page.evaluator not in known:
            raise UsageError(f"page {page.id} is for {page.evaluator!r}, who is no evaluator")
        if page.id in seen:
            raise UsageError(f"page {page.id} occurs twice")
        seen.add(storable(page.id))
        storable(page.segment)


def owners_of(connection: Connection, campaign: int, wanted: list[str]) -> dict[str, int]:
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


def move_pages(connection: Connection, campaign: int, ids: list[str], target: int) -> None:
    """Put pages after those that the evaluator has."""
    last = connection.scalar(select(func.max(pages.c.position)).where(pages.c.evaluator == target))
    for position, id in enumerate(ids, start=0 if last is None else last + 1):
        connection.execute(
            update(pages)
            .where(pages.c.campaign == campaign, pages.c.id == id)
            .values(evaluator=target, position=position)
        )


def forget_name(connection: Connection, campaign: int, name: str) -> None:
    """Take the name out of the campaign file and out of all notes."""
    row = connection.execute(
        select(campaigns.c.settings, campaigns.c.notes).where(campaigns.c.number == campaign)
    ).one()
    alone = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    notes = [alone.sub(_FORGOTTEN, note) for note in json.loads(row.notes)]
    settings = json.loads(row.settings)
    for part in (settings, settings.get("file")):
        if isinstance(part, dict) and isinstance(part.get("evaluators"), list):
            part["evaluators"] = [_without_name(one, name) for one in part["evaluators"]]
    connection.execute(
        update(campaigns)
        .where(campaigns.c.number == campaign)
        .values(settings=to_json(settings), notes=to_json(notes))
    )
    said = select(consensus.c.number, consensus.c.note).where(consensus.c.campaign == campaign)
    for agreed in connection.execute(said).all():
        without = alone.sub(_FORGOTTEN, agreed.note)
        if without != agreed.note:
            connection.execute(
                update(consensus).where(consensus.c.number == agreed.number).values(note=without)
            )


def _without_name(evaluator: Any, name: str) -> Any:
    """An evaluator of a campaign file: a name, or an object with a name."""
    if isinstance(evaluator, dict):
        is_meant = str(evaluator.get("name", "")).strip() == name
        return {"name": _FORGOTTEN} if is_meant else evaluator
    return _FORGOTTEN if str(evaluator).strip() == name else evaluator
