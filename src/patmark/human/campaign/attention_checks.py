"""Reliability of an evaluator: attention checks, and self-consistency."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from patmark.human.campaign.answer_validity import ranks
from patmark.human.campaign.common_order import asked_groups, from_common_order, to_common_order
from patmark.human.campaign.form import PREFERENCE_VALUES, Question
from patmark.human.campaign.plan import Answer, Candidate, Page, Plan
from patmark.human.campaign.results import AnswerBook, place_of, places
from patmark.stats import binomial_cdf, rater_pairs


@dataclass(frozen=True, slots=True)
class AttentionResult:
    """Attention checks of an evaluator: degraded texts below, equal to or above the original.

    ``p`` is that of a one-sided sign test: the probability of so many correct answers by chance;
    None without an answered check. ``open`` are checks without answers on both sides.
    """

    evaluator: str
    question: str
    below: int
    equal: int
    above: int
    open: int
    p: float | None


def self_agreement(
    plan: Plan, answers: Iterable[Answer] | AnswerBook
) -> tuple[AnswerConsistency, ...]:
    """Return the answers of each evaluator to repeated pages with their first answers."""
    book = AnswerBook.of(plan, answers)
    found = []
    for evaluator in plan.evaluators:
        twice = list(_with_originals(plan, evaluator, "repeat"))
        for question in plan.form.questions:
            if question.is_written:
                continue
            pairs: list[tuple[str | None, str | None]] = []
            for original, again in twice:
                if question.about_page:
                    second = book.value(again, "", question.id)
                    second = _turned(question, original, again, second)
                    pairs.append((book.value(original, "", question.id), second))
                    continue
                for one in original.candidates:
                    other = _same(again, one)
                    second = book.value(again, other.label, question.id) if other else None
                    pairs.append((book.value(original, one.label, question.id), second))
            found += consistency(evaluator, question, pairs)
    return tuple(found)


def check_results(
    plan: Plan, answers: Iterable[Answer] | AnswerBook
) -> tuple[AttentionResult, ...]:
    """Return the attention checks of each evaluator, by question."""
    book = AnswerBook.of(plan, answers)
    found = []
    for evaluator in plan.evaluators:
        for question in plan.form.questions:
            if not question.is_scaled:
                continue
            leads = [
                _lead(book, question, original, check)
                for original, check in _with_originals(plan, evaluator, "check")
            ]
            if not leads:
                continue
            known = np.array([lead for lead in leads if lead is not None], dtype=np.float64)
            below, above = int((known > 0).sum()), int((known < 0).sum())
            p = binomial_cdf(above, below + above) if len(known) else None
            counts = below, len(known) - below - above, above, len(leads) - len(known)
            found.append(AttentionResult(evaluator, question.id, *counts, p))
    return tuple(found)


def _with_originals(plan: Plan, evaluator: str, phase: str) -> Iterable[tuple[Page, Page]]:
    """Yield each extra page of an evaluator after the main page from which it was made."""
    pages = plan.pages_of(evaluator)
    for page in pages:
        if page.phase != phase:
            continue
        systems = {one.systems for one in page.candidates}
        for original in pages:
            same = original.segment == page.segment and original.phase == "main"
            if same and systems <= {one.systems for one in original.candidates}:
                yield original, page
                break


def _same(page: Page, candidate: Candidate) -> Candidate | None:
    return next((one for one in page.candidates if one.systems == candidate.systems), None)


def _turned(question: Question, original: Page, again: Page, value: str | None) -> str | None:
    """Return an answer about a repeated page in the labels and the order of the original one."""
    if value is None:
        return None
    [shown], [before] = (asked_groups(question, page) for page in (again, original))
    common = to_common_order(question, again, shown, value)
    return from_common_order(question, original, before, common)


def _lead(book: AnswerBook, question: Question, original: Page, check: Page) -> int | None:
    """Return the lead of the original over the degraded text, in steps; None if one is open."""
    bad = next(one for one in check.candidates if one.edits)
    if question.about_page:
        value = book.value(check, "", question.id)
        good = next(one for one in check.candidates if one.systems == bad.systems and not one.edits)
        if value is None:
            return None
        if question.kind == "ranking":
            return ranks(value)[bad.label] - ranks(value)[good.label]
        better = {"first": 1, "equal": 0, "second": -1}[value]
        return better if check.candidates[0] == good else -better
    before = _same(original, bad)
    values = (
        None if before is None else book.value(original, before.label, question.id),
        book.value(check, bad.label, question.id),
    )
    ranked = [None if value is None else place_of(question, value) for value in values]
    if ranked[0] is None or ranked[1] is None:
        return None
    return ranked[0] - ranked[1]


@dataclass(frozen=True, slots=True)
class AnswerConsistency:
    """Agreement of one evaluator's answers to one question with others.

    The others are the expected answers, or the evaluator's own first ones. A kappa is NaN if chance
    agreement is certain. A ranking is compared pair by pair.
    """

    evaluator: str
    question: str
    items: int
    exact: float
    within_one: float
    kappa: float
    kappa_quadratic: float


def consistency(
    evaluator: str, question: Question, pairs: Sequence[tuple[str | None, str | None]]
) -> list[AnswerConsistency]:
    """Return the agreement of pairs of values; nothing if none is complete."""
    scale: Sequence[str] = places(question)
    complete = [(one, other) for one, other in pairs if one is not None and other is not None]
    if question.kind == "ranking":
        scale = PREFERENCE_VALUES[::-1]
        complete = [pair for one, other in complete for pair in _ranked_pairs(one, other)]
        placed = [(scale.index(one), scale.index(other)) for one, other in complete]
    else:
        both = [(place_of(question, one), place_of(question, other)) for one, other in complete]
        placed = [(one, other) for one, other in both if one is not None and other is not None]
    if not placed:
        return []
    [found] = rater_pairs(np.array(placed, dtype=np.float64).T, range(len(scale)))
    shares = found.exact, found.within_one, found.kappa, found.kappa_quadratic
    return [AnswerConsistency(evaluator, question.id, found.items, *shares)]


def _ranked_pairs(one: str, other: str) -> list[tuple[str, str]]:
    """Return two rankings of the same labels as choices between every two of them."""
    first, second = ranks(one), ranks(other)
    return [
        (_choice(first, *pair), _choice(second, *pair)) for pair in combinations(sorted(first), 2)
    ]


def _choice(ranks: dict[str, int], first: str, second: str) -> str:
    if ranks[first] == ranks[second]:
        return "equal"
    return "first" if ranks[first] < ranks[second] else "second"
