"""Links, secrets and sessions open what they should, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from patmark.errors import UsageError
from patmark.human.campaign.store import Store
from store_plans import small_plan

_PAST = "2020-01-01T00:00:00.000Z"
_FUTURE = "2999-01-01T00:00:00.000Z"


def test_link_opens_its_evaluator(store: Store) -> None:
    created = store.create_campaign(small_plan())
    for name, token in created.links.items():
        found = store.evaluator_of(token)
        assert found is not None
        assert (found.campaign, found.name) == (created.campaign, name)
    assert [one.name for one in store.evaluators(created.campaign)] == ["ann", "bob"]


def test_secret_opens_its_campaign(store: Store) -> None:
    created = store.create_campaign(small_plan())
    assert store.organiser_of(created.organiser_secret).campaign == created.campaign


@pytest.mark.parametrize("guess", ["", "x", "' OR 1=1 --", "\ud800", "\0", "\N{SNOWMAN}" * 9999])
def test_guesses_open_nothing(store: Store, guess: str) -> None:
    assert store.evaluator_of(guess) is None
    assert store.organiser_of(guess) is None
    assert store.session(guess) is None


def test_secrets_do_not_open_other_doors(store: Store) -> None:
    created = store.create_campaign(small_plan())
    link, secret = created.links["ann"], created.organiser_secret
    session = store.open_session(created.campaign, "ann", 60)
    assert store.evaluator_of(secret) is store.evaluator_of(session) is None
    assert store.organiser_of(link) is store.organiser_of(session) is None
    assert store.session(link) is store.session(secret) is None


def test_links_expire(store: Store) -> None:
    created = store.create_campaign(small_plan(), expires=_PAST)
    assert store.evaluator_of(created.links["ann"]) is None
    token = store.new_token(created.campaign, "ann", expires=_FUTURE)
    found = store.evaluator_of(token)
    assert found is not None and found.expires == _FUTURE


def test_new_link_ends_the_old_one_and_its_sessions(store: Store) -> None:
    created = store.create_campaign(small_plan())
    session = store.open_session(created.campaign, "ann", 60)
    token = store.new_token(created.campaign, "ann")
    assert store.evaluator_of(created.links["ann"]) is None
    assert store.session(session) is None
    assert store.evaluator_of(token) is not None
    assert store.evaluator_of(created.links["bob"]) is not None


def test_revoked_evaluators_are_out(store: Store) -> None:
    created = store.create_campaign(small_plan())
    session = store.open_session(created.campaign, "ann", 60)
    store.revoke(created.campaign, "ann")
    assert store.evaluator_of(created.links["ann"]) is None
    assert store.session(session) is None
    with pytest.raises(UsageError, match="no access"):
        store.open_session(created.campaign, "ann", 60)
    assert store.evaluators(created.campaign)[0].revoked is not None
    assert store.evaluator_of(store.new_token(created.campaign, "ann")) is not None


def test_sessions(store: Store) -> None:
    created = store.create_campaign(small_plan())
    mine = store.session(token := store.open_session(created.campaign, "ann", 60))
    organiser = store.session(store.open_organiser_session(created.campaign, 60))
    assert mine is not None and organiser is not None
    assert (mine.campaign, mine.evaluator, mine.is_organiser) == (created.campaign, "ann", False)
    assert (organiser.evaluator, organiser.is_organiser) == (None, True)
    assert len(mine.csrf) == 64 and mine.csrf != organiser.csrf
    assert mine.csrf not in repr(mine)
    assert store.session(token) == mine
    store.close_session(token)
    store.close_session(token)
    assert store.session(token) is None


def test_sessions_expire(store: Store) -> None:
    campaign = store.create_campaign(small_plan()).campaign
    assert store.session(store.open_session(campaign, "ann", 0)) is None
    assert store.session(store.open_organiser_session(campaign, -1)) is None


def test_new_organiser_secret_ends_the_old_one(store: Store) -> None:
    created = store.create_campaign(small_plan())
    session = store.open_organiser_session(created.campaign, 60)
    mine = store.open_session(created.campaign, "ann", 60)
    secret = store.new_organiser_secret(created.campaign)
    assert store.organiser_of(created.organiser_secret) is None
    assert store.organiser_of(secret).campaign == created.campaign
    assert store.session(session) is None
    assert store.session(mine) is not None


@pytest.mark.parametrize("act", ["new_token", "revoke"])
def test_unknown_evaluator(store: Store, act: str) -> None:
    campaign = store.create_campaign(small_plan()).campaign
    with pytest.raises(UsageError, match="no evaluator 'zoe'"):
        getattr(store, act)(campaign, "zoe")


def test_the_first_enrolment_counts(store: Store) -> None:
    plan = replace(small_plan(), settings={"consent": {"": "You agree."}})
    campaign = store.create_campaign(plan).campaign
    for years in ("3", "4"):
        store.enrol(campaign, "ann", {"years": years})
    assert store.evaluators(campaign)[0].background == {"years": "3"}
    assert [one.action for one in store.events(campaign)] == ["created", "enrolled"]
