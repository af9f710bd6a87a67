"""Settings files in YAML, JSON or TOML: fields with their places."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args, get_type_hints

from patmark.data.files import FilePath, read_lines, shown
from patmark.data.records import Record, json_object, json_type
from patmark.errors import InputError, Problem, near

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

    Model = TypeVar("Model", bound=BaseModel)

Place: TypeAlias = tuple[str | int, ...]
SETTINGS_ENDINGS = (".yaml", ".yml", ".json", ".toml")
WHOLE_OBJECT = "whole_object"
"""The type of a PydanticCustomError about several fields of an object; it is shown unchanged."""
_DEEPEST_PLACE = 5  # a field of a member of a list of a member: pages, 2, answers, 1, value
_EXPECTED = {
    "bool_type": "true or false",
    "dataclass_type": "an object",
    "dict_type": "an object",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "list_type": "a list",
    "mapping_type": "an object",
    "model_type": "an object",
    "string_type": "a string",
    "tuple_type": "a list",
}


@dataclass(frozen=True, slots=True)
class Entry(Record):
    """An object of a settings file. Problems have the line of the field, if known.

    JSON and TOML give no lines; ``title`` then identifies the object.
    """

    field_lines: Mapping[str, int] = field(default_factory=dict)
    title: str = ""

    def complain(self, message: str) -> None:
        """Note a problem of the whole object."""
        self._note(message, self.line)

    def complain_about(self, name: str, message: str) -> None:
        """Note a problem of one field."""
        self._note(f"field {name!r}: {message}", self.field_lines.get(name, self.line))

    def mismatch(self, name: str, expected: str) -> None:
        """Note a field that is absent or has another type than the expected one."""
        if name in self.fields:
            self.complain_about(name, f"expected {expected}, found {json_type(self.fields[name])}")
        else:
            self.complain(f"field {name!r} is missing; expected {expected}")

    def only(self, known: Collection[str]) -> None:
        """Note every unknown field, because it may be misspelt."""
        for name in self.fields:
            if name not in known:
                message = f"unknown field {name!r}; the known ones are {', '.join(known)}"
                message += near(str(name), known)
                self._note(message, self.field_lines.get(str(name), self.line))

    def needed_text(self, name: str) -> str:
        """Return a required, nonempty string."""
        text = self.text(name)
        if isinstance(self.fields.get(name), str) and not text.strip():
            self.complain_about(name, "is empty")
        return text.strip()

    def one_or_more_texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings, or one string as a list."""
        value = self.fields.get(name, [])
        return (value,) if isinstance(value, str) else self.texts(name)

    def _note(self, message: str, line: int) -> None:
        prefix = f"{self.title}: " if self.title and not line else ""
        self.problems.append(Problem(prefix + message, self.path, line or None))


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The content of a settings file, and the line of each field in it."""

    path: str
    content: dict[str, Any]
    lines: Mapping[Place, int]
    problems: list[Problem]

    def top(self) -> Entry:
        """Return the fields of the file."""
        return self._entry(self.content, (), "")

    def members(self, name: str, title: str) -> list[Entry]:
        """Return the objects of a list; anything else is a problem."""
        top, items = self.top(), self.content.get(name)
        if not isinstance(items, list):
            top.mismatch(name, "a list of objects")
            return []
        if not items:
            top.complain_about(name, "is empty")
        entries = []
        for position, item in enumerate(items):
            label = f"{title} {position + 1}"
            if isinstance(item, dict):
                entries.append(self._entry(item, (name, position), label))
            else:
                line = self.lines.get((name, position))
                message = f"{label}: expected an object, found {json_type(item)}"
                self.problems.append(Problem(message, self.path, line))
        return entries

    def _entry(self, fields: dict[str, Any], place: Place, title: str) -> Entry:
        lines = {
            str(where[-1]): line
            for where, line in self.lines.items()
            if len(where) == len(place) + 1 and where[:-1] == place
        }
        return Entry(fields, self.path, self.lines.get(place, 0), self.problems, lines, title)


def read_settings_file(path: FilePath) -> SettingsFile:
    """Read YAML, JSON or TOML, by the file extension."""
    ending = Path(path).suffix.lower()
    readers: dict[str, Callable[[str, str], SettingsFile]] = {
        ".yaml": _read_yaml, ".yml": _read_yaml, ".json": _read_json, ".toml": _read_toml,
    }  # fmt: skip
    if ending not in readers:
        raise InputError.at(f"expected a name that ends in {', '.join(readers)}", shown(path))
    return readers[ending]("\n".join(read_lines(path)), shown(path))


def parse_model(settings: SettingsFile, model: type[Model]) -> Model | None:
    """Validate the content as a model; add the problems and return None if it is invalid."""
    from pydantic import ValidationError

    try:
        text = json.dumps(settings.content, default=str)
        return model.model_validate_json(text, strict=True)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            settings.problems.append(_problem(detail, settings, model))
        return None


def _problem(detail: ErrorDetails, settings: SettingsFile, model: type[BaseModel]) -> Problem:
    """Word an error of pydantic, with the innermost known line."""
    place: Place = detail["loc"]
    depth = next((end for end in range(len(place), 0, -1) if place[:end] in settings.lines), 0)
    line = settings.lines.get(place[:depth])
    named = [part for part in place if isinstance(part, str)][-1:] if line else list(place)
    name = ".".join(map(str, named))
    message = _message(detail, name, model)
    return Problem(message, settings.path, line)


def _message(detail: ErrorDetails, name: str, model: type[BaseModel]) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == WHOLE_OBJECT:
        return detail["msg"]
    if kind == "missing":
        hint = _description(model, detail["loc"])
        return f"field {name!r} is missing" + (f"; expected {hint}" if hint else "")
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        known = _fields_of(_model_at(model, detail["loc"][:-1]))
        hint = near(str(detail["loc"][-1]), known)
        return f"unknown field {name!r}; the known ones are {', '.join(known)}{hint}"
    if kind == "value_error":
        message = str(context["error"])
        return f"field {name!r}: {message}" if name else message
    found = json_type(detail["input"])
    if kind == "literal_error":
        known = context["expected"].replace("'", "").replace(" or ", ", ")
        message = f"{detail['input']!r} is unknown; choose from {known}"
        message += near(str(detail["input"]), known.split(", "))
    elif kind in ("too_short", "string_too_short"):
        message = "is empty"
    elif kind in _EXPECTED:
        message = f"expected {_EXPECTED[kind]}, found {found}"
    elif kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal"):
        bound = next(iter(context.values()))
        words = {
            "greater_than": "more than {}",
            "greater_than_equal": "{} or more",
            "less_than": "less than {}",
            "less_than_equal": "{} or less",
        }
        message = f"expected {words[kind].format(f'{bound:g}')}, found {detail['input']}"
    else:
        message = detail["msg"]
    return f"field {name!r}: {message}"


def _model_at(model: Any, place: Place) -> Any:
    """Return the model or dataclass that a model has at a place."""
    for part in place:
        if isinstance(part, str):
            model = _inner_model(_fields_of(model)[part])
    return model


def _description(model: Any, place: Place) -> str | None:
    """Return the description of a field: ``Field(description=…)``."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(_model_at(model, place[:-1])).json_schema()
    described = schema.get("properties", {}).get(place[-1], {})
    found: str | None = described.get("description")
    return found


def _fields_of(model: Any) -> dict[str, Any]:
    """Return the fields of a model or a dataclass with their types."""
    if is_dataclass(model):
        hints = get_type_hints(model)
        return {one.name: hints[one.name] for one in fields(model)}
    known = {name: one.annotation for name, one in model.model_fields.items()}
    return _fields_of(known["root"]) if list(known) == ["root"] else known


def _inner_model(annotation: Any) -> Any:
    """Return the model or dataclass inside an annotation such as ``tuple[Run, ...] | None``."""
    if hasattr(annotation, "model_fields") or is_dataclass(annotation):
        return annotation
    inner = (_inner_model(part) for part in get_args(annotation))
    return next((found for found in inner if found is not None), None)


def _read_json(text: str, path: str) -> SettingsFile:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError.at(f"is not valid JSON: {error.msg}", path, error.lineno) from None
    except RecursionError:
        raise InputError.at("is not usable JSON: nested too deeply", path) from None
    try:
        return SettingsFile(path, json_object(text), _lines_of_json(text, path), [])
    except ValueError as error:
        raise InputError.at(str(error), path) from None


def _read_toml(text: str, path: str) -> SettingsFile:
    try:
        return SettingsFile(path, tomllib.loads(text), _lines_of_toml(text), [])
    except tomllib.TOMLDecodeError as error:
        raise InputError.at(f"is not valid TOML: {error}", path) from None
    except RecursionError:
        raise InputError.at("is not usable TOML: nested too deeply", path) from None


def _lines_of_json(text: str, path: str) -> dict[Place, int]:
    """Find lines as in YAML, with blanks for tabs; no line is known if that fails."""
    import yaml

    lines: dict[Place, int] = {}
    try:
        _note_lines(yaml.compose(text.replace("\t", " "), yaml.SafeLoader), (), lines, [], path)
    except (yaml.YAMLError, RecursionError):
        return {}
    return lines


_TOML_TABLE = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]")
_TOML_KEY = re.compile(r"\s*([\w\-]+)\s*=")


def _lines_of_toml(text: str) -> dict[Place, int]:
    """Find the lines of tables and bare keys; inside a value the line of its key counts."""
    lines: dict[Place, int] = {}
    counts: dict[str, int] = {}
    table: Place = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if match := _TOML_TABLE.match(line):
            bracket, name = match.groups()
            table = tuple(name.split("."))
            lines.setdefault(table, number)
            if bracket == "[[":
                table = (*table, counts.setdefault(name, 0))
                counts[name] += 1
                lines[table] = number
        elif match := _TOML_KEY.match(line):
            lines.setdefault((*table, match[1]), number)
    return lines


def _read_yaml(text: str, path: str) -> SettingsFile:
    import yaml

    problems: list[Problem] = []
    lines: dict[Place, int] = {}
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        sizes: dict[int, int] = {}
        if node is not None and _size(node, sizes) > _MOST_REPEATED * len(sizes) + _MOST_ALIASED:
            raise InputError.at("is not usable YAML: its aliases repeat too much", path)
        content = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError.at(f"is not valid YAML: {error.problem}", path, line) from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError.at(f"is not valid YAML: {error}".replace("\n", " "), path) from None
    except RecursionError:
        raise InputError.at("is not usable YAML: nested too deeply", path) from None
    if not isinstance(content, dict):
        found = json_type(content)
        raise InputError.at(f"expected fields such as 'name: …', found {found}", path)
    _note_lines(node, (), lines, problems, path)
    return SettingsFile(path, content, lines, problems)


_MOST_ALIASED = 10_000
_MOST_REPEATED = 10


def _size(node: Any, sizes: dict[int, int]) -> int:
    """Count the values of a node with those of its aliases; infinite for a cycle.

    ``sizes`` collects the sizes of all nodes without aliases.
    """
    if id(node) not in sizes:
        sizes[id(node)] = sys.maxsize
        parts = node.value if node.id != "scalar" else ()
        inner = (one for part in parts for one in (part if node.id == "mapping" else (part,)))
        sizes[id(node)] = 1 + sum(_size(one, sizes) for one in inner)
    return sizes[id(node)]


def _note_lines(
    node: Any, place: Place, lines: dict[Place, int], problems: list[Problem], path: str
) -> None:
    """Note the lines of all fields and list members, and duplicate fields."""
    lines.setdefault(place, node.start_mark.line + 1)
    if len(place) == _DEEPEST_PLACE:
        return
    if node.id == "sequence":
        for position, item in enumerate(node.value):
            _note_lines(item, (*place, position), lines, problems, path)
    elif node.id == "mapping":
        seen: set[str] = set()
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            if name in seen:
                problems.append(Problem(f"field {name!r} occurs twice", path, line))
            seen.add(name)
            lines[(*place, name)] = line
            _note_lines(value, (*place, name), lines, problems, path)
