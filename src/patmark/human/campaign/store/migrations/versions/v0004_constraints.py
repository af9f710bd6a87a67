"""No evaluator judges the same outputs twice; counts of taken items and done pages are stored.

If an older patmark gave an evaluator the same outputs twice, the later page keeps no content:
it stays, and exports report it.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
_BATCH = 500


def upgrade() -> None:
    """Add the columns, fill them, then create the indexes that rest on them."""
    op.add_column(
        "items", sa.Column("taken", sa.Integer, nullable=False, server_default=sa.text("0"))
    )
    op.add_column("pages", sa.Column("content", sa.Text))
    op.add_column("pages", sa.Column("done", sa.Boolean, nullable=False, server_default=sa.false()))
    op.execute(
        "UPDATE items SET taken = (SELECT count(*) FROM pages "
        "JOIN evaluators ON pages.evaluator = evaluators.number "
        "WHERE pages.item = items.number AND pages.released IS NULL "
        "AND evaluators.excluded IS NULL)"
    )
    connection = op.get_bind()
    _fill_content(connection)
    _fill_done(connection)
    op.drop_index("ix_pages_item", "pages")
    op.create_index("ix_pages_item_evaluator", "pages", ["item", "evaluator"])
    open_items = sa.text("phase = 'main' AND taken < times")
    op.create_index(
        "ix_items_open",
        "items",
        ["campaign", "systems", "position"],
        sqlite_where=open_items,
        postgresql_where=open_items,
    )
    held = sa.text("released IS NULL")
    op.create_index(
        "uq_pages_evaluator_content",
        "pages",
        ["evaluator", "content"],
        unique=True,
        sqlite_where=held,
        postgresql_where=held,
    )


def _fill_content(connection: sa.Connection) -> None:
    """Write the digest of segment and systems to the first held page of each evaluator."""
    seen: set[tuple[int, str]] = set()
    last = 0
    rows = sa.text(
        "SELECT number, evaluator, segment, body FROM pages WHERE phase = 'main' "
        f"AND released IS NULL AND number > :last ORDER BY number LIMIT {_BATCH}"
    )
    while found := connection.execute(rows, {"last": last}).all():
        last = found[-1].number
        for row in found:
            systems = sorted({tuple(one["systems"]) for one in json.loads(row.body)["candidates"]})
            parts = json.dumps([row.segment, systems])
            content = hashlib.sha256(parts.encode()).hexdigest()[:32]
            if (row.evaluator, content) not in seen:
                seen.add((row.evaluator, content))
                values = {"content": content, "number": row.number}
                connection.execute(
                    sa.text("UPDATE pages SET content = :content WHERE number = :number"), values
                )


def _fill_done(connection: sa.Connection) -> None:
    """Mark the pages whose latest answers are all that they need."""
    checked = {
        row.number: "tries" in json.loads(row.settings)
        for row in connection.execute(sa.text("SELECT number, settings FROM campaigns"))
    }
    latest: defaultdict[int, dict[tuple[str, str], Any]] = defaultdict(dict)
    answers = sa.text("SELECT page, candidate, question, counts FROM answers ORDER BY number")
    for page, candidate, question, counts in connection.execute(answers):
        latest[page].pop((candidate, question), None)
        latest[page][candidate, question] = bool(counts)
    pages = sa.text("SELECT number, campaign, phase, needed FROM pages")
    done = sa.text("UPDATE pages SET done = true WHERE number = :number")
    for row in connection.execute(pages).all():
        given = latest.get(row.number, {})
        needs_check = row.phase == "training" and checked[row.campaign]
        is_checked = bool(given) and list(given)[-1][1] == "checked"
        if sum(given.values()) >= row.needed and (is_checked or not needs_check):
            connection.execute(done, {"number": row.number})
