"""Values by criterion in the answer of a model: JSON first, then the lines of the form.

The values are scores from 0 to 100, or verdicts on two texts. An unclear answer is refused with a
reason, so that it can be asked again: a criterion without a value, two different values for one
criterion, a range, a number outside the scale. Refusals are counted by kind. The time is linear in
the length of the answer, since the event loop waits for it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from patmark.llm import ChatAnswer, is_refusal
from patmark.systems.judge.criteria import Criteria
from patmark.wording import tr

CriterionValues: TypeAlias = tuple[float, ...]

REFUSED, CUT_OFF, EMPTY = tr("refused"), tr("cut off"), tr("empty")
NO_VALUE, SEVERAL_VALUES, OUTSIDE = tr("no value"), tr("several values"), tr("outside the scale")
INCOMPLETE = tr("segments missing or doubled")
_SCALES = {100: 1.0, 10: 10.0}
_VERDICT_VALUES = {"first": 1.0, "1": 1.0, "second": -1.0, "2": -1.0, "equal": 0.0, "tie": 0.0}
_NUMBER = (
    r"(?P<number>-?\d{1,6}(?:\.\d{1,9})?)(?![\d.,]*\d)\s*%?"
    r"(?:\s*(?:/|out\s+of)\s*(?P<scale>\d{1,4}))?(?!\s*(?:[-–—~/]|to\b)\s*\d)"
)
_JUDGED = r"(?:draft|translation|text)"
_VERDICT = (
    rf"(?:the\s+)?(?:{_JUDGED}\s+)?(?P<verdict>first|second|equal|tie|[12](?!\d|[.,]\d|[/%]))"
    rf"(?:\s+{_JUDGED})?(?!\s*(?:[-–—~/&+|,]|or\b|and\b|to\b)\s*(?:first|second|equal|tie|[12]\b))"
)
_MARKUP = r"[\s*_`\"'\]\)]{0,20}"
_SEPARATOR = r"(?:[:=|→]|\bis\b|\s[-–—]\s)[ \t*_`\"'\[]*"
# A value that a word follows counts something else: "12 of 15 features".
_END = r"(?=\s*(?:points?\b|$|[\n,;.|()\[\]}*_`\"'<–—-])|\s+(?:%s))"
_LINE = (
    rf"(?<![A-Za-z])(?:%s)(?:\s+(?:scores?|rating|verdict))?{_MARKUP}"
    rf"(?:\([^()\n]{{0,40}}\))?{_MARKUP}{_SEPARATOR}%s{_END}"
)
_HEADING = re.compile(
    r"^[ \t#*_`\[<]*segment[ \t]*(?:(?:no\.?|number)[ \t]*)?(\d{1,6})[ \t\]>*_`:.)]*$",
    re.IGNORECASE | re.MULTILINE,
)
_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
# The beginning of a word, also in logicalLinkage.
_START = r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))"
_NAME_FIELDS = ("criterion", "name", "aspect", "metric", "dimension", "category")
_VALUE_FIELDS = ("score", "rating", "verdict", "value", "winner", "better")
_OBJECT = re.compile(r"\{\s*[\"}]")
_MOST_BROKEN_OBJECTS = 100
_LONGEST_VALUE = 100
_BLANKS = re.compile(r"\s{3,}")
_DECODER = json.JSONDecoder()


class UnusableAnswer(ValueError):
    """An answer that cannot be used; the message has the reason, ``kind`` is for counts."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def answer_text(answer: ChatAnswer) -> str:
    """Return the text after reasoning; refuse an answer that the server marks as a refusal."""
    if answer.refused:
        raise UnusableAnswer(REFUSED, f"refused: {excerpt(answer.refusal or 'content filter')}")
    return _without_reasoning(answer.text)


def explained(error: UnusableAnswer, answer: ChatAnswer, text: str) -> UnusableAnswer:
    """Return the cause of an unreadable answer, if more is known than the missing values."""
    if answer.cut_off:
        return UnusableAnswer(CUT_OFF, f"cut off at the limit of tokens: {excerpt(text)}")
    if is_refusal(text, anywhere=True):
        return UnusableAnswer(REFUSED, f"refused: {excerpt(text)}")
    return error


@dataclass(frozen=True, slots=True)
class AnswerParser:
    """A parser of answers that give each criterion a score or a verdict (``what``).

    ``lines`` find the value behind the name of each criterion in text, ``keys`` match its name in
    JSON. ``value_of`` reads a match of ``lines``, ``json_value`` a JSON value; both return None for
    anything else. ``zeros`` names values of 0 in messages.
    """

    what: str
    zeros: str
    bounds: tuple[float, float]
    lines: Mapping[str, re.Pattern[str]]
    keys: Mapping[str, re.Pattern[str]]
    value_of: Callable[[re.Match[str]], float | None]
    json_value: Callable[[object], float | None]

    def read_all(self, answer: ChatAnswer, count: int) -> list[CriterionValues]:
        """Return the values of ``count`` segments, in the order of the criteria.

        Several segments stand under their numbers. A refusal with nothing but zeros is a refusal.
        """
        text = answer_text(answer)
        try:
            parts = [text] if count == 1 else _sections(text, count)
            found = [self.parse(part) for part in parts]
        except UnusableAnswer as error:
            raise explained(error, answer, text) from None
        if not any(map(any, found)) and is_refusal(text, anywhere=True):
            raise UnusableAnswer(REFUSED, f"refused, with {self.zeros}: {excerpt(text)}")
        return found

    def parse(self, text: str) -> CriterionValues:
        """Return the values of JSON in a text, or else those behind the names of the criteria.

        The value of a single criterion may stand alone.
        """
        plain = _normalised(_without_reasoning(text))
        if not plain.strip():
            raise UnusableAnswer(EMPTY, "the answer is empty")
        found = self._from_json(plain) or self._from_text(plain)
        if len(self.lines) == 1 and (alone := self.json_value(plain)) is not None:
            found = {name: {alone} for name in self.lines}
        return tuple(self._one(name, found.get(name, set()), plain) for name in self.lines)

    def _from_text(self, text: str) -> dict[str, set[float]]:
        return {
            name: {
                value
                for match in pattern.finditer(text)
                if (value := self.value_of(match)) is not None
            }
            for name, pattern in self.lines.items()
        }

    def _from_json(self, text: str) -> dict[str, set[float]]:
        """Return the values of all JSON objects in a text that name a criterion."""
        found: dict[str, set[float]] = {}
        for fields in json_objects(text):
            for key, given in [*fields.items(), *_named_value(fields)]:
                name = next((one for one, key_of in self.keys.items() if key_of.search(key)), None)
                value = self.json_value(given)
                if name is not None and value is not None:
                    found.setdefault(name, set()).add(value)
        return found

    def _one(self, name: str, values: set[float], text: str) -> float:
        """Return the single value of a criterion; refuse none, several, or one out of bounds."""
        if not values:
            raise UnusableAnswer(NO_VALUE, f"no {self.what} for {name}: {excerpt(text)}")
        if len(values) > 1:
            shown = " and ".join(f"{value:g}" for value in sorted(values))
            raise UnusableAnswer(SEVERAL_VALUES, f"several {self.what}s for {name}: {shown}")
        [value] = values
        low, high = self.bounds
        if not low <= value <= high:
            raise UnusableAnswer(OUTSIDE, f"{name} is {value:g}, outside {low:g} to {high:g}")
        return value


def _normalised(text: str) -> str:
    """Normalise characters to NFKC and shorten blanks, on which patterns would backtrack."""
    plain = unicodedata.normalize("NFKC", text)
    return _BLANKS.sub(lambda run: "\n" if "\n" in run[0] else " ", plain)


def _sections(text: str, count: int) -> list[str]:
    plain = _normalised(text)
    headings = list(_HEADING.finditer(plain))
    check_numbers([int(one[1]) for one in headings], count)
    ends = [*(one.start() for one in headings[1:]), len(plain)]
    found = {int(one[1]): plain[one.end() : end] for one, end in zip(headings, ends, strict=True)}
    return [found[number] for number in range(1, count + 1)]


def check_numbers(numbers: list[int], count: int) -> None:
    """Refuse an answer that does not have each segment once."""
    if sorted(numbers) != list(range(1, count + 1)):
        shown = ", ".join(map(str, numbers[:20])) or "none"
        message = f"expected each of {count} segments once, found {shown}"
        raise UnusableAnswer(INCOMPLETE, message)


def _without_reasoning(text: str) -> str:
    """Return the text after reasoning, of which some servers send only the closing tag."""
    return _END_OF_THOUGHTS.split(_THOUGHTS.sub(" ", text))[-1]


def _named_value(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the pair of an object that has the name of its criterion as a value."""
    for field in _NAME_FIELDS:
        if isinstance(fields.get(field), str):
            yield fields[field], fields


def json_objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield every JSON object in a text, and the objects within it.

    After 100 beginnings of broken objects the rest of the text is left: each costs a pass over it.
    """
    broken, start = 0, _OBJECT.search(text)
    while start is not None and broken < _MOST_BROKEN_OBJECTS:
        try:
            value, end = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            end = start.start() + 1
            broken += 1
        else:
            yield from _nested(value)
        start = _OBJECT.search(text, end)


def _nested(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _nested(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nested(inner)


def _plain_value(value: object) -> str | None:
    """Return a number or a text as text, also from an object with a score; None for others."""
    if isinstance(value, dict):
        value = next((value[name] for name in _VALUE_FIELDS if name in value), None)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    return value if isinstance(value, str) else repr(value)


def _score(match: re.Match[str]) -> float | None:
    factor = 1.0 if match["scale"] is None else _SCALES.get(int(match["scale"]))
    return None if factor is None else float(match["number"]) * factor


def _verdict(match: re.Match[str]) -> float:
    return _VERDICT_VALUES[match["verdict"].lower()]


def _parser(
    criteria: Criteria,
    what: str,
    zeros: str,
    bounds: tuple[float, float],
    pattern: str,
    value_of: Callable[[re.Match[str]], float | None],
) -> AnswerParser:
    alone = re.compile(rf"\s*{pattern}\s*(?:points?)?\s*", re.IGNORECASE)

    def json_value(given: object) -> float | None:
        text = _plain_value(given)
        if text is None or len(text) > _LONGEST_VALUE:
            return None
        match = alone.fullmatch(text)
        return None if match is None else value_of(match)

    names = {one.name: "|".join(map(_words, one.names)) for one in criteria}
    others = "|".join(_words(name) for one in criteria for name in one.names)
    lines = {
        name: re.compile(_LINE % (words, pattern, others), re.IGNORECASE)
        for name, words in names.items()
    }
    keys = {
        name: re.compile(
            rf"{_START}(?:{words})(?:[\s_-]*(?:score|rating|verdict))?\s*$", re.IGNORECASE
        )
        for name, words in names.items()
    }
    return AnswerParser(what, zeros, bounds, lines, keys, value_of, json_value)


def _words(name: str) -> str:
    """Return a pattern of a name, with any space, hyphen or underscore between its words."""
    words = re.split(r"[\s_-]+", unicodedata.normalize("NFKC", name))
    return r"[\s_-]*".join(map(re.escape, words))


@lru_cache(maxsize=16)
def score_parser(criteria: Criteria) -> AnswerParser:
    """Return a parser of scores from 0 to 100."""
    return _parser(criteria, "score", "zeros", (0.0, 100.0), _NUMBER, _score)


@lru_cache(maxsize=16)
def verdict_parser(criteria: Criteria) -> AnswerParser:
    """Return a parser of verdicts: 1 for the first text, -1 for the second, 0 for neither."""
    return _parser(criteria, "verdict", "ties", (-1.0, 1.0), _VERDICT, _verdict)


def excerpt(text: str) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(text[:400].split())
    return line if len(line) <= 80 else line[:80] + "…"
