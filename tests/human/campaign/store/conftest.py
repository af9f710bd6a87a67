"""Stores in both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from patmark.human.campaign.store import Store
from postgres import empty_database, new_database


@pytest.fixture(scope="session")
def spare_database(postgres_url: str) -> str:
    """A database of PostgreSQL that one test after the other uses."""
    return new_database(postgres_url)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database that is still empty."""
    if request.param == "sqlite":
        return str(tmp_path / "campaigns.db")
    address: str = request.getfixturevalue("spare_database")
    empty_database(address)
    return address


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """A store that the tests share; each makes a campaign of its own."""
    if request.param == "sqlite":
        url = str(tmp_path_factory.mktemp("store") / "campaigns.db")
    else:
        url = new_database(request.getfixturevalue("postgres_url"))
    with Store.open(url, create=True) as opened:
        yield opened


@pytest.fixture(autouse=True)
def stored_decisions(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test, what the newest campaign keeps beside its answers follows from them."""
    yield
    if "store" not in request.fixturenames:
        return
    store: Store = request.getfixturevalue("store")
    with store._reading() as connection:
        newest = connection.scalar(text("SELECT id FROM campaigns ORDER BY number DESC LIMIT 1"))
        if newest is None:
            return
        of_newest = "campaign IN (SELECT number FROM campaigns WHERE id = :id)"
        held = f"SELECT id FROM pages WHERE {of_newest} AND released IS NULL AND done"
        done = set(connection.scalars(text(held), {"id": newest}))
        taken = connection.execute(
            text(
                "SELECT taken, (SELECT count(*) FROM pages JOIN evaluators "
                "ON pages.evaluator = evaluators.number WHERE pages.item = items.number "
                "AND released IS NULL AND excluded IS NULL) AS counted "
                f"FROM items WHERE items.{of_newest} AND phase = 'main'"
            ),
            {"id": newest},
        ).all()
        counted = (
            f"SELECT count(*) FROM items WHERE {of_newest} AND phase = 'main' AND taken < times"
        )
        still_open = connection.scalar(text(counted), {"id": newest})
        kept = connection.scalar(
            text(f"SELECT open_items FROM pools WHERE {of_newest}"), {"id": newest}
        )
    assert [row.taken for row in taken] == [row.counted for row in taken]
    assert (kept or 0) == still_open
    with Store(store._engine) as fresh:
        assert done == fresh.state(newest).done
