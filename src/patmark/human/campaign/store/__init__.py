"""Storage of campaigns: SQLite on a laptop, PostgreSQL for a team.

``Store.open(url)`` gives the store. Only this package uses SQLAlchemy.
"""

from patmark.errors import MissingExtra

try:
    from patmark.human.campaign.store.store import Store
except ModuleNotFoundError as error:
    if error.name not in ("alembic", "sqlalchemy"):
        raise
    raise MissingExtra(error.name, "human") from None

__all__ = ["Store"]
