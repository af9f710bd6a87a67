"""Texts that evaluators wrote: references for a test set, and how far they are from drafts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.campaign.form import Form, Question
from patmark.campaign.plan import Page
from patmark.campaign.results import AnswerBook
from patmark.data import Run, Segment, TestSet, counted
from patmark.errors import UsageError

NO_DRAFT = "no draft"
"""The name that stands for a system where evaluators begin with nothing."""
REFERENCE = "reference"
"""The name under which the reference of a test set is the draft."""


def draft_run(test_set: TestSet, source: str | None) -> Run:
    """What evaluators begin with where no run is named: the first reference, or nothing."""
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
    """How much an evaluator wrote, and how much of it was in the drafts.

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


def text_question(form: Form) -> Question | None:
    """The question that asks for a text of its own; None if the form is about something else."""
    if form.material != "draft":
        return None
    return next(question for question in form.questions if question.kind == "text")


def written_texts(book: AnswerBook) -> tuple[WrittenText, ...]:
    """The finished texts of the main phase, in the order of evaluators and their pages."""
    asked = text_question(book.plan.form)
    return tuple(
        _written(page, value)
        for page in book.plan.pages
        if asked is not None and page.phase == "main"
        if (value := book.value(page, page.candidates[0].label, asked.id)) is not None
    )


def writing_efforts(book: AnswerBook) -> tuple[WritingEffort, ...]:
    """What each evaluator wrote; nothing if the form asks for no text."""
    if text_question(book.plan.form) is None:
        return ()
    by_evaluator: defaultdict[str, list[WrittenText]] = defaultdict(list)
    for one in written_texts(book):
        by_evaluator[one.evaluator].append(one)
    return tuple(_effort(name, by_evaluator[name]) for name in book.plan.evaluators)


def written_test_set(book: AnswerBook) -> tuple[TestSet, tuple[str, ...]]:
    """The segments with the references that evaluators wrote, and what a reader should know.

    ``meta`` of a segment is that of the test set; ``written`` in it says of each reference who
    wrote it, from which draft, and how far from it. Segments without any are left out.
    """
    plan = book.plan
    if text_question(plan.form) is None:
        raise UsageError(
            f"the form {plan.form.id} asks for no translations; a test set is written by a form "
            "such as write-reference"
        )
    texts: defaultdict[str, list[WrittenText]] = defaultdict(list)
    for one in written_texts(book):
        texts[one.segment].append(one)
    if not texts:
        raise UsageError("there are no finished texts to export yet")
    pages = {page.segment: page for page in plan.pages if page.phase == "main"}
    order = [name for name in plan.settings.get("segments", pages) if name in pages]
    facts: Mapping[str, Any] = plan.settings.get("meta", {})
    segments = tuple(
        _segment(pages[name], texts[name], facts.get(name, {})) for name in order if texts[name]
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


def _segment(page: Page, texts: Sequence[WrittenText], facts: Mapping[str, Any]) -> Segment:
    written = [
        {
            "evaluator": one.evaluator,
            "draft": list(one.draft) or None,
            "distance": one.distance,
        }
        for one in texts
    ]
    references = tuple(one.text for one in texts)
    return Segment(
        page.segment, page.source, references, page.document, {**facts, "written": written}
    )


def _written(page: Page, text: str) -> WrittenText:
    [draft] = page.candidates
    distance = edit_distance(draft.text, text) if draft.text else None
    systems = draft.systems if draft.text else ()
    return WrittenText(page.evaluator, page.segment, text, systems, distance)


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


def edit_distance(draft: str, text: str) -> int:
    """How many characters must be put in, taken out or exchanged to come from one to the other.

    By the bit vectors of Myers (1999) in the form of Hyyrö (2003): a column of the matrix is one
    number of so many bits as the draft has characters.
    """
    places: dict[str, int] = {}
    for place, sign in enumerate(draft):
        places[sign] = places.get(sign, 0) | 1 << place
    size = len(draft)
    every, last = (1 << size) - 1, 1 << size >> 1
    rising, falling, distance = every, 0, size
    for sign in text if draft else ():
        equal = places.get(sign, 0)
        same = (((equal & rising) + rising) ^ rising) | equal | falling
        grows = falling | (every & ~(same | rising))
        falls = rising & same
        distance += bool(grows & last) - bool(falls & last)
        grows, falls = grows << 1 | 1, falls << 1
        rising = (falls | ~(same | grows)) & every
        falling = grows & same & every
    return distance if draft else len(text)
