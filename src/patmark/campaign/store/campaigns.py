"""Campaigns: kept when they begin, read back whole or page by page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Engine, Select, bindparam, select

from patmark.campaign.form import Form
from patmark.campaign.plan import Page, Plan
from patmark.campaign.store.database import Database, hash_of, new_secret, now
from patmark.campaign.store.packing import pack_form, pack_page, to_json, unpack_form, unpack_page
from patmark.campaign.store.records import CampaignInfo, Created, PageInfo
from patmark.campaign.store.saving import needed_answers, storable
from patmark.campaign.store.tables import campaigns, evaluators, pages
from patmark.errors import UsageError

_INFO = (
    campaigns.c.id, campaigns.c.name, campaigns.c.created, campaigns.c.closed,
    campaigns.c.form_id, campaigns.c.form_version, campaigns.c.source_language,
    campaigns.c.target_language, campaigns.c.seed, campaigns.c.pass_mark,
)  # fmt: skip


class Campaigns(Database):
    """The part of the store that keeps what was planned."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._forms: dict[str, Form] = {}

    def campaigns(self) -> list[CampaignInfo]:
        """All campaigns of the database, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(select(*_INFO).order_by(campaigns.c.number))
            return [_info(row) for row in rows]

    def campaign(self, campaign: str) -> CampaignInfo:
        """What a campaign is, without its pages."""
        with self._reading() as connection:
            row = connection.execute(select(*_INFO).where(campaigns.c.id == campaign)).first()
        if row is None:
            raise UsageError(f"there is no campaign {campaign!r}")
        return _info(row)

    def create_campaign(self, plan: Plan, expires: str | None = None) -> Created:
        """Keep a plan; gives the secrets, of which only hashes are kept.

        ``expires`` is when the links stop working, as 2026-01-31T00:00:00.000Z.
        """
        _check_plan(plan)
        identity, secret = new_secret()[:16], new_secret()
        links = {name: new_secret() for name in plan.evaluators}
        with self._writing() as connection:
            number = connection.execute(
                campaigns.insert()
                .values(id=identity, organiser_hash=hash_of(secret), **_head(plan))
                .returning(campaigns.c.number)
            ).scalar_one()
            for name, token in links.items():
                self._add(connection, number, plan.form, name, token, expires,
                          plan.pages_of(name))  # fmt: skip
            self._record(connection, number, "created")
        return Created(identity, secret, MappingProxyType(links))

    def plan(self, campaign: str) -> Plan:
        """The whole plan, with all pages as they are assigned now."""
        assigned = _select_pages().where(campaigns.c.id == campaign)
        names = (
            select(evaluators.c.name)
            .join(campaigns, evaluators.c.campaign == campaigns.c.number)
            .where(campaigns.c.id == campaign)
            .order_by(evaluators.c.number)
        )
        with self._snapshot() as connection:
            self._campaign_number(connection, campaign)
            head = connection.execute(select(campaigns).where(campaigns.c.id == campaign)).one()
            people = connection.scalars(names).all()
            rows = connection.execute(assigned.order_by(evaluators.c.number, pages.c.position))
            kept = tuple(unpack_page(row, row.evaluator_name) for row in rows)
        return Plan(
            name=head.name,
            form=unpack_form(head.form),
            source_language=head.source_language,
            target_language=head.target_language,
            evaluators=tuple(people),
            pages=kept,
            seed=int(head.seed),
            pass_mark=head.pass_mark,
            settings=json.loads(head.settings),
            notes=tuple(json.loads(head.notes)),
        )

    def form(self, campaign: str) -> Form:
        """The form of a campaign, which never changes and is read once."""
        if campaign not in self._forms:
            with self._reading() as connection:
                text = connection.scalar(select(campaigns.c.form).where(campaigns.c.id == campaign))
            if text is None:
                raise UsageError(f"there is no campaign {campaign!r}")
            self._forms[campaign] = unpack_form(text)
        return self._forms[campaign]

    def settings(self, campaign: str) -> Mapping[str, Any]:
        """The campaign file as it was read."""
        with self._reading() as connection:
            text = connection.scalar(select(campaigns.c.settings).where(campaigns.c.id == campaign))
        if text is None:
            raise UsageError(f"there is no campaign {campaign!r}")
        return MappingProxyType(json.loads(text))

    def language_of(self, campaign: str, evaluator: str) -> str | None:
        """The language of the pages that the campaign file gives an evaluator, if it does."""
        named = self.settings(campaign).get("evaluators", ())
        return next((one.get("language") for one in named if one["name"] == evaluator), None)

    def pages(self, campaign: str, evaluator: str) -> list[PageInfo]:
        """The pages of an evaluator in their order, without texts."""
        chosen = (
            select(pages.c.id, pages.c.position, pages.c.phase, pages.c.segment)
            .join(evaluators, pages.c.evaluator == evaluators.c.number)
            .join(campaigns, evaluators.c.campaign == campaigns.c.number)
            .where(campaigns.c.id == campaign, evaluators.c.name == evaluator)
            .order_by(pages.c.position)
        )
        with self._reading() as connection:
            return [PageInfo(*row) for row in connection.execute(chosen)]

    def page(self, campaign: str, evaluator: str, page_id: str) -> Page | None:
        """A page with its texts; None if it is not one of this evaluator."""
        names = {"campaign_id": campaign, "evaluator_name": evaluator, "page_id": page_id}
        with self._reading() as connection:
            row = connection.execute(_PAGE, names).first()
        return None if row is None else unpack_page(row, evaluator)

    def _add(
        self, connection: Connection, campaign: int, form: Form, name: str, token: str,
        expires: str | None, given: Iterable[Page],
    ) -> int:  # fmt: skip
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


def _check_plan(plan: Plan) -> None:
    if len(set(plan.evaluators)) < len(plan.evaluators):
        raise UsageError("an evaluator is named twice")
    for name in (plan.name, *plan.evaluators):
        storable(name)
    check_pages(plan.pages, plan.evaluators)


def _head(plan: Plan) -> dict[str, Any]:
    return {
        "name": plan.name,
        "created": now(),
        "form_id": plan.form.id,
        "form_version": plan.form.version,
        "form": pack_form(plan.form),
        "source_language": plan.source_language,
        "target_language": plan.target_language,
        "seed": str(plan.seed),
        "pass_mark": plan.pass_mark,
        "settings": to_json(plan.settings),
        "notes": to_json(list(plan.notes)),
    }


def _info(row: Any) -> CampaignInfo:
    return CampaignInfo(
        row.id, row.name, row.created, row.closed, row.form_id, row.form_version,
        row.source_language, row.target_language, int(row.seed), row.pass_mark,
    )  # fmt: skip


def _select_pages() -> Select[Any]:
    return (
        select(pages, evaluators.c.name.label("evaluator_name"))
        .join(evaluators, pages.c.evaluator == evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
    )


# Built once, because every page that is opened or answered for the first time asks for it.
_PAGE = _select_pages().where(
    campaigns.c.id == bindparam("campaign_id"),
    evaluators.c.name == bindparam("evaluator_name"),
    pages.c.id == bindparam("page_id"),
)
