"""Parts of a campaign file that are objects of numbers, shares and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, cast, get_args

from patmark.data import Entry, SettingsFile, counted, json_type
from patmark.errors import Problem
from patmark.human.campaign.form import LANGUAGES
from patmark.human.campaign.settings import (
    Assignment,
    Balance,
    Evaluator,
    Extras,
    Mode,
)
from patmark.human.campaign.spoiling import EDITS

_ASSIGNMENT = tuple(field.name for field in fields(Assignment))
_DISTANCE = 10


def section(settings: SettingsFile, name: str) -> Entry | None:
    """An object of the file with the lines of its fields; None where the file has none."""
    value = settings.content.get(name)
    if value is None:
        return None
    if not isinstance(value, dict):
        settings.top().mismatch(name, "an object")
        return None
    return _entry(settings, value, (name,), name)


def _entry(
    settings: SettingsFile, value: dict[str, Any], place: tuple[str | int, ...], title: str
) -> Entry:
    lines = {
        str(where[-1]): line
        for where, line in settings.lines.items()
        if len(where) == len(place) + 1 and where[:-1] == place
    }
    line = settings.lines.get(place, 0)
    return Entry(value, settings.path, line, settings.problems, lines, title)


def mixed_members(settings: SettingsFile, name: str, short: str, title: str) -> list[Entry]:
    """The members of a list in which a text stands for an object with one field ``short``."""
    items = settings.content.get(name)
    if not isinstance(items, list):
        settings.top().mismatch(name, "a list")
        return []
    if not items:
        settings.top().complain_about(name, "is empty")
    found = []
    for position, item in enumerate(items):
        label = f"{title} {position + 1}"
        value = {short: item} if isinstance(item, str) else item
        if isinstance(value, dict):
            found.append(_entry(settings, value, (name, position), label))
        else:
            line = settings.lines.get((name, position))
            message = f"{label}: expected a text or an object, found {json_type(item)}"
            settings.problems.append(Problem(message, settings.path, line))
    return found


def whole(entry: Entry, name: str, default: int, lowest: int = 0) -> int:
    """A whole number that is not below the lowest."""
    found = optional_whole(entry, name, lowest)
    return default if found is None else found


def optional_whole(entry: Entry, name: str, lowest: int = 0) -> int | None:
    """The same, None where the field is absent."""
    value = entry.fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        entry.mismatch(name, "a whole number")
        return None
    if value < lowest:
        entry.complain_about(name, f"expected {lowest} or more, found {value}")
    return value


def number(entry: Entry, name: str, lowest: float, highest: float | None) -> float | None:
    """A number between bounds, None where the field is absent."""
    value = entry.fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        entry.mismatch(name, "a number")
        return None
    if not lowest <= value or (highest is not None and value > highest):
        bounds = f"{lowest:g} or more" if highest is None else f"{lowest:g} to {highest:g}"
        entry.complain_about(name, f"expected {bounds}, found {value:g}")
    return float(value)


def flag(entry: Entry, name: str) -> bool | None:
    """True or false, None where the field is absent."""
    value = entry.fields.get(name)
    if value is not None and not isinstance(value, bool):
        entry.mismatch(name, "true or false")
        return None
    return value


def word(entry: Entry, name: str, known: Sequence[str], default: str) -> str:
    """One of some words."""
    value = entry.optional_text(name)
    if value is not None and value not in known:
        entry.complain_about(name, f"{value!r} is unknown; choose from {', '.join(known)}")
    return default if value is None else value


def name_problem(name: str) -> str | None:
    """What is wrong with a name, if anything; judgements of such names could not be exported."""
    if not name.strip() or name != name.strip():
        return "is empty or has spaces around it"
    return None if name.isprintable() else "holds a line break or another control character"


def read_evaluators(settings: SettingsFile) -> tuple[Evaluator, ...]:
    """The evaluators: names, or objects with a name and the language of the pages."""
    found: list[Evaluator] = []
    for entry in mixed_members(settings, "evaluators", "name", "evaluator"):
        entry.only(("name", "language"))
        name = entry.needed_text("name")
        language = entry.optional_text("language")
        if language is not None and language not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            entry.complain_about("language", f"{language!r} is unknown; choose from {known}")
        if name and (problem := name_problem(name)):
            entry.complain_about("name", f"{name!r} {problem}")
        if name in [one.name for one in found]:
            entry.complain(f"the evaluator {name!r} is named twice")
        found.append(Evaluator(name, language))
    return tuple(found)


def read_assignment(settings: SettingsFile, evaluators: int) -> Assignment:
    """Who judges what; a field that has no effect in the chosen mode is refused."""
    entry = section(settings, "assignment")
    if entry is None:
        return Assignment()
    entry.only(_ASSIGNMENT)
    mode = cast(Mode, word(entry, "mode", get_args(Mode), "different"))
    for name, needs in (("overlap", "overlap"), ("times", "each-r-times")):
        if name in entry.fields and mode != needs:
            entry.complain_about(name, f"has an effect only in mode {needs}")
        elif name not in entry.fields and mode == needs:
            entry.complain(f"mode {mode} needs the field {name!r}")
    times = whole(entry, "times", 1, 1)
    if evaluators and times > evaluators:
        named = counted(evaluators, "evaluator is", "evaluators are")
        entry.complain_about("times", f"only {named} named")
    return Assignment(
        mode,
        optional_whole(entry, "items_per_evaluator", 1),
        number(entry, "overlap", 0, 1) or 0.0,
        times,
        optional_whole(entry, "pairs_per_segment", 1),
    )


def read_balance(settings: SettingsFile) -> tuple[Balance, ...]:
    """What the segments of every evaluator are spread over, the most important first."""
    top = settings.top()
    if "balance" not in settings.content:
        return ("document",)
    known = get_args(Balance)
    names = top.one_or_more_texts("balance")
    for name in names:
        if name not in known:
            top.complain_about("balance", f"{name!r} is unknown; choose from {', '.join(known)}")
    return cast(tuple[Balance, ...], names)


def read_extras(settings: SettingsFile, name: str) -> Extras | None:
    """Attention checks or repeats: their share of the pages and their distance."""
    entry = section(settings, name)
    if entry is None:
        return None
    known = ("share", "distance", "edits") if name == "checks" else ("share", "distance")
    entry.only(known)
    share = number(entry, "share", 0, 1)
    if share is None:
        entry.complain("field 'share' is missing; expected the share of pages, such as 0.05")
    edits = entry.one_or_more_texts("edits") or tuple(EDITS)
    for edit in edits:
        if edit not in EDITS:
            entry.complain_about("edits", f"{edit!r} is unknown; choose from {', '.join(EDITS)}")
    return Extras(share or 0.0, whole(entry, "distance", _DISTANCE), edits)
