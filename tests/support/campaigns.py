"""Invented campaigns of any size, and people who answer by a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from patmark.data import Run, Segment, TestSet
from patmark.human.campaign import (
    Answer,
    CampaignSettings,
    Candidate,
    Choice,
    Form,
    Page,
    Plan,
    Question,
    read_form,
)
from patmark.human.campaign.settings import EvaluatorSettings
from patmark.human.campaign.store.store import Store
from patmark.human.campaign.store.transactions import number_of


def set_consensus(
    store: Store,
    campaign: str,
    segment: str,
    systems: Sequence[str],
    question: str,
    value: str | None,
    note: str = "",
) -> None:
    """Store an agreed value of any place; None takes it back."""
    with store._writing() as connection:
        number = number_of(connection, campaign)
        place = segment, systems, question
        store._insert_consensus(connection, number, place, value, note)


def numbered_ids() -> Callable[[], str]:
    """Makes ids that can be foreseen."""
    numbers = count()
    return lambda: f"page {next(numbers)}"


def usual_text(system: str, place: int) -> str:
    """What a system gives for a segment: different for all of them, and long enough to spoil."""
    return (
        f"The mixture {system} is stirred at {place + 10} degrees for 2 hours and then cooled "
        "to room temperature."
    )


def campaign(
    form: str = "adequacy",
    *,
    segments: int = 12,
    documents: int = 4,
    systems: Sequence[str] = ("A", "B", "C"),
    evaluators: Sequence[str] = ("e1", "e2", "e3"),
    texts: Callable[[str, int], str] = usual_text,
    **others: Any,
) -> CampaignSettings:
    """Sampling of a campaign: segments s1, s2, … in documents D0, D1, … in turn."""
    rows = tuple(
        Segment(
            f"s{place + 1}",
            f"原文{place + 1}",
            (f"Reference {place + 1}.",),
            f"D{place % documents}",
            {"ipc": "ABCDEFGH"[place % documents % 8]},
        )
        for place in range(segments)
    )
    runs = tuple(
        Run(name, tuple(texts(name, place) for place in range(segments))) for name in systems
    )
    return CampaignSettings(
        "invented", read_form(form), TestSet(rows, "en", "zh"), runs,
        tuple(map(EvaluatorSettings, evaluators)), **others,
    )  # fmt: skip


def post_edit_form(candidates: int = 1, required: bool = False) -> Form:
    """A form of one's own: a grade, the output to be mended, and what is said freely."""
    grades = tuple(Choice(value, value, {"": f"grade {value}"}) for value in "321")
    questions = (
        Question("usable", "grade", {"": "Usable?"}, choices=grades),
        Question("mended", "post-edit", {"": "Mend the translation"}, highest=5_000),
        Question("why", "text", {"": "What is wrong?"}, highest=200, required=required),
        Question("page", "text", {"": "About all"}, highest=200, required=False, of_page=True),
    )
    title = {"": "Post-editing"}
    return Form("own", 1, "outputs", title, {"": "# Mend"}, questions, candidates=candidates)


def answered(
    plan: Plan, answer: Callable[[Page, Candidate | None, Question], str | None]
) -> list[Answer]:
    """Answers to all questions of all pages; none where the rule gives None.

    A question about the whole page is put without a candidate.
    """
    found = []
    for page in plan.pages:
        for question in plan.form.questions:
            asked: tuple[Candidate | None, ...] = (
                (None,) if question.about_page else page.candidates
            )
            for candidate in asked:
                value = answer(page, candidate, question)
                if value is not None:
                    label = candidate.label if candidate else ""
                    found.append(Answer(page.id, label, question.id, value))
    return found
