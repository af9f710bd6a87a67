"""People who join a campaign later, and work that changes hands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from patmark.campaign.plan import Answer, Candidate, Page, Plan, labelled
from patmark.campaign.planning import random_id
from patmark.campaign.settings import name_problem
from patmark.errors import UsageError


def pages_for_newcomer(
    plan: Plan, name: str, like: str | None = None, *, new_id: Callable[[], str] = random_id
) -> tuple[Page, ...]:
    """The training, and the pages of another evaluator in a new order with outputs shuffled anew.

    Without ``like`` there is only the training: pages of others can be given afterwards. A page
    that comes back later, as a repeat or an attention check, keeps its place, so that the distance
    stays as it was planned. Draws follow from the seed of the campaign and the name.
    """
    problem = name_problem(name)
    if problem:
        raise UsageError(f"the name {name!r} {problem}")
    if name in plan.evaluators:
        raise UsageError(f"the campaign has an evaluator {name!r} already")
    if like is not None and like not in plan.evaluators:
        known = ", ".join(plan.evaluators)
        raise UsageError(f"the campaign has no evaluator {like!r}; there are: {known}")
    rng = np.random.default_rng([plan.seed, *name.encode()])
    training = [page for page in plan.pages_of(_first(plan, like)) if page.phase == "training"]
    judged = [] if like is None else [one for one in plan.pages_of(like) if one.phase != "training"]
    own = [*training, *(_shuffled(page, rng) for page in _reordered(judged, rng))]
    return tuple(
        replace(page, id=new_id(), evaluator=name, position=place)
        for place, page in enumerate(own, 1)
    )


def open_pages(plan: Plan, answers: Iterable[Answer], evaluator: str) -> tuple[Page, ...]:
    """The pages that an evaluator has not begun and that may change hands, last ones first.

    Training, attention checks, repeats, and pages that come back as one of these stay with their
    evaluator: they mean something only beside the own answers to the same outputs.
    """
    begun = {answer.page for answer in answers}
    own = plan.pages_of(evaluator)
    coming_back = {page.segment for page in own if page.phase in ("check", "repeat")}
    return tuple(
        page
        for page in reversed(own)
        if page.phase == "main" and page.id not in begun and page.segment not in coming_back
    )


def pages_to_move(
    plan: Plan, answers: Iterable[Answer], giver: str, taker: str, most: int | None = None
) -> tuple[Page, ...]:
    """Open pages of one evaluator that another may take: no segment that they judge already."""
    for name in (giver, taker):
        if name not in plan.evaluators:
            raise UsageError(f"the campaign has no evaluator {name!r}")
    if giver == taker:
        raise UsageError("pages can only be given to somebody else")
    known = {(page.segment, _systems(page)) for page in plan.pages_of(taker)}
    free = [
        page
        for page in open_pages(plan, answers, giver)
        if (page.segment, _systems(page)) not in known
    ]
    return tuple(reversed(free[:most]))


def _first(plan: Plan, like: str | None) -> str:
    if not plan.evaluators:
        raise UsageError("the campaign has no evaluators left whose training could be taken over")
    return like or plan.evaluators[0]


def _systems(page: Page) -> frozenset[tuple[str, ...]]:
    return frozenset(candidate.systems for candidate in page.candidates)


def _reordered(pages: Sequence[Page], rng: np.random.Generator) -> list[Page]:
    """The main pages that do not come back change places among each other."""
    again = {page.segment for page in pages if page.phase != "main"}
    free = [place for place, page in enumerate(pages) if page.segment not in again]
    ordered = list(pages)
    for place, other in zip(free, rng.permutation(free).tolist(), strict=True):
        ordered[place] = pages[other]
    return ordered


def _shuffled(page: Page, rng: np.random.Generator) -> Page:
    candidates: list[Candidate] = [
        page.candidates[place] for place in rng.permutation(len(page.candidates))
    ]
    return replace(page, candidates=labelled(candidates))
