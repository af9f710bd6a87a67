"""Where campaigns are kept: SQLite on a laptop, PostgreSQL for a team.

``Store.open(url)`` gives the store; everything else are the records that it returns. Only this
package uses SQLAlchemy.
"""

from patmark.campaign.records import (
    CampaignInfo,
    Consensus,
    Created,
    EvaluatorInfo,
    Event,
    PageInfo,
    Refused,
    Remark,
    Saved,
    Session,
    StoredAnswer,
)
from patmark.errors import MissingExtra

try:
    from patmark.campaign.store.store import Store
except ModuleNotFoundError as error:
    if error.name not in ("alembic", "sqlalchemy"):
        raise
    raise MissingExtra(error.name, "human") from None

__all__ = [
    "CampaignInfo",
    "Consensus",
    "Created",
    "EvaluatorInfo",
    "Event",
    "PageInfo",
    "Refused",
    "Remark",
    "Saved",
    "Session",
    "Store",
    "StoredAnswer",
]
