"""The store: everything that campaigns keep in one database, by subject.

Campaigns are known by their id and evaluators by their name; keys of rows stay in this package.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from patmark.errors import UsageError
from patmark.human.campaign.records import CampaignInfo
from patmark.human.campaign.store.access import AccessStore
from patmark.human.campaign.store.answers import AnswerStore
from patmark.human.campaign.store.assignment import AssignmentStore
from patmark.human.campaign.store.campaigns import CampaignStore
from patmark.human.campaign.store.database import copy_postgresql, copy_sqlite, open_engine
from patmark.human.campaign.store.decisions import DecisionStore
from patmark.human.campaign.store.forgetting import DeletionStore
from patmark.human.campaign.store.tables import campaigns


class Store(CampaignStore, AccessStore, AssignmentStore, AnswerStore, DecisionStore, DeletionStore):
    """Campaigns in SQLite or PostgreSQL. May be used by several threads at once.

    Every decision is one method that reads, validates and writes in one transaction. An unknown
    campaign or evaluator is a ``UsageError``; a write that an evaluator may not do is ``Refused``.
    """

    @classmethod
    def open(cls, url: str, create: bool = False) -> Self:
        """Open the database at a path (SQLite) or URL; ``create`` makes the tables if need be."""
        return cls(open_engine(url, create=create))

    @classmethod
    def migrate(cls, url: str) -> Self:
        """Open a database, and bring its tables to the newest version first."""
        return cls(open_engine(url, migrate=True))

    def acting_for(self, organiser: str) -> Self:
        """Return a view of the store whose decisions are logged for this organiser."""
        same = copy(self)
        same._organiser = organiser
        return same

    def close(self) -> None:
        """Carry out pending saves, and close the database."""
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
        """Return True if the database answers."""
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

    def find(self, wanted: str | None = None) -> CampaignInfo:
        """Return the campaign with this id or name; the only one if none is named."""
        known = self.campaigns()
        listed = "; ".join(f"{one.id} ({one.name})" for one in known)
        if not known:
            raise UsageError(
                "the database holds no campaigns; they are begun with: patmark human new"
            )
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
