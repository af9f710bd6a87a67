"""Answers are added, never changed; the last one counts; what is not allowed leaves no trace."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from patmark.errors import UsageError
from patmark.human.campaign import Answer
from patmark.human.campaign.records import Refused, SaveReceipt
from patmark.human.campaign.store import Store
from store_plans import graded, small_plan, whole


@pytest.fixture
def campaign(store: Store) -> str:
    return store.create_campaign(small_plan()).campaign


def _values(store: Store, campaign: str) -> list[tuple[str, str, str | None, int]]:
    return [
        (one.evaluator, one.answer.candidate, one.answer.value, one.answer.revision)
        for one in store.answers(campaign)
    ]


def test_last_answer_counts_and_all_are_kept(store: Store, campaign: str) -> None:
    assert store.save(campaign, "ann", graded("ann-1", "A", "1")) == SaveReceipt(1, stored=True)
    assert store.save(campaign, "ann", graded("ann-1", "A", "2")) == SaveReceipt(2, stored=True)
    assert store.save(campaign, "ann", graded("ann-1", "B", "3")) == SaveReceipt(1, stored=True)
    assert store.save(campaign, "bob", graded("bob-1", "A", "1")) == SaveReceipt(1, stored=True)
    assert _values(store, campaign) == [
        ("ann", "A", "2", 2), ("ann", "B", "3", 1), ("bob", "A", "1", 1),
    ]  # fmt: skip
    assert [one.answer.value for one in store.history(campaign)] == ["1", "2", "3", "1"]
    assert [one.answer.value for one in store.history(campaign, "bob-1")] == ["1"]


def test_answer_comes_back_as_it_was(store: Store, campaign: str) -> None:
    detail = {"steps": {"all": "yes"}, "comment": "請求 <b>"}
    sent = Answer("ann-1", "B", "extra", "3", detail, revision=99, client="c1", seconds=2.25)
    store.save(campaign, "ann", sent)
    (back,) = store.answers(campaign, "ann", "ann-1")
    assert back.answer == replace(sent, revision=1, saved=back.answer.saved)
    assert back.answer.saved.endswith("Z")


def test_answers_can_be_chosen(store: Store, campaign: str) -> None:
    for name in ("ann", "bob"):
        store.save_many(campaign, name, [graded(f"{name}-1"), graded(f"{name}-2")])
    assert [one.answer.page for one in store.answers(campaign, "bob")] == ["bob-1", "bob-2"]
    assert [one.evaluator for one in store.answers(campaign, page="ann-2")] == ["ann"]
    assert store.answers(campaign, "bob", "ann-2") == []


def test_a_save_sent_twice_is_stored_once(store: Store, campaign: str) -> None:
    sent = graded("ann-1", client="c1")
    assert store.save(campaign, "ann", sent) == SaveReceipt(1, stored=True)
    store.save(campaign, "ann", graded("ann-1", value="1", client="c2"))
    assert store.save(campaign, "ann", sent) == SaveReceipt(1, stored=False)
    assert _values(store, campaign) == [("ann", "A", "1", 2)]
    assert len(store.history(campaign)) == 2


def test_client_ids_of_different_people_do_not_meet(store: Store, campaign: str) -> None:
    for name in ("ann", "bob"):
        assert store.save(campaign, name, graded(f"{name}-1", client="c1")).stored


@pytest.mark.parametrize(
    "other",
    [
        graded("ann-1", value="1", client="c1"),
        graded("ann-1", "B", client="c1"),
        graded("ann-2", client="c1"),
        replace(graded("ann-1", value=None, client="c1"), detail={"reason": "unreadable"}),
    ],
)
def test_client_id_of_another_answer_is_refused(store: Store, campaign: str, other: Answer) -> None:
    store.save(campaign, "ann", graded("ann-1", client="c1"))
    with pytest.raises(Refused) as refusal:
        store.save(campaign, "ann", other)
    assert refusal.value.reason == "reused"
    assert len(store.history(campaign)) == 1


@pytest.mark.parametrize(
    ("evaluator", "answer", "reason"),
    [
        ("ann", graded("bob-1"), "not-assigned"),
        ("ann", graded("none"), "not-assigned"),
        ("zoe", graded("ann-1"), "not-assigned"),
        ("ann", graded("ann-1", "C"), "invalid"),
        ("ann", graded("ann-1", ""), "invalid"),
        ("ann", Answer("ann-1", "A", "other", "1"), "invalid"),
        ("ann", Answer("ann-1", "A", "better", "first"), "invalid"),
        ("ann", graded("ann-1", value="4"), "invalid"),
        ("ann", Answer("ann-1", "", "checked", "done"), "invalid"),
        ("ann", replace(graded("ann-1"), detail={"unheard of": 1}), "invalid"),
    ],
)
def test_answers_that_do_not_belong(
    store: Store, campaign: str, evaluator: str, answer: Answer, reason: str
) -> None:
    with pytest.raises(Refused) as refusal:
        store.save(campaign, evaluator, answer)
    assert refusal.value.reason == reason
    assert store.history(campaign) == []


@pytest.mark.parametrize(
    "bad",
    [
        graded("ann-1", value="a\0"),
        graded("ann-1", client="\ud800"),
        replace(graded("ann-1"), detail={"reason": "\udfff"}),
        replace(graded("ann-1"), seconds=float("nan")),
        replace(graded("ann-1"), seconds=-1.0),
    ],
)
def test_answers_that_cannot_be_kept(store: Store, campaign: str, bad: Answer) -> None:
    with pytest.raises(UsageError):
        store.save(campaign, "ann", bad)
    assert store.history(campaign) == []


def test_several_answers_are_saved_all_or_none(store: Store, campaign: str) -> None:
    assert [one.revision for one in store.save_many(campaign, "ann", whole("ann-1"))] == [1, 1, 1]
    store.save(campaign, "ann", graded("ann-2", client="c1"))
    for last in (graded("bob-1"), graded("ann-2", value="1", client="c1")):
        with pytest.raises(Refused):
            store.save_many(campaign, "ann", [graded("ann-1", value="2"), last])
    assert len(store.history(campaign)) == 4
    assert store.save_many(campaign, "ann", []) == []


def test_closed_and_revoked(store: Store, campaign: str) -> None:
    store.close_campaign(campaign)
    with pytest.raises(Refused) as closed:
        store.save(campaign, "ann", graded("ann-1"))
    assert closed.value.reason == "closed"
    store.reopen(campaign)
    store.revoke(campaign, "ann")
    with pytest.raises(Refused) as revoked:
        store.save(campaign, "ann", graded("ann-1"))
    assert revoked.value.reason == "revoked"
    assert store.save(campaign, "bob", graded("bob-1")).stored


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ann-1", "ann-2"]), st.sampled_from("AB"), st.sampled_from("123"),
            st.integers(0, 12),
        ),
        max_size=25,
    )
)  # fmt: skip
def test_any_order_of_saves(store: Store, saves: list[tuple[str, str, str, int]]) -> None:
    """The store against a list: client ids decide what is new, the last new one counts."""
    campaign = store.create_campaign(small_plan()).campaign
    seen: dict[str, tuple[str, str, str]] = {}
    expected: dict[tuple[str, str], list[str]] = {}
    for page, label, value, client in saves:
        answer = graded(page, label, value, f"c{client}")
        if seen.setdefault(answer.client, (page, label, value)) != (page, label, value):
            with pytest.raises(Refused):
                store.save(campaign, "ann", answer)
            continue
        saved = store.save(campaign, "ann", answer)
        known = expected.setdefault((page, label), [])
        if saved.stored:
            known.append(value)
            assert saved.revision == len(known)
        assert known[saved.revision - 1] == value
    latest = {(a.page, a.candidate): a.value for a in (s.answer for s in store.answers(campaign))}
    assert latest == {place: values[-1] for place, values in expected.items()}
    assert len(store.history(campaign)) == sum(map(len, expected.values())) == len(seen)


def _at_once(jobs: list[Callable[[], None]]) -> None:
    failures: list[BaseException] = []

    def run(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_revisions_of_tabs_that_save_at_once_have_no_gaps(store: Store, campaign: str) -> None:
    revisions: list[int] = []

    def tab() -> None:
        for _ in range(10):
            revisions.append(store.save(campaign, "ann", graded("ann-1")).revision)

    _at_once([tab] * 8)
    assert sorted(revisions) == list(range(1, 81))


def test_a_save_sent_by_many_threads_is_stored_once(store: Store, campaign: str) -> None:
    results: list[SaveReceipt] = []
    answer = graded("ann-1", client="c1")
    _at_once([lambda: results.append(store.save(campaign, "ann", answer))] * 12)
    assert sorted(one.stored for one in results) == [False] * 11 + [True]
    assert len(store.history(campaign)) == 1


def test_refusals_do_not_disturb_others(store: Store) -> None:
    names = tuple(f"e{number}" for number in range(12))
    campaign = store.create_campaign(small_plan(names)).campaign

    def work(name: str, foreign: str) -> None:
        for value in "123123":
            store.save(campaign, name, graded(f"{name}-1", value=value))
            with pytest.raises(Refused):
                store.save(campaign, name, graded(f"{foreign}-1"))
            with pytest.raises(Refused):
                store.save_many(campaign, name, [graded(f"{name}-2"), graded(f"{foreign}-1")])

    _at_once([lambda a=a, b=b: work(a, b) for a, b in zip(names, names[::-1], strict=True)])  # type: ignore[misc]
    assert len(store.history(campaign)) == 12 * 6
    assert [row[3] for row in _values(store, campaign)] == [6] * 12


def test_nothing_arrives_after_closing(store: Store) -> None:
    names = tuple(f"e{number}" for number in range(8))
    campaign = store.create_campaign(small_plan(names)).campaign
    counts: list[int] = []
    begun = threading.Barrier(9)

    def work(name: str) -> None:
        begun.wait()
        for number in range(1000):
            try:
                store.save(campaign, name, graded(f"{name}-1"))
            except Refused:
                counts.append(number)
                return

    def close() -> None:
        begun.wait()
        store.close_campaign(campaign)
        counts.append(-len(store.history(campaign)))

    _at_once([*(lambda name=name: work(name) for name in names), close])  # type: ignore[misc]
    assert sum(counts) == 0


@pytest.mark.parametrize("field", ["page", "candidate", "question"])
def test_names_that_no_database_can_look_for(store: Store, campaign: str, field: str) -> None:
    """Refused before the transaction that others share; it would fail for all of them."""
    with pytest.raises(UsageError, match="NUL"):
        store.save(campaign, "ann", replace(graded("ann-1"), **{field: "a\0"}))
