"""The answer of a model as four values: the form as asked, or what is clear without it.

The values are scores from 0 to 100, or verdicts on two drafts. An unclear answer is refused with a
reason, so that it can be asked again: a criterion without a value, two different values for one
criterion, a range, a number outside the scale.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from patmark.judge.prompt import JUDGE_CRITERIA
from patmark.llm import ChatAnswer

FormValues: TypeAlias = tuple[float, ...]

_SCALES = {100: 1.0, 10: 10.0}
_VERDICT_VALUES = {"first": 1.0, "1": 1.0, "second": -1.0, "2": -1.0, "equal": 0.0, "tie": 0.0}
_NAMES = {
    "completeness": r"completeness",
    "clarity": r"clarity",
    "consistency": r"consistency",
    "linkage": r"linkage|linkages|linking",
}
_NUMBER = (
    r"(?P<number>-?\d{1,6}(?:\.\d{1,9})?)(?![\d.,]*\d)\s*%?"
    r"(?:\s*(?:/|out\s+of)\s*(?P<scale>\d{1,4}))?(?!\s*(?:[-–—~/]|to\b)\s*\d)"
)
_VERDICT = (
    r"(?:the\s+)?(?:draft\s+)?(?P<verdict>first|second|equal|tie|[12](?!\d|[.,]\d|[/%]))(?:\s+draft)?"
    r"(?!\s*(?:[-–—~/&+|,]|or\b|and\b|to\b)\s*(?:first|second|equal|tie|[12]\b))"
)
_MARKUP = r"[\s*_`\"'\]\)]{0,20}"
_SEPARATOR = r"(?:[:=|→]|\bis\b|\s[-–—]\s)[ \t*_`\"'\[]*"
# A value that a word follows counts something else: "12 of 15 features".
_END = (
    r"(?=\s*(?:points?\b|$|[\n,;.|()\[\]}*_`\"'<–—-])"
    r"|\s+(?:completeness|clarity|terminology|consistency|logical|linkage))"
)
_LINE = (
    rf"(?<![A-Za-z])(?:%s)(?:\s+(?:scores?|rating|verdict))?{_MARKUP}"
    rf"(?:\([^()\n]{{0,40}}\))?{_MARKUP}{_SEPARATOR}%s{_END}"
)
_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
# Of a whole word, also in logicalLinkage.
_START = r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))"
_NAME_FIELDS = ("criterion", "name", "aspect", "metric", "dimension", "category")
_VALUE_FIELDS = ("score", "rating", "verdict", "value", "winner", "better")
_REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m sorry|i am sorry|i apologi[sz]e|i (?:cannot|can(?:'|’)?t|can not|won(?:'|’)t)"
    r"|(?:unable|not able) to|as an ai\b|against (?:my|the) (?:policy|guidelines))",
    re.IGNORECASE,
)


class UnusableAnswer(ValueError):
    """An answer from which no four values can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Form:
    """How the values of a form are read; a value is ``what`` a criterion gets, within ``bounds``.

    ``lines`` find the value behind the name of each criterion, ``value_of`` reads what they found,
    and ``json_value`` what JSON holds; both give None for what is no value. ``zeros`` is what
    values of 0 are called.
    """

    what: str
    zeros: str
    bounds: tuple[float, float]
    lines: Mapping[str, re.Pattern[str]]
    value_of: Callable[[re.Match[str]], float | None]
    json_value: Callable[[object], float | None]

    def fault_of(self, answer: ChatAnswer) -> str | None:
        """What is wrong with an answer, or None if it can be read."""
        try:
            self.read(answer)
        except UnusableAnswer as error:
            return str(error)
        return None

    def read(self, answer: ChatAnswer) -> FormValues:
        """The values in the order of the criteria; a refusal with nothing but zeros is one."""
        if answer.refused:
            raise UnusableAnswer(f"refused: {_excerpt(answer.refusal or 'content filter')}")
        text = _said(answer.text)
        try:
            values = self.parse(answer.text)
        except UnusableAnswer as error:
            if answer.cut_off:
                raise UnusableAnswer(f"cut off at the limit of tokens: {_excerpt(text)}") from None
            if _REFUSAL.search(text):
                raise UnusableAnswer(f"refused: {_excerpt(text)}") from None
            raise error from None
        if not any(values) and _REFUSAL.search(text):
            raise UnusableAnswer(f"refused, with {self.zeros}: {_excerpt(text)}")
        return values

    def parse(self, text: str) -> FormValues:
        """The same from a text: JSON, or named values, alone as in the form or among chatter."""
        plain = unicodedata.normalize("NFKC", _said(text))
        if not plain.strip():
            raise UnusableAnswer("the answer is empty")
        found = self._from_json(plain) or self._from_text(plain)
        return tuple(
            self._one(one.name, found.get(one.name, set()), plain) for one in JUDGE_CRITERIA
        )

    def _from_text(self, text: str) -> dict[str, set[float]]:
        """Values that follow the name of a criterion; others are not read."""
        return {
            name: {
                value
                for match in pattern.finditer(text)
                if (value := self.value_of(match)) is not None
            }
            for name, pattern in self.lines.items()
        }

    def _from_json(self, text: str) -> dict[str, set[float]]:
        """Values of all JSON objects in a text that name a criterion; empty if there are none."""
        found: dict[str, set[float]] = {}
        for fields in _objects(text):
            for key, given in [*fields.items(), *_named_value(fields)]:
                name = _criterion_of(key)
                value = self.json_value(given)
                if name is not None and value is not None:
                    found.setdefault(name, set()).add(value)
        return found

    def _one(self, name: str, values: set[float], text: str) -> float:
        """The single value of a criterion, within the bounds."""
        if not values:
            raise UnusableAnswer(f"no {self.what} for {name}: {_excerpt(text)}")
        if len(values) > 1:
            shown = " and ".join(f"{value:g}" for value in sorted(values))
            raise UnusableAnswer(f"several {self.what}s for {name}: {shown}")
        [value] = values
        low, high = self.bounds
        if not low <= value <= high:
            raise UnusableAnswer(f"{name} is {value:g}, outside {low:g} to {high:g}")
        return value


def _said(text: str) -> str:
    """What is said after thinking; some servers send the thoughts with only the closing mark."""
    return _END_OF_THOUGHTS.split(_THOUGHTS.sub(" ", text))[-1]


def _named_value(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The pair of an object that has the name of its criterion as a value."""
    for field in _NAME_FIELDS:
        if isinstance(fields.get(field), str):
            yield fields[field], fields


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Every JSON object in a text, and the objects within it."""
    decoder = json.JSONDecoder()
    place = text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield from _nested(value)
        place = text.find("{", end)


def _nested(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _nested(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nested(inner)


def _criterion_of(key: str) -> str | None:
    for name, pattern in _NAMES.items():
        whole = rf"{_START}(?:{pattern})(?:[\s_-]*(?:score|rating|verdict))?\s*$"
        if re.search(whole, key, re.IGNORECASE):
            return name
    return None


def _plain_value(value: object) -> str | None:
    """A number or a text, or that of an object with a score; None for anything else."""
    if isinstance(value, dict):
        value = next((value[name] for name in _VALUE_FIELDS if name in value), None)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    return value if isinstance(value, str) else repr(value)


def _score(match: re.Match[str]) -> float | None:
    """A number on the scale of 100; None if it is on a scale that was not asked for."""
    factor = 1.0 if match["scale"] is None else _SCALES.get(int(match["scale"]))
    return None if factor is None else float(match["number"]) * factor


def _verdict(match: re.Match[str]) -> float:
    return _VERDICT_VALUES[match["verdict"].lower()]


def _form(
    what: str,
    zeros: str,
    bounds: tuple[float, float],
    pattern: str,
    value_of: Callable[[re.Match[str]], float | None],
) -> Form:
    """A form whose values are written as a pattern says."""
    alone = re.compile(rf"\s*{pattern}\s*(?:points?)?\s*", re.IGNORECASE)

    def json_value(given: object) -> float | None:
        text = _plain_value(given)
        match = None if text is None else alone.fullmatch(text)
        return None if match is None else value_of(match)

    lines = {
        name: re.compile(_LINE % (names, pattern), re.IGNORECASE) for name, names in _NAMES.items()
    }
    return Form(what, zeros, bounds, lines, value_of, json_value)


SCORES = _form("score", "zeros", (0.0, 100.0), _NUMBER, _score)
VERDICTS = _form("verdict", "ties", (-1.0, 1.0), _VERDICT, _verdict)


def _excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[:400].split())
    return line if len(line) <= 80 else line[:80] + "…"
