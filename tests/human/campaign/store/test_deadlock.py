"""Two processes that save, close and reassign at the same time: no deadlock, nothing slips in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import text

from patmark.human.campaign import Plan
from patmark.human.campaign.records import Refused
from patmark.human.campaign.store import Store
from postgres import new_database
from store_plans import graded, small_plan

_NAMES = tuple(f"{letter}{number}" for letter in "éaZ田" for number in range(4))
_ROUNDS = 12


def _plan() -> Plan:
    return replace(small_plan(_NAMES), name="Two processes")


def test_saves_and_decisions_of_two_processes(postgres_url: str) -> None:
    """Saves of several evaluators share a transaction and lock them by name, as decisions do."""
    url = new_database(postgres_url)
    problems: list[BaseException] = []
    acknowledged: list[tuple[str, str]] = []
    with Store.open(url, create=True) as one, Store.open(url) as other:
        campaign = one.create_campaign(_plan()).campaign

        def saving(store: Store, name: str, mark: str) -> None:
            for number in range(_ROUNDS):
                answer = replace(graded(f"{name}-1"), client=f"{mark}-{name}-{number}")
                try:
                    store.save(campaign, name, answer)
                    acknowledged.append((name, answer.client))
                except Refused:
                    pass

        def deciding() -> None:
            for number in range(_ROUNDS):
                other.close_campaign(campaign)
                other.reopen(campaign)
                one.set_qualified(campaign, _NAMES[number % len(_NAMES)], True)
                other.new_token(campaign, _NAMES[-1 - number % len(_NAMES)])

        def guarded(work: Callable[[], None]) -> None:
            try:
                work()
            except BaseException as error:
                problems.append(error)

        work: list[Callable[[], None]] = [deciding]
        for place, name in enumerate(_NAMES):
            names = (name, _NAMES[-1 - place])
            work.append(lambda name=names[0]: saving(one, name, "one"))  # type: ignore[misc]
            work.append(lambda name=names[1]: saving(other, name, "two"))  # type: ignore[misc]
        threads = [threading.Thread(target=guarded, args=(one_work,)) for one_work in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        kept = [(each.evaluator, each.answer.client) for each in one.history(campaign)]
    assert problems == []
    assert sorted(kept) == sorted(acknowledged)


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ("UPDATE campaigns SET closed = 'now'", "closed"),
        ("UPDATE pages SET evaluator = evaluator + 1 WHERE id = 'ann-1'", "not-assigned"),
    ],
)
def test_a_save_that_waited_sees_what_was_decided(
    postgres_url: str, decision: str, reason: str
) -> None:
    """While a save waits for its lock, the campaign is closed or the page taken away."""
    with Store.open(new_database(postgres_url), create=True) as store:
        campaign = store.create_campaign(small_plan(split=True)).campaign
        refused: list[str] = []

        def save() -> None:
            try:
                store.save(campaign, "ann", graded("ann-1"))
            except Refused as error:
                refused.append(error.reason)

        saving = threading.Thread(target=save)
        with store._engine.connect() as deciding, store._engine.connect() as watching:
            deciding.execute(text("SELECT 1 FROM evaluators FOR NO KEY UPDATE"))
            saving.start()
            waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not watching.scalar(waits):
                watching.rollback()
            deciding.execute(text(decision))
            deciding.commit()
            saving.join()
        assert refused == [reason]
        assert store.history(campaign) == []
