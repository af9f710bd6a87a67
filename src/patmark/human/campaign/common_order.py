"""Answers in a common order of candidates.

Each evaluator sees the candidates of a page in a separate order. Agreed values are stored in the
order of the system names, and converted back for a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from patmark.human.campaign.answer_validity import parse_ranking
from patmark.human.campaign.form import Form, Question
from patmark.human.campaign.plan import Candidate, Page, Systems, label

Agreed: TypeAlias = Mapping[tuple[str, Systems, str], str]
"""Agreed values by segment, systems in the order of their names, and question."""

_TURNED = {"first": "second", "second": "first"}


def asked_groups(question: Question, page: Page) -> list[tuple[Candidate, ...]]:
    """Return the groups of candidates that a question is about, each in the common order."""
    if question.about_page:
        return [tuple(sorted(page.candidates, key=lambda one: one.systems))]
    return [(one,) for one in page.candidates]


def systems_of(shown: Iterable[Candidate]) -> Systems:
    """Return all systems of some candidates by name."""
    return tuple(sorted(system for one in shown for system in one.systems))


def to_common_order(
    question: Question, page: Page, shown: tuple[Candidate, ...], value: str
) -> str:
    """Return a value given on a page, in the common order."""
    return _turned(question, page, shown, value, lambda own, common: (own, common))


def from_common_order(
    question: Question, page: Page, shown: tuple[Candidate, ...], value: str
) -> str:
    """Return a value in the common order in the order of a page."""
    return _turned(question, page, shown, value, lambda own, common: (common, own))


def with_agreed(form: Form, page: Page, agreed: Agreed) -> Page:
    """Return a training page with the agreed values as reference answers, if there are any.

    Other pages are returned unchanged.
    """
    if page.phase != "training" or not agreed:
        return page
    expected = {label: dict(questions) for label, questions in page.expected.items()}
    for question in form.questions:
        for shown in asked_groups(question, page):
            value = agreed.get((page.segment, systems_of(shown), question.id))
            if value is not None:
                label = "" if question.about_page else shown[0].label
                own = from_common_order(question, page, shown, value)
                expected.setdefault(label, {})[question.id] = own
    return replace(page, expected=expected)


def _turned(
    question: Question,
    page: Page,
    shown: tuple[Candidate, ...],
    value: str,
    renamed: Callable[[str, str], tuple[str, str]],
) -> str:
    if question.kind == "preference":
        return value if page.candidates[0] == shown[0] else _TURNED.get(value, value)
    if question.kind == "ranking":
        labels = dict(renamed(one.label, label(place)) for place, one in enumerate(shown))
        return ">".join(
            "=".join(sorted(labels[one] for one in tied)) for tied in parse_ranking(value)
        )
    return value
