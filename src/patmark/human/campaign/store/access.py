"""Access: links of evaluators and organisers, the common link, enrolment and sessions."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError

from patmark.errors import UsageError
from patmark.human.campaign.enrolment import Enrolment
from patmark.human.campaign.extension import pages_for_newcomer
from patmark.human.campaign.form import Form
from patmark.human.campaign.plan import Page, Plan
from patmark.human.campaign.records import (
    CampaignInfo,
    EvaluatorInfo,
    OrganiserInfo,
    Refused,
    Session,
)
from patmark.human.campaign.settings import most_who_join, name_problem
from patmark.human.campaign.store.pool import page_row, pool_items
from patmark.human.campaign.store.queries import (
    campaign_info,
    campaign_row,
    evaluator_info,
    select_access,
    select_campaigns,
    select_evaluators,
)
from patmark.human.campaign.store.state_reader import SESSION_OPENED, StateReader
from patmark.human.campaign.store.tables import (
    campaigns,
    csrf_of,
    evaluators,
    hash_of,
    new_secret,
    now,
    organisers,
    pages,
    sessions,
    storable,
    to_json,
)
from patmark.human.campaign.store.transactions import (
    add_event,
    change_row,
    lock_campaign,
    lock_campaign_names,
    lock_evaluator,
    number_of,
)
from patmark.wording import tr

ORGANISER = "organiser"
"""The organiser of a new campaign, until others are added."""


class AccessStore(StateReader):
    """Decisions about who may come in, and the sessions of those who did."""

    def evaluators(self, campaign: str) -> list[EvaluatorInfo]:
        """Return all evaluators of a campaign, in the order in which they came."""
        with self._reading() as connection:
            number_of(connection, campaign)
            rows = connection.execute(select_evaluators(), {"campaign": campaign})
            return [evaluator_info(row) for row in rows]

    def evaluator_of(self, token: str) -> EvaluatorInfo | None:
        """Return the evaluator with this link; None if it is unknown, revoked or expired."""
        chosen = select_evaluators(anywhere=True, pool=False).where(
            evaluators.c.token_hash == hash_of(token),
            evaluators.c.revoked.is_(None),
            or_(evaluators.c.expires.is_(None), evaluators.c.expires > now()),
        )
        with self._reading() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else evaluator_info(row)

    def new_token(self, campaign: str, evaluator: str, expires: str | None = None) -> str:
        """Make a new link; this ends the old one and its sessions, and lifts a revocation.

        ``expires`` is a time as ``now`` gives it: 2026-01-31T00:00:00.000Z.
        """
        token = new_secret()
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            values = {"token_hash": hash_of(token), "expires": expires, "revoked": None}
            change_row(connection, evaluators, number, **values)
            connection.execute(delete(sessions).where(sessions.c.evaluator == number))
            self._log(connection, number_of(connection, campaign), "new link", number)
        return token

    def revoke(self, campaign: str, evaluator: str) -> None:
        """End all access of an evaluator; the answers stay. ``new_token`` gives access again."""
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            end_access(connection, number)
            self._log(connection, number_of(connection, campaign), "revoked", number)

    # Organisers

    def organiser_of(self, secret: str) -> OrganiserInfo | None:
        """Return the organiser with this link; None if it is unknown or revoked."""
        chosen = _select_organisers().where(organisers.c.token_hash == hash_of(secret))
        with self._reading() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else OrganiserInfo(*row)

    def organisers(self, campaign: str | None) -> list[OrganiserInfo]:
        """Return the organisers of a campaign, or of all campaigns, in the order of arrival."""
        with self._reading() as connection:
            number = _number_or_none(connection, campaign)
            own = organisers.c.campaign.is_not_distinct_from(number)
            rows = connection.execute(_select_organisers().where(own).order_by(organisers.c.number))
            return [OrganiserInfo(*row) for row in rows]

    def add_organiser(self, campaign: str | None, name: str) -> str:
        """Add an organiser of a campaign, or of all campaigns; return the secret of the link."""
        secret, name = new_secret(), storable(name.strip())
        if problem := name_problem(name):
            raise UsageError(f"the organiser {name!r} {problem}")
        with self._writing() as connection:
            number = _number_or_none(connection, campaign)
            if number is None:
                lock_campaign_names(connection)  # no constraint covers organisers of all campaigns
            else:
                lock_campaign(connection, number)
            if _organiser_row(connection, number, name) is not None:
                raise UsageError(f"there is an organiser {name!r} already")
            insert_organiser(connection, number, name, secret)
            self._log(connection, number, "added an organiser", detail=name)
        return secret

    def new_organiser_secret(self, campaign: str | None, name: str = ORGANISER) -> str:
        """Make a new link of an organiser; this ends the old one, its sessions and a revocation."""
        secret = new_secret()
        values = {"token_hash": hash_of(secret), "revoked": None}
        self._change_organiser(campaign, name, "new link of an organiser", values)
        return secret

    def revoke_organiser(self, campaign: str | None, name: str) -> None:
        """End all access of an organiser. The last one of a campaign cannot be shut out."""
        values = {"token_hash": None, "revoked": now()}
        self._change_organiser(campaign, name, "revoked an organiser", values)

    def _change_organiser(
        self, campaign: str | None, name: str, action: str, values: Mapping[str, Any]
    ) -> None:
        with self._writing() as connection:
            number = _number_or_none(connection, campaign)
            if number is not None:
                lock_campaign(connection, number)
            row = _organiser_row(connection, number, name)
            if row is None:
                raise UsageError(f"there is no organiser {name!r}")
            if number is not None and values["revoked"] and _is_last_organiser(connection, row):
                raise UsageError(
                    f"{name!r} is the only organiser of the campaign; add another before"
                )
            change_row(connection, organisers, row.number, **values)
            connection.execute(delete(sessions).where(sessions.c.organiser == row.number))
            self._log(connection, number, action, detail=name)

    # Sessions

    def open_session(self, campaign: str, evaluator: str, seconds: float) -> str:
        """Open a session of an evaluator for so many seconds, and return its token."""
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            revoked = select(evaluators.c.revoked).where(evaluators.c.number == number)
            if connection.scalar(revoked) is not None:
                raise UsageError("the evaluator has no access any more")
            campaign_number = number_of(connection, campaign)
            add_event(connection, campaign_number, SESSION_OPENED, number, by="evaluator")
            return _insert_session(connection, seconds, evaluator=number)

    def open_organiser_session(
        self, campaign: str | None, seconds: float, name: str = ORGANISER
    ) -> str:
        """Open a session of an organiser of a campaign, or of all campaigns."""
        with self._writing() as connection:
            number = _number_or_none(connection, campaign)
            row = _organiser_row(connection, number, name)
            if row is None or row.revoked is not None:
                raise UsageError("the organiser has no access any more")
            add_event(connection, number, SESSION_OPENED, organiser=name)
            return _insert_session(connection, seconds, organiser=row.number)

    def session(self, token: str) -> Session | None:
        """Return the session with this token; None if it has ended or never was."""
        with self._reading() as connection:
            row = connection.execute(_SESSION, {"hash": hash_of(token), "now": now()}).first()
        if row is None:
            return None
        return Session(row.id, row.evaluator, row.organiser, csrf_of(token), row.expires)

    def close_session(self, token: str) -> None:
        """End a session; nothing happens if there is none."""
        with self._writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.hash == hash_of(token)))

    # The common link, and enrolment

    def joined_by(self, secret: str) -> CampaignInfo | None:
        """Return the campaign with this common link, which everybody may use."""
        chosen = select_campaigns().where(campaigns.c.join_hash == hash_of(secret))
        with self._reading() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else campaign_info(row)

    def new_join_secret(self, campaign: str) -> str:
        """Make a new common link and end the old one; people who came by it stay."""
        secret = new_secret()
        self._change_join(campaign, "new common link", hash_of(secret))
        return secret

    def revoke_join(self, campaign: str) -> None:
        """End the common link; whoever came by it stays."""
        self._change_join(campaign, "ended the common link", None)

    def _change_join(self, campaign: str, action: str, join_hash: str | None) -> None:
        with self._writing() as connection:
            row = campaign_row(connection, campaign)
            if not json.loads(row.settings).get("join"):
                raise UsageError(f"campaign {row.name!r} has no common link: it has no join")
            change_row(connection, campaigns, row.number, join_hash=join_hash)
            self._log(connection, row.number, action)

    def join(self, campaign: str, name: str, code: str = "") -> str:
        """Let a visitor of the common link join, and return their return code.

        With that code the same person may come again; without it the name cannot be taken. Names
        of people with a private link, or without access, cannot be taken either. Closed campaigns,
        and those with enough people, refuse newcomers.
        """
        form = self.form(campaign)
        with self._writing() as connection:
            lock_campaign(connection, number_of(connection, campaign))
            row = campaign_row(connection, campaign)
            people = connection.execute(select_access(), {"campaign": campaign}).all()
            known = next((one for one in people if one.name == name), None)
            if known is not None and (known.token_hash is not None or known.revoked is not None):
                raise UsageError(tr("somebody of this name takes part already"))
            if known is not None and known.return_hash not in (None, hash_of(code)):
                raise Refused("return-code", tr("the return code is missing or wrong"))
            code = code if known is not None and known.return_hash else _return_code()
            if known is not None:
                change_row(connection, evaluators, known.number, return_hash=hash_of(code))
                return code
            if row.closed is not None:
                raise UsageError(tr("the campaign is closed"))
            settings = json.loads(row.settings)
            came = sum(one.token_hash is None and one.revoked is None for one in people)
            if came >= most_who_join(settings):
                raise Refused("full", "as many people take part as are needed")
            info = campaign_info(row)
            plan = Plan(
                name=info.name,
                form=form,
                source_language=info.source_language,
                target_language=info.target_language,
                evaluators=tuple(one.name for one in people),
                pages=(),
                seed=info.seed,
                settings=settings,
                pool=pool_items(connection, campaign, ["training"]),
            )
            made = pages_for_newcomer(plan, name)
            added = insert_evaluator(connection, row.number, form, name, None, None, made)
            change_row(connection, evaluators, added, return_hash=hash_of(code))
            add_event(connection, row.number, "joined", added, by="evaluator")
            return code

    def enrol(self, campaign: str, evaluator: str, background: Mapping[str, str]) -> None:
        """Store the consent of an evaluator and their background, once; the first one counts."""
        for given in background.values():
            storable(given)
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            own = update(evaluators).where(evaluators.c.number == number)
            values = {"enrolled": now(), "background": to_json(background)}
            changed = connection.execute(own.where(evaluators.c.enrolled.is_(None)).values(values))
            if changed.rowcount:
                key = number_of(connection, campaign)
                add_event(connection, key, "enrolled", number, by="evaluator")


def end_access(connection: Connection, evaluator: int) -> None:
    """End the link and all sessions of an evaluator."""
    since = func.coalesce(evaluators.c.revoked, now())
    change_row(connection, evaluators, evaluator, token_hash=None, revoked=since)
    connection.execute(delete(sessions).where(sessions.c.evaluator == evaluator))


def insert_organiser(connection: Connection, campaign: int | None, name: str, secret: str) -> None:
    """Insert an organiser with a link."""
    connection.execute(
        organisers.insert().values(
            campaign=campaign, name=name, token_hash=hash_of(secret), added=now()
        )
    )


def _organiser_row(connection: Connection, campaign: int | None, name: str) -> Any:
    own = organisers.c.campaign.is_not_distinct_from(campaign) & (organisers.c.name == name)
    return connection.execute(select(organisers).where(own)).first()


def _is_last_organiser(connection: Connection, row: Any) -> bool:
    mine = organisers.c
    others = select(mine.number).where(
        mine.campaign == row.campaign, mine.revoked.is_(None), mine.number != row.number
    )
    return row.revoked is None and connection.execute(others).first() is None


def _return_code() -> str:
    """Return a code of 50 random bits that is easy to copy by hand: no 0, O, 1 or I."""
    return "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(10))


def _insert_session(
    connection: Connection,
    seconds: float,
    evaluator: int | None = None,
    organiser: int | None = None,
) -> str:
    """Insert a session for so many seconds, delete expired ones, and return the token."""
    token = new_secret()
    connection.execute(delete(sessions).where(sessions.c.expires <= now()))
    connection.execute(
        sessions.insert().values(
            hash=hash_of(token), evaluator=evaluator, organiser=organiser, expires=now(seconds)
        )
    )
    return token


def _number_or_none(connection: Connection, campaign: str | None) -> int | None:
    return None if campaign is None else number_of(connection, campaign)


def _select_organisers() -> Select[Any]:
    mine = organisers.c
    return select(campaigns.c.id, mine.name, mine.added, mine.revoked).outerjoin_from(
        organisers, campaigns, mine.campaign == campaigns.c.number
    )


_SESSION = (
    select(
        campaigns.c.id,
        evaluators.c.name.label("evaluator"),
        organisers.c.name.label("organiser"),
        sessions.c.expires,
    )
    .select_from(sessions)
    .outerjoin(evaluators, sessions.c.evaluator == evaluators.c.number)
    .outerjoin(organisers, sessions.c.organiser == organisers.c.number)
    .outerjoin(
        campaigns,
        campaigns.c.number == func.coalesce(evaluators.c.campaign, organisers.c.campaign),
    )
    .where(
        evaluators.c.revoked.is_(None),
        organisers.c.revoked.is_(None),
        sessions.c.hash == bindparam("hash"),
        sessions.c.expires > bindparam("now"),
    )
)


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
