"""Pages of new and replacing evaluators, and reassignable pages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from patmark.errors import UsageError
from patmark.human.campaign.plan import Page, Plan
from patmark.human.campaign.planning import random_id
from patmark.human.campaign.records import PageInfo
from patmark.human.campaign.settings import name_problem, same_name


def pages_for_newcomer(
    plan: Plan, name: str, like: str | None = None, *, new_id: Callable[[], str] = random_id
) -> tuple[Page, ...]:
    """Return the training, and the pages of another evaluator in a new random order.

    Without ``like`` there is only the training: pages of others can be reassigned afterwards. A
    page with a later repeat or attention check keeps its position, so that the planned distance is
    kept. The order depends on the seed of the campaign and the name.
    """
    problem = name_problem(name)
    if problem:
        raise UsageError(f"the name {name!r} {problem}")
    if same := same_name(name, plan.evaluators):
        raise UsageError(f"the campaign has an evaluator {same!r} already")
    if like is not None and like not in plan.evaluators:
        known = ", ".join(plan.evaluators)
        raise UsageError(f"the campaign has no evaluator {like!r}; there are: {known}")
    if like is not None and plan.is_pool:
        raise UsageError("pages come from a shared pool; a newcomer takes them from there")
    rng = np.random.default_rng([plan.seed, *name.encode()])
    training = [item.page for item in plan.pool if item.page.phase == "training"]
    if not plan.is_pool:
        if not plan.evaluators:
            raise UsageError(
                "the campaign has no evaluators left whose training could be taken over"
            )
        first = plan.pages_of(like or plan.evaluators[0])
        training = [one for one in first if one.phase == "training"]
    judged = [] if like is None else [one for one in plan.pages_of(like) if one.phase != "training"]
    own = [*training, *(page.reshuffled(rng) for page in _reordered(judged, rng))]
    return tuple(
        replace(page, id=new_id(), evaluator=name, position=place)
        for place, page in enumerate(own, 1)
    )


def pages_of_leaver(
    plan: Plan,
    done: Collection[str],
    leaver: str,
    name: str,
    *,
    new_id: Callable[[], str] = random_id,
) -> tuple[Page, ...]:
    """Return the training and the unfinished pages of a leaving evaluator, for a new one.

    Checks and repeats stay with their originals, because they are compared with the same
    evaluator's answers. Pages of a shared pool return to it.
    """
    if leaver not in plan.evaluators:
        raise UsageError(f"the campaign has no evaluator {leaver!r}")
    unfinished = [
        page for page in plan.pages_of(leaver) if page.id not in done and page.phase == "main"
    ]
    kept = {(page.segment, _systems(page)) for page in unfinished}
    own = [
        page
        for page in plan.pages_of(leaver)
        if page in unfinished
        or (page.phase == "repeat" and (page.segment, _systems(page)) in kept)
        or (page.phase == "check" and page.segment in {segment for segment, _ in kept})
    ]
    rest = replace(plan, pages=(*_training_of(plan, leaver), *(() if plan.is_pool else own)))
    return pages_for_newcomer(rest, name, None if plan.is_pool else leaver, new_id=new_id)


def _training_of(plan: Plan, evaluator: str) -> list[Page]:
    return [page for page in plan.pages_of(evaluator) if page.phase == "training"]


def open_pages(own: Sequence[PageInfo], begun: Collection[str]) -> tuple[PageInfo, ...]:
    """Return the reassignable pages of an evaluator, which were not begun, last ones first.

    Training, attention checks, repeats and their originals stay with their evaluator, because they
    are compared with the same evaluator's answers.
    """
    coming_back = {page.segment for page in own if page.phase in ("check", "repeat")}
    return tuple(
        page
        for page in reversed(own)
        if page.phase == "main" and page.id not in begun and page.segment not in coming_back
    )


def pages_to_move(
    own: Sequence[PageInfo],
    begun: Collection[str],
    of_taker: Iterable[PageInfo],
    most: int | None = None,
) -> tuple[PageInfo, ...]:
    """Return open pages of one evaluator with outputs that another does not judge already."""
    known = {page.content for page in of_taker}
    free = [
        page
        for page in open_pages(own, begun)
        if page.content is not None and page.content not in known
    ]
    return tuple(reversed(free[:most]))


def _systems(page: Page) -> frozenset[tuple[str, ...]]:
    return frozenset(candidate.systems for candidate in page.candidates)


def _reordered(pages: Sequence[Page], rng: np.random.Generator) -> list[Page]:
    """Shuffle the main pages that do not come back."""
    again = {page.segment for page in pages if page.phase != "main"}
    free = [place for place, page in enumerate(pages) if page.segment not in again]
    ordered = list(pages)
    for place, other in zip(free, rng.permutation(free).tolist(), strict=True):
        ordered[place] = pages[other]
    return ordered
