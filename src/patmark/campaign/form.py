"""A form: what evaluators are asked, as data. A new way of judging needs a new file, not code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast, get_args

from patmark.data.files import FilePath, read_lines
from patmark.data.records import json_type
from patmark.data.settings_file import Entry, read_settings_file
from patmark.errors import InputError, Problem, UsageError
from patmark.human.scales import criterion_problem, parse_number

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
        found += [
            f"question {question.id!r}: {text}" for text in _question_problems(question, form)
        ]
    found += _computed_problems(form)
    return found


def _question_problems(question: Question, form: Form) -> Iterator[str]:
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


def _computed_problems(form: Form) -> Iterator[str]:
    kinds = {question.id: question.kind for question in form.questions}
    for score in form.computed:
        if message := criterion_problem(score.id):
            yield f"computed score {score.id!r}: {message}"
        for name in score.weights:
            if kinds.get(name) != "number":
                yield f"computed score {score.id!r}: {name!r} is no question for a number"


def _doubles(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


_FORM = tuple(field.name for field in fields(Form))
_QUESTION = tuple(field.name for field in fields(Question))
_CHOICE = tuple(field.name for field in fields(Choice))
_STEP = tuple(field.name for field in fields(Step))
_COMPUTED = tuple(field.name for field in fields(ComputedScore))
_LANGUAGE_MARK = "{language}"


def form_names() -> tuple[str, ...]:
    """The built-in forms."""
    return tuple(sorted(file.stem for file in _folder().glob("*.json")))


def read_form(form: FilePath) -> Form:
    """A built-in form by its name, or one from a JSON, YAML or TOML file.

    The guideline is an object with a text per language, or the name of Markdown files beside the
    form, with ``{language}`` where the code of the language stands.
    """
    path = _folder() / f"{form}.json" if str(form) in form_names() else Path(form)
    if not path.suffix:
        raise UsageError(
            f"no form named {str(form)!r}; choose from {', '.join(form_names())}, or name a file"
        )
    settings = read_settings_file(path)
    return _read(settings.top(), path.parent)


def form_from_record(record: Mapping[str, Any], name: str = "form") -> Form:
    """A form from what :func:`form_record` gave."""
    return _read(Entry(dict(record), name, 0, []), Path())


def form_record(form: Form) -> dict[str, Any]:
    """A form as plain JSON values, its guideline included; equal forms give equal records."""
    return cast(dict[str, Any], _plain(form))


def _plain(value: Any) -> Any:
    if isinstance(value, Form | Question | Choice | Step | ComputedScore):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _folder() -> Path:
    return Path(str(files("patmark.campaign"))) / "forms"


def _read(top: Entry, folder: Path) -> Form:
    top.only(_FORM)
    form = Form(
        id=top.needed_text("id"),
        version=_whole(top, "version", 1),
        material=cast(Material, top.needed_text("material")),
        title=_words(top, "title"),
        guideline=_guideline(top, folder),
        questions=tuple(map(_question, _members(top, "questions", "question"))),
        computed=tuple(map(_computed, _members(top, "computed", "computed score"))),
        candidates=_whole(top, "candidates", 0),
        shows_source=_flag(top, "shows_source", True),
        shows_reference=_flag(top, "shows_reference", False),
        marks_differences=_flag(top, "marks_differences", False),
    )
    problems = top.problems or [Problem(text, top.path) for text in form_problems(form)]
    if problems:
        raise InputError(problems)
    return form


def _question(entry: Entry) -> Question:
    entry.only(_QUESTION)
    return Question(
        id=entry.needed_text("id"),
        kind=cast(QuestionKind, entry.needed_text("kind")),
        title=_words(entry, "title"),
        help=_words(entry, "help", needed=False),
        choices=tuple(map(_choice, _members(entry, "choices", "choice"))),
        categories=tuple(map(_choice, _members(entry, "categories", "category"))),
        steps=tuple(map(_step, _members(entry, "steps", "step"))),
        lowest=_whole(entry, "lowest", 0),
        highest=_whole(entry, "highest", 0),
        required=_flag(entry, "required", True),
    )


def _choice(entry: Entry) -> Choice:
    entry.only(_CHOICE)
    return Choice(
        entry.needed_text("value"),
        entry.needed_text("key"),
        _words(entry, "label"),
        _words(entry, "hint", needed=False),
        _flag(entry, "is_grade", True),
    )


def _step(entry: Entry) -> Step:
    entry.only(_STEP)
    return Step(
        entry.needed_text("id"),
        _words(entry, "question"),
        entry.needed_text("yes"),
        entry.needed_text("no"),
    )


def _computed(entry: Entry) -> ComputedScore:
    entry.only(_COMPUTED)
    weights = entry.fields.get("weights")
    if not isinstance(weights, dict) or not weights:
        entry.mismatch("weights", "an object of question and weight")
        weights = {}
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or weight <= 0:
            entry.complain_about("weights", f"expected a weight above 0 for {name!r}")
    return ComputedScore(entry.needed_text("id"), _words(entry, "title"), weights)


def _members(entry: Entry, name: str, title: str) -> Sequence[Entry]:
    """The objects of a list inside an object; an absent list is empty."""
    items = entry.fields.get(name, [])
    if not isinstance(items, list):
        entry.mismatch(name, "a list of objects")
        return []
    found = []
    for number, item in enumerate(items, 1):
        label = ", ".join(filter(None, (entry.title, f"{title} {number}")))
        if isinstance(item, dict):
            found.append(Entry(item, entry.path, 0, entry.problems, {}, label))
        else:
            message = f"{label}: expected an object, found {json_type(item)}"
            entry.problems.append(Problem(message, entry.path))
    return found


def _words(entry: Entry, name: str, needed: bool = True) -> Words:
    """A text in every language; a missing one is a problem, so that no page is half translated."""
    value = entry.fields.get(name)
    if not needed and (value is None or value == {}):
        return {}
    if not isinstance(value, dict):
        entry.mismatch(name, f"an object with a text in {', '.join(LANGUAGES)}")
        return {}
    for language in LANGUAGES:
        text = value.get(language)
        if not isinstance(text, str) or not text.strip():
            entry.complain_about(name, f"has no text in {language!r}")
    for language in value:
        if language not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            entry.complain_about(name, f"unknown language {language!r}; the known ones are {known}")
    return value


def _guideline(top: Entry, folder: Path) -> Words:
    value = top.fields.get("guideline")
    if not isinstance(value, str):
        return _words(top, "guideline")
    if _LANGUAGE_MARK not in value:
        top.complain_about("guideline", f"expected {_LANGUAGE_MARK} in the name of the files")
        return {}
    texts = {}
    for language in LANGUAGES:
        try:
            file = folder / value.replace(_LANGUAGE_MARK, language)
            texts[language] = "\n".join(read_lines(file)) + "\n"
        except InputError as error:
            top.problems.extend(error.problems)
    return texts


def _whole(entry: Entry, name: str, default: int) -> int:
    value = entry.fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int):
        entry.mismatch(name, "a whole number")
        return default
    return value


def _flag(entry: Entry, name: str, default: bool) -> bool:
    value = entry.fields.get(name, default)
    if not isinstance(value, bool):
        entry.mismatch(name, "true or false")
        return default
    return value
