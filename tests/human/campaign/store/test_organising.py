"""What the organiser decides holds, and is kept in the log."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.campaigns import set_consensus

from patmark.errors import UsageError
from patmark.human.campaign.consensus import common_items
from patmark.human.campaign.records import Refused
from patmark.human.campaign.store import Store
from store_plans import graded, small_page, small_plan


@pytest.fixture
def campaign(store: Store) -> str:
    return store.create_campaign(small_plan(split=True)).campaign


def test_close_and_reopen(store: Store, campaign: str) -> None:
    store.close_campaign(campaign)
    assert not store.campaign(campaign).is_open
    store.reopen(campaign)
    assert store.campaign(campaign).is_open
    assert store.save(campaign, "ann", graded("ann-1")).stored


def test_added_evaluators_can_work(store: Store, campaign: str) -> None:
    token, count = store.add_evaluator(campaign, "cem", "ann")
    found = store.evaluator_of(token)
    assert found is not None and found.name == "cem"
    pages = store.state_of(campaign, "cem").pages
    assert count == len(pages) == 3
    assert store.save(campaign, "cem", graded(pages[1].id)).stored
    assert store.plan(campaign).evaluators == ("ann", "bob", "cem")


def test_evaluators_cannot_be_added_wrongly(store: Store, campaign: str) -> None:
    before = store.plan(campaign)
    with pytest.raises(UsageError, match="already"):
        store.add_evaluator(campaign, "ann")
    with pytest.raises(UsageError, match="no evaluator"):
        store.add_evaluator(campaign, "cem", "zoe")
    assert store.plan(campaign) == before


def test_untouched_pages_move(store: Store, campaign: str) -> None:
    store.reassign(campaign, ["ann-2", "ann-1"], "bob")
    assert [page.id for page in store.state_of(campaign, "ann").pages] == ["ann-0"]
    moved = store.state_of(campaign, "bob").pages
    assert [(page.id, page.position) for page in moved[3:]] == [("ann-2", 3), ("ann-1", 4)]
    page = store.state_of(campaign, "bob", "ann-1").texts["ann-1"]
    assert page.evaluator == "bob"
    assert store.save(campaign, "bob", graded("ann-1")).stored
    with pytest.raises(Refused):
        store.save(campaign, "ann", graded("ann-2"))
    assert store.state(campaign).people[1].total == 4


def test_pages_move_to_somebody_without_any(store: Store) -> None:
    plan = replace(small_plan(), pages=(small_page("ann", 1), small_page("ann", 2)))
    campaign = store.create_campaign(plan).campaign
    store.reassign(campaign, ["ann-1"], "bob")
    assert [page.position for page in store.state_of(campaign, "bob").pages] == [0]


def test_pages_that_were_begun_stay(store: Store, campaign: str) -> None:
    store.save(campaign, "ann", graded("ann-1", value=None))
    store.save_remark(campaign, "ann", "ann-2", "hm", False)
    for page in ("ann-1", "ann-2"):
        with pytest.raises(UsageError, match="has begun"):
            store.reassign(campaign, ["ann-0", page], "bob")
    with pytest.raises(UsageError, match="no page 'x'"):
        store.reassign(campaign, ["ann-0", "x"], "bob")
    with pytest.raises(UsageError, match="no evaluator 'zoe'"):
        store.reassign(campaign, ["ann-0"], "zoe")
    assert len(store.state_of(campaign, "ann").pages) == 3


def test_last_consensus_holds(store: Store, campaign: str) -> None:
    set_consensus(store, campaign, "s0", ["castor"], "adequacy", "1")
    set_consensus(store, campaign, "s0", ["borealis", "atlas"], "adequacy", "3", "agreed")
    set_consensus(store, campaign, "s0", ["castor"], "adequacy", "2")
    set_consensus(store, campaign, "s0", [], "better", "first")
    set_consensus(store, campaign, "s0", [], "better", None)
    held = store.state(campaign).consensus
    assert [(one.systems, one.question, one.value, one.note) for one in held] == [
        (("atlas", "borealis"), "adequacy", "3", "agreed"),
        (("castor",), "adequacy", "2", ""),
    ]


@pytest.mark.parametrize("decision", [True, False, None])
def test_qualification(store: Store, campaign: str, decision: bool | None) -> None:
    assert store.state_of(campaign, "ann").evaluators[0].qualified is None
    store.set_qualified(campaign, "ann", True)
    store.set_qualified(campaign, "ann", decision)
    assert store.state_of(campaign, "ann").evaluators[0].qualified is decision
    assert store.evaluators(campaign)[0].qualified is decision
    assert store.state_of(campaign, "bob").evaluators[0].qualified is None


def test_exclusion_is_a_recorded_decision(store: Store, campaign: str) -> None:
    store.save(campaign, "ann", graded("ann-1"))
    with pytest.raises(UsageError, match="reason"):
        store.exclude(campaign, "ann", " ")
    store.exclude(campaign, "ann", "failed the checks")
    assert store.evaluators(campaign)[0].excluded == "failed the checks"
    assert len(store.answers(campaign)) == 1
    store.include(campaign, "ann", "checks were wrong")
    assert store.evaluators(campaign)[0].excluded is None


def test_log_says_who_did_what(store: Store, campaign: str) -> None:
    store.open_session(campaign, "ann", 60)
    store.exclude(campaign, "ann", "failed the checks")
    store.reassign(campaign, ["ann-1", "bob-1"], "bob")
    store.close_campaign(campaign)
    log = [(one.by, one.action, one.evaluator, one.detail) for one in store.events(campaign)]
    assert log == [
        ("organiser", "created", None, ""),
        ("evaluator", "opened a session", "ann", ""),
        ("organiser", "excluded", "ann", "failed the checks"),
        ("organiser", "pages taken", "ann", "ann-1"),
        ("organiser", "pages given", "bob", "ann-1"),
        ("organiser", "closed", None, ""),
    ]


def test_an_agreement_is_on_an_item_and_a_value_that_there_are(store: Store) -> None:
    campaign = store.create_campaign(small_plan()).campaign
    for name, value in (("ann", "3"), ("bob", "1")):
        store.save(campaign, name, graded(f"{name}-1", value=value))
    [item] = common_items(store.state(campaign))
    for key, value in (("none", "3"), (item.key, "4")):
        with pytest.raises(UsageError, match="no such common item"):
            store.agree(campaign, key, value)
    store.agree(campaign, item.key, "2", "discussed")
    [agreed] = store.state(campaign).consensus
    assert (agreed.segment, agreed.value, agreed.note) == ("s1", "2", "discussed")
    store.agree(campaign, item.key, None)
    assert store.state(campaign).consensus == ()
