"""The answer of a model as values by criterion: the form as asked, or what is clear without it.

The values are scores from 0 to 100, or verdicts on two texts. An unclear answer is refused with a
reason, so that it can be asked again: a criterion without a value, two different values for one
criterion, a range, a number outside the scale. Every refusal has a kind, by which it is counted.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from patmark.judge.criteria import Criteria
from patmark.llm import ChatAnswer
from patmark.wording import tr

FormValues: TypeAlias = tuple[float, ...]

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
    r"^[ \t#*_`\[<]*segment[ \t]*(?:no\.?|number)?[ \t]*(\d{1,6})[ \t\]>*_`:.)]*$",
    re.IGNORECASE | re.MULTILINE,
)
_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
# Of a whole word, also in logicalLinkage.
_START = r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))"
_NAME_FIELDS = ("criterion", "name", "aspect", "metric", "dimension", "category")
_VALUE_FIELDS = ("score", "rating", "verdict", "value", "winner", "better")
_REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m sorry|i am sorry|i apologi[sz]e|as an ai\b"
    r"|against (?:my|the) (?:policy|guidelines)"
    r"|(?:i (?:cannot|can(?:'|’)?t|can not|won(?:'|’)t)|(?:unable|not able) to)\b"
    r"(?! (?:find|see|identify|detect|spot|locate)\b))"
    r"|抱歉|对不起|無法|无法(?:评|提供|协助|回答)|申し訳|お答えできません|できかねます",
    re.IGNORECASE,
)


class UnusableAnswer(ValueError):
    """An answer that cannot be used; the message says why, and ``kind`` names it for counts."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def check_said(answer: ChatAnswer) -> str:
    """What was said after thinking; an answer that the server marks as a refusal is refused."""
    if answer.refused:
        raise UnusableAnswer(REFUSED, f"refused: {excerpt(answer.refusal or 'content filter')}")
    return _said(answer.text)


def explained(error: UnusableAnswer, answer: ChatAnswer, text: str) -> UnusableAnswer:
    """Why an answer cannot be read, if more is known than what is missing in it."""
    if answer.cut_off:
        return UnusableAnswer(CUT_OFF, f"cut off at the limit of tokens: {excerpt(text)}")
    if is_refusal(text):
        return UnusableAnswer(REFUSED, f"refused: {excerpt(text)}")
    return error


def is_refusal(text: str) -> bool:
    """Whether a text apologises or says that it cannot."""
    return bool(_REFUSAL.search(text))


@dataclass(frozen=True, slots=True)
class AnswerParser:
    """How the values of a form are read; a value is ``what`` a criterion gets, within ``bounds``.

    ``lines`` find the value behind the name of each criterion and ``keys`` the names in JSON;
    ``value_of`` reads what lines found, and ``json_value`` what JSON holds; both give None for what
    is no value. ``zeros`` is what values of 0 are called.
    """

    what: str
    zeros: str
    bounds: tuple[float, float]
    lines: Mapping[str, re.Pattern[str]]
    keys: Mapping[str, re.Pattern[str]]
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
        [values] = self.read_all(answer, 1)
        return values

    def read_all(self, answer: ChatAnswer, count: int) -> list[FormValues]:
        """The values of so many segments; several stand under their numbers."""
        text = check_said(answer)
        try:
            parts = [text] if count == 1 else _sections(text, count)
            found = [self.parse(part) for part in parts]
        except UnusableAnswer as error:
            raise explained(error, answer, text) from None
        if not any(map(any, found)) and is_refusal(text):
            raise UnusableAnswer(REFUSED, f"refused, with {self.zeros}: {excerpt(text)}")
        return found

    def parse(self, text: str) -> FormValues:
        """The values in a text: JSON, or named values, alone as in the form or among chatter.

        Of a single criterion the value may be all that is said.
        """
        plain = unicodedata.normalize("NFKC", _said(text))
        if not plain.strip():
            raise UnusableAnswer(EMPTY, "the answer is empty")
        found = self._from_json(plain) or self._from_text(plain)
        if len(self.lines) == 1 and (alone := self.json_value(plain)) is not None:
            found = {name: {alone} for name in self.lines}
        return tuple(self._one(name, found.get(name, set()), plain) for name in self.lines)

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
        for fields in json_objects(text):
            for key, given in [*fields.items(), *_named_value(fields)]:
                name = next((one for one, key_of in self.keys.items() if key_of.search(key)), None)
                value = self.json_value(given)
                if name is not None and value is not None:
                    found.setdefault(name, set()).add(value)
        return found

    def _one(self, name: str, values: set[float], text: str) -> float:
        """The single value of a criterion, within the bounds."""
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


def _sections(text: str, count: int) -> list[str]:
    """What stands under the numbers from 1 to a count, each of which must be there once."""
    plain = unicodedata.normalize("NFKC", text)
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


def _said(text: str) -> str:
    """What is said after thinking; some servers send the thoughts with only the closing mark."""
    return _END_OF_THOUGHTS.split(_THOUGHTS.sub(" ", text))[-1]


def _named_value(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The pair of an object that has the name of its criterion as a value."""
    for field in _NAME_FIELDS:
        if isinstance(fields.get(field), str):
            yield fields[field], fields


def json_objects(text: str) -> Iterator[Mapping[str, Any]]:
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


def _parser(
    criteria: Criteria,
    what: str,
    zeros: str,
    bounds: tuple[float, float],
    pattern: str,
    value_of: Callable[[re.Match[str]], float | None],
) -> AnswerParser:
    """A form whose values are written as a pattern says."""
    alone = re.compile(rf"\s*{pattern}\s*(?:points?)?\s*", re.IGNORECASE)

    def json_value(given: object) -> float | None:
        text = _plain_value(given)
        match = None if text is None else alone.fullmatch(text)
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
    """A name as a pattern, with any space, hyphen or underline between its words."""
    words = re.split(r"[\s_-]+", unicodedata.normalize("NFKC", name))
    return r"[\s_-]*".join(map(re.escape, words))


@lru_cache(maxsize=16)
def score_parser(criteria: Criteria) -> AnswerParser:
    """A number from 0 to 100 for each criterion."""
    return _parser(criteria, "score", "zeros", (0.0, 100.0), _NUMBER, _score)


@lru_cache(maxsize=16)
def verdict_parser(criteria: Criteria) -> AnswerParser:
    """For each criterion which of two texts is better: 1 the first, -1 the second, 0 neither."""
    return _parser(criteria, "verdict", "ties", (-1.0, 1.0), _VERDICT, _verdict)


def excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[:400].split())
    return line if len(line) <= 80 else line[:80] + "…"
