from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from campaigns import campaign, numbered_ids
from patmark.data import Segment
from patmark.errors import UsageError
from patmark.examples import example_path
from patmark.human.campaign import Page, Plan, plan_campaign, read_campaign
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.planning import assign, spread
from patmark.human.campaign.settings import Assignment
from patmark.human.campaign.training import Training, TrainingCandidate, TrainingItem


def _main(plan: Plan, evaluator: str) -> list[Page]:
    return [page for page in plan.pages_of(evaluator) if page.phase == "main"]


def _segments(plan: Plan, evaluator: str) -> set[str]:
    return {page.segment for page in _main(plan, evaluator)}


def test_the_same_seed_gives_the_same_plan_apart_from_ids() -> None:
    settings = read_campaign(example_path("campaign_zh_en/adequacy.yaml"))
    one, other = plan_campaign(settings), plan_campaign(settings)
    ids = [page.id for page in (*one.pages, *other.pages)]
    assert len(set(ids)) == len(ids) and min(map(len, ids)) >= 22  # 128 bits in base 64
    assert plan_campaign(settings, new_id=numbered_ids()) == plan_campaign(
        settings, new_id=numbered_ids()
    )
    again = plan_campaign(replace(settings, seed=8), new_id=numbered_ids())
    assert again.pages != plan_campaign(settings, new_id=numbered_ids()).pages


def test_ntcir_9_three_evaluators_judge_a_hundred_segments_each_of_ten_systems() -> None:
    systems = [f"system {number}" for number in range(10)]
    settings = campaign(
        segments=300, documents=30, systems=systems, assignment=Assignment("different", 100)
    )
    plan = plan_campaign(settings)
    for one, other in combinations(plan.evaluators, 2):
        assert not _segments(plan, one) & _segments(plan, other)
    for name in plan.evaluators:
        pages = _main(plan, name)
        assert [page.position for page in pages] == list(range(1, 101))
        assert all(len(page.candidates) == 10 for page in pages)
        documents = Counter(page.document for page in pages)
        assert min(documents.values()) >= 3 and max(documents.values()) <= 4
        first = Counter(page.candidates[0].systems for page in pages)
        assert len(first) == 10 and max(first.values()) < 30


def test_labels_say_nothing_of_systems() -> None:
    plan = plan_campaign(campaign())
    for page in plan.pages:
        assert [one.label for one in page.candidates] == ["A", "B", "C"]
    assert len({tuple(one.systems for one in page.candidates) for page in plan.pages}) > 2


@pytest.mark.parametrize("items", [None, 6])
def test_everyone_may_judge_the_same(items: int | None) -> None:
    plan = plan_campaign(campaign(assignment=Assignment("same", items)))
    found = {frozenset(_segments(plan, name)) for name in plan.evaluators}
    assert len(found) == 1 and len(next(iter(found))) == (items or 12)
    orders = {tuple(page.segment for page in _main(plan, name)) for name in plan.evaluators}
    assert len(orders) == 3


def test_a_share_may_be_common() -> None:
    plan = plan_campaign(campaign(segments=40, assignment=Assignment("overlap", 20, overlap=0.5)))
    counts = Counter(segment for name in plan.evaluators for segment in _segments(plan, name))
    assert Counter(counts.values()) == {3: 10, 1: 30}
    assert [len(_segments(plan, name)) for name in plan.evaluators] == [20, 20, 20]
    whole = plan_campaign(campaign(segments=40, assignment=Assignment("overlap", overlap=0.25)))
    counts = Counter(segment for name in whole.evaluators for segment in _segments(whole, name))
    assert len(counts) == 40 and counts.total() == 40 + 2 * Counter(counts.values())[3]


def test_every_stretch_of_a_pool_is_balanced() -> None:
    settings = campaign(segments=12, assignment=Assignment("pool", times=2))
    plan = plan_campaign(replace(settings, form=replace(settings.form, candidates=1)))
    assert plan.pages == () and {item.times for item in plan.pool} == {2}
    order = [item.page for item in plan.pool]
    assert len({(page.segment, page.candidates[0].systems) for page in order}) == 36
    for start in range(0, 36, 12):
        stretch = order[start : start + 12]
        assert set(Counter(page.candidates[0].systems for page in stretch).values()) == {4}
        assert set(Counter(page.document for page in stretch).values()) == {3}
        assert len({page.segment for page in stretch}) == 12


def test_each_segment_may_be_judged_several_times() -> None:
    people = ["e1", "e2", "e3", "e4"]
    settings = campaign(
        segments=60, evaluators=people, assignment=Assignment("each-r-times", times=2)
    )
    plan = plan_campaign(settings)
    hands = {name: _segments(plan, name) for name in people}
    assert Counter(map(len, hands.values())) == {30: 4}
    assert set(Counter(one for own in hands.values() for one in own).values()) == {2}
    together = [len(hands[one] & hands[other]) for one, other in combinations(people, 2)]
    assert min(together) >= 8 and max(together) <= 12


@given(
    st.integers(1, 60), st.integers(1, 7), st.integers(1, 5), st.integers(1, 3),
    st.sampled_from(["different", "same", "overlap", "each-r-times"]), st.integers(0, 9),
)  # fmt: skip
def test_nobody_gets_more_than_others(
    segments: int, documents: int, people: int, times: int, mode: str, seed: int
) -> None:
    rows = [Segment(str(place), document=f"D{place % documents}") for place in range(segments)]
    names = [f"e{place}" for place in range(people)]
    assignment = Assignment(mode, None, 0.3, min(times, people))  # type: ignore[arg-type]
    hands = assign(rows, names, assignment, ("document",), np.random.default_rng(seed))
    sizes = [len(own) for own in hands.values()]
    assert max(sizes) - min(sizes) <= 1
    assert {row.id for own in hands.values() for row in own} == {row.id for row in rows}
    assert all(len({row.id for row in own}) == len(own) for own in hands.values())


@given(st.lists(st.sampled_from("ABC"), min_size=1, max_size=50), st.integers(0, 9))
def test_every_stretch_has_its_fair_share_of_a_group(groups: list[str], seed: int) -> None:
    rows = [Segment(str(place), document=name) for place, name in enumerate(groups)]
    rng = np.random.default_rng(seed)
    order = spread(rows, [lambda row: row.document or ""], rng)
    assert sorted(row.id for row in order) == sorted(row.id for row in rows)
    for size in range(1, len(order) + 1):
        front = Counter(row.document for row in order[:size])
        for name, total in Counter(groups).items():
            assert abs(front[name] - total * size / len(order)) < 3


def test_sections_of_the_ipc_are_balanced() -> None:
    settings = campaign(segments=80, documents=20, assignment=Assignment("different", 16))
    plan = plan_campaign(replace(settings, balance=("ipc", "document")))
    sections = {segment.id: segment.meta["ipc"] for segment in settings.test_set}
    for name in plan.evaluators:
        counts = Counter(sections[segment] for segment in _segments(plan, name))
        assert len(counts) == 8 and max(counts.values()) <= 4


def test_equal_outputs_are_judged_once() -> None:
    texts = {"A": "same", "B": "same", "C": "other"}
    plan = plan_campaign(campaign(texts=lambda system, place: texts[system]))
    for page in plan.pages:
        assert {one.systems: one.text for one in page.candidates} == {
            ("A", "B"): "same", ("C",): "other",
        }  # fmt: skip
    assert plan.notes == ("12 outputs equal that of another system; each is judged once for both",)


def test_nothing_is_compared_where_all_outputs_are_the_same() -> None:
    for form in ("ranking", "pairwise"):
        settings = campaign(form, texts=lambda system, place: "x" if place else system)
        plan = plan_campaign(settings)
        assert {page.segment for page in plan.pages} == {"s1"}
        assert "11 segments are left out: all systems gave the same output" in plan.notes
    assert any("has nothing to judge" in note for note in plan.notes)


@pytest.mark.parametrize("people", [1, 3])
def test_pairs_stand_left_and_right_equally_often(people: int) -> None:
    names = [f"e{place}" for place in range(people)]
    settings = campaign("pairwise", segments=50, evaluators=names, assignment=Assignment("same"))
    plan = plan_campaign(settings)
    assert len(plan.pages) == 50 * 3 * people
    for pages in ([page for page in plan.pages], *(_main(plan, name) for name in names)):
        sides = Counter(
            (page.candidates[0].systems[0], page.candidates[1].systems[0]) for page in pages
        )
        for one, other in combinations("ABC", 2):
            assert abs(sides[one, other] - sides[other, one]) <= 1


def test_some_pairs_of_a_segment_are_chosen_evenly() -> None:
    settings = campaign(
        "pairwise", segments=30, systems=list("ABCDE"), evaluators=["e1"],
        assignment=Assignment("same", pairs_per_segment=2),
    )  # fmt: skip
    pairs = Counter(
        frozenset(one.systems[0] for one in page.candidates)
        for page in plan_campaign(settings).pages
    )
    assert pairs.total() == 60 and set(pairs.values()) == {6}


def test_single_outputs_have_pages_of_their_own() -> None:
    plan = plan_campaign(campaign("error-spans", evaluators=["e1"]))
    assert len(plan.pages) == 36 and all(len(page.candidates) == 1 for page in plan.pages)


@pytest.mark.parametrize("form", ["adequacy", "pairwise", "ranking", "error-spans"])
def test_repeats_and_checks_come_late_enough(form: str) -> None:
    settings = campaign(
        form, segments=60, repeats=Extras(0.1, 9), checks=Extras(0.1, 7, EDITS),
        assignment=Assignment("same"),
    )  # fmt: skip
    plan = plan_campaign(settings)
    for name in plan.evaluators:
        pages = plan.pages_of(name)
        main = _main(plan, name)
        for phase, distance in (("repeat", 9), ("check", 7)):
            extra = [page for page in pages if page.phase == phase]
            assert len(extra) == round(0.1 * len(main))
            for page in extra:
                original = next(
                    one for one in main
                    if one.segment == page.segment
                    and {x.systems for x in page.candidates} <= {x.systems for x in one.candidates}
                )  # fmt: skip
                between = [one for one in main if original.position < one.position < page.position]
                assert len(between) >= distance
                _check_extra(form, original, page)


def _check_extra(form: str, original: Page, page: Page) -> None:
    texts = {one.text for one in original.candidates}
    spoilt = [one for one in page.candidates if one.edits]
    if page.phase == "repeat":
        assert not spoilt and {one.text for one in page.candidates} == texts
        if form == "pairwise":
            assert page.candidates[0].systems == original.candidates[1].systems
        return
    [bad] = spoilt
    assert bad.text not in texts and bad.text.strip()
    sizes = {"ranking": 4, "pairwise": 2}
    assert len(page.candidates) == sizes.get(form, len(original.candidates))


def test_a_distance_that_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="repeats: a distance of 12 pages needs more than 12"):
        plan_campaign(campaign(evaluators=["e1"], repeats=Extras(0.1, 12)))


def test_too_few_places_are_told() -> None:
    plan = plan_campaign(campaign(evaluators=["e1"], repeats=Extras(0.5, 9)))
    assert sum(page.phase == "repeat" for page in plan.pages) == 3
    assert plan.notes[-1].startswith("e1: 3 repeats instead of 6")


def test_training_comes_first_and_is_the_same_for_all() -> None:
    item = TrainingItem(
        "t1", (TrainingCandidate("good", "x", {"adequacy": "5"}), TrainingCandidate("bad", "y")),
        "原文",
    )  # fmt: skip
    settings = campaign(training=Training((item,), "end", 0.5, 1))
    plan = plan_campaign(settings)
    for name in plan.evaluators:
        first, *others = plan.pages_of(name)
        assert (first.phase, first.segment, first.position) == ("training", "t1", 1)
        assert first.expected == {"A": {"adequacy": "5"}} and first.source == "原文"
        assert all(page.phase == "main" for page in others)
    assert (plan.pass_mark, plan.settings["feedback"], plan.settings["tolerance"]) == (
        0.5,
        "end",
        1,
    )


def test_context_has_neighbours_of_the_document_only() -> None:
    settings = campaign(
        segments=9, documents=3, neighbours=1, evaluators=["e1"],
        context={"D0": {"title": "一"}, "s4": {"abstract": "二"}},
    )  # fmt: skip
    context = {page.segment: page.context for page in plan_campaign(settings).pages}
    assert context["s4"] == {
        "title": "一", "abstract": "二", "before": ["原文1"], "after": ["原文7"],
    }  # fmt: skip
    assert context["s1"] == {"title": "一", "before": [], "after": ["原文4"]}
    assert context["s2"] == {"before": [], "after": ["原文5"]}


def test_missing_outputs_are_told() -> None:
    plan = plan_campaign(campaign(texts=lambda system, place: system if place else ""))
    assert "A: 1 output is missing or empty, and judged so" in plan.notes
