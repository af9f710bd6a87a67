"""Marks of errors in the texts of a page, by character, validated against their question.

A mark is an object ``{start, end, severity, category}`` in characters (code points), the end
excluded, with ``side`` source or target (default target). An omission may be a mark without a place
(start = end) in the translation. ``proposal`` is the number of the proposed mark, from 0. In
incomplete marks, a severity or category may be null, and a proposal ``undecided``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from patmark.data import NO_CATEGORY, AnnotatedSide, Decision
from patmark.human.campaign.form import Question, marks_missing
from patmark.human.campaign.plan import Candidate, Page

MOST_MARKS = 1000
"""Marks in one text."""
_NEEDED = ("start", "end", "severity", "category")
_OPTIONAL = ("side", "proposal")


def side_of(mark: Mapping[str, Any]) -> AnnotatedSide:
    """Return the side of a mark: source or target."""
    side: AnnotatedSide = mark.get("side", "target")
    return side


def marked_text(page: Page, candidate: Candidate, mark: Mapping[str, Any]) -> str:
    """Return the characters of a mark."""
    return _whole(page, candidate, mark)[mark["start"] : mark["end"]]


def decision_on(candidate: Candidate, mark: Mapping[str, Any]) -> Decision | None:
    """Return the decision on a proposed mark, accepted or changed; None for an own mark."""
    if "proposal" not in mark:
        return None
    proposed = candidate.proposed[mark["proposal"]]
    same = all(proposed[name] == mark[name] for name in _NEEDED)
    return "accepted" if same and side_of(proposed) == side_of(mark) else "changed"


def deleted_proposals(
    candidate: Candidate, marks: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], ...]:
    """Return the proposed marks that were deleted."""
    kept = {mark.get("proposal") for mark in marks}
    return tuple(one for number, one in enumerate(candidate.proposed) if number not in kept)


def marks_problem(question: Question, page: Page, candidate: Candidate, marks: Any) -> str | None:
    """Return the fault of complete marks, if any."""
    return _problem(question, page, candidate, marks, is_complete=True)


def unfinished_marks_problem(
    question: Question, page: Page, candidate: Candidate, marks: Any
) -> str | None:
    """Return the fault of marks of which some lack a severity, a category or a decision."""
    return _problem(question, page, candidate, marks, is_complete=False)


def _problem(
    question: Question, page: Page, candidate: Candidate, marks: Any, is_complete: bool
) -> str | None:
    if not isinstance(marks, Sequence) or isinstance(marks, str):
        return "expected a list of spans"
    if len(marks) > MOST_MARKS:
        return f"at most {MOST_MARKS} marks, found {len(marks)}"
    for mark in marks:
        problem = (
            _fields_problem(question, mark, is_complete)
            or _place_problem(_whole(page, candidate, mark), mark)
            or _missing_problem(question, mark)
        )
        if problem:
            return problem
    return _proposals_problem(candidate, marks)


def _whole(page: Page, candidate: Candidate, mark: Mapping[str, Any]) -> str:
    return page.source_of(candidate) if side_of(mark) == "source" else candidate.text


def _fields_problem(question: Question, mark: Any, is_complete: bool) -> str | None:
    known = {*_NEEDED, *_OPTIONAL, *(() if is_complete else ("undecided",))}
    if not isinstance(mark, Mapping) or not set(_NEEDED) <= set(mark) <= known:
        return f"expected a span with {', '.join(_NEEDED)}"
    if side_of(mark) not in question.sides:
        return f"side: expected one of {', '.join(question.sides)}, found {mark['side']!r}"
    categories = [one.value for one in question.categories] or [NO_CATEGORY]
    severities = [one.value for one in question.choices]
    for name, choices in (("severity", severities), ("category", categories)):
        if mark[name] not in choices and (is_complete or mark[name] is not None):
            return f"{name}: expected one of {', '.join(choices)}, found {mark[name]!r}"
    if mark.get("undecided", True) is not True:
        return "expected true as undecided"
    return None


def _place_problem(text: str, mark: Mapping[str, Any]) -> str | None:
    start, end = mark["start"], mark["end"]
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= len(text):
        return f"expected 0 <= start <= end <= {len(text)} characters, found {start} and {end}"
    return None


def _missing_problem(question: Question, mark: Mapping[str, Any]) -> str | None:
    """Check that only omissions have no place."""
    if mark["start"] < mark["end"]:
        return None
    if side_of(mark) == "source":
        return "a mark in the source must have a place"
    chosen = [one for one in question.categories if one.value == mark["category"]]
    if all(map(marks_missing, chosen)):
        return None
    missing = " or ".join(one.value for one in question.categories if marks_missing(one))
    return f"an empty span at character {mark['start']} can only be of the category {missing}"


def _proposals_problem(candidate: Candidate, marks: Sequence[Mapping[str, Any]]) -> str | None:
    named = [mark["proposal"] for mark in marks if "proposal" in mark]
    known = range(len(candidate.proposed))
    if any(type(one) is not int or one not in known for one in named):
        return f"expected the number of one of {len(known)} proposed marks"
    if len(set(named)) < len(named):
        return "two marks come from the same proposal"
    return None
