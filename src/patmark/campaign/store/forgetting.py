"""Privacy: everything about a person is deleted, and the log says that it happened, not to whom."""

from __future__ import annotations

import json
import re
from typing import Any

from sqlalchemy import Connection, delete, select, text, update

from patmark.campaign.store.database import Database
from patmark.campaign.store.packing import to_json
from patmark.campaign.store.tables import campaigns, consensus, evaluators, events

_FORGOTTEN = "(forgotten)"


class Forgetting(Database):
    """The part of the store that deletes."""

    def forget(self, campaign: str, evaluator: str) -> None:
        """Delete an evaluator with all pages, answers, remarks and sessions, and the name.

        Earlier backups and exports still hold them. To keep pages in the campaign, reassign them
        before.
        """
        with self._writing() as connection:
            campaign_number = self._campaign_number(connection, campaign)
            number = self._evaluator_number(connection, campaign, evaluator)
            connection.execute(update(events).where(events.c.evaluator == number).values(detail=""))
            connection.execute(delete(evaluators).where(evaluators.c.number == number))
            _forget_name(connection, campaign_number, evaluator)
            self._record(connection, campaign_number, "forgot an evaluator")
        self._clean()

    def _clean(self) -> None:
        """Let nothing of the deleted rows stay in files that the database would reuse later."""
        if self._is_sqlite:
            with self._reading() as connection:
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
            return
        with self._engine.connect() as connection:
            vacuum = connection.execution_options(isolation_level="AUTOCOMMIT")
            vacuum.execute(text("VACUUM campaigns, evaluators, sessions, pages, answers, remarks"))


def _forget_name(connection: Connection, campaign: int, name: str) -> None:
    """Take the name out of the campaign file and out of all notes."""
    row = connection.execute(
        select(campaigns.c.settings, campaigns.c.notes).where(campaigns.c.number == campaign)
    ).one()
    alone = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    notes = [alone.sub(_FORGOTTEN, note) for note in json.loads(row.notes)]
    settings = to_json(_without(json.loads(row.settings), name))
    connection.execute(
        update(campaigns)
        .where(campaigns.c.number == campaign)
        .values(settings=settings, notes=to_json(notes))
    )
    said = select(consensus.c.number, consensus.c.note).where(consensus.c.campaign == campaign)
    for agreed in connection.execute(said).all():
        without = alone.sub(_FORGOTTEN, agreed.note)
        if without != agreed.note:
            connection.execute(
                update(consensus).where(consensus.c.number == agreed.number).values(note=without)
            )


def _without(settings: dict[str, Any], name: str) -> dict[str, Any]:
    """The same settings without the name in both lists of evaluators; systems may be called so."""
    file = settings.get("file")
    parts = [settings, file] if isinstance(file, dict) else [settings]
    for part in parts:
        if isinstance(part.get("evaluators"), list):
            part["evaluators"] = [_renamed(one, name) for one in part["evaluators"]]
    return settings


def _renamed(evaluator: Any, name: str) -> Any:
    """An evaluator of a campaign file: a name, or an object with a name."""
    if isinstance(evaluator, dict):
        is_meant = str(evaluator.get("name", "")).strip() == name
        return {"name": _FORGOTTEN} if is_meant else evaluator
    return _FORGOTTEN if str(evaluator).strip() == name else evaluator
