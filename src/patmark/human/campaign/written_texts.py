"""Texts that evaluators wrote, anew or from drafts, and how far they are from these.

They are the references of a new test set: those that experts write, or outputs after post-editing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import Run, Segment, TestSet, counted
from patmark.errors import UsageError
from patmark.human.campaign.form import Form, Question
from patmark.human.campaign.plan import Answer, Candidate, Page
from patmark.human.campaign.results import AnswerBook, edits_since_draft

NO_DRAFT = "no draft"
"""The system name of texts that evaluators write without a draft."""
REFERENCE = "reference"
"""The name under which the reference of a test set is the draft."""


def draft_run(test_set: TestSet, source: str | None) -> Run:
    """Return the drafts where no run is named: the first reference, or nothing."""
    if source is None:
        return Run(NO_DRAFT, ("",) * len(test_set))
    return Run(REFERENCE, tuple(next(iter(one.references), "") for one in test_set))


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A finished text; ``draft`` names the systems that gave the draft, () for none.

    ``distance`` is the number of characters put in, taken out or exchanged since the draft.
    """

    evaluator: str
    segment: str
    text: str
    draft: tuple[str, ...]
    distance: int | None


@dataclass(frozen=True, slots=True)
class WritingEffort:
    """Writing effort of an evaluator, and the share that was in the drafts.

    ``edit_rate`` is the edit distance to the drafts for each 100 characters of the texts that had
    one; None without drafts.
    """

    evaluator: str
    texts: int
    characters: int
    with_draft: int
    unchanged: int
    edit_distance: int
    edit_rate: float | None


def translation_question(form: Form) -> Question | None:
    """Return the question whose answers are translations; None if there is none."""
    return next((one for one in form.questions if form.begins_with_draft(one)), None)


def written_texts(book: AnswerBook) -> tuple[WrittenText, ...]:
    """Return the finished translations of the main phase, by evaluator and page."""
    asked = translation_question(book.plan.form)
    return tuple(
        _written(book.plan.form, page, candidate, answer)
        for page, candidate in book.plan.shown("main")
        if asked is not None
        if (answer := book.answer(page, candidate.label, asked.id)) is not None
        and answer.value is not None
    )


def writing_efforts(book: AnswerBook) -> tuple[WritingEffort, ...]:
    """Return the effort of each evaluator; nothing if the form asks for no translation."""
    if translation_question(book.plan.form) is None:
        return ()
    by_evaluator: defaultdict[str, list[WrittenText]] = defaultdict(list)
    for one in written_texts(book):
        by_evaluator[one.evaluator].append(one)
    return tuple(_effort(name, by_evaluator[name]) for name in book.plan.evaluators)


def written_test_set(book: AnswerBook) -> tuple[TestSet, tuple[str, ...]]:
    """Return the segments with the references that evaluators wrote, and notes for readers.

    ``meta`` of a segment is that of the test set; ``written`` in it says of each reference who
    wrote it, from which draft, and how far from it. Segments without any are left out.
    """
    plan = book.plan
    if translation_question(plan.form) is None:
        raise UsageError(
            f"the form {plan.form.id} asks for no translations; a test set is written by a form "
            "such as write-reference, or one with a question of the kind post-edit"
        )
    texts: defaultdict[str, list[WrittenText]] = defaultdict(list)
    for one in written_texts(book):
        texts[one.segment].append(one)
    if not texts:
        raise UsageError("there are no finished texts to export yet")
    shown = {page.segment_of(one): (page, one) for page, one in book.plan.shown("main")}
    order = [name for name in plan.settings.get("segments", shown) if name in shown]
    facts: Mapping[str, Any] = plan.settings.get("meta", {})
    segments = tuple(
        _segment(*shown[name], texts[name], facts.get(name, {})) for name in order if texts[name]
    )
    notes = []
    if lacking := len(order) - len(segments):
        left = counted(lacking, "segment is", "segments are")
        notes.append(f"{left} left out, for which no text is finished yet")
    counts = {len(one.references) for one in segments}
    least, most = min(counts), max(counts)
    each = counted(least, "reference") if least == most else f"{least} to {most} references"
    notes.append(f"{counted(len(segments), 'segment')} with {each} each")
    return TestSet(segments, plan.target_language, plan.source_language, plan.name), tuple(notes)


def _segment(
    page: Page, candidate: Candidate, texts: Sequence[WrittenText], facts: Mapping[str, Any]
) -> Segment:
    written = [
        {
            "evaluator": one.evaluator,
            "draft": list(one.draft) or None,
            "distance": one.distance,
        }
        for one in texts
    ]
    references = tuple(one.text for one in texts)
    meta = {**facts, "written": written}
    name, source = page.segment_of(candidate), page.source_of(candidate)
    return Segment(name, source, references, page.document, meta)


def _written(form: Form, page: Page, draft: Candidate, answer: Answer) -> WrittenText:
    systems = draft.systems if draft.text else ()
    distance = edits_since_draft(form, page, answer)
    segment = page.segment_of(draft)
    return WrittenText(page.evaluator, segment, answer.value or "", systems, distance)


def _effort(evaluator: str, texts: Sequence[WrittenText]) -> WritingEffort:
    revised = [one for one in texts if one.distance is not None]
    distance = sum(one.distance or 0 for one in revised)
    length = sum(len(one.text) for one in revised)
    return WritingEffort(
        evaluator,
        len(texts),
        sum(len(one.text) for one in texts),
        len(revised),
        sum(one.distance == 0 for one in revised),
        distance,
        100 * distance / length if length else None,
    )
