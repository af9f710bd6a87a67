"""Forms as JSON files: the built-in ones by name, others by path, read with every problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from patmark.data import Entry, FilePath, json_type, read_lines, read_settings_file
from patmark.errors import InputError, Problem, UsageError
from patmark.human.campaign.form import (
    LANGUAGES,
    Choice,
    ComputedScore,
    Form,
    Material,
    Question,
    QuestionKind,
    Step,
    Words,
)
from patmark.human.campaign.form_checks import form_problems

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
    return Path(str(files("patmark.human.campaign"))) / "forms"


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
