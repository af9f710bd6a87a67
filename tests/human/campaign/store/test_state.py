"""The database counts what is done; remarks are kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select
from tests.support.campaigns import set_consensus

from patmark.human.campaign import Answer
from patmark.human.campaign.records import Refused
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.store import Store
from patmark.human.campaign.store.tables import answers
from store_plans import graded, small_form, small_plan, whole


@pytest.fixture
def campaign(store: Store) -> str:
    return store.create_campaign(small_plan()).campaign


def test_progress_counts_pages_by_phase(store: Store, campaign: str) -> None:
    other = store.create_campaign(small_plan()).campaign
    store.save_many(other, "bob", whole("bob-1"))
    store.save_many(campaign, "ann", [*whole("ann-0"), *whole("ann-1"), graded("ann-2")])
    assert _done(store, campaign) == {"ann-1"}  # a training page must have been checked
    store.save(campaign, "ann", Answer("ann-0", "", "checked", "done"))
    state = store.state(campaign)
    ann, bob = state.people
    assert (ann.name, bob.name) == ("ann", "bob")
    assert (ann.done, ann.total, ann.training_done, ann.training_total) == (1, 2, 1, 1)
    assert (bob.done, bob.total, bob.training_done, bob.training_total) == (0, 2, 0, 1)
    assert (len(store.history(campaign)), sum(state.saves.seconds.values())) == (8, 7.5)
    assert ann.last_saved == max(one.answer.saved for one in store.answers(campaign))
    assert bob.last_saved is None
    assert _done(store, campaign) == {"ann-0", "ann-1"}
    assert store.state_of(campaign, "bob").done == frozenset()


def _done(store: Store, campaign: str) -> frozenset[str]:
    """The pages of ann that are done, as she and the organiser see them."""
    done = store.state_of(campaign, "ann").done
    assert store.state(campaign).done == done
    return done


def test_answers_taken_back_undo_a_page(store: Store, campaign: str) -> None:
    store.save_many(campaign, "ann", whole("ann-1"))
    store.save(campaign, "ann", graded("ann-1", value=None))
    assert _done(store, campaign) == frozenset()
    assert store.state(campaign).people[0].done == 0
    store.save(campaign, "ann", graded("ann-1", value="1"))
    assert _done(store, campaign) == {"ann-1"}


def test_a_reason_is_an_answer_and_changes_count_once(store: Store, campaign: str) -> None:
    reason = replace(graded("ann-1", "A", None), detail={"reason": "unreadable"})
    store.save_many(campaign, "ann", [*whole("ann-1"), reason])
    assert _done(store, campaign) == {"ann-1"}
    for value in "123":
        store.save(campaign, "ann", graded("ann-2", value=value))
    assert _done(store, campaign) == {"ann-1"}


def test_optional_answers_do_not_finish_a_page(store: Store, campaign: str) -> None:
    extra = [Answer("ann-1", label, "extra", "3") for label in "AB"]
    store.save_many(campaign, "ann", [*extra, graded("ann-1"), graded("ann-1", "B")])
    assert _done(store, campaign) == frozenset()


def test_without_required_questions_any_answer_finishes_a_page(store: Store) -> None:
    form = small_form()
    optional = tuple(replace(question, required=False) for question in form.questions)
    plan = replace(small_plan(), form=replace(form, questions=optional))
    campaign = store.create_campaign(plan).campaign
    store.save(campaign, "ann", graded("ann-1"))
    assert _done(store, campaign) == {"ann-1"}


def test_evaluator_without_pages(store: Store) -> None:
    plan = small_plan()
    untrained = tuple(page for page in plan.pages if page.phase != "training")
    campaign = store.create_campaign(replace(plan, pages=untrained)).campaign
    store.add_evaluator(campaign, "cem")
    assert (store.state(campaign).people[2].total, store.state_of(campaign, "cem").pages) == (0, ())


def test_last_remark_on_a_page_counts(store: Store, campaign: str) -> None:
    store.save_remark(campaign, "ann", "ann-1", "typo?", False)
    store.save_remark(campaign, "ann", "ann-1", "原文が不明 <b>", True)
    store.save_remark(campaign, "ann", "ann-2", "", True)
    store.save_remark(campaign, "bob", "bob-1", "mistake", False)
    store.save_remark(campaign, "bob", "bob-1", "", False)
    assert [
        (one.page, one.segment, one.text, one.flagged) for one in store.state(campaign).remarks
    ] == [
        ("ann-1", "s1", "原文が不明 <b>", True),
        ("ann-2", "s2", "", True),
    ]
    assert store.state_of(campaign, "bob").remarks == ()
    assert [one.evaluator for one in store.state_of(campaign, "ann").remarks] == ["ann", "ann"]


def test_remarks_are_refused_where_answers_are(store: Store, campaign: str) -> None:
    with pytest.raises(Refused, match="not one of yours"):
        store.save_remark(campaign, "ann", "bob-1", "x", False)
    store.close_campaign(campaign)
    with pytest.raises(Refused, match="closed"):
        store.save_remark(campaign, "ann", "ann-1", "x", False)


def _read_anew(store: Store, campaign: str) -> dict[str, object]:
    """The state as a process sees it that has not read it before."""
    with Store(store._engine) as other:
        return _shown(other.state(campaign))


def _shown(state: CampaignState) -> dict[str, object]:
    names = ("info", "evaluators", "pages", "texts", "given", "remarks", "consensus", "people")
    return {name: getattr(state, name) for name in names}


def test_a_state_with_what_was_saved_since_equals_one_that_is_read_anew(
    store: Store, campaign: str
) -> None:
    store.save_many(campaign, "bob", whole("bob-1"))
    before = store.state(campaign)
    shown = _shown(before)
    changes = (
        lambda: store.save_many(campaign, "ann", [*whole("ann-2"), *whole("ann-1")]),
        lambda: store.save(campaign, "bob", graded("bob-1", "B", value=None)),
        lambda: store.save(campaign, "bob", graded("bob-1", "A", value="2")),
        lambda: store.save_remark(campaign, "ann", "ann-1", "typo?", True),
        lambda: set_consensus(store, campaign, "s1", ["x"], "adequacy", "3"),
        lambda: store.exclude(campaign, "bob", "no time"),
        lambda: store.save(campaign, "ann", graded("ann-1", value="1")),
        lambda: store.forget(campaign, "bob"),
        lambda: store.close_campaign(campaign),
    )
    for change in changes:
        change()
        assert _shown(store.state(campaign)) == _read_anew(store, campaign)
    assert _shown(before) == shown


def test_only_what_was_saved_since_is_read(store: Store, campaign: str) -> None:
    store.save_many(campaign, "ann", whole("ann-1"))
    before = store.state(campaign)
    token = store.open_organiser_session(campaign, 60)
    store.close_session(token)
    assert store.state(campaign) is before
    store.save(campaign, "ann", graded("ann-2"))
    after = store.state(campaign)
    assert after.pages is before.pages
    assert after.saves.by_page["ann-1"] is before.saves.by_page["ann-1"]
    assert [one.page for one in after.given[len(before.given) :]] == ["ann-2"]


def test_an_answer_that_becomes_visible_late_is_not_lost(store: Store, campaign: str) -> None:
    """Of two transactions of PostgreSQL the one with the lower number may end last."""
    for page in ("ann-1", "ann-2", "bob-1"):
        store.save(campaign, page[:3], graded(page))
    with store._writing() as connection:
        last_but_one = select(answers).order_by(answers.c.number.desc()).offset(1).limit(1)
        late = connection.execute(last_but_one).one()
        connection.execute(answers.delete().where(answers.c.number == late.number))
    assert [one.page for one in store.state(campaign).given] == ["ann-1", "bob-1"]
    with store._writing() as connection:
        connection.execute(answers.insert().values(late._asdict()))
    assert [one.page for one in store.state(campaign).given] == ["ann-1", "ann-2", "bob-1"]
