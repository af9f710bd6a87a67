"""Fifty evaluators at once against a server of its own, which is killed; links stay out of logs.

The full load is in benchmarks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from campaign_load import Save, begin, judge_all, load_plan, serving, stored_saves
from patmark.human.campaign.store import Store
from postgres import new_database

_EVALUATORS, _SAVES = 50, 4


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that is still empty."""
    if request.param == "sqlite":
        return str(tmp_path / "campaign.db")
    return new_database(request.getfixturevalue("postgres_url"))


def _by_client(saves: list[Save]) -> dict[str, Save]:
    found = {save.client: save for save in saves}
    assert len(found) == len(saves)
    return found


def test_fifty_evaluators_lose_nothing_even_if_the_server_is_killed(
    db: str, tmp_path: Path
) -> None:
    """What was acknowledged is there after kill -9, and in the end everything is there once."""
    campaign, judges = begin(db, load_plan(_EVALUATORS, _SAVES))
    wanted = _by_client([save for judge in judges for save in judge.waiting])
    log = tmp_path / "log"
    with serving(db, log, "--access-log") as server:
        judge_all(server, judges, kill_after=len(wanted) // 3)
        assert server.process.returncode == -9
    sent = [save for judge in judges for save in judge.acknowledged]
    assert len(wanted) // 3 <= len(sent) < len(wanted)
    stored = _by_client(stored_saves(db, campaign))
    assert stored.items() >= _by_client(sent).items()
    # Browsers send again what was not acknowledged; what had arrived all the same is not doubled.
    with serving(db, log) as server:
        judge_all(server, judges)
    assert [judge.refused for judge in judges] == [[]] * _EVALUATORS
    assert [judge.waiting for judge in judges] == [[]] * _EVALUATORS
    assert _by_client(stored_saves(db, campaign)) == wanted
    with Store.open(db) as store:
        assert all(one.done == one.total for one in store.state(campaign).people)
    said = log.read_text(encoding="utf-8")
    assert "/e/…" in said
    assert not any(judge.token in said for judge in judges)
