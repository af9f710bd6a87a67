"""Small plans for tests of the store."""

from __future__ import annotations

from patmark.human.campaign import Answer, Candidate, Choice, Form, Page, Plan, Question, Step
from patmark.human.campaign.form import PREFERENCE_VALUES
from patmark.human.judgements.model import Phase

LABELS = ("A", "B")


def words(text: str) -> dict[str, str]:
    """A text in the three languages."""
    return {"en": text, "zh": f"{text}（中文）", "ja": f"{text}（日本語）"}


def small_form(preferences: tuple[str, ...] = PREFERENCE_VALUES) -> Form:
    """A grade of each candidate, an optional grade, and a preference about the page."""
    grades = tuple(Choice(str(n), str(n), words(f"grade {n}")) for n in (3, 2, 1))
    chart = (Step("all", words("All?"), yes="=3", no="=1"),)
    return Form(
        id="test-form",
        version=2,
        material="outputs",
        title=words("Test"),
        guideline=words("# How to judge\n\n<b>not bold</b> & so on"),
        questions=(
            Question("adequacy", "grade", words("Adequacy"), choices=grades),
            Question("extra", "chart", words("Extra"), choices=grades, steps=chart, required=False),
            Question(
                "better",
                "preference",
                words("Better"),
                choices=tuple(Choice(one, one, words(one)) for one in preferences),
            ),
        ),
    )


def small_page(evaluator: str, position: int, phase: Phase = "main", segment: str = "") -> Page:
    """A page with two candidates and markup in its texts."""
    return Page(
        id=f"{evaluator}-{position}",
        evaluator=evaluator,
        position=position,
        phase=phase,
        segment=segment or f"s{position}",
        candidates=(
            Candidate("A", ("atlas", "borealis"), "A <sub>2</sub> claim & more"),
            Candidate("B", ("castor",), "請求項１に記載の装置", edits=("dropped a word",)),
        ),
        source="請求項１\n<script>alert(1)</script>",
        reference="Claim 1",
        document="JP-1",
        context={"title": "Device", "around": ["before", "after"]},
        expected={"A": {"adequacy": "3"}} if phase == "training" else {},
    )


def small_plan(
    evaluators: tuple[str, ...] = ("ann", "bob"), main: int = 2, *, split: bool = False
) -> Plan:
    """One training page and some others for each evaluator.

    Everybody judges the same segments, or with ``split`` segments of their own.
    """
    pages = [
        small_page(
            name,
            position,
            "training" if position == 0 else "main",
            f"{name}-s{position}" if split and position else "",
        )
        for name in evaluators
        for position in range(main + 1)
    ]
    return Plan(
        name="Test campaign",
        form=small_form(),
        source_language="ja",
        target_language="en",
        evaluators=evaluators,
        pages=tuple(pages),
        seed=2**70 + 1,
        pass_mark=0.75,
        settings={"evaluators": [*evaluators], "runs": {"atlas": "a.txt"}},
        notes=(f"{evaluators[0]} has one page more", "balanced"),
    )


def graded(page: str, candidate: str = "A", value: str | None = "3", client: str = "") -> Answer:
    """An answer to the required question about a candidate."""
    return Answer(page, candidate, "adequacy", value, client=client, seconds=1.5)


def whole(page: str) -> list[Answer]:
    """All the answers that a page needs."""
    return [*(graded(page, label) for label in LABELS), Answer(page, "", "better", "first")]
