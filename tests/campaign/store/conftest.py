"""Stores in both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from patmark.campaign.store import Store
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
