"""A form: what evaluators are asked, as data. A new way of judging needs a new file, not code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

Words: TypeAlias = Mapping[str, str]
"""A text in each language of the interface: en, zh, ja."""

QuestionKind: TypeAlias = Literal["grade", "chart", "number", "preference", "ranking", "spans"]
Material: TypeAlias = Literal["outputs", "claims", "sentence-pair"]

LANGUAGES = ("en", "zh", "ja")
_NO_WORDS: Words = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer: what is stored, the key that gives it, and how it is shown.

    ``is_grade`` is False for an answer such as "unsure", which has no place on the scale.
    """

    value: str
    key: str
    label: Words
    hint: Words = field(default_factory=lambda: _NO_WORDS)
    is_grade: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """A yes-or-no question of a decision chart.

    ``yes`` and ``no`` name the next step, or the grade that ends the chart as ``=AA``.
    """

    id: str
    question: Words
    yes: str
    no: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about each candidate, or (preference, ranking) about all of them at once.

    ``id`` is the criterion under which answers are exported. ``choices`` are the grades, best
    first; for a number they describe the bands, each with the lowest number of the band as value;
    for spans they are the severities, and ``categories`` the kinds of error.
    """

    id: str
    kind: QuestionKind
    title: Words
    help: Words = field(default_factory=lambda: _NO_WORDS)
    choices: tuple[Choice, ...] = ()
    categories: tuple[Choice, ...] = ()
    steps: tuple[Step, ...] = ()
    lowest: int = 0
    highest: int = 0
    required: bool = True

    @property
    def about_page(self) -> bool:
        """Whether one answer covers all candidates of a page."""
        return self.kind in ("preference", "ranking")


@dataclass(frozen=True, slots=True)
class ComputedScore:
    """A score that follows from answers: their weighted mean, as the overall claim quality."""

    id: str
    title: Words
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Form:
    """Everything that a page of a campaign asks and shows.

    ``candidates`` is how many stand on a page: 0 for all systems of a segment, 2 for pairs, 1.
    ``guideline`` is Markdown.
    """

    id: str
    version: int
    material: Material
    title: Words
    guideline: Words
    questions: tuple[Question, ...]
    computed: tuple[ComputedScore, ...] = ()
    candidates: int = 0
    shows_source: bool = True
    shows_reference: bool = False
    marks_differences: bool = False

    def question(self, id: str) -> Question:
        """The question with this id."""
        return next(question for question in self.questions if question.id == id)
