"""Error spans that a model marks, from the JSON of its answer to places in the texts.

An answer in another format is refused as a whole and asked for again. In a valid answer every error
is placed, or counted as invalid by its kind; no place is guessed. A span must occur in the text
once, or within a context that occurs once. If spans overlap, the most severe stays, or the first
of equally severe ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import AnnotatedSide, Category, Typology
from patmark.errors import UsageError
from patmark.llm import ChatAnswer, is_refusal
from patmark.systems.judge.parsing import (
    EMPTY,
    NO_VALUE,
    OUTSIDE,
    REFUSED,
    SEVERAL_VALUES,
    UnusableAnswer,
    answer_text,
    check_numbers,
    excerpt,
    explained,
)
from patmark.wording import tr

INVALID_JSON, WRONG_SHAPE = tr("invalid JSON"), tr("another form")
NOT_FOUND, AMBIGUOUS, NO_SPAN = tr("not in the text"), tr("ambiguous place"), tr("no span")
NO_CATEGORY, NO_SEVERITY = tr("unknown category"), tr("unknown severity")
REPEATED, OVERLAPPING, NO_ERROR = tr("repeated"), tr("overlapping"), tr("not an error object")
KINDS = (
    NOT_FOUND, AMBIGUOUS, NO_SPAN, NO_CATEGORY, NO_SEVERITY, REPEATED, OVERLAPPING, NO_ERROR,
)  # fmt: skip
SAID_ELSEWHERE = (REPEATED, OVERLAPPING)
"""Kinds of invalid errors with another mark at the same place, which is counted."""
WHOLE_SEGMENT = "Non-translation"
_LONGEST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class SaidErrors:
    """The content of an answer about a segment: errors as given, and a score from 0 to 100."""

    errors: Sequence[object]
    score: float | None = None


@dataclass(frozen=True, slots=True)
class PlacedError:
    """An error with its place; an error of the whole segment has an empty span."""

    side: AnnotatedSide
    start: int
    end: int
    category: str
    severity: str


@dataclass(frozen=True, slots=True)
class InvalidError:
    """An error that is not counted, the kind of its fault, and the words of the model."""

    kind: str
    said: str


def read_errors(answer: ChatAnswer, count: int, *, scored: bool) -> list[SaidErrors]:
    """Read the errors of ``count`` segments in an answer, and their scores if ``scored``."""
    text = answer_text(answer)
    try:
        parsed, around = _json_and_rest(text)
        found = [_said_errors(one, scored) for one in _segments(parsed, count)]
    except UnusableAnswer as error:
        raise explained(error, answer, text) from None
    if not any(one.errors or one.score for one in found) and is_refusal(around, anywhere=True):
        raise UnusableAnswer(REFUSED, f"refused, without errors: {excerpt(around)}")
    return found


def _json_and_rest(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the one JSON object in a text, and the text around it."""
    if not text.strip():
        raise UnusableAnswer(EMPTY, "the answer is empty")
    start = text.find("{")
    try:
        if start < 0:
            raise ValueError("there is no object")
        parsed, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(":")[0]
        raise UnusableAnswer(INVALID_JSON, f"invalid JSON ({reason}): {excerpt(text)}") from None
    if "{" in text[end:]:
        raise UnusableAnswer(SEVERAL_VALUES, f"several JSON objects: {excerpt(text)}")
    return parsed, text[:start] + text[end:]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise ValueError for a repeated field, of which one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands twice")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_number)


def _segments(answer: Mapping[str, Any], count: int) -> list[Mapping[str, Any]]:
    if count == 1 and "errors" in answer and "segments" not in answer:
        return [answer]
    listed = answer.get("segments")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise UnusableAnswer(WRONG_SHAPE, "expected a list 'segments' of objects")
    numbers = [one.get("segment") for one in listed]
    if not all(type(number) is int for number in numbers):
        raise UnusableAnswer(WRONG_SHAPE, "expected a whole number as 'segment'")
    check_numbers(numbers, count)
    return sorted(listed, key=lambda one: int(one["segment"]))


def _said_errors(answer: Mapping[str, Any], scored: bool) -> SaidErrors:
    errors, score = answer.get("errors"), answer.get("score")
    if not isinstance(errors, list):
        raise UnusableAnswer(WRONG_SHAPE, "expected a list 'errors'")
    if not scored:
        return SaidErrors(errors)
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise UnusableAnswer(NO_VALUE, "expected a number as 'score'")
    if not 0 <= score <= 100:
        raise UnusableAnswer(OUTSIDE, f"the score is {score:g}, outside 0 to 100")
    return SaidErrors(errors, float(score))


def place_errors(
    said: SaidErrors, source: str, target: str, typology: Typology, *, first_place: bool = False
) -> tuple[list[PlacedError], list[InvalidError]]:
    """Return the errors with a place in the texts, in their order, and the invalid ones.

    ``first_place`` takes the first of several possible places.
    """
    placed: list[tuple[PlacedError, object]] = []
    invalid: list[InvalidError] = []
    for one in said.errors:
        try:
            placed.append((_placed(one, source, target, typology, first_place), one))
        except _Unplaced as reason:
            invalid.append(InvalidError(reason.kind, shown(one)))
    ranks = {one.name: rank for rank, one in enumerate(typology.severities)}
    kept: list[tuple[int, PlacedError]] = []
    worst_first = sorted(enumerate(placed), key=lambda item: ranks[item[1][0].severity])
    for at, (mark, given) in worst_first:
        same = [other for _, other in kept if _share_place(mark, other)]
        if not same:
            kept.append((at, mark))
            continue
        repeated = any(_is_same(mark, other) for other in same)
        invalid.append(InvalidError(REPEATED if repeated else OVERLAPPING, shown(given)))
    return [mark for _, mark in sorted(kept, key=lambda item: item[0])], invalid


class _Unplaced(Exception):
    """An invalid error, by kind."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def _placed(
    given: object, source: str, target: str, typology: Typology, first_place: bool
) -> PlacedError:
    if not isinstance(given, dict):
        raise _Unplaced(NO_ERROR)
    category = _category(given.get("category"), typology)
    severity = _severity(given.get("severity"), typology)
    span, context = given.get("span"), given.get("context")
    if category.name == WHOLE_SEGMENT and span in (None, ""):
        return PlacedError(category.side, 0, 0, category.name, severity)
    if not isinstance(span, str) or not span.strip():
        raise _Unplaced(NO_SPAN)
    text = source if category.side == "source" else target
    place = _place(text, span, context if isinstance(context, str) else "", first_place)
    return PlacedError(category.side, *place, category.name, severity)


def _category(given: object, typology: Typology) -> Category:
    try:
        if isinstance(given, str):
            return typology.category(given.strip())
    except UsageError:
        pass
    raise _Unplaced(NO_CATEGORY)


def _severity(given: object, typology: Typology) -> str:
    try:
        if isinstance(given, str):
            return typology.severity(given.strip()).name
    except UsageError:
        pass
    raise _Unplaced(NO_SEVERITY)


def _place(text: str, span: str, context: str, first_place: bool) -> tuple[int, int]:
    """Return the place of a span: its only one, or the only one in a unique context.

    With ``first_place`` it may be the first of several.
    """
    places = _places(text, span)
    if not places:
        raise _Unplaced(NOT_FOUND)
    if len(places) == 1:
        return places[0]
    around = _places(text, context)
    within = [one for one in places for low, high in around[:1] if low <= one[0] and one[1] <= high]
    if len(around) == 1 and len(within) == 1:
        return within[0]
    if first_place:
        return places[0]
    raise _Unplaced(AMBIGUOUS)


def _places(text: str, part: str) -> list[tuple[int, int]]:
    """Return all places of a part, overlapping ones as well; none for blanks.

    If it does not occur as it is, one blank in it may stand for several or for a line break.
    """
    if not part.strip():
        return []
    for pattern in (re.escape(part), r"\s+".join(map(re.escape, part.split()))):
        if found := [match.span(1) for match in re.finditer(f"(?=({pattern}))", text)]:
            return found
    return []


def _share_place(one: PlacedError, other: PlacedError) -> bool:
    """Return True if two errors overlap; errors of the whole segment share their place."""
    if one.side != other.side:
        return False
    if one.start == one.end or other.start == other.end:
        return (one.start, one.end) == (other.start, other.end)
    return one.start < other.end and other.start < one.end


def _is_same(one: PlacedError, other: PlacedError) -> bool:
    return (one.start, one.end, one.category) == (other.start, other.end, other.category)


def shown(given: object) -> str:
    """Return the words of a model as JSON, shortened for display."""
    text = json.dumps(given, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
