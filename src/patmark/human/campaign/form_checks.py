"""What must hold in a form beyond the types of its fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from patmark.human.campaign.form import Choice, Form, Material, Question, QuestionKind
from patmark.judgements import criterion_problem, parse_number

RESERVED_KEYS = ("j", "k", "u", "p", "c", "d", "x", "y", "n", "?")
"""Keys that pages use themselves: move, undo, remarks, context, yes and no of a chart, help."""

OMISSION = "omission"
PREFERENCE_VALUES = ("first", "equal", "second")
_SIZES = (0, 1, 2)
_WITH_CHOICES = ("grade", "chart", "preference", "spans")


def form_problems(form: Form) -> list[str]:
    """Everything that is wrong with a form."""
    found = []
    if form.material not in get_args(Material):
        known = ", ".join(get_args(Material))
        found.append(f"material {form.material!r} is unknown; choose from {known}")
    if form.candidates not in _SIZES:
        found.append("candidates: expected 0 (all systems), 1 or 2")
    if form.version < 1:
        found.append(f"version: expected 1 or more, found {form.version}")
    if not form.questions:
        found.append("has no questions")
    names = [question.id for question in form.questions] + [one.id for one in form.computed]
    found += [f"two questions or scores are called {name!r}" for name in _doubles(names)]
    for question in form.questions:
        found += [f"question {question.id!r}: {text}" for text in _question(question, form)]
    found += _computed(form)
    return found


def _question(question: Question, form: Form) -> Iterator[str]:
    if message := criterion_problem(question.id):
        yield message
    if question.kind not in get_args(QuestionKind):
        yield f"kind {question.kind!r} is unknown; choose from {', '.join(get_args(QuestionKind))}"
        return
    if question.kind == "preference" and form.candidates != 2:
        yield "a preference needs a form with 2 candidates on a page"
    if question.kind == "ranking" and form.candidates == 1:
        yield "a ranking needs more than 1 candidate on a page"
    if question.kind in _WITH_CHOICES and len(question.choices) < 2:
        yield "expected at least 2 choices"
    if question.kind == "ranking" and question.choices:
        yield "a ranking has no choices"
    if question.categories and question.kind != "spans":
        yield "only spans have categories"
    if question.steps and question.kind != "chart":
        yield "only a chart has steps"
    yield from _choices("choice", question.choices)
    yield from _choices("category", question.categories)
    yield from _by_kind(question)


def _by_kind(question: Question) -> Iterator[str]:
    values = [choice.value for choice in question.choices]
    if question.kind == "preference" and sorted(values) != sorted(PREFERENCE_VALUES):
        yield f"expected the choices {', '.join(PREFERENCE_VALUES)}, found {', '.join(values)}"
    if question.kind == "number":
        yield from _number(question)
    if question.kind == "spans" and OMISSION not in [one.value for one in question.categories]:
        yield f"expected a category {OMISSION!r} for something missing"
    if question.kind == "grade" and sum(choice.is_grade for choice in question.choices) < 2:
        yield "expected at least 2 choices that are grades"
    if question.kind == "chart":
        yield from _chart(question)


def _choices(what: str, choices: Sequence[Choice]) -> Iterator[str]:
    for value in _doubles(choice.value for choice in choices):
        yield f"two choices have the value {value!r}"
    for key in _doubles(choice.key for choice in choices):
        yield f"two choices have the key {key!r}"
    for choice in choices:
        if len(choice.key) != 1:
            yield f"{what} {choice.value!r}: expected a single character as key"
        if choice.key in RESERVED_KEYS:
            yield f"{what} {choice.value!r}: the key {choice.key!r} is used by the page itself"


def _number(question: Question) -> Iterator[str]:
    if question.lowest >= question.highest:
        yield f"expected lowest below highest, found {question.lowest} and {question.highest}"
    for choice in question.choices:
        number = parse_number(choice.value)
        if number is None or not question.lowest <= number <= question.highest:
            yield f"band {choice.value!r} does not begin at a number of the scale"


def _chart(question: Question) -> Iterator[str]:
    """Every way through a chart must end at a grade, and every step and grade must be reached."""
    steps = {step.id: step for step in question.steps}
    if not steps:
        yield "a chart needs steps"
        return
    for name in _doubles(step.id for step in question.steps):
        yield f"two steps are called {name!r}"
    grades = {f"={choice.value}" for choice in question.choices}
    targets = [(step.id, target) for step in question.steps for target in (step.yes, step.no)]
    for name, target in targets:
        if target not in steps and target not in grades:
            yield f"step {name!r} leads to {target!r}, which is no step and no grade (=GRADE)"
    order = {step.id: place for place, step in enumerate(question.steps)}
    for name, target in targets:
        if target in steps and order[target] <= order[name]:
            yield f"step {name!r} leads back to {target!r}; a step must lead to a later one"
    reached = {target for _, target in targets} | {question.steps[0].id}
    for missing in [*steps, *sorted(grades)]:
        if missing not in reached:
            yield f"no step leads to {missing!r}"


def _computed(form: Form) -> Iterator[str]:
    kinds = {question.id: question.kind for question in form.questions}
    for score in form.computed:
        if message := criterion_problem(score.id):
            yield f"computed score {score.id!r}: {message}"
        for name in score.weights:
            if kinds.get(name) != "number":
                yield f"computed score {score.id!r}: {name!r} is no question for a number"


def _doubles(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]
