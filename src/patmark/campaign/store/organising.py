"""Steps of what organisers decide: people and pages are added, locked, moved and forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import regex
from sqlalchemy import Column, ColumnElement, Connection, delete, func, or_, select, update

from patmark.campaign.enrolment import Enrolment
from patmark.campaign.form import Form
from patmark.campaign.plan import Page, Plan
from patmark.campaign.records import NoCampaign
from patmark.campaign.store.pool import page_row
from patmark.campaign.store.saving import storable
from patmark.campaign.store.tables import (
    answers,
    campaigns,
    consensus,
    evaluators,
    events,
    hash_of,
    new_secret,
    now,
    organisers,
    pages,
    remarks,
    sessions,
    to_json,
    unpack_form,
)
from patmark.errors import UsageError

_FORGOTTEN = "(forgotten)"


def number_of(connection: Connection, campaign: str) -> int:
    """The key of a campaign that must exist."""
    chosen = select(campaigns.c.number).where(campaigns.c.id == campaign)
    found = connection.scalar(chosen)
    if found is None:
        raise NoCampaign(campaign)
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


def lock_everybody(connection: Connection, campaign: str) -> None:
    """Wait for all saves that run, and hold back new ones until the transaction ends.

    In the order of names in which saves lock, too. A write to SQLite has locked all of it already.
    """
    if connection.dialect.name == "sqlite":
        return
    connection.execute(
        select(evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .where(campaigns.c.id == campaign)
        .order_by(evaluators.c.name.collate("C"))
        .with_for_update(key_share=True, of=evaluators)
    ).all()


def add_event(
    connection: Connection,
    campaign: int | None,
    action: str,
    evaluator: int | None = None,
    detail: str = "",
    *,
    by: str = "organiser",
    organiser: str | None = None,
) -> None:
    """Add to the log of a campaign, or of the database."""
    connection.execute(
        events.insert().values(
            campaign=campaign,
            evaluator=evaluator,
            at=now(),
            actor=by,
            organiser=organiser,
            action=action,
            detail=detail,
        )
    )


def organiser_row(connection: Connection, campaign: int | None, name: str) -> Any:
    """The number and state of an organiser of a campaign, or of all; None if there is none."""
    own = organisers.c.campaign.is_not_distinct_from(campaign) & (organisers.c.name == name)
    return connection.execute(select(organisers).where(own)).first()


def lock_campaign(connection: Connection, campaign: int) -> None:
    """Let no other decision that locks the campaign run until the transaction ends."""
    chosen = select(campaigns.c.number).where(campaigns.c.number == campaign)
    connection.execute(chosen.with_for_update(key_share=True))


def is_last_organiser(connection: Connection, row: Any) -> bool:
    """Whether nobody else organises the campaign of an organiser."""
    mine = organisers.c
    others = select(mine.number).where(
        mine.campaign == row.campaign, mine.revoked.is_(None), mine.number != row.number
    )
    return row.revoked is None and connection.execute(others).first() is None


def insert_organiser(connection: Connection, campaign: int | None, name: str, secret: str) -> None:
    """Add an organiser with a link."""
    connection.execute(
        organisers.insert().values(
            campaign=campaign, name=name, token_hash=hash_of(secret), added=now()
        )
    )


def insert_session(
    connection: Connection,
    seconds: float,
    evaluator: int | None = None,
    organiser: int | None = None,
) -> str:
    """A session for so many seconds; those that have ended are deleted. Gives its token."""
    token = new_secret()
    connection.execute(delete(sessions).where(sessions.c.expires <= now()))
    connection.execute(
        sessions.insert().values(
            hash=hash_of(token), evaluator=evaluator, organiser=organiser, expires=now(seconds)
        )
    )
    return token


def insert_evaluator(
    connection: Connection,
    campaign: int,
    form: Form,
    name: str,
    token: str | None,
    expires: str | None,
    given: Iterable[Page],
) -> int:
    """Add an evaluator with pages to a campaign; gives the number.

    Who comes by the common link has no token. Where nothing is asked before the start, they are
    enrolled at once.
    """
    settings = connection.scalar(select(campaigns.c.settings).where(campaigns.c.number == campaign))
    asked = Enrolment.of(json.loads(settings or "{}"))
    number: int = connection.execute(
        evaluators.insert()
        .values(
            campaign=campaign,
            name=name,
            token_hash=None if token is None else hash_of(token),
            expires=expires,
            enrolled=None if asked else now(),
        )
        .returning(evaluators.c.number)
    ).scalar_one()
    owner = {"campaign": campaign, "evaluator": number}
    rows = [page_row(form, page, **owner) for page in given]
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
    """Take the name out of the campaign file, and out of all that anybody wrote."""
    own = evaluators.c.campaign == campaign
    others = connection.scalars(select(evaluators.c.name).where(own)).all()
    without = _taking_out(name, others)
    row = connection.execute(
        select(campaigns.c.form, campaigns.c.settings, campaigns.c.notes).where(
            campaigns.c.number == campaign
        )
    ).one()
    notes = [without(note) for note in json.loads(row.notes)]
    settings = renamed_settings(json.loads(row.settings), {name: _FORGOTTEN})
    connection.execute(
        update(campaigns)
        .where(campaigns.c.number == campaign)
        .values(settings=to_json(settings), notes=to_json(notes))
    )
    people = select(evaluators.c.number).where(own)
    is_free = answers.c.question.in_(unpack_form(row.form).free_texts)
    for column, is_own, changed in (
        (consensus.c.note, consensus.c.campaign == campaign, without),
        (events.c.detail, events.c.campaign == campaign, without),
        (evaluators.c.excluded, own, without),
        (remarks.c.text, remarks.c.evaluator.in_(people), without),
        (answers.c.detail, answers.c.evaluator.in_(people), partial(_in_detail, without)),
        (answers.c.value, answers.c.evaluator.in_(people) & is_free, without),
    ):
        _change(connection, column, is_own & _may_hold(column, name), changed)


def renamed_settings(settings: Mapping[str, Any], called: Mapping[str, str]) -> dict[str, Any]:
    """The campaign file with other names in the place of some, also as it was written."""
    found: dict[str, Any] = json.loads(to_json(settings))
    for part in (found, found.get("file")):
        if isinstance(part, dict) and isinstance(part.get("evaluators"), list):
            part["evaluators"] = [_renamed(one, called) for one in part["evaluators"]]
    return found


def _renamed(evaluator: Any, called: Mapping[str, str]) -> Any:
    """An evaluator of a campaign file: a name, or an object with a name.

    Of somebody who is forgotten nothing else stays.
    """
    is_object = isinstance(evaluator, dict)
    name = str(evaluator.get("name", "") if is_object else evaluator).strip()
    new = called.get(name, name)
    if not is_object:
        return new if name in called else evaluator
    return {"name": new} if new == _FORGOTTEN else {**evaluator, "name": new}


def _may_hold(column: Column[Any], name: str) -> ColumnElement[bool]:
    """Whether a text may hold a name, which is written as JSON has it in some of them."""
    written = {name, json.dumps(name, ensure_ascii=False)[1:-1]}
    return or_(*(column.contains(one, autoescape=True) for one in written))


def _change(
    connection: Connection, column: Column[Any], chosen: Any, changed: Callable[[str], str]
) -> None:
    """Change the texts of some rows."""
    numbers = column.table.c.number
    for number, before in connection.execute(select(numbers, column).where(chosen)).all():
        after = changed(before)
        if after != before:
            row = update(column.table).where(numbers == number)
            connection.execute(row.values({column.name: after}))


def _in_detail(without: Callable[[str], str], detail: str) -> str:
    """The detail of an answer with a name taken out of the evaluator's own words."""
    parts = json.loads(detail)
    return to_json(
        parts | {key: without(parts[key]) for key in ("reason", "comment") if parts.get(key)}
    )


_LETTER = r"[\w--\p{Han}--\p{Hiragana}--\p{Katakana}]"
"""What goes on with a word; scripts without blanks have no ends of words."""


def _taking_out(name: str, others: Iterable[str]) -> Callable[[str], str]:
    """Takes a name out of texts where it is no part of a longer word, nor of another's name."""
    known = sorted({name, *others}, key=len, reverse=True)
    pattern = regex.compile("|".join(map(_alone, known)), regex.VERSION1)

    def without(text: str) -> str:
        return pattern.sub(lambda found: _FORGOTTEN if found[0] == name else found[0], text)

    return without


def _alone(name: str) -> str:
    """A pattern for a name with no letters around it."""
    first, last = (regex.fullmatch(_LETTER, end, regex.VERSION1) for end in (name[0], name[-1]))
    before, after = f"(?<!{_LETTER})" if first else "", f"(?!{_LETTER})" if last else ""
    return f"{before}{regex.escape(name)}{after}"
