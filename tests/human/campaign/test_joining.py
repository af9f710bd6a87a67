"""People who join later, and pages that change hands."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count

import pytest

from example_campaigns import ADEQUACY, PAIRWISE
from patmark.errors import UsageError
from patmark.human.campaign import Page, plan_campaign, read_campaign
from patmark.human.campaign.extension import open_pages, pages_for_newcomer, pages_to_move
from patmark.human.campaign.records import PageInfo
from patmark.human.campaign.settings import Assignment

_PLAN = plan_campaign(read_campaign(ADEQUACY))


def _infos(name: str) -> tuple[PageInfo, ...]:
    """The pages of an evaluator as the store knows them."""
    return tuple(
        PageInfo(
            page.id, page.position, page.phase, page.segment, name,
            content=page.content if page.phase == "main" else None,
        )
        for page in _PLAN.pages_of(name)
    )  # fmt: skip


def _content(pages: tuple[Page, ...]) -> Counter[tuple[object, ...]]:
    """What pages show, without order."""
    return Counter(
        (page.phase, page.segment, frozenset((one.systems, one.text) for one in page.candidates))
        for page in pages
    )


@pytest.mark.parametrize("file", [ADEQUACY, PAIRWISE])
def test_a_newcomer_judges_the_same_in_another_order(file: object) -> None:
    plan = plan_campaign(read_campaign(file))  # type: ignore[arg-type]
    made = pages_for_newcomer(plan, "new", "e1")
    assert _content(made) == _content(plan.pages_of("e1"))
    assert [page.position for page in made] == list(range(1, len(made) + 1))
    assert {page.evaluator for page in made} == {"new"}
    assert not {page.id for page in made} & {page.id for page in plan.pages}
    assert all([one.label for one in page.candidates] == list("ABC")[: len(page.candidates)]
               for page in made)  # fmt: skip
    assert [page.candidates for page in made] != [page.candidates for page in plan.pages_of("e1")]


def test_a_newcomer_to_a_pool_gets_the_training_alone() -> None:
    settings = read_campaign(ADEQUACY)
    plan = plan_campaign(replace(settings, assignment=Assignment("pool"), evaluators=()))
    assert plan.pages == () and Counter(one.page.phase for one in plan.pool)["training"] == 3
    made = pages_for_newcomer(plan, "new")
    assert [(page.phase, page.position) for page in made] == [
        ("training", place) for place in (1, 2, 3)
    ]
    with pytest.raises(UsageError, match="shared pool"):
        pages_for_newcomer(replace(plan, evaluators=("e1",)), "new", "e1")


def test_extra_pages_keep_their_distance() -> None:
    made = pages_for_newcomer(_PLAN, "new", "e1")
    for like, own in zip(_PLAN.pages_of("e1"), made, strict=True):
        if like.phase in ("check", "repeat"):
            assert (own.phase, own.segment) == (like.phase, like.segment)
            original = [page.position for page in made
                        if page.phase == "main" and page.segment == own.segment]  # fmt: skip
            assert original and own.position - original[0] >= 2


def test_draws_follow_from_the_name() -> None:
    once, again, other = (
        pages_for_newcomer(_PLAN, name, "e1", new_id=map(str, count()).__next__)
        for name in ("new", "new", "other")
    )
    assert once == again
    assert [page.segment for page in once] != [page.segment for page in other] or [
        page.candidates for page in once
    ] != [page.candidates for page in other]


def test_training_only() -> None:
    made = pages_for_newcomer(_PLAN, "new")
    assert [page.phase for page in made] == ["training"] * 3
    assert [page.expected for page in made] == [
        page.expected for page in _PLAN.pages_of("e1") if page.phase == "training"
    ]


@pytest.mark.parametrize(("name", "like"), [("e1", None), ("", None), (" x", None), ("x", "who")])
def test_odd_names(name: str, like: str | None) -> None:
    with pytest.raises(UsageError):
        pages_for_newcomer(_PLAN, name, like)


def test_begun_pages_stay() -> None:
    own = _infos("e1")
    free = open_pages(own, ())
    assert free and {page.phase for page in free} == {"main"}
    coming_back = {page.segment for page in _PLAN.pages_of("e1") if page.phase != "main"}
    assert not coming_back & {page.segment for page in free}
    assert open_pages(own, {free[0].id}) == free[1:]


def test_nobody_gets_a_segment_twice() -> None:
    moved = pages_to_move(_infos("e1"), (), _infos("e2"))
    known = {page.segment for page in _PLAN.pages_of("e2")}
    assert moved and not known & {page.segment for page in moved}
    assert [page.position for page in moved] == sorted(page.position for page in moved)
    assert len(pages_to_move(_infos("e1"), (), _infos("e2"), most=1)) == 1
