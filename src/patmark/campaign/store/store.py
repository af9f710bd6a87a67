"""The store: campaigns, access, answers and decisions in one database.

Campaigns are known by their id and evaluators by their name; the numbers of rows stay in here.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from patmark.campaign.form import Form
from patmark.campaign.plan import Answer, Page, Plan, has_pool
from patmark.campaign.planning import pages_for_newcomer, pages_of_leaver
from patmark.campaign.records import (
    CampaignInfo,
    CampaignOverview,
    Consensus,
    Created,
    EvaluatorInfo,
    Event,
    NoCampaign,
    OrganiserInfo,
    PageInfo,
    Progress,
    Refused,
    Remark,
    Saved,
    Session,
    StoredAnswer,
)
from patmark.campaign.settings import most_who_join, name_problem, same_name
from patmark.campaign.state import CampaignState, NextView, Saves
from patmark.campaign.store.database import copy_postgresql, copy_sqlite, is_sqlite, open_engine
from patmark.campaign.store.organising import (
    add_event,
    check_pages,
    check_plan,
    forget_name,
    insert_evaluator,
    insert_organiser,
    insert_session,
    is_last_organiser,
    lock_campaign,
    lock_evaluator,
    lock_everybody,
    move_pages,
    number_of,
    organiser_row,
    owners_of,
    renamed_settings,
)
from patmark.campaign.store.pool import (
    insert_pool,
    is_replaced,
    pool_items,
    release,
    take_page,
    waiting,
    waiting_extras,
)
from patmark.campaign.store.saving import (
    BatchWriter,
    add_answer,
    check_storable,
    lock_page,
    storable,
)
from patmark.campaign.store.tables import (
    answers,
    campaigns,
    consensus,
    csrf_of,
    evaluators,
    events,
    hash_of,
    items,
    metadata,
    new_secret,
    now,
    organisers,
    pages,
    remarks,
    seconds_between,
    sessions,
    to_json,
    unpack_form,
    unpack_page,
)
from patmark.data import counted
from patmark.errors import UsageError

SESSION_OPENED = "opened a session"
ORGANISER = "organiser"
"""The organiser of a new campaign, until others are added."""
_ADDRESS = "base_url"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Store:
    """Campaigns in SQLite or PostgreSQL. May be used by several threads at once.

    An unknown campaign or evaluator is a ``UsageError``; a write that an evaluator may not do is
    ``Refused``.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_sqlite = is_sqlite(engine.url)
        # SQLite takes one writer at a time, and would let the others poll.
        self._one_writer = threading.Lock() if self._is_sqlite else nullcontext()
        self._writer = BatchWriter(self._writing)
        self._organiser: str | None = None
        self._fixed: dict[str, _Fixed] = {}
        self._states: dict[str, tuple[_Version, CampaignState]] = {}

    @classmethod
    def open(cls, url: str, create: bool = False) -> Self:
        """Open the database at a path (SQLite) or URL; ``create`` makes the tables if need be."""
        return cls(open_engine(url, create=create))

    @classmethod
    def migrate(cls, url: str) -> Self:
        """Open a database, and bring its tables to the newest version first."""
        return cls(open_engine(url, migrate=True))

    def acting_for(self, organiser: str) -> Self:
        """The same store; the log names this organiser for what is decided through it."""
        same = copy(self)
        same._organiser = organiser
        return same

    def close(self) -> None:
        """Save what is still waiting, and close the database."""
        self._writer.close()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def is_there(self) -> bool:
        """Whether the database answers."""
        try:
            with self._reading() as connection:
                connection.execute(select(campaigns.c.number).limit(1))
        except SQLAlchemyError:
            return False
        return True

    def backup(self, path: str | Path) -> None:
        """Copy everything to a new file while the store is in use: a SQLite file, or a pg_dump."""
        target = Path(path)
        if target.exists():
            raise UsageError(f"{target} exists; name a new file for the backup")
        if self._is_sqlite:
            copy_sqlite(self._engine, target)
        else:
            copy_postgresql(self._engine.url, target)

    # Campaigns

    def campaigns(self) -> list[CampaignInfo]:
        """All campaigns of the database, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(_campaigns().order_by(campaigns.c.number))
            return [_info(row) for row in rows]

    def campaign(self, campaign: str) -> CampaignInfo:
        """What a campaign is, without its pages."""
        with self._reading() as connection:
            return _info(_campaign_row(connection, campaign))

    def create_campaign(
        self, plan: Plan, expires: str | None = None, address: str | None = None
    ) -> Created:
        """Keep a plan; gives the secrets, of which only hashes are kept.

        ``expires`` is when the links stop working, as 2026-01-31T00:00:00.000Z; ``address`` is that
        of the server, to which all links of the campaign lead.
        """
        check_plan(plan)
        settings = dict(plan.settings) | ({_ADDRESS: address} if address else {})
        identity, secret = new_secret()[:16], new_secret()
        join = new_secret() if settings.get("join") else None
        links = {name: new_secret() for name in plan.evaluators}
        with self._writing() as connection:
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
                insert_evaluator(connection, number, plan.form, name, token, expires, own)
            insert_organiser(connection, number, ORGANISER, secret)
            insert_pool(connection, number, plan.pool)
            self._log(connection, number, "created")
        return Created(identity, secret, MappingProxyType(links), join)

    def overview(self) -> list[CampaignOverview]:
        """All campaigns with their progress, newest first; counted by the database itself."""
        with self._snapshot() as connection:
            rows = connection.execute(_campaigns().order_by(campaigns.c.number.desc())).all()
            people = {row[0]: row[1] for row in connection.execute(_evaluators_per_campaign())}
            work = {row.campaign: row for row in connection.execute(_work_per_campaign())}
        found = []
        for row in rows:
            own, info = work.get(row.number), _info(row)
            counts = (own.held, own.done, own.places_held) if own else (0, 0, 0)
            progress, last_saved = Progress.of(info, *counts), own.last_saved if own else None
            found.append(CampaignOverview(info, people.get(row.number, 0), progress, last_saved))
        return found

    def check_is_new(self, name: str) -> None:
        """Refuse the name of a campaign that the database holds."""
        same = [one.id for one in self.campaigns() if one.name == name]
        if same:
            raise UsageError(f"there is a campaign {name!r} already ({same[0]}); take another name")

    def clone(self, campaign: str, name: str, renamed: Mapping[str, str] | None = None) -> Created:
        """A new campaign with the same people and pages, and nobody's answers.

        ``renamed`` puts other people in the place of some, by their names. Links last as long as
        the old ones. Who has no access or is excluded gets no link and keeps the pages, for others
        to take; who came by the common link comes again by the new one.
        """
        if problem := name_problem(name):
            raise UsageError(f"the name of the campaign {problem}")
        self.check_is_new(name)
        with self._reading() as connection:
            pool = pool_items(connection, campaign)
            people = connection.execute(_access(), {"campaign": campaign}).all()
        came = {one.name for one in people if one.token_hash is None and one.revoked is None}
        state = self.state(campaign)
        kept = [one for one in state.evaluators if one.name not in came or one.excluded]
        called = _new_names([one.name for one in kept], renamed or {})
        own = tuple(
            replace(state.texts[page.id], evaluator=called[page.evaluator])
            for page in state.pages
            if page.item is None and page.evaluator in called
        )
        names = tuple(called.values())
        settings = renamed_settings(state.settings, called)
        plan = replace(
            state.plan, name=name, evaluators=names, pages=own, pool=pool, settings=settings
        )
        made = self.create_campaign(plan)
        with self._writing() as connection:
            number = number_of(connection, made.campaign)
            self._log(connection, number, "cloned", detail=f"from {state.info.name}")
            for one in kept:
                if one.expires is not None:
                    lasted = seconds_between(state.info.created, one.expires)
                    is_named = evaluators.c.name == called[one.name]
                    own_row = (evaluators.c.campaign == number) & is_named
                    changed = update(evaluators).where(own_row)
                    connection.execute(changed.values(expires=now(lasted)))
        shut_out = {called[one.name] for one in kept if one.revoked or one.excluded}
        for gone in sorted(shut_out):
            self.revoke(made.campaign, gone)
        links = {one: token for one, token in made.links.items() if one not in shut_out}
        return replace(made, links=MappingProxyType(links))

    def delete_campaign(self, campaign: str) -> None:
        """Delete a campaign with all that belongs to it; only the log of the database tells."""
        with self._writing() as connection:
            row = _campaign_row(connection, campaign)
            lock_everybody(connection, campaign)
            connection.execute(delete(campaigns).where(campaigns.c.number == row.number))
            self._log(connection, None, "deleted a campaign", detail=row.name)
        self._states.pop(campaign, None)
        self._fixed.pop(campaign, None)
        self._wipe()

    def plan(self, campaign: str) -> Plan:
        """The whole plan, with all pages as they are assigned now, and the training of a pool."""
        with self._reading() as connection:
            training = pool_items(connection, campaign, ["training"])
        return replace(self.state(campaign).plan, pool=training)

    def form(self, campaign: str) -> Form:
        """The form of a campaign."""
        return self._what_stays(campaign).form

    def _what_stays(self, campaign: str, row: Any = None) -> _Fixed:
        """What is read once of a campaign, from its row if it has been read anyway."""
        if campaign not in self._fixed:
            if row is None:
                with self._reading() as connection:
                    row = _campaign_row(connection, campaign)
            self._fixed[campaign] = _Fixed(
                unpack_form(row.form), has_pool(json.loads(row.settings))
            )
        return self._fixed[campaign]

    def settings(self, campaign: str) -> Mapping[str, Any]:
        """The campaign file as it was read, and the address to which links lead."""
        with self._reading() as connection:
            return MappingProxyType(json.loads(_campaign_row(connection, campaign).settings))

    def address(self, campaign: str) -> str | None:
        """The address of the server, to which links lead; None if nobody said so."""
        address: str | None = self.settings(campaign).get(_ADDRESS)
        return address

    def set_address(self, campaign: str, address: str) -> None:
        """Let links that are made from now on lead to a server at another address."""
        with self._writing() as connection:
            row = _campaign_row(connection, campaign)
            settings = to_json(json.loads(row.settings) | {_ADDRESS: storable(address)})
            changed = update(campaigns).where(campaigns.c.number == row.number)
            connection.execute(changed.values(settings=settings))
            self._log(connection, row.number, "new address", detail=address)

    def page_to_answer(
        self, campaign: str, evaluator: str, page_id: str
    ) -> tuple[Page, bool] | None:
        """A page, and whether a training or the organiser decides if its evaluator may judge.

        Where neither does, a save needs to know no more; None if it is no page of this evaluator.
        """
        names = {"campaign": campaign, "evaluator": evaluator, "page": page_id}
        with self._reading() as connection:
            row = connection.execute(_page_to_answer(), names).first()
        if row is None:
            return None
        return unpack_page(_page_info(row), row.body), bool(row.is_decided)

    # The state of a campaign

    def state(self, campaign: str) -> CampaignState:
        """All that a campaign holds at this moment; only what has changed is read again."""
        names = {"campaign": campaign}
        with self._snapshot() as connection:
            row = connection.execute(_campaign_with_version(), names).first()
            if row is None:
                raise NoCampaign(campaign)
            version = _Version(*row[-_VERSION_PARTS:])
            before, known = self._states.get(campaign, (None, None))
            if before == version and known is not None:
                return known
            state = None
            if before is not None and known is not None and before.decisions == version.decisions:
                state = _with_new_saves(connection, campaign, known, before, version)
            if state is None:
                parts = (_evaluators_of(), _pages_of(), _answers_of(), _remarks_of(), _consensus())
                people, held, saved, remarked, agreed = (
                    connection.execute(part, names).all() for part in parts
                )
                texts = known.texts if known else {}
                state = self._built(row, people, held, saved, remarked, agreed, texts)
        self._states[campaign] = version, state
        return state

    def state_of(
        self,
        campaign: str,
        evaluator: str,
        page: str = "",
        *,
        only_training: bool = False,
        all_texts: bool = False,
    ) -> CampaignState:
        """The part of a campaign that one evaluator sees.

        Only pages of the training and this ``page`` have texts, or all of them. ``only_training``
        leaves out all other pages but this one, their answers and remarks.
        """
        names = {"campaign": campaign, "evaluator": evaluator, "page": page}
        with self._snapshot() as connection:
            return self._read_one(connection, names, only_training, all_texts=all_texts)[1]

    def next_view(self, campaign: str, evaluator: str, after: str | None = None) -> NextView:
        """What an evaluator sees next; a page of a shared pool is taken for them.

        It is read and taken in one transaction, so that two windows get the same page.
        """
        is_pool = self._what_stays(campaign).is_pool
        names = {"campaign": campaign, "evaluator": evaluator, "page": ""}
        with self._writing() if is_pool else self._snapshot() as connection:
            if is_pool:
                lock_everybody(connection, campaign)
            row, state = self._read_one(connection, names, with_remarks=False)
            view = state.next_view(evaluator, after)
            if view.kind != "pool":
                return view
            page = take_page(connection, row.number, row.evaluator_number, state)
        return NextView("page", page) if page else NextView("done")

    def _read_one(
        self,
        connection: Connection,
        names: dict[str, str],
        training: bool = False,
        *,
        all_texts: bool = False,
        with_remarks: bool = True,
    ) -> tuple[Any, CampaignState]:
        """What one evaluator sees of a campaign, beside the row with the keys of both."""
        row = connection.execute(_evaluators_of(True, with_campaign=True), names).first()
        if row is None:
            number_of(connection, names["campaign"])
            raise UsageError(f"the campaign has no evaluator {names['evaluator']!r}")
        found = connection.execute(
            _pages_of(True, all_texts=all_texts, training=training), names
        ).all()
        is_trained = any(page.phase == "training" for page in found)
        saved: Iterable[Any] = ()
        remarked: Iterable[Any] = ()
        agreed: Iterable[Any] = ()
        if is_trained or not training:
            saved = connection.execute(_answers_of(True, training=training), names)
        if with_remarks and not training:
            remarked = connection.execute(_remarks_of(True), names)
        if is_trained:
            agreed = connection.execute(_consensus(), names)
        return row, self._built(row, [row], found, saved, remarked, agreed)

    def _built(
        self,
        row: Any,
        people: Iterable[Any],
        found: Sequence[Any],
        saved: Iterable[Any],
        remarked: Iterable[Any],
        agreed: Iterable[Any],
        texts: Mapping[str, Page] = _NOTHING,
    ) -> CampaignState:
        """The state that rows of tables tell; ``texts`` were read before."""
        infos = tuple(map(_page_info, found))
        return CampaignState(
            info=_info(row),
            form=self._what_stays(row.id, row).form,
            settings=json.loads(row.settings),
            notes=tuple(json.loads(row.notes)),
            evaluators=tuple(map(_evaluator, people)),
            pages=infos,
            texts={
                info.id: _page(info, page.body, texts.get(info.id))
                for info, page in zip(infos, found, strict=True)
                if page.body is not None
            },
            saves=Saves().and_then(map(_stored, saved)),
            remarks=tuple(Remark(*remark) for remark in remarked),
            consensus=tuple(map(_agreed, agreed)),
        )

    # Access

    def evaluators(self, campaign: str) -> list[EvaluatorInfo]:
        """All evaluators of a campaign, in the order in which they came."""
        with self._reading() as connection:
            number_of(connection, campaign)
            rows = connection.execute(_evaluators_of(), {"campaign": campaign})
            return [_evaluator(row) for row in rows]

    def evaluator_of(self, token: str) -> EvaluatorInfo | None:
        """The evaluator with this link; None if it is unknown, revoked or too old."""
        chosen = _evaluators_of(anywhere=True).where(
            evaluators.c.token_hash == hash_of(token),
            evaluators.c.revoked.is_(None),
            or_(evaluators.c.expires.is_(None), evaluators.c.expires > now()),
        )
        with self._reading() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else _evaluator(row)

    def organiser_of(self, secret: str) -> OrganiserInfo | None:
        """The organiser with this link; None if it is unknown or revoked."""
        chosen = _organisers().where(organisers.c.token_hash == hash_of(secret))
        with self._reading() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else OrganiserInfo(*row)

    def organisers(self, campaign: str | None) -> list[OrganiserInfo]:
        """The organisers of a campaign, or of all campaigns, in the order in which they came."""
        with self._reading() as connection:
            number = _number_or_none(connection, campaign)
            own = organisers.c.campaign.is_not_distinct_from(number)
            rows = connection.execute(_organisers().where(own).order_by(organisers.c.number))
            return [OrganiserInfo(*row) for row in rows]

    def new_token(self, campaign: str, evaluator: str, expires: str | None = None) -> str:
        """A new link; the old one and its sessions end, a revocation is lifted.

        ``expires`` is a time as ``now`` gives it: 2026-01-31T00:00:00.000Z.
        """
        token = new_secret()
        values = {"token_hash": hash_of(token), "expires": expires, "revoked": None}
        self._decide(campaign, evaluator, "new link", values, end_sessions=True)
        return token

    def add_organiser(self, campaign: str | None, name: str) -> str:
        """Add an organiser of a campaign, or of all campaigns; gives the secret of the link."""
        secret, name = new_secret(), storable(name.strip())
        if problem := name_problem(name):
            raise UsageError(f"the organiser {name!r} {problem}")
        with self._writing() as connection:
            number = _number_or_none(connection, campaign)
            if organiser_row(connection, number, name) is not None:
                raise UsageError(f"there is an organiser {name!r} already")
            insert_organiser(connection, number, name, secret)
            self._log(connection, number, "added an organiser", detail=name)
        return secret

    def new_organiser_secret(self, campaign: str | None, name: str = ORGANISER) -> str:
        """A new link of an organiser; the old one and its sessions end, as does a revocation."""
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
            row = organiser_row(connection, number, name)
            if row is None:
                raise UsageError(f"there is no organiser {name!r}")
            if number is not None and values["revoked"] and is_last_organiser(connection, row):
                raise UsageError(
                    f"{name!r} is the only organiser of the campaign; add another before"
                )
            changed = update(organisers).where(organisers.c.number == row.number)
            connection.execute(changed.values(**values))
            connection.execute(delete(sessions).where(sessions.c.organiser == row.number))
            self._log(connection, number, action, detail=name)

    def revoke(self, campaign: str, evaluator: str) -> None:
        """End all access of an evaluator; the answers stay. ``new_token`` gives access again."""
        since = func.coalesce(evaluators.c.revoked, now())
        values = {"token_hash": None, "revoked": since}
        self._decide(campaign, evaluator, "revoked", values, end_sessions=True)

    def open_session(self, campaign: str, evaluator: str, seconds: float) -> str:
        """A session of an evaluator for so many seconds."""
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            revoked = select(evaluators.c.revoked).where(evaluators.c.number == number)
            if connection.scalar(revoked) is not None:
                raise UsageError("the evaluator has no access any more")
            campaign_number = number_of(connection, campaign)
            add_event(connection, campaign_number, SESSION_OPENED, number, by="evaluator")
            return insert_session(connection, seconds, evaluator=number)

    def open_organiser_session(
        self, campaign: str | None, seconds: float, name: str = ORGANISER
    ) -> str:
        """A session of an organiser of a campaign, or of all campaigns."""
        with self._writing() as connection:
            number = _number_or_none(connection, campaign)
            row = organiser_row(connection, number, name)
            if row is None or row.revoked is not None:
                raise UsageError("the organiser has no access any more")
            add_event(connection, number, SESSION_OPENED, organiser=name)
            return insert_session(connection, seconds, organiser=row.number)

    def session(self, token: str) -> Session | None:
        """The session with this token; None if it has ended or never was."""
        given = {"hash": hash_of(token), "now": now()}
        with self._reading() as connection:
            row = connection.execute(_session(), given).first()
        if row is None:
            return None
        return Session(row.id, row.evaluator, row.organiser, csrf_of(token), row.expires)

    def close_session(self, token: str) -> None:
        """End a session; nothing happens if there is none."""
        with self._writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.hash == hash_of(token)))

    # Coming: by oneself, and after what is asked before the start

    def joined_by(self, secret: str) -> CampaignInfo | None:
        """The campaign with this common link, which everybody who comes may use."""
        chosen = _campaigns().where(campaigns.c.join_hash == hash_of(secret))
        with self._reading() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else _info(row)

    def new_join_secret(self, campaign: str) -> str:
        """A new common link; the old one ends, and who has come by it stays."""
        secret = new_secret()
        self._change_join(campaign, "new common link", hash_of(secret))
        return secret

    def revoke_join(self, campaign: str) -> None:
        """End the common link; who has come by it stays."""
        self._change_join(campaign, "ended the common link", None)

    def _change_join(self, campaign: str, action: str, join_hash: str | None) -> None:
        with self._writing() as connection:
            row = _campaign_row(connection, campaign)
            if not json.loads(row.settings).get("join"):
                raise UsageError(f"campaign {row.name!r} has no common link: it has no join")
            changed = update(campaigns).where(campaigns.c.number == row.number)
            connection.execute(changed.values(join_hash=join_hash))
            self._log(connection, row.number, action)

    def join(self, campaign: str, name: str) -> None:
        """Let somebody take part who comes by the common link; a second time as the same person.

        The name of somebody with a private link, or without access, cannot be taken. Nobody new
        can come to a closed campaign, nor where as many have come as it wants.
        """
        form = self.form(campaign)
        with self._writing() as connection:
            lock_campaign(connection, number_of(connection, campaign))
            row = _campaign_row(connection, campaign)
            people = connection.execute(_access(), {"campaign": campaign}).all()
            known = next((one for one in people if one.name == name), None)
            if known is not None and (known.token_hash is not None or known.revoked is not None):
                raise UsageError("somebody of this name takes part already")
            if known is not None:
                return
            if row.closed is not None:
                raise UsageError("the campaign is closed")
            settings = json.loads(row.settings)
            came = sum(one.token_hash is None and one.revoked is None for one in people)
            if came >= most_who_join(settings):
                raise Refused("full", "as many people take part as are needed")
            info = _info(row)
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
            add_event(connection, row.number, "joined", added, by="evaluator")

    def enrol(self, campaign: str, evaluator: str, background: Mapping[str, str]) -> None:
        """Keep that an evaluator agreed to take part, and what they said of their background."""
        for given in background.values():
            storable(given)
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            changed = update(evaluators).where(evaluators.c.number == number)
            connection.execute(changed.values(enrolled=now(), background=to_json(background)))
            add_event(
                connection, number_of(connection, campaign), "enrolled", number, by="evaluator"
            )

    # Answers and remarks

    def save(self, campaign: str, evaluator: str, answer: Answer) -> Saved:
        """Add an answer; once this returns, it survives the end of the process.

        The store gives the revision and the time; those of ``answer`` are ignored. A save with
        the ``client`` id of an earlier one is that save sent again. ``seconds`` is the time spent
        on the page since the save before. No value and no ``reason`` in the detail: taken back.
        """
        return self.save_soon(campaign, evaluator, answer).result()

    def save_soon(self, campaign: str, evaluator: str, answer: Answer) -> Future[Saved]:
        """As ``save``, without waiting; saves that come together share a transaction."""
        check_storable(answer)
        form = self.form(campaign)
        return self._writer.submit(
            lambda connection: add_answer(connection, form, campaign, evaluator, answer),
            (campaign, evaluator),
        )

    def save_many(self, campaign: str, evaluator: str, answers: Iterable[Answer]) -> list[Saved]:
        """Add several answers of one evaluator, all of them or none."""
        given = list(answers)
        for answer in given:
            check_storable(answer)
        form = self.form(campaign)
        with self._writing() as connection:
            return [add_answer(connection, form, campaign, evaluator, one) for one in given]

    def answers(
        self, campaign: str, evaluator: str | None = None, page: str | None = None
    ) -> list[StoredAnswer]:
        """The answers that count, by evaluator and place in the plan; also those taken back."""
        saves = Saves().and_then(self._saves(campaign, evaluator, page))
        return list(saves.on(saves.by_page))

    def history(self, campaign: str, page: str | None = None) -> list[StoredAnswer]:
        """All answers that were ever saved, by evaluator, place in the plan and time."""
        return self._saves(campaign, None, page)

    def save_remark(
        self, campaign: str, evaluator: str, page: str, text: str, flagged: bool
    ) -> None:
        """Add a comment on a page; the last one counts. Refused where an answer would be."""
        storable(text)
        with self._writing() as connection:
            number, page_number, _ = lock_page(connection, campaign, evaluator, page)
            connection.execute(
                remarks.insert().values(
                    page=page_number, evaluator=number, text=text, flagged=flagged, saved=now()
                )
            )

    def _saves(self, campaign: str, evaluator: str | None, page: str | None) -> list[StoredAnswer]:
        chosen = _answers_of(evaluator is not None, one_page=page is not None)
        names = {"campaign": campaign, "evaluator": evaluator, "page": page}
        with self._reading() as connection:
            rows = connection.execute(chosen, names).all()
            if not rows:
                number_of(connection, campaign)
        return list(map(_stored, rows))

    # Decisions of the organiser, each of which is kept in the log of the campaign

    def close_campaign(self, campaign: str) -> None:
        """No more answers: each save either was acknowledged before this returns, or is refused."""
        self._set_state(campaign, "closed", closed=now())

    def reopen(self, campaign: str) -> None:
        """Accept answers again; an archived campaign leaves the archive."""
        self._set_state(campaign, "reopened", closed=None, archived=None)

    def archive(self, campaign: str) -> None:
        """Close a campaign, and list it only on request. Nothing is deleted."""
        closed = func.coalesce(campaigns.c.closed, now())
        self._set_state(campaign, "archived", closed=closed, archived=now())

    def unarchive(self, campaign: str) -> None:
        """List a campaign with the others again. It stays closed."""
        self._set_state(campaign, "taken out of the archive", archived=None)

    def add_evaluator(
        self, campaign: str, name: str, pages: Sequence[Page], expires: str | None = None
    ) -> str:
        """Add an evaluator with pages, made for this evaluator; gives the token of the link."""
        check_pages(pages, [storable(name)])
        token, form = new_secret(), self.form(campaign)
        try:
            with self._writing() as connection:
                number = number_of(connection, campaign)
                added = insert_evaluator(connection, number, form, name, token, expires, pages)
                self._log(connection, number, "added", added, counted(len(pages), "page"))
        except IntegrityError:
            raise UsageError(
                f"the evaluator {name!r}, or one of the pages, is in the campaign already"
            ) from None
        return token

    def replace_evaluator(self, campaign: str, leaver: str, name: str) -> tuple[str, int]:
        """Let a newcomer go on with what somebody has not finished; gives the token and a count.

        Who leaves keeps the finished pages, whose answers count, and has no access any more; this
        comes first, so that nothing is finished meanwhile.
        """
        pages_of_leaver(self.plan(campaign), self.state(campaign).done, leaver, storable(name))
        self.revoke(campaign, leaver)
        state = self.state(campaign)
        made = pages_of_leaver(self.plan(campaign), state.done, leaver, name)
        left = [page.id for page in state.standing(leaver).pages if page.id not in state.done]
        token, form = new_secret(), self.form(campaign)
        with self._writing() as connection:
            number = number_of(connection, campaign)
            leaving = lock_evaluator(connection, campaign, leaver)
            release(connection, number, left)
            added = insert_evaluator(connection, number, form, name, token, None, made)
            self._log(connection, number, "replaced", leaving, name)
            self._log(connection, number, "added", added, counted(len(made), "page"))
        return token, len(made)

    def reassign(self, campaign: str, page_ids: Iterable[str], to_evaluator: str) -> None:
        """Give pages that nobody has begun to another evaluator, after the pages already there.

        All of them or none: a page that was answered or remarked on stays where it is.
        """
        wanted = list(dict.fromkeys(page_ids))
        with self._writing() as connection:
            number = number_of(connection, campaign)
            lock_everybody(connection, campaign)
            target = lock_evaluator(connection, campaign, to_evaluator)
            owners = owners_of(connection, number, wanted)
            moved = {id: owner for id, owner in owners.items() if owner != target}
            move_pages(connection, number, list(moved), target)
            for giver in sorted(set(moved.values())):
                taken = ", ".join(id for id, owner in moved.items() if owner == giver)
                self._log(connection, number, "pages taken", giver, taken)
            if moved:
                self._log(connection, number, "pages given", target, ", ".join(moved))

    def set_consensus(
        self,
        campaign: str,
        segment: str,
        systems: Sequence[str],
        question: str,
        value: str | None,
        note: str = "",
    ) -> None:
        """Fix the common result for the text of some systems; ``()`` for a question about a page.

        The last one counts, and None takes it back.
        """
        for given in (segment, *systems, question, value or "", note):
            storable(given)
        with self._writing() as connection:
            number = number_of(connection, campaign)
            connection.execute(
                consensus.insert().values(
                    campaign=number,
                    segment=segment,
                    systems=to_json(sorted(systems)),
                    question=question,
                    value=value,
                    note=note,
                    saved=now(),
                )
            )
            self._log(connection, number, "consensus", detail=f"{segment}, {question}")

    def set_qualified(self, campaign: str, evaluator: str, qualified: bool | None) -> None:
        """Decide whether an evaluator passed the training."""
        words = {True: "qualified", False: "not qualified", None: "qualification open"}
        self._decide(campaign, evaluator, words[qualified], {"qualified": qualified})

    def exclude(self, campaign: str, evaluator: str, reason: str) -> None:
        """Decide that the answers of an evaluator do not count. They stay in the database."""
        if not reason.strip():
            raise UsageError("an exclusion needs a reason")
        self._decide(campaign, evaluator, "excluded", {"excluded": storable(reason)}, reason)

    def include(self, campaign: str, evaluator: str, reason: str) -> None:
        """Let the answers of an excluded evaluator count again."""
        self._decide(campaign, evaluator, "included", {"excluded": None}, storable(reason))

    def events(self, campaign: str | None) -> list[Event]:
        """The log of a campaign, or of the database, oldest first."""
        mine = events.c
        chosen = (
            select(mine.at, mine.actor, mine.organiser, mine.action, evaluators.c.name, mine.detail)
            .outerjoin(campaigns, mine.campaign == campaigns.c.number)
            .outerjoin(evaluators, mine.evaluator == evaluators.c.number)
            .where(campaigns.c.id.is_not_distinct_from(campaign))
            .order_by(mine.number)
        )
        with self._reading() as connection:
            return [Event(*row) for row in connection.execute(chosen)]

    def forget(self, campaign: str, evaluator: str) -> None:
        """Delete an evaluator with all pages, answers, remarks and sessions, and the name.

        The name also leaves what others wrote: reasons, remarks, notes, and the log, which says
        that it happened, not to whom. Earlier backups and exports still hold the evaluator. To
        keep pages in the campaign, reassign them before.
        """
        with self._writing() as connection:
            campaign_number = number_of(connection, campaign)
            number = lock_evaluator(connection, campaign, evaluator)
            connection.execute(update(events).where(events.c.evaluator == number).values(detail=""))
            connection.execute(delete(evaluators).where(evaluators.c.number == number))
            forget_name(connection, campaign_number, evaluator)
            self._log(connection, campaign_number, "forgot an evaluator")
        self._states.pop(campaign, None)
        self._wipe()

    def _decide(
        self,
        campaign: str,
        evaluator: str,
        action: str,
        values: Mapping[str, Any],
        detail: str = "",
        *,
        end_sessions: bool = False,
    ) -> None:
        """Change the state of an evaluator, and say so in the log."""
        with self._writing() as connection:
            number = lock_evaluator(connection, campaign, evaluator)
            connection.execute(
                update(evaluators).where(evaluators.c.number == number).values(**values)
            )
            if end_sessions:
                connection.execute(delete(sessions).where(sessions.c.evaluator == number))
            self._log(connection, number_of(connection, campaign), action, number, detail)

    def _set_state(self, campaign: str, action: str, **values: Any) -> None:
        with self._writing() as connection:
            number = number_of(connection, campaign)
            lock_everybody(connection, campaign)
            connection.execute(
                update(campaigns).where(campaigns.c.number == number).values(**values)
            )
            self._log(connection, number, action)

    def _log(
        self,
        connection: Connection,
        campaign: int | None,
        action: str,
        evaluator: int | None = None,
        detail: str = "",
    ) -> None:
        """Say in the log what an organiser decided."""
        organiser = self._organiser
        add_event(connection, campaign, action, evaluator, detail, organiser=organiser)

    # Connections

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """A connection for single statements; no transaction is begun and ended around them."""
        with self._engine.connect() as connection:
            if not self._is_sqlite:
                connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            yield connection

    @contextmanager
    def _snapshot(self) -> Iterator[Connection]:
        """A connection whose statements all see the same state."""
        with self._engine.connect() as connection:
            if self._is_sqlite:
                connection.exec_driver_sql("BEGIN")
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that is durable when the block ends, or undone if it fails."""
        with self._one_writer, self._engine.begin() as connection:
            if self._is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    def _wipe(self) -> None:
        """Let nothing of deleted rows stay in files that the database would reuse later."""
        if self._is_sqlite:
            with self._reading() as connection:
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
            return
        with self._engine.connect() as connection:
            vacuum = connection.execution_options(isolation_level="AUTOCOMMIT")
            vacuum.execute(text(f"VACUUM {', '.join(metadata.tables)}"))


@dataclass(frozen=True, slots=True)
class _Fixed:
    """What never changes in a campaign."""

    form: Form
    is_pool: bool


@dataclass(frozen=True, slots=True)
class _Version:
    """Counts and highest numbers of what can be added to a campaign.

    Numbers alone would not do: of two transactions, the one with the lower number may end last.
    """

    answers: int
    last_answer: int | None
    remarks: int
    last_remark: int | None
    consensus: int
    last_consensus: int | None
    pages: int
    last_page: int | None
    events: int
    last_event: int | None
    released: int

    @property
    def decisions(self) -> tuple[int, int | None]:
        """What changes whenever people, pages or the campaign do."""
        return self.events, self.last_event

    @property
    def remarked(self) -> tuple[int, int | None]:
        """What changes with every remark."""
        return self.remarks, self.last_remark

    @property
    def agreed(self) -> tuple[int, int | None]:
        """What changes whenever organisers agree on something, or take it back."""
        return self.consensus, self.last_consensus

    @property
    def claims(self) -> tuple[int, int | None, int]:
        """What changes when pages of a shared pool are taken or given back."""
        return self.pages, self.last_page, self.released


_VERSION_PARTS = len(fields(_Version))


def _with_new_saves(
    connection: Connection, campaign: str, known: CampaignState, before: _Version, now: _Version
) -> CampaignState | None:
    """A state with all that was saved since; None if an answer is neither in it nor after it."""
    names: dict[str, Any] = {"campaign": campaign, "last": before.last_answer or 0}
    added = connection.execute(_answers_of(later=True), names).all()
    if before.answers + len(added) != now.answers:
        return None
    if before.claims != now.claims:
        known = _with_new_pages(connection, names | {"last": before.last_page or 0}, known)
    if before.remarked != now.remarked:
        found = connection.execute(_remarks_of(), names)
        known = replace(known, remarks=tuple(Remark(*one) for one in found))
    if before.agreed != now.agreed:
        agreed = tuple(map(_agreed, connection.execute(_consensus(), names)))
        known = replace(known, consensus=agreed)
    return replace(known, saves=known.saves.and_then(map(_stored, added)))


def _with_new_pages(
    connection: Connection, names: Mapping[str, Any], known: CampaignState
) -> CampaignState:
    """A state with the pages as they are held now; texts are read of new ones alone."""
    found = connection.execute(_pages_of(later=True), names).all()
    infos = tuple(map(_page_info, found))
    added = {
        info.id: unpack_page(info, row.body)
        for info, row in zip(infos, found, strict=True)
        if row.body is not None
    }
    people = connection.execute(_evaluators_of(), names)
    return replace(
        known,
        evaluators=tuple(map(_evaluator, people)),
        pages=infos,
        texts={**known.texts, **added},
    )


def _new_names(people: Sequence[str], renamed: Mapping[str, str]) -> dict[str, str]:
    """How everybody is called in a clone, by the name before; all names must be good ones."""
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


def find_campaign(store: Store, wanted: str | None = None) -> CampaignInfo:
    """The campaign with this id or name; the only one of the database if none is named."""
    known = store.campaigns()
    listed = "; ".join(f"{one.id} ({one.name})" for one in known)
    if not known:
        raise UsageError("the database holds no campaigns; they are begun with: patmark human new")
    if wanted is None:
        if len(known) > 1:
            raise UsageError(f"the database holds several campaigns; choose one of: {listed}")
        return known[0]
    found = [one for one in known if wanted == one.id] or [
        one for one in known if wanted == one.name
    ]
    if not found:
        raise UsageError(f"there is no campaign {wanted!r}; there are: {listed}")
    if len(found) > 1:
        raise UsageError(f"several campaigns are named {wanted!r}; choose by id: {listed}")
    return found[0]


# Statements that choose


# They are built once, because every request needs them; names come in as parameters.


@cache
def _evaluators_of(
    one: bool = False, *, anywhere: bool = False, with_campaign: bool = False
) -> Select[Any]:
    """Evaluators in the order in which they came, perhaps beside all of their campaign."""
    of_campaign = _campaigns() if with_campaign else select()
    mine = evaluators.c
    chosen = (
        of_campaign.add_columns(
            campaigns.c.id.label("campaign_id"),
            mine.number.label("evaluator_number"),
            mine.name.label("evaluator_name"),
            mine.expires,
            mine.revoked,
            mine.qualified,
            mine.excluded,
            mine.enrolled,
            mine.background,
            waiting().label("waiting"),
            waiting_extras().label("extras"),
        )
        .select_from(evaluators.join(campaigns, mine.campaign == campaigns.c.number))
        .order_by(mine.number)
    )
    return chosen if anywhere else _only(chosen, one)


@cache
def _pages_of(
    one: bool = False, *, all_texts: bool = True, training: bool = False, later: bool = False
) -> Select[Any]:
    """Pages by evaluator and place: all with texts, or those of the training and one more.

    ``training`` leaves out all others; ``later`` gives the texts of later ones alone.
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
        select(
            pages.c.id,
            pages.c.position,
            pages.c.phase,
            pages.c.segment,
            evaluators.c.name.label("evaluator_name"),
            pages.c.needed,
            pages.c.item,
            pages.c.claimed,
            body,
        )
        .join(evaluators, pages.c.evaluator == evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .where(pages.c.released.is_(None))
        .order_by(evaluators.c.number, pages.c.position)
    )
    return _only(chosen.where(is_wanted) if training else chosen, one)


@cache
def _page_to_answer() -> Select[Any]:
    """One page with its text, and whether something decides if it may be answered."""
    is_decided = _is_decided().label("is_decided")
    return _pages_of(True).where(pages.c.id == bindparam("page")).add_columns(is_decided)


@cache
def _answers_of(
    one: bool = False, *, one_page: bool = False, training: bool = False, later: bool = False
) -> Select[Any]:
    """All saves by evaluator, place in the plan and time, as ``_stored`` takes them."""
    mine = answers.c
    chosen = (
        select(
            evaluators.c.name,
            pages.c.id,
            mine.candidate,
            mine.question,
            mine.value,
            mine.detail,
            mine.revision,
            mine.client,
            mine.seconds,
            mine.saved,
            mine.counts,
        )
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


@cache
def _remarks_of(one: bool = False) -> Select[Any]:
    """The last remark on each page, if it was not emptied."""
    later = remarks.alias("later")
    is_replaced = (
        select(later.c.number)
        .where(later.c.page == remarks.c.page, later.c.number > remarks.c.number)
        .exists()
    )
    chosen = (
        select(
            evaluators.c.name,
            pages.c.id,
            pages.c.segment,
            remarks.c.text,
            remarks.c.flagged,
            remarks.c.saved,
        )
        .join(pages, remarks.c.page == pages.c.number)
        .join(evaluators, remarks.c.evaluator == evaluators.c.number)
        .join(campaigns, evaluators.c.campaign == campaigns.c.number)
        .where((remarks.c.text != "") | remarks.c.flagged, ~is_replaced)
        .order_by(evaluators.c.number, pages.c.position)
    )
    return _only(chosen, one)


@cache
def _consensus() -> Select[Any]:
    """The last common result of each place, if it was not taken back."""
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


@cache
def _session() -> Select[Any]:
    """A session that has not ended, with the names of its campaign and evaluator."""
    campaign = func.coalesce(evaluators.c.campaign, organisers.c.campaign)
    return (
        select(
            campaigns.c.id,
            evaluators.c.name.label("evaluator"),
            organisers.c.name.label("organiser"),
            sessions.c.expires,
        )
        .select_from(sessions)
        .outerjoin(evaluators, sessions.c.evaluator == evaluators.c.number)
        .outerjoin(organisers, sessions.c.organiser == organisers.c.number)
        .outerjoin(campaigns, campaigns.c.number == campaign)
        .where(
            sessions.c.hash == bindparam("hash"),
            sessions.c.expires > bindparam("now"),
            evaluators.c.revoked.is_(None),
            organisers.c.revoked.is_(None),
        )
    )


@cache
def _organisers() -> Select[Any]:
    """Organisers with the id of their campaign."""
    mine = organisers.c
    return select(campaigns.c.id, mine.name, mine.added, mine.revoked).outerjoin_from(
        organisers, campaigns, mine.campaign == campaigns.c.number
    )


def _number_or_none(connection: Connection, campaign: str | None) -> int | None:
    """The key of a campaign; None stands for all of them."""
    return None if campaign is None else number_of(connection, campaign)


def _only(chosen: Select[Any], one: bool) -> Select[Any]:
    """Rows of one campaign, or of one of its evaluators."""
    chosen = chosen.where(campaigns.c.id == bindparam("campaign"))
    return chosen.where(evaluators.c.name == bindparam("evaluator")) if one else chosen


@cache
def _access() -> Select[Any]:
    """How everybody of a campaign comes in: with a link, without one (by the common link), or not
    any more."""
    chosen = select(evaluators.c.name, evaluators.c.token_hash, evaluators.c.revoked).join(
        campaigns, evaluators.c.campaign == campaigns.c.number
    )
    return _only(chosen, False)


@cache
def _evaluators_per_campaign() -> Select[Any]:
    return select(evaluators.c.campaign, func.count()).group_by(evaluators.c.campaign)


@cache
def _work_per_campaign() -> Select[Any]:
    """What ``CampaignState.progress`` counts, and the last save, of each campaign."""
    mine = answers.c
    given = (
        select(
            mine.page,
            func.sum(case((mine.counts, 1), else_=0)).label("count"),
            func.max(mine.saved).label("saved"),
        )
        .where(~is_replaced(answers))
        .group_by(mine.page)
        .subquery()
    )
    counts = evaluators.c.excluded.is_(None)
    judged = counts & (pages.c.phase != "training")
    is_done = judged & (given.c.count >= pages.c.needed)
    is_taken = counts & pages.c.item.is_not(None) & (pages.c.phase == "main")
    return (
        select(
            pages.c.campaign,
            func.sum(case((judged, 1), else_=0)).label("held"),
            func.sum(case((is_taken, 1), else_=0)).label("places_held"),
            func.sum(case((is_done, 1), else_=0)).label("done"),
            func.max(given.c.saved).label("last_saved"),
        )
        .join(evaluators, pages.c.evaluator == evaluators.c.number)
        .outerjoin(given, given.c.page == pages.c.number)
        .where(pages.c.released.is_(None))
        .group_by(pages.c.campaign)
    )


def _is_decided() -> ColumnElement[bool]:
    """Whether a training, the organiser or what comes before the start decides who may judge."""
    other = pages.alias("other")
    training = (other.c.evaluator == evaluators.c.number) & (other.c.phase == "training")
    has_training = select(other.c.number).where(training).exists()
    return or_(evaluators.c.qualified.is_not(None), evaluators.c.enrolled.is_(None), has_training)


@cache
def _campaign_with_version() -> Select[Any]:
    """A campaign, and the columns of a version; a session that is opened changes nothing."""
    number = campaigns.c.number
    people = select(evaluators.c.number).where(evaluators.c.campaign == number)
    tests = {
        answers: answers.c.evaluator.in_(people),
        remarks: remarks.c.evaluator.in_(people),
        consensus: consensus.c.campaign == number,
        pages: pages.c.campaign == number,
        events: (events.c.campaign == number) & (events.c.action != SESSION_OPENED),
    }
    released = select(func.count(pages.c.released)).where(pages.c.campaign == number)
    return _CAMPAIGN.add_columns(
        *(
            select(value).select_from(table).where(test).scalar_subquery()
            for table, test in tests.items()
            for value in (func.count(), func.max(table.c.number))
        ),
        released.scalar_subquery(),
    )


# Rows of tables as records


def _info(row: Any) -> CampaignInfo:
    return CampaignInfo(
        row.id,
        row.name,
        row.created,
        row.closed,
        row.archived,
        row.form_id,
        row.form_version,
        row.source_language,
        row.target_language,
        int(row.seed),
        row.pass_mark,
        row.places,
    )


def _evaluator(row: Any) -> EvaluatorInfo:
    return EvaluatorInfo(
        row.campaign_id,
        row.evaluator_name,
        row.expires,
        row.revoked,
        row.qualified,
        row.excluded,
        row.waiting,
        row.extras,
        row.enrolled,
        json.loads(row.background or "{}"),
    )


def _page_info(row: Any) -> PageInfo:
    return PageInfo(
        row.id,
        row.position,
        row.phase,
        row.segment,
        row.evaluator_name,
        row.needed,
        row.item,
        row.claimed,
    )


def _page(info: PageInfo, body: str, known: Page | None) -> Page:
    """The page of a row; texts never change, but it may have been given to somebody else."""
    if known and (known.evaluator, known.position) == (info.evaluator, info.position):
        return known
    return unpack_page(info, body)


def _stored(row: Iterable[Any]) -> StoredAnswer:
    name, page, candidate, question, value, detail, revision, client, seconds, saved, counts = row
    said = _NOTHING if detail == "{}" else json.loads(detail)
    answer = Answer(page, candidate, question, value, said, revision, client or "", seconds, saved)
    return StoredAnswer(name, answer, counts)


def _agreed(row: Any) -> Consensus:
    systems = tuple(json.loads(row.systems))
    return Consensus(row.segment, systems, row.question, row.value, row.note, row.saved)


def _campaign_row(connection: Connection, campaign: str) -> Any:
    row = connection.execute(_CAMPAIGN, {"campaign": campaign}).first()
    if row is None:
        raise NoCampaign(campaign)
    return row


@cache
def _campaigns() -> Select[Any]:
    """Campaigns, with how often the items of their pools are to be judged."""
    own = (items.c.campaign == campaigns.c.number) & (items.c.phase == "main")
    places = select(func.coalesce(func.sum(items.c.times), 0)).where(own).scalar_subquery()
    return select(campaigns, places.label("places"))


_CAMPAIGN = _campaigns().where(campaigns.c.id == bindparam("campaign"))
