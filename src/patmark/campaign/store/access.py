"""Who may do what: links of evaluators, the secret of the organiser, sessions of browsers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, bindparam, delete, func, or_, select, update

from patmark.campaign.store.database import Database, csrf_of, hash_of, new_secret, now
from patmark.campaign.store.records import EvaluatorInfo, Session
from patmark.campaign.store.tables import campaigns, evaluators, sessions
from patmark.errors import UsageError


class Access(Database):
    """The part of the store that knows secrets, by their hashes only."""

    def evaluators(self, campaign: str) -> list[EvaluatorInfo]:
        """All evaluators of a campaign, in the order in which they came."""
        chosen = _select_evaluators().where(campaigns.c.id == campaign)
        with self._reading() as connection:
            self._campaign_number(connection, campaign)
            return [_evaluator(row) for row in connection.execute(chosen)]

    def evaluator_of(self, token: str) -> EvaluatorInfo | None:
        """The evaluator with this link; None if it is unknown, revoked or too old."""
        chosen = _select_evaluators().where(
            evaluators.c.token_hash == hash_of(token),
            evaluators.c.revoked.is_(None),
            or_(evaluators.c.expires.is_(None), evaluators.c.expires > now()),
        )
        with self._reading() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else _evaluator(row)

    def organiser_of(self, secret: str) -> str | None:
        """The campaign that this secret opens for its organiser."""
        chosen = select(campaigns.c.id).where(campaigns.c.organiser_hash == hash_of(secret))
        with self._reading() as connection:
            return connection.scalar(chosen)

    def new_token(self, campaign: str, evaluator: str, expires: str | None = None) -> str:
        """A new link; the old one and its sessions end, a revocation is lifted.

        ``expires`` is a time as ``now`` gives it: 2026-01-31T00:00:00.000Z.
        """
        token = new_secret()
        with self._writing() as connection:
            number = self._evaluator_number(connection, campaign, evaluator)
            connection.execute(
                update(evaluators)
                .where(evaluators.c.number == number)
                .values(token_hash=hash_of(token), expires=expires, revoked=None)
            )
            connection.execute(delete(sessions).where(sessions.c.evaluator == number))
            self._record(
                connection, self._campaign_number(connection, campaign), "new link", number
            )
        return token

    def new_organiser_secret(self, campaign: str) -> str:
        """A new secret for the organiser; the old one and its sessions end."""
        secret = new_secret()
        with self._writing() as connection:
            number = self._campaign_number(connection, campaign)
            connection.execute(
                update(campaigns)
                .where(campaigns.c.number == number)
                .values(organiser_hash=hash_of(secret))
            )
            connection.execute(
                delete(sessions).where(
                    sessions.c.campaign == number, sessions.c.evaluator.is_(None)
                )
            )
            self._record(connection, number, "new organiser secret")
        return secret

    def revoke(self, campaign: str, evaluator: str) -> None:
        """End all access of an evaluator; the answers stay. ``new_token`` gives access again."""
        with self._writing() as connection:
            number = self._evaluator_number(connection, campaign, evaluator)
            connection.execute(
                update(evaluators)
                .where(evaluators.c.number == number)
                .values(token_hash=None, revoked=func.coalesce(evaluators.c.revoked, now()))
            )
            connection.execute(delete(sessions).where(sessions.c.evaluator == number))
            self._record(connection, self._campaign_number(connection, campaign), "revoked", number)

    def open_session(self, campaign: str, evaluator: str | None, seconds: float) -> str:
        """A session for so many seconds; that of the organiser if no evaluator is named."""
        token = new_secret()
        with self._writing() as connection:
            campaign_number = self._campaign_number(connection, campaign)
            number = None
            if evaluator is not None:
                number = self._evaluator_number(connection, campaign, evaluator)
                if not self._may_enter(connection, number):
                    raise UsageError("the evaluator has no access any more")
            connection.execute(delete(sessions).where(sessions.c.expires <= now()))
            connection.execute(
                sessions.insert().values(
                    hash=hash_of(token), campaign=campaign_number, evaluator=number,
                    expires=now(seconds),
                )
            )  # fmt: skip
            by = "organiser" if evaluator is None else "evaluator"
            self._record(connection, campaign_number, "opened a session", number, by=by)
        return token

    def session(self, token: str) -> Session | None:
        """The session with this token; None if it has ended or never was."""
        given = {"session_hash": hash_of(token), "moment": now()}
        with self._reading() as connection:
            row = connection.execute(_SESSION, given).first()
        if row is None or row.revoked is not None:
            return None
        return Session(row.id, row.name, row.evaluator is None, csrf_of(token), row.expires)

    def close_session(self, token: str) -> None:
        """End a session; nothing happens if there is none."""
        with self._writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.hash == hash_of(token)))

    def _may_enter(self, connection: Any, number: int) -> bool:
        chosen = select(evaluators.c.revoked).where(evaluators.c.number == number)
        return connection.scalar(chosen) is None


def _select_evaluators() -> Select[Any]:
    return (
        select(campaigns.c.id.label("campaign_id"), evaluators)
        .join_from(evaluators, campaigns, evaluators.c.campaign == campaigns.c.number)
        .order_by(evaluators.c.number)
    )


def _evaluator(row: Any) -> EvaluatorInfo:
    return EvaluatorInfo(
        row.campaign_id, row.name, row.expires, row.revoked, row.qualified, row.excluded
    )


# Built once, because every request runs it.
_SESSION = (
    select(campaigns.c.id, evaluators.c.name, evaluators.c.revoked, sessions)
    .join_from(sessions, campaigns, sessions.c.campaign == campaigns.c.number)
    .outerjoin(evaluators, sessions.c.evaluator == evaluators.c.number)
    .where(sessions.c.hash == bindparam("session_hash"), sessions.c.expires > bindparam("moment"))
)
