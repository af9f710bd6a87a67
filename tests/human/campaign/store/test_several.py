"""Several campaigns and organisers, in both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Barrier

import pytest

from campaigns import campaign
from patmark.errors import UsageError
from patmark.human.campaign import plan_campaign
from patmark.human.campaign.settings import EvaluatorSettings
from patmark.human.campaign.store import Store
from patmark.human.campaign.store.tables import now, seconds_between
from store_plans import graded, small_plan


def test_a_campaign_from_the_list_to_its_end(store: Store) -> None:
    campaign = store.create_campaign(small_plan()).campaign
    store.save(campaign, "ann", graded("ann-1"))
    before = len(store.campaigns())
    made = store.clone(campaign, "Clone of a test")
    assert store.plan(made.campaign).pages == store.plan(campaign).pages
    with pytest.raises(UsageError, match="already"):
        store.clone(campaign, "Clone of a test")
    own, clone = (
        next(one for one in store.overview() if one.info.id == id)
        for id in (campaign, made.campaign)
    )
    assert (own.progress.total, own.evaluators) == (clone.progress.total, clone.evaluators)
    assert own.state == clone.state == "open"
    assert own.progress == store.state(campaign).progress
    assert own.last_saved is not None and clone.last_saved is None
    store.archive(made.campaign)
    closed = store.campaign(made.campaign)
    assert closed.archived is not None and not closed.is_open
    store.reopen(made.campaign)
    assert store.campaign(made.campaign).archived is None
    store.acting_for("mei").delete_campaign(made.campaign)
    assert len(store.campaigns()) == before
    last = store.events(None)[-1]
    assert (last.organiser, last.action, last.detail) == (
        "mei", "deleted a campaign", "Clone of a test",
    )  # fmt: skip
    assert (
        store.evaluator_of(made.links["ann"]) is store.organiser_of(made.organiser_secret) is None
    )
    assert len(store.answers(campaign)) == 1


def test_a_clone_renames_people(store: Store) -> None:
    settings = replace(
        campaign(segments=2), evaluators=(EvaluatorSettings("e1", "zh"), EvaluatorSettings("e2"))
    )
    begun = store.create_campaign(plan_campaign(settings)).campaign
    with pytest.raises(UsageError, match="two evaluators would be called 'E2'"):
        store.clone(begun, f"wrong {begun}", {"e1": "E2"})
    made = store.clone(begun, f"renamed {begun}", {"e1": "mei"})
    assert list(made.links) == ["mei", "e2"]
    state = store.state(made.campaign)
    assert state.language_of("mei") == "zh" and len(state.standing("mei").pages) == 1
    assert "e1" not in str(state.settings["evaluators"])
    swapped = store.clone(begun, f"swapped {begun}", {"e1": "e2", "e2": "e1"})
    assert store.state(swapped.campaign).language_of("e2") == "zh"


def test_organisers_of_one_campaign_and_of_all(store: Store) -> None:
    created = store.create_campaign(small_plan())
    campaign = created.campaign
    name = f"chief of {campaign}"
    secrets = [store.add_organiser(place, name) for place in (campaign, None)]
    for place, secret in zip((campaign, None), secrets, strict=True):
        found = store.organiser_of(secret)
        assert found is not None and (found.campaign, found.name) == (place, name)
        with pytest.raises(UsageError, match="already"):
            store.add_organiser(place, name)
        session = store.session(token := store.open_organiser_session(place, 60, name))
        assert session is not None and (session.campaign, session.organiser) == (place, name)
        store.revoke_organiser(place, name)
        assert store.session(token) is store.organiser_of(secret) is None
        with pytest.raises(UsageError, match="no access"):
            store.open_organiser_session(place, 60, name)
        assert store.organiser_of(store.new_organiser_secret(place, name)) is not None
    store.revoke_organiser(campaign, "organiser")
    with pytest.raises(UsageError, match="only organiser"):
        store.revoke_organiser(campaign, name)
    with pytest.raises(UsageError, match="no organiser 'who'"):
        store.new_organiser_secret(campaign, "who")


def test_a_clone_gives_links_to_those_with_access(store: Store) -> None:
    expires = now(7 * 86400)
    campaign = store.create_campaign(small_plan(), expires).campaign
    [first, second, *_] = [one.name for one in store.evaluators(campaign)]
    store.revoke(campaign, first)
    store.exclude(campaign, second, "asleep")
    token, _ = store.add_evaluator(campaign, "late")
    assert store.evaluator_of(token) is not None
    made = store.clone(campaign, "Clone without some")
    people = {one.name: one for one in store.evaluators(made.campaign)}
    assert set(made.links) == set(people) - {first, second} and "late" in made.links
    assert people[first].revoked and people[second].revoked and people["late"].expires is None
    assert store.plan(made.campaign).pages == store.plan(campaign).pages
    lasting = people[first].expires
    assert lasting and abs(seconds_between(expires, lasting)) < 60


def test_two_organisers_cannot_shut_each_other_out(store: Store) -> None:
    campaign = store.create_campaign(small_plan()).campaign
    store.add_organiser(campaign, "mei")
    for _ in range(5):
        both = Barrier(2)

        def shut_out(name: str, both: Barrier = both) -> None:
            both.wait()
            with suppress(UsageError):
                store.revoke_organiser(campaign, name)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(shut_out, ("organiser", "mei")))
        left = [one.name for one in store.organisers(campaign) if one.revoked is None]
        assert len(left) == 1
        for name in ("organiser", "mei"):
            store.new_organiser_secret(campaign, name)
