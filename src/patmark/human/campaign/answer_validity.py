"""Validity of answers: the one place that decides if an answer fits its form and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from patmark.human.campaign.form import CHECKED, LONGEST_WRITTEN, Form, Question, Step
from patmark.human.campaign.marks import marks_problem, unfinished_marks_problem
from patmark.human.campaign.plan import Answer, Page
from patmark.wording import tr

YES, NO, DONE = "yes", "no", "done"
LONGEST_TEXT = 2000
"""Characters of a reason or a comment."""
_DETAILS = ("steps", "places", "spans", "unfinished", "reason", "comment")


def answer_problem(form: Form, page: Page, answer: Answer) -> str | None:
    """Return the fault of an answer, if any; every answer must pass before it is stored."""
    if answer.question == CHECKED and page.phase == "training":
        is_done = answer.value == DONE and not (answer.candidate or answer.detail)
        return (
            None if is_done else f"a training page is checked as a whole, with the value {DONE!r}"
        )
    question = next((one for one in form.questions if one.id == answer.question), None)
    if question is None:
        return f"the form has no question {answer.question!r}"
    labels = [candidate.label for candidate in page.candidates]
    if question.about_page and answer.candidate:
        return f"{question.id} is asked about the whole page, not about {answer.candidate!r}"
    if not question.about_page and answer.candidate not in labels:
        return f"the page has no candidate {answer.candidate!r}"
    if answer.revision < 1:
        return f"expected a revision of 1 or more, found {answer.revision}"
    if answer.value is not None and (problem := value_problem(question, answer.value, labels)):
        return problem
    return _detail_problem(question, page, answer)


def value_problem(question: Question, value: str, labels: Sequence[str] = ()) -> str | None:
    """Return the fault of a value, if any; a ranking must hold each of the labels once."""
    if question.kind == "number":
        return _number_problem(question, value)
    if question.kind == "ranking":
        named = [label for place in parse_ranking(value) for label in place]
        if sorted(named) == sorted(labels):
            return None
        expected = ", ".join(labels)
        return f"expected a ranking such as A=B>C of {expected}, each once, found {value!r}"
    if question.is_written:
        return _text_problem(question, value)
    if question.kind == "spans":
        known = value.isascii() and value.isdecimal()
        return None if known else f"{question.id}: expected the number of marks, found {value!r}"
    values = [choice.value for choice in question.choices]
    if value not in values:
        return f"{question.id}: expected one of {', '.join(values)}, found {value!r}"
    return None


def _walked(question: Question, answers: Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    steps = {step.id: step for step in question.steps}
    place, path = question.steps[0].id, []
    while place in steps and place in answers:
        path.append(place)
        place = steps[place].yes if answers[place] == YES else steps[place].no
    return tuple(path), place


def next_step(question: Question, answers: Mapping[str, str]) -> Step | None:
    """Return the next step of a chart; None if it has reached its grade."""
    _, place = _walked(question, answers)
    return next((step for step in question.steps if step.id == place), None)


def chart_path(question: Question, answers: Mapping[str, str]) -> tuple[str, ...]:
    """Return the steps on the path of the answers, in order."""
    return _walked(question, answers)[0]


def chart_grade(question: Question, answers: Mapping[str, str]) -> str | None:
    """Return the grade to which the answers of a chart lead; None while a step is open."""
    _, place = _walked(question, answers)
    return None if next_step(question, answers) else place.removeprefix("=")


def parse_ranking(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the places of ``A=B>C``, best first: (("A", "B"), ("C",))."""
    return tuple(tuple(place.split("=")) for place in text.split(">"))


def ranks(text: str) -> dict[str, int]:
    """Return the rank of each label of ``A=B>C``, best 0."""
    return {label: rank for rank, tied in enumerate(parse_ranking(text)) for label in tied}


def _number_problem(question: Question, value: str) -> str | None:
    """Refuse all but whole numbers in plain form, so that 7 is never written 7.0 or +7."""
    digits = value.removeprefix("-")
    plain = digits.isascii() and digits.isdecimal() and str(int(value)) == value
    if not plain or not question.lowest <= int(value) <= question.highest:
        return tr(
            "{name}: expected a whole number from {lowest} to {highest}, found {value}",
            name=question.id,
            lowest=question.lowest,
            highest=question.highest,
            value=repr(value),
        )
    return None


def _text_problem(question: Question, value: str) -> str | None:
    if not value.strip():
        return tr("{name}: expected a text, found none", name=question.id)
    if len(value) < question.lowest:
        return tr(
            "{name}: at least {least} characters, found {count}",
            name=question.id,
            least=question.lowest,
            count=len(value),
        )
    if len(value) > question.highest:
        return _too_long(question.id, question.highest, value)
    return None


def _too_long(name: str, most: int, text: str) -> str:
    return tr(
        "{name}: at most {most} characters, found {count}", name=name, most=most, count=len(text)
    )


def _detail_problem(question: Question, page: Page, answer: Answer) -> str | None:
    if not answer.detail and question.kind != "spans":
        return None
    for name in answer.detail:
        if name not in _DETAILS:
            return f"unknown detail {name!r}; the known ones are {', '.join(_DETAILS)}"
    for name in ("reason", "comment"):
        text = answer.detail.get(name, "")
        if not isinstance(text, str) or "\0" in text:
            return f"expected a text as {name}"
        if len(text) > LONGEST_TEXT:
            return _too_long(name, LONGEST_TEXT, text)
    if answer.detail.get("reason") and answer.value is not None:
        return "an answer with a reason why it cannot be given has no value"
    if "steps" in answer.detail:
        return _steps_problem(question, answer)
    if "places" in answer.detail:
        return _places_problem(question, page, answer)
    if "unfinished" in answer.detail:
        return _unfinished_problem(question, page, answer)
    if question.kind == "spans" and answer.value is not None:
        marks = answer.detail.get("spans", [])
        problem = marks_problem(question, page, page.candidate(answer.candidate), marks)
        if problem is None and int(answer.value) != len(marks):
            problem = f"the value says {answer.value} marks, but there are {len(marks)}"
        return problem
    return "only a question for spans has spans" if "spans" in answer.detail else None


def _steps_problem(question: Question, answer: Answer) -> str | None:
    steps = answer.detail["steps"]
    if question.kind != "chart":
        return "only a chart has steps"
    if not isinstance(steps, Mapping) or any(
        step_answer not in (YES, NO) for step_answer in steps.values()
    ):
        return "expected steps with yes or no each"
    path = chart_path(question, steps)
    for name in steps:
        if name not in path:
            return f"{question.id}: the answers do not lead to the step {name!r}"
    grade = chart_grade(question, steps)
    if answer.value is not None and grade != answer.value:
        led = "no grade yet" if grade is None else grade
        return f"{question.id}: the steps lead to {led}, but the value is {answer.value!r}"
    return None


def _places_problem(question: Question, page: Page, answer: Answer) -> str | None:
    """Check the places given so far of a ranking that is not complete."""
    places = answer.detail["places"]
    if question.kind != "ranking" or answer.value is not None:
        return "only a ranking that is not complete has places"
    labels = {candidate.label for candidate in page.candidates}
    if not isinstance(places, Mapping) or not set(places) < labels:
        return f"expected places of some of {', '.join(sorted(labels))}"
    for place in places.values():
        if type(place) is not int or not 1 <= place <= len(labels):
            return f"expected a place from 1 to {len(labels)}, found {place!r}"
    return None


def _unfinished_problem(question: Question, page: Page, answer: Answer) -> str | None:
    given = answer.detail["unfinished"]
    if not (question.is_written or question.kind == "spans") or answer.value is not None:
        return "only a text or marks that are not finished are kept as unfinished"
    if question.kind == "spans":
        candidate = page.candidate(answer.candidate)
        return unfinished_marks_problem(question, page, candidate, given)
    if not isinstance(given, str):
        return "expected a text as unfinished"
    if len(given) > LONGEST_WRITTEN:
        return _too_long("unfinished", LONGEST_WRITTEN, given)
    return None
