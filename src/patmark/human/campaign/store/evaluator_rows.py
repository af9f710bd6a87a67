"""Rows of evaluators and their pages, as every way to add an evaluator inserts them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from patmark.errors import UsageError
from patmark.human.campaign.enrolment import Enrolment
from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import Page
from patmark.human.campaign.store.pool import page_row
from patmark.human.campaign.store.tables import campaigns, evaluators, hash_of, now, pages, storable
from patmark.wording import tr


def insert_evaluator(
    connection: Connection,
    campaign: int,
    form: Form,
    name: str,
    token: str | None,
    expires: str | None,
    given: Iterable[Page],
) -> int:
    """Insert an evaluator with pages into a campaign, and return the key.

    People who join by the common link have no token. If nothing is asked before the start, the
    evaluator is enrolled at once.
    """
    settings = connection.scalar(select(campaigns.c.settings).where(campaigns.c.number == campaign))
    asked = Enrolment.of(json.loads(settings or "{}"))
    try:
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
    except IntegrityError:
        raise UsageError(tr("the campaign has an evaluator '{name}' already", name=name)) from None
    owner = {"campaign": campaign, "evaluator": number}
    rows = [page_row(form, page, **owner) for page in given]
    if rows:
        connection.execute(pages.insert(), rows)
    return number


def check_pages(given: Iterable[Page], names: Iterable[str]) -> None:
    """Refuse pages that share an id, repeat the outputs of another, or belong to nobody."""
    known, seen = set(names), set[str]()
    judged: set[tuple[str, str]] = set()
    for page in given:
        if page.evaluator not in known:
            raise UsageError(f"page {page.id} is for {page.evaluator!r}, who is no evaluator")
        if page.id in seen:
            raise UsageError(f"page {page.id} occurs twice")
        if page.phase == "main" and (page.evaluator, page.content) in judged:
            raise UsageError(f"page {page.id}: {page.evaluator!r} judges the same outputs twice")
        judged.add((page.evaluator, page.content))
        seen.add(storable(page.id))
        storable(page.segment)
