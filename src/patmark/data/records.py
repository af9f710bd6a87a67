"""Validated records: JSON objects parsed strictly, with the place of every problem."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Never

from patmark.errors import InputError, Problem


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its words: "1 segment is", "2 segments are". Plain nouns get an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


SHOWN = 5


def folded(problems: Sequence[Problem]) -> list[Problem]:
    """Fold equal problems of many lines into the first five and the number of others."""
    same = [(problem.path, problem.message) for problem in problems]
    counts = Counter(same)
    seen: dict[tuple[str | None, str], int] = defaultdict(int)
    shown = []
    for problem, key in zip(problems, same, strict=True):
        seen[key] += 1
        if seen[key] <= SHOWN:
            shown.append(problem)
        elif seen[key] == SHOWN + 1:
            more = counts[key] - SHOWN
            lines = "1 more line" if more == 1 else f"{more} more lines"
            message = f"… and {lines}, from here on: {problem.message}"
            shown.append(Problem(message, problem.path, problem.line))
    return shown


def first_of(problems: Sequence[Problem], what: str, path: str | None = None) -> list[Problem]:
    """Return the first five problems, and the number of others."""
    more = len(problems) - SHOWN
    if more <= 0:
        return list(problems)
    return [*problems[:SHOWN], Problem(f"… and {more} more {what}", path)]


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of a file. Reading a field that is wrong adds to ``problems``."""

    fields: dict[str, Any]
    path: str
    line: int
    problems: list[Problem]

    def complain(self, message: str) -> None:
        """Note a problem of this line."""
        self.problems.append(Problem(message, self.path, self.line))

    def mismatch(self, name: str, expected: str) -> None:
        """Note a field that is absent or has another type than the expected one."""
        if name in self.fields:
            found = json_type(self.fields[name])
            self.complain(f"field {name!r}: expected {expected}, found {found}")
        else:
            self.complain(f"field {name!r} is missing; expected {expected}")

    def text(self, name: str) -> str:
        """Return a required string."""
        value = self.fields.get(name)
        if isinstance(value, str):
            return value
        self.mismatch(name, "a string")
        return ""

    def optional_text(self, name: str) -> str | None:
        """Return a string, or None for null or an absent field."""
        value = self.fields.get(name)
        if value is None or isinstance(value, str):
            return value
        self.mismatch(name, "a string")
        return None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings; an absent field is an empty list."""
        value = self.fields.get(name, [])
        if not isinstance(value, list):
            self.mismatch(name, "a list of strings")
            return ()
        wrong = [item for item in value if not isinstance(item, str)]
        if wrong:
            found = f"a list with {json_type(wrong[0])}"
            self.complain(f"field {name!r}: expected a list of strings, found {found}")
            return ()
        return tuple(value)

    def only(self, known: Collection[str]) -> None:
        """Note every unknown field, because it may be misspelt."""
        for name in self.fields:
            if name not in known:
                self.complain(f"unknown field {name!r}; the known ones are {', '.join(known)}")


def raise_if_any(problems: Sequence[Problem]) -> None:
    """Raise all problems in the order of their lines."""
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))


def json_object(line: str) -> dict[str, Any]:
    """Parse one line; the ValueError explains its fault."""
    if not line.strip():
        raise ValueError("blank line; expected a JSON object")
    try:
        value = STRICT_JSON.decode(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not valid JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise ValueError("is not usable JSON: nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, found {json_type(value)}")
    if "\\ud" in line.lower() and not is_encodable(value):
        raise ValueError("is not usable JSON: holds half of a surrogate pair, which is no text")
    return value


def list_entries(text: str, path: str, what: str = "a JSON list") -> list[tuple[int, str]]:
    """Return the line and the text of each entry of a JSON list, not yet parsed strictly."""
    decoder = json.JSONDecoder()
    entries: list[tuple[int, str]] = []
    line, counted_to = 1, 0
    place = _after(text, 0, path, "[", what)
    while not text.startswith("]", _next(text, place)) or entries:
        start = _next(text, place)
        try:
            _, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            message = f"is not valid JSON: {error.msg} (column {error.colno})"
            raise InputError.at(message, path, error.lineno) from None
        except RecursionError:
            raise InputError.at("is not usable JSON: nested too deeply", path) from None
        line, counted_to = line + text.count("\n", counted_to, start), start
        entries.append((line, text[start:end]))
        place = end
        if text.startswith("]", _next(text, place)):
            break
        place = _after(text, place, path, ",", "',' in a JSON list")
    end = _next(text, _next(text, place) + 1)
    if end != len(text):
        message = "is not valid JSON: something follows the list"
        raise InputError.at(message, path, text.count("\n", 0, end) + 1)
    return entries


def _after(text: str, place: int, path: str, sign: str, what: str) -> int:
    """Return the place after a required character."""
    place = _next(text, place)
    if not text.startswith(sign, place):
        found = repr(text[place : place + 1]) if place < len(text) else "the end"
        line = text.count("\n", 0, place) + 1
        raise InputError.at(f"expected {what}, found {found}", path, line)
    return place + 1


def _next(text: str, place: int) -> int:
    """Return the next place that is not white space."""
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place


def json_type(value: object) -> str:
    """Return the JSON name of a value's type, for messages."""
    if isinstance(value, bool):
        return "true or false"
    names: dict[type, str] = {str: "a string", int: "a number", float: "a number"}
    names |= {dict: "an object", list: "a list", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def is_encodable(value: object) -> bool:
    """Return True if all texts of a value can be encoded; half of a surrogate pair cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


json_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
"""A row of a file as one line of JSON, without the end of the line."""


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        [(name, count)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"field {name!r} occurs {count} times in one object")
    return fields


def _no_constant(name: str) -> Never:
    raise ValueError(f"is not valid JSON: {name} is not a JSON value")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"is not usable JSON: the number {text} is too large")
    return value


STRICT_JSON = json.JSONDecoder(
    object_pairs_hook=_unique_fields, parse_constant=_no_constant, parse_float=_finite
)
