"""A shared pool: whoever comes takes the next open item, and what is left alone comes back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text

from campaigns import campaign
from patmark.errors import UsageError
from patmark.human.campaign import Answer, plan_campaign
from patmark.human.campaign.completion_codes import completions
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.records import Refused
from patmark.human.campaign.settings import Assignment, CompletionCode
from patmark.human.campaign.state import CampaignState, NextView
from patmark.human.campaign.status import campaign_status, rank_campaign
from patmark.human.campaign.stopping import stop_rule
from patmark.human.campaign.store import Store

_SIX = ("e1", "e2", "e3", "e4", "e5", "e6")
_SYSTEMS = ("A", "B", "C")


def _begin(
    store: Store, people: Sequence[str] = _SIX, segments: int = 8, times: int = 2, **others: Any
) -> str:
    """A pool of single outputs of three systems."""
    more = {name: others.pop(name) for name in ("items_per_evaluator",) if name in others}
    settings = campaign(
        segments=segments,
        systems=_SYSTEMS,
        evaluators=people,
        assignment=Assignment("pool", times=times, lease_minutes=5, **more),
        **others,
    )
    settings = replace(settings, form=replace(settings.form, candidates=1))
    return store.create_campaign(plan_campaign(settings)).campaign


def _judge(store: Store, campaign: str, name: str, most: int = 1000) -> list[str]:
    """Claim and answer pages, one after the other."""
    done: list[str] = []
    while len(done) < most and (page := store.next_view(campaign, name).page):
        store.save(campaign, name, Answer(page, "A", "adequacy", "3"))
        done.append(page)
    return done


def _let_time_pass(store: Store) -> None:
    """All that was claimed and saved so far is a year old."""
    with store._writing() as connection:
        for column, table in (("claimed", "pages"), ("saved", "answers")):
            old = f"'2001' || substr({column}, 5)"
            connection.execute(text(f"UPDATE {table} SET {column} = {old}"))
    store._states.clear()


def _judged(state: CampaignState) -> dict[int, list[str]]:
    """Who has judged each item."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for page in state.pages:
        if page.phase == "main" and page.id in state.done and page.item is not None:
            found[page.item].append(page.evaluator)
    return found


def _systems_of(state: CampaignState, name: str) -> Counter[str]:
    pages = [page for page in state.plan.pages_of(name) if page.phase == "main"]
    return Counter(system for page in pages for one in page.candidates for system in one.systems)


def test_overlap_and_balance_although_two_of_six_drop_out(store: Store) -> None:
    begun = _begin(store)
    for name in ("e1", "e2"):
        assert len(_judge(store, begun, name, 5)) == 5
    left = store.next_view(begun, "e1").page  # looked at, and never seen again
    half = store.next_view(begun, "e2").page
    assert left and half
    store.save(begun, "e2", Answer(half, "A", "adequacy", None, {"reason": ""}))
    for name in _SIX[2:]:
        _judge(store, begun, name, 9)
    for name in _SIX[2:]:
        _judge(store, begun, name)
    assert sum(map(len, _judged(store.state(begun)).values())) == 2 * 24 - 2
    assert store.state(begun).standing("e3").waiting == 0
    _let_time_pass(store)
    for name in _SIX[2:]:
        _judge(store, begun, name)
    state = store.state(begun)
    judged = _judged(state)
    assert len(judged) == 24 and all(len(set(own)) == 2 for own in judged.values())
    for name in _SIX:
        counts = _systems_of(state, name)
        assert max(counts.values()) - min(counts[one] for one in _SYSTEMS) <= 2, (name, counts)
    assert {left, half}.isdisjoint(page.id for page in state.pages)
    with pytest.raises(Refused, match="not one of yours"):
        store.save(begun, "e2", Answer(half, "A", "adequacy", "4"))
    assert [one.evaluator for one in store.history(begun, half)] == ["e2"]
    assert [one.state for one in state.people] == ["finished"] * 6


def test_an_early_stretch_is_balanced(store: Store) -> None:
    begun = _begin(store, segments=12, times=1)
    for _ in range(3):
        for name in _SIX:
            _judge(store, begun, name, 1)
    state = store.state(begun)
    for name in _SIX:
        assert _systems_of(state, name) == {"A": 1, "B": 1, "C": 1}
    assert len({page.segment for page in state.pages}) >= 9


def test_claims_at_once_take_each_place_once(store: Store) -> None:
    begun = _begin(store, segments=6, times=3)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda name: _judge(store, begun, name), _SIX))
    judged = _judged(store.state(begun))
    assert len(judged) == 18
    assert all(len(own) == len(set(own)) == 3 for own in judged.values())


def test_two_windows_get_the_same_page(store: Store) -> None:
    begun = _begin(store)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: store.next_view(begun, "e1").page, range(4)))
    assert len(set(found)) == 1
    assert store.state(begun).standing("e1").total == 24


def test_a_lease_that_is_used_does_not_end(store: Store) -> None:
    begun = _begin(store, ("e1", "e2"), segments=1, times=1)
    _judge(store, begun, "e1", 2)
    kept = store.next_view(begun, "e1").page
    _let_time_pass(store)
    assert kept
    store.save(begun, "e1", Answer(kept, "A", "adequacy", None, {"reason": ""}))
    assert store.next_view(begun, "e2").page is None
    store.revoke(begun, "e1")
    assert len(_judge(store, begun, "e2")) == 1  # nobody waits for those who have no access


def test_answers_of_excluded_evaluators_are_asked_for_again(store: Store) -> None:
    begun = _begin(store, ("e1", "e2"), segments=2, times=1)
    assert len(_judge(store, begun, "e1")) == 6
    assert store.next_view(begun, "e2").page is None
    store.exclude(begun, "e1", "asleep")
    assert store.state(begun).standing("e2").waiting == 6
    assert len(_judge(store, begun, "e2")) == 6


def test_nobody_takes_more_than_the_campaign_allows(store: Store) -> None:
    begun = _begin(store, ("e1", "e2"), items_per_evaluator=4)
    assert store.state(begun).standing("e1").waiting == 4
    assert len(_judge(store, begun, "e1")) == 4
    assert store.state(begun).standing("e1").waiting == 0


def test_nobody_is_finished_before_their_checks(store: Store) -> None:
    """What an evaluator may take is counted in items; checks and repeats come on top."""
    code = CompletionCode("C0DE", 1.0)
    checks = Extras(1.0, 3, EDITS)
    begun = _begin(store, ("e1",), items_per_evaluator=4, checks=checks, completion=code)
    _judge(store, begun, "e1", 5)  # the first check comes after four items
    state = store.state(begun)
    assert Counter(page.phase for page in state.pages) == {"main": 4, "check": 1}
    assert state.standing("e1").waiting == 3 and state.people[0].state == "working"
    assert not completions(state).rows[0].earned
    assert len(_judge(store, begun, "e1")) == 3
    [one] = completions(store.state(begun)).rows
    assert one.finished and one.checks.total == 4


def test_checks_that_others_have_taken_still_wait_for_everybody(store: Store) -> None:
    begun = _begin(store, ("e1", "e2"), segments=1, times=2, checks=Extras(1.0, 1, EDITS))
    assert len(_judge(store, begun, "e1")) == 6
    _judge(store, begun, "e2", 1)
    assert store.state(begun).standing("e2").total == 4  # the check of the first page among them
    assert len(_judge(store, begun, "e2")) == 5


def test_pages_of_excluded_evaluators_bring_nothing_back(store: Store) -> None:
    begun = _begin(store, ("e1", "e2", "e3", "e4"), segments=1, times=1)
    assert store.next_view(begun, "e1").page
    store.exclude(begun, "e1", "asleep")
    left = [store.next_view(begun, "e2").page]
    assert len(_judge(store, begun, "e3")) == 2
    _let_time_pass(store)
    assert store.next_view(begun, "e4").page and left[0] not in {
        one.id for one in store.state(begun).pages
    }
    overview = next(one for one in store.overview() if one.info.id == begun)
    assert (overview.progress.total, overview.progress.done) == (3, 2)


def test_who_may_take_no_more_ends_nobodys_lease(store: Store) -> None:
    begun = _begin(store, ("e1", "e2"), segments=1, times=1, items_per_evaluator=2)
    kept = store.next_view(begun, "e1").page
    assert len(_judge(store, begun, "e2")) == 2
    _let_time_pass(store)
    assert store.next_view(begun, "e2").page is None and store.next_view(begun, "e1").page == kept


def test_checks_and_repeats_come_late_enough(store: Store) -> None:
    begun = _begin(
        store,
        ("e1",),
        segments=6,
        times=1,
        checks=Extras(0.2, 3, EDITS),
        repeats=Extras(0.2, 5, EDITS),
    )
    assert len(_judge(store, begun, "e1")) == 18 + 4 + 4
    plan = store.plan(begun)
    places = {
        (page.segment, page.candidates[0].systems): page.position
        for page in plan.pages
        if page.phase == "main"
    }
    extras = [page for page in plan.pages if page.phase != "main"]
    assert Counter(page.phase for page in extras) == {"check": 4, "repeat": 4}
    early = [page for page in extras if page.position < max(places.values())]
    least = {"check": 3, "repeat": 5}
    distances = [
        page.position - places[page.segment, page.candidates[0].systems] - least[page.phase]
        for page in early
    ]
    assert len(early) >= 4 and min(distances) >= 0
    assert all(one.edits for page in extras if page.phase == "check" for one in page.candidates)
    assert sorted(page.position for page in plan.pages) == list(range(1, 27))


def test_a_clone_has_a_common_link_for_those_who_came(store: Store) -> None:
    begun = _begin(store, ("e1",), join=True)
    for name in ("w1", "w2", "w3"):
        store.join(begun, name)
    store.exclude(begun, "w2", "asleep")
    store.revoke(begun, "w3")
    made = store.clone(begun, f"Clone of {begun}")
    assert set(made.links) == {"e1"} and made.join
    store.join(made.campaign, "w1")
    for name in ("w2", "w3"):
        with pytest.raises(UsageError, match="takes part already"):
            store.join(made.campaign, name)


def test_the_common_link_can_be_renewed_and_ended(store: Store) -> None:
    begun = _begin(store, ("e1",), join=True)
    first, second = store.new_join_secret(begun), store.new_join_secret(begun)
    found = store.joined_by(second)
    assert found is not None and found.id == begun and store.joined_by(first) is None
    store.revoke_join(begun)
    assert store.joined_by(second) is None
    with pytest.raises(UsageError, match="no common link"):
        store.new_join_secret(_begin(store, ("e1",)))


def test_nobody_new_comes_to_a_closed_campaign(store: Store) -> None:
    begun = _begin(store, ("e1",), join=True)
    code = store.join(begun, "w1")
    store.close_campaign(begun)
    store.join(begun, "w1", code)  # may still look at what was answered
    with pytest.raises(UsageError, match="closed"):
        store.join(begun, "w2")
    assert [one.name for one in store.evaluators(begun)] == ["e1", "w1"]


def test_a_closed_campaign_gives_nothing(store: Store) -> None:
    begun = _begin(store)
    store.close_campaign(begun)
    assert store.next_view(begun, "e1") == NextView("done")


def test_single_outputs_of_a_pool_are_ranked_although_nobody_judged_all(store: Store) -> None:
    """Everybody judges other outputs of a segment; nothing is left out because of that."""
    begun = _begin(store, ("e1", "e2", "e3"), segments=30, times=1)
    state = store.state(begun)
    assert campaign_status(state).validations == ()
    for _ in range(30):
        for name in ("e1", "e2", "e3"):
            page = store.next_view(begun, name).page
            assert page is not None
            [system] = store.state(begun).texts[page].candidates[0].systems
            grade = {"A": "5", "B": "3", "C": "1"}[system]
            store.save(begun, name, Answer(page, "A", "adequacy", grade))
    state = store.state(begun)
    ranking, _ = rank_campaign(state)
    assert ranking is not None
    [found] = ranking.rankings
    assert {name: found.measured.estimates[name].value for name in "ABC"} == {
        "A": 5,
        "B": 3,
        "C": 1,
    }
    assert {(one.better, one.worse, one.difference) for one in stop_rule(state)} == {
        ("A", "B", 2), ("A", "C", 4), ("B", "C", 2),
    }  # fmt: skip
    [validation] = campaign_status(state).validations
    assert validation.judgements == 90


@pytest.mark.parametrize("work", ["next_view", "state_of", "evaluators"])
def test_work_in_the_database_does_not_grow_with_the_pool(tmp_path: Path, work: str) -> None:
    """SQLite counts its own steps; before, each request counted the pages of every item twice."""
    steps = []
    for segments in (20, 320):
        with Store.open(str(tmp_path / f"{segments}.db"), create=True) as store:
            begun = _begin(store, segments=segments)
            for name in _SIX[:3]:
                _judge(store, begun, name, 2)
            ticks: list[int] = []

            def watch(connection: Any, *_: Any, ticks: list[int] = ticks) -> None:
                connection.set_progress_handler(lambda: ticks.append(1), 20)

            event.listen(store._engine, "checkout", watch)
            if work == "evaluators":
                store.evaluators(begun)
            else:
                getattr(store, work)(begun, "e4")
            steps.append(len(ticks))
    assert steps[1] <= 1.2 * steps[0] + 5, steps
