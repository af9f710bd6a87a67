"""A form: the questions for evaluators as data. A new evaluation needs a file, not code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    StringConstraints,
)

from patmark.data import (
    SEVERITIES,
    AnnotatedSide,
    FilePath,
    SettingsFile,
    Typology,
    parse_model,
    read_lines,
    read_settings_file,
    typology,
)
from patmark.errors import InputError, Problem, UsageError, near
from patmark.human.judgements import criterion_problem, parse_number
from patmark.wording import DEFAULT_LANGUAGE, LANGUAGES

ONE_LANGUAGE = ""
"""Key of a text that is given in one language only, whichever it is."""


def _as_words(given: Any) -> Any:
    return {ONE_LANGUAGE: given} if isinstance(given, str) else given


def _known_words(words: Mapping[str, str]) -> Mapping[str, str]:
    """Refuse empty texts and languages that no page is shown in."""
    if empty := [repr(one) for one, text in words.items() if not text.strip()]:
        raise ValueError(f"has no text in {', '.join(empty)}")
    if unknown := [repr(one) for one in words if one not in (*LANGUAGES, ONE_LANGUAGE)]:
        known = ", ".join(LANGUAGES)
        raise ValueError(f"unknown language {', '.join(unknown)}; the known ones are {known}")
    return words


def _some_words(words: Mapping[str, str]) -> Mapping[str, str]:
    if not words:
        raise ValueError("has no text")
    return _known_words(words)


def in_any_language(words: Mapping[str, str]) -> str:
    """Return a text in English, or in the first language that it has."""
    return words.get(DEFAULT_LANGUAGE) or next(iter(words.values()), "")


Words: TypeAlias = Annotated[
    Mapping[str, str], BeforeValidator(_as_words), AfterValidator(_some_words)
]
"""A text by language of the interface (en, zh, ja), or a text in one language only."""
OptionalWords: TypeAlias = Annotated[
    Mapping[str, str], BeforeValidator(_as_words), AfterValidator(_known_words)
]
"""The same, or nothing at all."""
Text: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A nonempty text."""

QuestionKind: TypeAlias = Literal[
    "grade", "chart", "number", "preference", "ranking", "spans", "text", "post-edit"
]
Material: TypeAlias = Literal["outputs", "claims", "sentence-pair", "draft"]

_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer: its stored value, its key, and its display.

    ``is_grade`` is False for an answer such as "unsure", which is not on the scale. An error
    category may have a ``group``; its ``side`` is where it is marked, the source for omissions.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    value: Text
    key: Text
    label: Words
    hint: OptionalWords = field(default_factory=dict)
    is_grade: bool = True
    group: OptionalWords = field(default_factory=dict)
    side: AnnotatedSide = "target"


@dataclass(frozen=True, slots=True)
class Step:
    """A yes-or-no question of a decision chart.

    ``yes`` and ``no`` name the next step, or the grade that ends the chart as ``=AA``.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    id: Text
    question: Words
    yes: Text
    no: Text


@dataclass(frozen=True, slots=True)
class CategoryGroup:
    """Kinds of error under one heading; ``key`` opens the group, or selects its only kind."""

    label: Mapping[str, str]
    key: str
    categories: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about each candidate, or (preference, ranking) about all of them at once.

    A text question is ``of_page`` if it is about the whole page.

    ``id`` is the criterion in exports. ``choices`` are the grades, best first; for a number they
    describe the bands, each with its lowest number as value; for spans they are the severities, and
    ``categories`` the error categories; both may come from a ``typology``, and ``sides`` are the
    texts to mark. A text has from ``lowest`` to ``highest`` characters; that of a ``post-edit``
    begins with the text of the candidate.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    id: Text
    kind: QuestionKind
    title: Words
    help: OptionalWords = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()
    categories: tuple[Choice, ...] = ()
    typology: str = ""
    sides: tuple[AnnotatedSide, ...] = ("target",)
    steps: tuple[Step, ...] = ()
    lowest: int = 0
    highest: int = 0
    required: bool = True
    of_page: bool = False

    @property
    def compares(self) -> bool:
        """True if candidates are compared with each other."""
        return self.kind in ("preference", "ranking")

    @property
    def about_page(self) -> bool:
        """True if one answer covers all candidates of a page."""
        return self.compares or self.of_page

    @property
    def bands(self) -> tuple[Choice, ...]:
        """The bands of a number, lowest first."""
        return tuple(sorted(self.choices, key=lambda one: float(one.value)))

    def named(self, choices: tuple[Choice, ...], value: str, language: str) -> str:
        """Return the label of a choice in a language; the value itself if there is no label."""
        if not language or self.kind == "number":
            return value
        labels = (one.label for one in choices if one.value == value)
        return next((label.get(language) or in_any_language(label) for label in labels), value)

    @property
    def is_written(self) -> bool:
        """True if the answer is a text."""
        return self.kind in ("text", "post-edit")

    @property
    def groups(self) -> tuple[CategoryGroup, ...]:
        """Error categories by group, in order; each category without a group forms one."""
        found: dict[str, list[Choice]] = {}
        for one in self.categories:
            name = in_any_language(one.group) or in_any_language(one.label)
            found.setdefault(name, []).append(one)
        keys = _free_keys(found) if any(one.group for one in self.categories) else None
        return tuple(
            CategoryGroup(
                own[0].group or own[0].label, keys[name] if keys else own[0].key, tuple(own)
            )
            for name, own in found.items()
        )

    @property
    def is_scaled(self) -> bool:
        """True if two answers can be compared by their value: marks and texts cannot."""
        return self.kind != "spans" and not self.is_written


@dataclass(frozen=True, slots=True)
class ComputedScore:
    """A score computed from answers: their weighted mean, such as the overall claim quality."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    id: Text
    title: Words
    weights: Annotated[Mapping[str, Annotated[float, Field(gt=0)]], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Form:
    """All questions and display settings of a campaign page.

    ``candidates`` is the number on a page: 0 for all systems of a segment, 2 for pairs, 1. With the
    material ``draft`` it is the draft of the requested text, or nothing. ``guideline`` is Markdown.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    id: Text
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

    def begins_with_draft(self, question: Question) -> bool:
        """Return True if a text begins with the text of the candidate, and not with nothing."""
        is_draft = self.material == "draft" and question.kind == "text"
        return is_draft or question.kind == "post-edit"

    @property
    def free_texts(self) -> tuple[str, ...]:
        """Questions answered with free text that is no translation."""
        written = [one for one in self.questions if one.is_written]
        return tuple(one.id for one in written if not self.begins_with_draft(one))

    def question(self, id: str) -> Question:
        """Return the question with this id."""
        return next(question for question in self.questions if question.id == id)


RESERVED_KEYS = ("j", "k", "u", "p", "c", "d", "x", "y", "n", "?")
"""Keys that pages use themselves: move, undo, remarks, context, yes and no of a chart, help."""

OMISSION = "omission"
CHECKED = "checked"
"""The question that stores the number of checks of a training page."""
PREFERENCE_VALUES = ("first", "equal", "second")
LONGEST_WRITTEN = 20_000
"""Characters of a text that an evaluator writes, also while it is not finished."""
_LONGEST_FREE = 2_000
"""Maximum number of characters of a remark, unless the form sets another."""
_SIZES = (0, 1, 2)
_WITH_CHOICES = ("grade", "chart", "preference", "spans")


def form_problems(form: Form) -> list[str]:
    """Return all faults of a form."""
    found = []
    if form.candidates not in _SIZES:
        found.append("candidates: expected 0 (all systems), 1 or 2")
    if form.version < 1:
        found.append(f"version: expected 1 or more, found {form.version}")
    if not form.questions:
        found.append("has no questions")
    names = [question.id for question in form.questions] + [one.id for one in form.computed]
    if CHECKED in names:
        found.append(f"a question cannot be called {CHECKED!r}: training pages use the name")
    found += [f"two questions or scores are called {name!r}" for name in _doubles(names)]
    for question in form.questions:
        found += [
            f"question {question.id!r}: {text}" for text in _question_problems(question, form)
        ]
    if sum(question.kind == "post-edit" for question in form.questions) > 1:
        found.append("has two questions of the kind post-edit; one is possible")
    found += _computed_problems(form)
    found += _language_problems(form)
    if form.material == "draft":
        found += _draft_problems(form)
    return found


def _language_problems(form: Form) -> Iterator[str]:
    """Check that every text is in the languages of the title; no page is half translated."""
    wanted = [one for one in form.title if one != ONE_LANGUAGE]
    texts = [("guideline", form.guideline)]
    for question in form.questions:
        name = f"question {question.id!r}"
        texts += [(name, question.title), (name, question.help)]
        texts += [(name, step.question) for step in question.steps]
        for choice in (*question.choices, *question.categories):
            texts += [(name, one) for one in (choice.label, choice.hint, choice.group)]
    texts += [(f"computed score {one.id!r}", one.title) for one in form.computed]
    for name, words in texts:
        lacking = [repr(one) for one in wanted if words and one not in words]
        if lacking:
            beginning = in_any_language(words)[:40]
            yield f"{name}: {beginning!r} has no text in {', '.join(lacking)}, as the title has"


def _draft_problems(form: Form) -> Iterator[str]:
    if form.candidates != 1:
        yield "material 'draft' needs 1 candidate on a page"
    if sum(question.kind == "text" for question in form.questions) != 1:
        yield "material 'draft' needs one question of the kind text"
    if any(question.kind == "post-edit" for question in form.questions):
        yield "material 'draft' has a text that begins with the draft already, and no post-edit"


def _question_problems(question: Question, form: Form) -> Iterator[str]:
    if message := criterion_problem(question.id):
        yield message
    if question.kind == "preference" and form.candidates != 2:
        yield "a preference needs a form with 2 candidates on a page"
    if question.kind == "ranking" and form.candidates == 1:
        yield "a ranking needs more than 1 candidate on a page"
    if question.kind in _WITH_CHOICES and len(question.choices) < 2:
        yield "expected at least 2 choices"
    if (question.kind == "ranking" or question.is_written) and question.choices:
        yield f"a {question.kind} has no choices"
    if question.categories and question.kind != "spans":
        yield "only spans have categories"
    if question.steps and question.kind != "chart":
        yield "only a chart has steps"
    if question.of_page and (question.kind != "text" or form.material == "draft"):
        yield "only a text that begins with nothing can be of_page"
    yield from _choices("choice", question.choices)
    grouped = [group.categories for group in question.groups]
    has_groups = any(one.group for one in question.categories)
    for categories in grouped if has_groups else [question.categories]:
        yield from _choices("category", categories)
    yield from _by_kind(question, form)


def marks_missing(category: Choice) -> bool:
    """Return True if a kind of error is an omission, which has no place in the translation."""
    return category.side == "source" or category.value == OMISSION


def _by_kind(question: Question, form: Form) -> Iterator[str]:
    values = [choice.value for choice in question.choices]
    if question.kind == "preference" and sorted(values) != sorted(PREFERENCE_VALUES):
        yield f"expected the choices {', '.join(PREFERENCE_VALUES)}, found {', '.join(values)}"
    if question.kind == "number":
        yield from _number(question)
    if question.is_written and not 0 <= question.lowest <= question.highest:
        yield f"expected 0 <= lowest <= highest, found {question.lowest} and {question.highest}"
    if question.is_written and not 1 <= question.highest <= LONGEST_WRITTEN:
        yield f"expected at most 1 to {LONGEST_WRITTEN} characters as highest"
    missing = [one for one in question.categories if marks_missing(one)]
    if question.kind == "spans" and question.categories and not missing:
        yield f"expected a category {OMISSION!r}, or one of the side source, for something missing"
    if question.kind == "spans" and "source" in question.sides and not form.shows_source:
        yield "marks in the source need a form that shows the source"
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
    """Check that every path through a chart ends at a grade, and that all grades are reached."""
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


_LANGUAGE_MARK = "{language}"
_SEVERITY_KEYS = {name: str(place) for place, name in enumerate(reversed(SEVERITIES))}


class _FormFile(RootModel[Form]):
    """A form as in a file."""


def form_names() -> tuple[str, ...]:
    """Return the built-in forms."""
    return tuple(sorted(file.stem for file in _folder().glob("*.json")))


def read_form(form: FilePath) -> Form:
    """Return a built-in form by its name, or one from a JSON, YAML or TOML file.

    The guideline is an object with a text per language, or the name of Markdown files beside the
    form, with ``{language}`` for the language code, or of one file.
    """
    path = _folder() / f"{form}.json" if str(form) in form_names() else Path(form)
    if not path.suffix:
        raise UsageError(
            f"no form named {str(form)!r}; choose from {', '.join(form_names())}, or name a file"
            + near(str(form), form_names())
        )
    settings = read_settings_file(path)
    read = parse_model(_with_guideline(settings, path.parent), _FormFile)
    if read is None or settings.problems:
        raise InputError(sorted(settings.problems, key=lambda problem: problem.line or 0))
    try:
        found = with_typologies(_with_lengths(read.root))
    except UsageError as error:
        raise InputError([Problem(str(error), settings.path)]) from None
    problems = [Problem(text, settings.path) for text in form_problems(found)]
    if problems:
        raise InputError(problems)
    return found


def _with_lengths(form: Form) -> Form:
    """Return the form with a limit for each text that has none."""
    limits = {"text": _LONGEST_FREE, "post-edit": LONGEST_WRITTEN}
    questions = tuple(
        replace(one, highest=limits[one.kind]) if one.is_written and not one.highest else one
        for one in form.questions
    )
    return replace(form, questions=questions)


def with_typologies(form: Form, chosen: str | None = None) -> Form:
    """Return the form with the severities and categories of its typologies.

    ``chosen`` is the name of another one, for the questions that have any.
    """
    questions = tuple(
        _with_typology(one, typology(chosen or one.typology)) if one.typology else one
        for one in form.questions
    )
    return replace(form, questions=questions)


def _with_typology(question: Question, known: Typology) -> Question:
    severities = tuple(
        Choice(one.name, _SEVERITY_KEYS[one.name], one.label, one.definition)
        for one in known.severities
    )
    members: dict[str, list[str]] = {}
    for one in known.categories:
        members.setdefault(one.group, []).append(one.label[DEFAULT_LANGUAGE])
    keys = {group: _free_keys(labels) for group, labels in members.items()}
    categories = tuple(
        Choice(
            one.name,
            keys[one.group][one.label[DEFAULT_LANGUAGE]],
            one.label,
            {name: f"{one.definition[name]} {one.example[name]}" for name in LANGUAGES},
            group=known.groups[one.group],
            side=one.side,
        )
        for one in known.categories
    )
    return replace(question, typology=known.name, choices=severities, categories=categories)


def _free_keys(labels: Iterable[str]) -> dict[str, str]:
    """Return a key for each label: one of its letters if one is free, else any other."""
    found: dict[str, str] = {}
    for label in labels:
        wanted = [*label.lower(), *ascii_lowercase, *ascii_uppercase]
        taken = {*found.values(), *RESERVED_KEYS}
        found[label] = next(one for one in wanted if one.isalpha() and one not in taken)
    return found


def _folder() -> Path:
    return Path(str(files("patmark.human.campaign"))) / "forms"


def _with_guideline(settings: SettingsFile, folder: Path) -> SettingsFile:
    """Return the content with the texts of the files that it names as guidelines."""
    settings = replace(settings, content={"version": 1, **settings.content})
    named = settings.content.get("guideline")
    if not isinstance(named, str):
        return settings
    title = settings.content.get("title")
    languages: list[str] = [one for one in LANGUAGES if isinstance(title, dict) and one in title]
    if _LANGUAGE_MARK not in named:
        languages = [ONE_LANGUAGE]
    texts = dict.fromkeys(languages, "missing")
    for language in languages:
        try:
            lines = read_lines(folder / named.replace(_LANGUAGE_MARK, language))
            texts[language] = "\n".join(lines) + "\n"
        except InputError as error:
            settings.problems.extend(error.problems)
    return replace(settings, content={**settings.content, "guideline": texts})
