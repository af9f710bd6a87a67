"""Campaigns as a whole: list, creation, clones, address, closing, archive, deletion."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, delete, func, select

from patmark.errors import UsageError
from patmark.human.campaign.plan import Plan
from patmark.human.campaign.records import (
    CampaignInfo,
    CampaignOverview,
    Created,
    PageCounts,
    Progress,
)
from patmark.human.campaign.settings import name_problem, same_name
from patmark.human.campaign.store.access import (
    ORGANISER,
    check_pages,
    end_access,
    insert_evaluator,
    insert_organiser,
)
from patmark.human.campaign.store.forgetting import renamed_settings
from patmark.human.campaign.store.pool import insert_pool, pool_items
from patmark.human.campaign.store.queries import (
    campaign_info,
    campaign_row,
    select_access,
    select_campaigns,
)
from patmark.human.campaign.store.state_reader import StateReader
from patmark.human.campaign.store.tables import (
    answers,
    campaigns,
    evaluators,
    hash_of,
    new_secret,
    now,
    pages,
    seconds_between,
    storable,
    to_json,
)
from patmark.human.campaign.store.transactions import (
    change_row,
    lock_campaign_names,
    lock_evaluator,
    lock_everybody,
    number_of,
)
from patmark.wording import tr

_ADDRESS = "base_url"


class CampaignStore(StateReader):
    """Decisions about whole campaigns."""

    def campaigns(self) -> list[CampaignInfo]:
        """Return all campaigns of the database, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(select_campaigns().order_by(campaigns.c.number))
            return [campaign_info(row) for row in rows]

    def campaign(self, campaign: str) -> CampaignInfo:
        """Return a campaign without its pages."""
        with self._reading() as connection:
            return campaign_info(campaign_row(connection, campaign))

    def overview(self) -> list[CampaignOverview]:
        """Return all campaigns with their progress, newest first; no page is read."""
        counted: defaultdict[int, PageCounts] = defaultdict(Counter)
        people = select(evaluators.c.campaign, func.count()).group_by(evaluators.c.campaign)
        with self._snapshot() as connection:
            rows = connection.execute(select_campaigns().order_by(campaigns.c.number.desc())).all()
            numbers = {row[0]: row[1] for row in connection.execute(people)}
            for number, phase, pooled, done, count in connection.execute(_PAGES_PER_CAMPAIGN):
                counted[number][phase, bool(pooled), done] = count
            saved = {row[0]: row[1] for row in connection.execute(_LAST_SAVES)}
        return [
            CampaignOverview(
                info := campaign_info(row),
                numbers.get(row.number, 0),
                Progress.of(info, counted[row.number]),
                saved.get(row.number),
            )
            for row in rows
        ]

    def create_campaign(
        self,
        plan: Plan,
        expires: str | None = None,
        address: str | None = None,
        *,
        new_name: bool = False,
    ) -> Created:
        """Store a plan, and return the secrets, of which only hashes are stored.

        ``expires`` is the time when links end, as 2026-01-31T00:00:00.000Z; ``address`` that of
        the server, to which all links lead. ``new_name`` refuses the name of another campaign.
        """
        with self._writing() as connection:
            if new_name:
                _check_new_name(connection, plan.name)
            expiry = dict.fromkeys(plan.evaluators, expires)
            created, number = _insert_campaign(connection, plan, expiry, address)
            self._log(connection, number, "created")
        return created

    def clone(self, campaign: str, name: str, renamed: Mapping[str, str] | None = None) -> Created:
        """Create a campaign with the same people and pages, and nobody's answers.

        ``renamed`` puts other people in the place of some, by their names. Links last as long as
        the old ones. People without access or excluded get no link and keep the pages, for others
        to take; whoever came by the common link comes again by the new one.
        """
        if problem := name_problem(name):
            raise UsageError(f"the name of the campaign {problem}")
        with self._writing() as connection:
            _check_new_name(connection, name)
            number_of(connection, campaign)
            lock_everybody(connection, campaign)
            _, state = self._read_state(connection, campaign)
            people = connection.execute(select_access(), {"campaign": campaign}).all()
            kept = [one for one in people if one.token_hash or one.revoked or one.excluded]
            called = _new_names([one.name for one in kept], renamed or {})
            settings = renamed_settings(state.settings, called)
            if asked := settings.get("completion"):
                settings["completion"] = {**asked, "secret": new_secret()}
            plan = replace(
                state.plan,
                name=name,
                evaluators=tuple(called.values()),
                pages=tuple(
                    replace(state.texts[page.id], evaluator=called[page.evaluator])
                    for page in state.pages
                    if page.item is None and page.evaluator in called
                ),
                pool=pool_items(connection, campaign),
                settings=settings,
            )
            expires = {
                called[one.name]: now(seconds_between(state.info.created, one.expires))
                for one in kept
                if one.expires is not None
            }
            created, number = _insert_campaign(connection, plan, expires)
            self._log(connection, number, "created")
            self._log(connection, number, "cloned", detail=f"from {state.info.name}")
            shut_out = sorted(called[one.name] for one in kept if one.revoked or one.excluded)
            for gone in shut_out:
                end_access(connection, key := lock_evaluator(connection, created.campaign, gone))
                self._log(connection, number, "revoked", key)
        links = {one: token for one, token in created.links.items() if one not in shut_out}
        return replace(created, links=MappingProxyType(links))

    def delete_campaign(self, campaign: str) -> None:
        """Delete a campaign with everything in it; only the log of the database records it."""
        with self._writing() as connection:
            row = campaign_row(connection, campaign)
            lock_everybody(connection, campaign)
            connection.execute(delete(campaigns).where(campaigns.c.number == row.number))
            self._log(connection, None, "deleted a campaign", detail=row.name)
        self._forget_state(campaign)
        self._wipe()

    def settings(self, campaign: str) -> Mapping[str, Any]:
        """Return the campaign file as it was read, and the address to which links lead."""
        with self._reading() as connection:
            return MappingProxyType(json.loads(campaign_row(connection, campaign).settings))

    def address(self, campaign: str) -> str | None:
        """Return the address of the server for links, None if unknown."""
        address: str | None = self.settings(campaign).get(_ADDRESS)
        return address

    def set_address(self, campaign: str, address: str) -> None:
        """Let new links lead to a server at another address."""
        with self._writing() as connection:
            row = campaign_row(connection, campaign)
            settings = json.loads(row.settings)
            if settings.get(_ADDRESS) == address:
                return
            settings = to_json(settings | {_ADDRESS: storable(address)})
            change_row(connection, campaigns, row.number, settings=settings)
            self._log(connection, row.number, "new address", detail=address)

    # Opening and closing; False means that there was nothing to change

    def close_campaign(self, campaign: str) -> bool:
        """Refuse answers: each save either was acknowledged before this returns, or is refused."""
        return self._change(campaign, "closed", closed=now())

    def reopen(self, campaign: str) -> bool:
        """Accept answers again; an archived campaign leaves the archive."""
        return self._change(campaign, "reopened", closed=None, archived=None)

    def archive(self, campaign: str) -> bool:
        """Close a campaign, and list it only on request. Nothing is deleted."""
        return self._change(campaign, "archived", closed=now(), archived=now())

    def unarchive(self, campaign: str) -> bool:
        """List a campaign with the others again. It stays closed."""
        return self._change(campaign, "taken out of the archive", archived=None)

    def _change(self, campaign: str, action: str, **values: str | None) -> bool:
        """Set times of a campaign that are not set, or unset them, and log it."""
        with self._writing() as connection:
            lock_everybody(connection, campaign)
            row = campaign_row(connection, campaign)
            changed = {
                name: value
                for name, value in values.items()
                if (value is None) != (getattr(row, name) is None)
            }
            if changed:
                change_row(connection, campaigns, row.number, **changed)
                self._log(connection, row.number, action)
        return bool(changed)


def _insert_campaign(
    connection: Connection,
    plan: Plan,
    expires: Mapping[str, str | None],
    address: str | None = None,
) -> tuple[Created, int]:
    if len(set(plan.evaluators)) < len(plan.evaluators):
        raise UsageError("an evaluator is named twice")
    for name in (plan.name, *plan.evaluators):
        storable(name)
    check_pages(plan.pages, plan.evaluators)
    settings = dict(plan.settings) | ({_ADDRESS: address} if address else {})
    identity, secret = new_secret()[:16], new_secret()
    join = new_secret() if settings.get("join") else None
    links = {name: new_secret() for name in plan.evaluators}
    number = connection.execute(
        campaigns.insert()
        .values(
            id=identity,
            name=plan.name,
            created=now(),
            form_id=plan.form.id,
            form_version=plan.form.version,
            form=to_json(plan.form),
            source_language=plan.source_language,
            target_language=plan.target_language,
            seed=str(plan.seed),
            pass_mark=plan.pass_mark,
            settings=to_json(settings),
            notes=to_json(list(plan.notes)),
            join_hash=hash_of(join) if join else None,
        )
        .returning(campaigns.c.number)
    ).scalar_one()
    for name, token in links.items():
        own = plan.pages_of(name)
        insert_evaluator(connection, number, plan.form, name, token, expires.get(name), own)
    insert_organiser(connection, number, ORGANISER, secret)
    insert_pool(connection, number, plan.pool)
    return Created(identity, secret, MappingProxyType(links), join), number


def _check_new_name(connection: Connection, name: str) -> None:
    lock_campaign_names(connection)
    same = connection.scalar(select(campaigns.c.id).where(campaigns.c.name == name).limit(1))
    if same is not None:
        raise UsageError(
            tr("there is a campaign '{name}' already ({id}); take another name", name=name, id=same)
        )


def _new_names(people: Sequence[str], renamed: Mapping[str, str]) -> dict[str, str]:
    """Return everybody's name in a clone, by the name before; refuse bad and equal names."""
    for old, new in renamed.items():
        if old not in people:
            raise UsageError(f"the campaign has no evaluator {old!r} to be renamed")
        if problem := name_problem(new):
            raise UsageError(f"the name {new!r} {problem}")
    called = {name: renamed.get(name, name) for name in people}
    for place, name in enumerate(called.values()):
        if same := same_name(name, list(called.values())[:place]):
            raise UsageError(f"two evaluators would be called {same!r}")
    return called


_POOLED = pages.c.item.is_not(None)
_PAGES_PER_CAMPAIGN = (
    select(pages.c.campaign, pages.c.phase, _POOLED, pages.c.done, func.count())
    .join(evaluators, pages.c.evaluator == evaluators.c.number)
    .where(pages.c.released.is_(None), evaluators.c.excluded.is_(None))
    .group_by(pages.c.campaign, pages.c.phase, _POOLED, pages.c.done)
)
_LAST_SAVES = (
    select(pages.c.campaign, func.max(answers.c.saved))
    .join(answers, answers.c.page == pages.c.number)
    .where(pages.c.released.is_(None))
    .group_by(pages.c.campaign)
)
