"""Decisions of two connections that meet: each is made once, on the state that it changes."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from patmark.errors import UsageError
from patmark.human.campaign.export import campaign_export
from patmark.human.campaign.records import Refused
from patmark.human.campaign.status import campaign_status
from patmark.human.campaign.store import Store, assignment, campaigns
from patmark.human.campaign.store.tables import pages
from store_plans import graded, small_plan, whole

_PATIENCE = 1.0


@pytest.fixture
def stores(store_url: str) -> Iterator[tuple[Store, Store]]:
    """Two processes with the same database."""
    with Store.open(store_url, create=True) as one, Store.open(store_url) as other:
        yield one, other


def _together(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, parties: int = 2) -> None:
    """Let two decisions reach a step at the same time, if anything lets them."""
    barrier, step = threading.Barrier(parties), getattr(module, name)

    def meet(*arguments: Any, **others: Any) -> Any:
        with suppress(threading.BrokenBarrierError):
            barrier.wait(_PATIENCE)
        return step(*arguments, **others)

    monkeypatch.setattr(module, name, meet)


def _at_once(*jobs: Callable[[], Any]) -> list[Any]:
    """The results of jobs, or how they were refused."""

    def outcome(job: Callable[[], Any]) -> Any:
        try:
            return job()
        except (UsageError, Refused) as error:
            return error

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(outcome, jobs))


def _three(store: Store) -> str:
    """Ann and bob judge the same segments, cem judges nothing yet."""
    plan = small_plan(("ann", "bob", "cem"), main=3)
    own = tuple(page for page in plan.pages if page.evaluator != "cem" or page.phase == "training")
    form = replace(plan.form, questions=plan.form.questions[:2])
    return store.create_campaign(replace(plan, pages=own, form=form)).campaign


def test_two_reassignments_never_give_the_same_outputs_twice(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = stores
    campaign = _three(one)
    _together(monkeypatch, assignment, "pages_to_move")
    given = _at_once(
        lambda: one.reassign_open_pages(campaign, "ann", "cem", 9),
        lambda: other.reassign_open_pages(campaign, "bob", "cem", 9),
    )
    assert sorted(map(str, given)) == ["3", "cem can take no page of bob"] or sorted(
        map(str, given)
    ) == ["3", "cem can take no page of ann"]
    held = Counter(page.segment for page in one.state_of(campaign, "cem").pages)
    assert held == {"s0": 1, "s1": 1, "s2": 1, "s3": 1}
    state = other.state(campaign)
    assert state.doubled == () and campaign_status(state).notes


def test_named_pages_with_the_same_outputs_are_refused(stores: tuple[Store, Store]) -> None:
    one, other = stores
    campaign = _three(one)
    refused = _at_once(
        lambda: one.reassign(campaign, ["ann-1", "ann-2"], "cem"),
        lambda: other.reassign(campaign, ["bob-2", "bob-3"], "cem"),
    )
    assert [isinstance(one, UsageError) for one in refused].count(True) == 1
    assert any("judges the same outputs already" in str(one) for one in refused)
    assert len(one.state_of(campaign, "cem").pages) == 3
    with pytest.raises(UsageError, match="somebody else"):
        one.reassign_open_pages(campaign, "ann", "ann", 1)
    for giver, taker in (("ann", "who"), ("who", "ann")):
        with pytest.raises(UsageError, match="no evaluator 'who'"):
            one.reassign_open_pages(campaign, giver, taker, 1)


def test_the_database_itself_refuses_the_same_outputs(stores: tuple[Store, Store]) -> None:
    one, _ = stores
    _three(one)
    with pytest.raises(IntegrityError), one._writing() as connection:
        connection.execute(text("UPDATE pages SET evaluator = evaluator + 1 WHERE id = 'ann-1'"))


def test_a_save_during_a_reassignment_is_refused(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = stores
    campaign = _three(one)
    begun = threading.Event()
    decide = assignment.pages_to_move

    def slowly(*arguments: Any) -> Any:
        begun.set()
        threading.Event().wait(_PATIENCE / 4)
        return decide(*arguments)

    monkeypatch.setattr(assignment, "pages_to_move", slowly)

    def save() -> Any:
        begun.wait()
        return other.save(campaign, "ann", graded("ann-1"))

    moved, saved = _at_once(lambda: one.reassign_open_pages(campaign, "ann", "cem", 9), save)
    assert moved == 3 and isinstance(saved, Refused)
    assert other.history(campaign) == []


def test_a_replacement_loses_no_page_and_no_answer(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the newcomer's pages are made, the leaver tries to finish one more page."""
    one, other = stores
    campaign = one.create_campaign(small_plan()).campaign
    one.save_many(campaign, "ann", whole("ann-1"))
    begun = threading.Event()
    made = assignment.pages_of_leaver

    def slowly(*arguments: Any) -> Any:
        begun.set()
        threading.Event().wait(_PATIENCE / 4)
        return made(*arguments)

    monkeypatch.setattr(assignment, "pages_of_leaver", slowly)

    def finish() -> Any:
        begun.wait()
        return other.save_many(campaign, "ann", whole("ann-2"))

    [(_, count), saved] = _at_once(lambda: one.replace_evaluator(campaign, "ann", "cem"), finish)
    assert count == 2 and isinstance(saved, Refused)
    state = other.state(campaign)
    assert [page.segment for page in state.pages_of("ann")] == ["s1"]
    assert [page.segment for page in state.pages_of("cem")] == ["s0", "s2"]
    assert [(e.action, e.evaluator) for e in one.events(campaign)[1:]] == [
        ("revoked", "ann"), ("replaced", "ann"), ("added", "cem"),
    ]  # fmt: skip


def _broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("the power failed")


def test_a_replacement_that_fails_changes_nothing(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = stores
    campaign = one.create_campaign(small_plan()).campaign
    monkeypatch.setattr(assignment, "insert_evaluator", _broken)
    with pytest.raises(RuntimeError):
        one.replace_evaluator(campaign, "ann", "cem")
    assert [one.action for one in other.events(campaign)] == ["created"]
    assert other.evaluators(campaign)[0].revoked is None
    assert len(other.state_of(campaign, "ann").pages) == 3


def test_a_clone_that_fails_changes_nothing(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = stores
    campaign = one.create_campaign(small_plan()).campaign
    one.revoke(campaign, "bob")
    monkeypatch.setattr(campaigns, "end_access", _broken)
    with pytest.raises(RuntimeError):
        one.clone(campaign, "Second")
    assert [info.id for info in other.campaigns()] == [campaign]


def test_two_campaigns_of_one_name_are_not_begun_at_once(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = stores
    plan = small_plan()
    _together(monkeypatch, campaigns, "_insert_campaign")
    campaign = one.create_campaign(replace(plan, name="First"), new_name=True).campaign
    made = _at_once(
        lambda: one.create_campaign(replace(plan, name="Second"), new_name=True),
        lambda: other.clone(campaign, "Second"),
    )
    assert [isinstance(each, UsageError) for each in made].count(True) == 1
    assert [info.name for info in one.campaigns()] == ["First", "Second"]


def _as_before_0004(store: Store) -> None:
    """Turn the tables into those of patmark 0.2, which had no such constraint."""
    with store._writing() as connection:
        for statement in (
            "DROP INDEX uq_pages_evaluator_content",
            "DROP INDEX ix_items_open",
            "DROP INDEX ix_pages_item_evaluator",
            "CREATE INDEX ix_pages_item ON pages (item)",
            "ALTER TABLE pages DROP COLUMN content",
            "ALTER TABLE pages DROP COLUMN done",
            "ALTER TABLE items DROP COLUMN taken",
            "ALTER TABLE evaluators DROP COLUMN return_hash",
            "DROP TABLE publications",
            "DROP TABLE pools",
            "ALTER TABLE answers DROP COLUMN answered",
            "UPDATE patmark_schema SET version_num = '0003'",
        ):
            connection.execute(text(statement))


def test_duplicates_of_an_old_database_are_reported(store_url: str) -> None:
    with Store.open(store_url, create=True) as store:
        campaign = _three(store)
        for name in ("ann", "bob"):
            for number in (1, 2):
                page = f"{name}-{number}"
                store.save_many(campaign, name, [graded(page), graded(page, "B")])
        before = store.state(campaign).done
        _as_before_0004(store)
        with store._writing() as connection:
            ann = "(SELECT number FROM evaluators WHERE name = 'ann')"
            of_page = "page IN (SELECT number FROM pages WHERE id = 'bob-1')"
            for statement in (
                f"UPDATE pages SET evaluator = {ann}, position = 9 WHERE id = 'bob-1'",
                f"UPDATE answers SET evaluator = {ann} WHERE {of_page}",
            ):
                connection.execute(text(statement))
    with Store.migrate(store_url) as store:
        state = store.state(campaign)
        assert [page.id for page in state.doubled] == ["bob-1"]
        assert state.done == before
        with store._reading() as connection:
            assert set(connection.scalars(select(pages.c.id).where(pages.c.done))) == before
        note = "ann has 1 page twice, of which only the first counts: s1"
        assert note in campaign_status(state).to_json()["notes"]
        exported = campaign_export(state)
        assert note in exported.notes and exported.judgements is not None
        rows = [(row.evaluator, row.segment, row.system) for row in exported.judgements.rows]
        assert len(rows) == len(set(rows)) == 9
        assert sum(row[:2] == ("ann", "s1") for row in rows) == 3
