"""Connections that were lost while nobody used them."""

from __future__ import annotations

from sqlalchemy import text

from patmark.human.campaign.store import Store
from postgres import new_database
from store_plans import graded, small_plan


def test_a_lost_connection_is_replaced(postgres_url: str) -> None:
    """As when PostgreSQL was restarted over night."""
    url = new_database(postgres_url)
    with Store.open(url, create=True) as store, Store.open(url) as other:
        campaign = store.create_campaign(small_plan()).campaign
        with other._engine.connect() as connection:
            connection.execute(text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            ))  # fmt: skip
        assert store.save(campaign, "ann", graded("ann-1")).stored
        assert [one.id for one in store.campaigns()] == [campaign]
