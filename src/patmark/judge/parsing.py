"""The answer of a model as four numbers: the form as asked, or what is clear without it.

An unclear answer is refused with a reason, so that it can be asked again: a criterion without a
number, two different numbers for one criterion, a range, a number outside the scale.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from patmark.judge.prompt import JUDGE_CRITERIA
from patmark.llm import ChatAnswer

FormScores: TypeAlias = tuple[float, ...]

_HIGHEST = 100.0
_SCALES = {100: 1.0, 10: 10.0}
_NAMES = {
    "completeness": r"completeness",
    "clarity": r"clarity",
    "consistency": r"consistency",
    "linkage": r"linkage|linkages|linking",
}
_NUMBER = r"(?P<number>-?\d{1,6}(?:\.\d{1,9})?)(?![\d.,]*\d)"
_SCALE = r"(?:\s*(?:/|out\s+of)\s*(?P<scale>\d{1,4}))?"
_NO_RANGE = r"(?!\s*(?:[-–—~/]|to\b)\s*\d)"
_VALUE = re.compile(rf"\s*{_NUMBER}\s*%?{_SCALE}\s*(?:points?)?\s*", re.IGNORECASE)
_MARKUP = r"[\s*_`\"'\]\)]{0,20}"
_SEPARATOR = r"(?:[:=|→]|\bis\b|\s[-–—]\s)[ \t*_`\"'\[]*"
# A number that a word follows counts something else: "12 of 15 features".
_END = (
    r"(?=\s*(?:points?\b|$|[\n,;.|()\[\]}*_`\"'<–—-])"
    r"|\s+(?:completeness|clarity|terminology|consistency|logical|linkage))"
)
_LINE = (
    rf"(?<![A-Za-z])(?:%s)(?:\s+(?:scores?|rating))?{_MARKUP}(?:\([^()\n]{{0,40}}\))?{_MARKUP}"
    rf"{_SEPARATOR}{_NUMBER}\s*%%?{_SCALE}{_NO_RANGE}{_END}"
)
_WRITTEN = {name: re.compile(_LINE % pattern, re.IGNORECASE) for name, pattern in _NAMES.items()}
_STRICT = re.compile(
    r"\s*"
    + r"[ \t]*\r?\n\s*".join(rf"{re.escape(one.title)}:\s*(\d{{1,3}})" for one in JUDGE_CRITERIA)
    + r"\s*"
)
_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_NAME_FIELDS = ("criterion", "name", "aspect", "metric", "dimension", "category")
_REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m sorry|i am sorry|i apologi[sz]e|i (?:cannot|can(?:'|’)?t|can not|won(?:'|’)t)"
    r"|(?:unable|not able) to|as an ai\b|against (?:my|the) (?:policy|guidelines))",
    re.IGNORECASE,
)


class UnusableAnswer(ValueError):
    """An answer from which no four numbers can be read; the message says why."""


def fault_of(answer: ChatAnswer) -> str | None:
    """What is wrong with an answer, or None if it can be read."""
    try:
        read_scores(answer)
    except UnusableAnswer as error:
        return str(error)
    return None


def read_scores(answer: ChatAnswer) -> FormScores:
    """Scores from 0 to 100 in the order of the criteria; a refusal with zeros is a refusal."""
    if answer.refused:
        raise UnusableAnswer(f"refused: {_excerpt(answer.refusal or 'content filter')}")
    text = _said(answer.text)
    try:
        scores = parse_scores(answer.text)
    except UnusableAnswer as error:
        if answer.cut_off:
            raise UnusableAnswer(f"cut off at the limit of tokens: {_excerpt(text)}") from None
        if _REFUSAL.search(text):
            raise UnusableAnswer(f"refused: {_excerpt(text)}") from None
        raise error from None
    if not any(scores) and _REFUSAL.search(text):
        raise UnusableAnswer(f"refused, with zeros: {_excerpt(text)}")
    return scores


def parse_scores(text: str) -> FormScores:
    """The same from a text: the form as it was asked for, JSON, or named numbers among chatter."""
    plain = unicodedata.normalize("NFKC", _said(text))
    if not plain.strip():
        raise UnusableAnswer("the answer is empty")
    form = _STRICT.fullmatch(plain)
    if form is not None:
        found = {one.name: {float(form[place])} for place, one in enumerate(JUDGE_CRITERIA, 1)}
    else:
        found = _from_json(plain) or _from_text(plain)
    return tuple(_one(one.name, found.get(one.name, set()), plain) for one in JUDGE_CRITERIA)


def _said(text: str) -> str:
    """What is said after thinking; some servers send the thoughts with only the closing mark."""
    return _END_OF_THOUGHTS.split(_THOUGHTS.sub(" ", text))[-1]


def _one(name: str, values: set[float], text: str) -> float:
    """The single value of a criterion, within the scale."""
    if not values:
        raise UnusableAnswer(f"no score for {name}: {_excerpt(text)}")
    if len(values) > 1:
        shown = " and ".join(f"{value:g}" for value in sorted(values))
        raise UnusableAnswer(f"several scores for {name}: {shown}")
    [value] = values
    if not 0 <= value <= _HIGHEST:
        raise UnusableAnswer(f"{name} is {value:g}, outside 0 to {_HIGHEST:g}")
    return value


def _from_text(text: str) -> dict[str, set[float]]:
    """Numbers that follow the name of a criterion; other numbers are not read."""
    return {
        name: {
            value
            for match in pattern.finditer(text)
            if (value := _scaled(match["number"], match["scale"])) is not None
        }
        for name, pattern in _WRITTEN.items()
    }


def _from_json(text: str) -> dict[str, set[float]]:
    """Numbers of all JSON objects in a text that name a criterion; empty if there are none."""
    found: dict[str, set[float]] = {}
    for fields in _objects(text):
        for key, value in [*fields.items(), *_named_score(fields)]:
            name = _criterion_of(key)
            number = _json_number(value)
            if name is not None and number is not None:
                found.setdefault(name, set()).add(number)
    return found


def _named_score(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
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
        if re.search(rf"(?:{pattern})(?:[\s_-]*(?:score|rating))?\s*$", key, re.IGNORECASE):
            return name
    return None


def _json_number(value: object) -> float | None:
    """A number from a number, a text with one, or an object with a score."""
    if isinstance(value, dict):
        value = value.get("score", value.get("rating", value.get("value")))
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if not isinstance(value, str):
        value = repr(value)
    match = _VALUE.fullmatch(value)
    return None if match is None else _scaled(match["number"], match["scale"])


def _scaled(number: str, scale: str | None) -> float | None:
    """A number on the scale of 100; None if it is on a scale that was not asked for."""
    factor = 1.0 if scale is None else _SCALES.get(int(scale))
    return None if factor is None else float(number) * factor


def _excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[:400].split())
    return line if len(line) <= 80 else line[:80] + "…"
