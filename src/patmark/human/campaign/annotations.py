"""Marked errors of a campaign as annotations, and proposed marks.

Pages can show marks of a model or of another evaluator from the start. The evaluator accepts,
changes or deletes each of them, and adds others; these decisions are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from pydantic import ConfigDict

from patmark.data import (
    NO_CATEGORY,
    AnnotatedTexts,
    Annotation,
    Annotations,
    Rating,
    Run,
    TestSet,
    first_of,
    raise_if_any,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.human.campaign.form import Form, Question, Text
from patmark.human.campaign.marks import decision_on, deleted_proposals, marks_problem, side_of
from patmark.human.campaign.plan import Candidate, Page
from patmark.human.campaign.results import AnswerBook
from patmark.human.judgements import read_judgements

Proposals: TypeAlias = Mapping[tuple[str, str], tuple[Mapping[str, Any], ...]]
"""Proposed marks by system and segment."""
_SCORES = ("esa", "da")
_DECIDED = ("accepted", "changed", "deleted", "added")


@dataclass(frozen=True, slots=True)
class ProposalFile:
    """An annotation file, and the evaluator whose marks are proposed if it has several."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    file: Text
    evaluator: str | None = None


@dataclass(frozen=True, slots=True)
class ProposalShares:
    """Shares of the proposed marks that an evaluator accepted, changed or deleted."""

    evaluator: str
    proposed: int
    accepted: int
    changed: int
    deleted: int
    added: int


def spans_question(form: Form) -> Question | None:
    """Return the question that asks for marks; None if there is none."""
    return next((one for one in form.questions if one.kind == "spans"), None)


def read_proposals(
    wanted: ProposalFile, folder: Path, form: Form, test_set: TestSet, runs: tuple[Run, ...]
) -> Proposals:
    """Read the marks of a file by system and segment; all must fit the form and the texts."""
    path = str(folder / wanted.file)
    asked = spans_question(form)
    if asked is None:
        raise UsageError(f"field 'proposals': the form {form.id} asks for no marks")
    found = read_judgements(path).annotations
    if found is None:
        raise InputError.at("holds no marked errors", path)
    people = found.evaluators
    if wanted.evaluator is None and len(people) > 1:
        raise UsageError(
            f"field 'proposals': {wanted.file} holds marks of {', '.join(people)}; choose one "
            "with the field 'evaluator'"
        )
    if wanted.evaluator is not None and wanted.evaluator not in people:
        raise UsageError(f"field 'proposals': {wanted.file} has no marks of {wanted.evaluator!r}")
    chosen = wanted.evaluator or people[0]
    texts = AnnotatedTexts.of(test_set, runs)
    proposals: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    problems = []
    for mark in found.marks:
        if mark.evaluator != chosen:
            continue
        own = {name: getattr(mark, name) for name in ("start", "end", "side", "severity")}
        own["category"] = mark.category if asked.categories else NO_CATEGORY
        if message := _proposal_problem(asked, mark, own, texts):
            problems.append(Problem(message, path))
        proposals.setdefault((mark.system, mark.segment), []).append(own)
    raise_if_any(first_of(problems, "marks that cannot be proposed", path))
    return {key: tuple(own) for key, own in proposals.items()}


def _proposal_problem(
    asked: Question, mark: Annotation, own: Mapping[str, Any], texts: AnnotatedTexts
) -> str | None:
    target = texts.targets.get((mark.system, mark.segment))
    if target is None:
        return f"there is no output of {mark.system!r} for segment {mark.segment!r}"
    source = texts.sources.get(mark.segment, "")
    page = Page("", "", 0, "main", mark.segment, (), source)
    problem = marks_problem(asked, page, Candidate("", (mark.system,), target), [own])
    return f"segment {mark.segment!r} of {mark.system!r}: {problem}" if problem else None


def proposal_shares(book: AnswerBook) -> tuple[ProposalShares, ...]:
    """Return the shares of accepted, changed and deleted marks for everyone who had any."""
    asked = spans_question(book.plan.form)
    counts: dict[str, Counter[str]] = {}
    for page, candidate in book.plan.shown("main"):
        answer = book.answer(page, candidate.label, asked.id) if asked else None
        if candidate.proposed and answer is not None and answer.value is not None:
            own = counts.setdefault(page.evaluator, Counter())
            marks = answer.detail.get("spans", ())
            own.update(decision_on(candidate, mark) or "added" for mark in marks)
            own["deleted"] += len(deleted_proposals(candidate, marks))
    return tuple(
        ProposalShares(name, own.total() - own["added"], *(own[what] for what in _DECIDED))
        for name, own in counts.items()
    )


def campaign_annotations(book: AnswerBook) -> tuple[Annotations, AnnotatedTexts]:
    """Return all marks of the main phase; a mark of a text shared by systems counts for each.

    An output counts as rated once its marks are complete, or it was found to have no error. A
    requested score from 0 to 100 and decisions on proposed marks are included.
    """
    plan = book.plan
    asked = spans_question(plan.form)
    if asked is None:
        raise UsageError(f"the form {plan.form.id} asks for no marks of errors")
    ratings: list[Rating] = []
    marks: list[Annotation] = []
    sources: dict[str, str] = {}
    targets: dict[tuple[str, str], str] = {}
    for page, candidate in plan.shown("main"):
        answer = book.answer(page, candidate.label, asked.id)
        if answer is None or answer.value is None:
            continue
        spans = answer.detail.get("spans", ())
        decided = [(mark, decision_on(candidate, mark)) for mark in spans]
        decided += [(mark, "deleted") for mark in deleted_proposals(candidate, spans)]
        segment, score = page.segment_of(candidate), _score(book, page, candidate)
        sources[segment] = page.source_of(candidate)
        for system in candidate.systems:
            key = system, segment, page.evaluator
            targets[system, segment] = candidate.text
            ratings.append(Rating(*key, score, page.document))
            marks += [
                Annotation(
                    *key, mark["start"], mark["end"], side_of(mark), mark["category"],
                    mark["severity"], decision,
                )
                for mark, decision in decided
            ]  # fmt: skip
    if not ratings:
        raise UsageError("there are no outputs with complete marks to export yet")
    return Annotations(tuple(ratings), tuple(marks)), AnnotatedTexts(sources, targets)


def _score(book: AnswerBook, page: Page, candidate: Candidate) -> float | None:
    for question in book.plan.form.questions:
        if question.id in _SCORES and (question.lowest, question.highest) == (0, 100):
            value = book.value(page, candidate.label, question.id)
            return None if value is None else float(value)
    return None
