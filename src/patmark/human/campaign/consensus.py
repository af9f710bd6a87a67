"""Disagreements of evaluators on the same text, and values agreed by organisers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from patmark.human.campaign.common_order import asked_groups, systems_of, to_common_order
from patmark.human.campaign.form import Question
from patmark.human.campaign.plan import Candidate, Page, labelled
from patmark.human.campaign.results import AnswerBook, places
from patmark.human.campaign.state import CampaignState, once_per_state
from patmark.human.judgements import Phase

_SAME_TEXTS = ("training", "main")
_KEY_LENGTH = 24


@dataclass(frozen=True, slots=True)
class CommonItem:
    """One question about one text, or about all texts of a page, with everybody's answers.

    Labels denote the candidates in a common order; system names are hidden, so that nobody agrees
    on a name. ``distance`` is the widest gap between two answers in steps of the scale; for
    rankings, the number of different ones beyond the first. ``expected`` is the reference answer of
    a training page.
    """

    segment: str
    phase: Phase
    systems: tuple[str, ...]
    question: str
    source: str
    reference: str
    texts: tuple[tuple[str, str], ...]
    values: Mapping[str, str]
    possible: tuple[str, ...]
    distance: int
    expected: str | None = None
    agreed: str | None = None
    note: str = ""

    @property
    def key(self) -> str:
        """A key of the item without its system names."""
        parts = "\0".join((self.phase, self.segment, self.question, *self.systems))
        return hashlib.sha256(parts.encode(errors="replace")).hexdigest()[:_KEY_LENGTH]


@dataclass
class _Gathered:
    """The pages on which one question was asked about one text."""

    question: Question
    page: Page
    shown: tuple[Candidate, ...]
    values: dict[str, str] = field(default_factory=dict)
    expected: str | None = None


@once_per_state
def common_items(state: CampaignState, phase: Phase | None = None) -> tuple[CommonItem, ...]:
    """Return all items with two answers or more, the widest disagreement first."""
    book = state.counted
    gathered: dict[tuple[str, str, tuple[str, ...], str], _Gathered] = {}
    for page in book.plan.pages:
        if page.phase not in _SAME_TEXTS or phase not in (None, page.phase):
            continue
        for question in book.plan.form.questions:
            groups = asked_groups(question, page) if question.is_scaled else []
            for one in groups:
                key = page.phase, page.segment_of(one[0]), systems_of(one), question.id
                if key not in gathered:
                    gathered[key] = _Gathered(question, page, one)
                _take(book, page, question, one, gathered[key])
    items = [_item(state, one) for one in gathered.values() if len(one.values) > 1]
    return tuple(sorted(items, key=lambda one: (-one.distance, one.phase != "training")))


def _take(
    book: AnswerBook, page: Page, question: Question, shown: tuple[Candidate, ...], found: _Gathered
) -> None:
    label = "" if question.about_page else shown[0].label
    value = book.value(page, label, question.id)
    if value is not None:
        found.values[page.evaluator] = to_common_order(question, page, shown, value)
    expected = page.expected.get(label, {}).get(question.id)
    if expected is not None:
        found.expected = to_common_order(question, page, shown, expected)


def _item(state: CampaignState, one: _Gathered) -> CommonItem:
    systems, question = systems_of(one.shown), one.question
    segment = one.page.segment_of(one.shown[0])
    place = segment, systems, question.id
    agreed = next((each for each in state.consensus if each.place == place), None)
    return CommonItem(
        segment,
        one.page.phase,
        systems,
        question.id,
        one.page.source_of(one.shown[0]),
        one.page.reference,
        tuple((each.label, each.text) for each in labelled(one.shown)),
        one.values,
        _possible(question, one),
        _distance(question, one.values.values()),
        one.expected,
        agreed.value if agreed else None,
        agreed.note if agreed else "",
    )


def _possible(question: Question, one: _Gathered) -> tuple[str, ...]:
    """Return the values to agree on, best first; for rankings the given ones."""
    if question.kind == "ranking":
        return tuple(sorted({*one.values.values(), *filter(None, [one.expected])}))
    if question.choices and question.kind != "number":
        return tuple(choice.value for choice in question.choices)
    return tuple(reversed(places(question)))


def _distance(question: Question, values: Iterable[str]) -> int:
    known = places(question)
    given = set(values)
    if not known or not given <= set(known):
        return len(given) - 1
    at = [known.index(value) for value in given]
    return max(at) - min(at)
