"""Campaigns of the bundled examples, and evaluators who answer by the book."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from patmark.examples import example_path
from patmark.human.campaign import Answer, Page, Plan, Question, plan_campaign, read_campaign
from patmark.human.campaign.store import Store

ADEQUACY = example_path("campaign_zh_en/adequacy.yaml")
PAIRWISE = example_path("campaign_zh_en/pairwise.yaml")
ACCEPTABILITY = example_path("campaign_zh_en/acceptability.yaml")
CLAIMS = example_path("campaign_claims/rating.yaml")
QUALITY = {"atlas": 2, "borealis": 1, "cobalt": 0}


@dataclass(frozen=True)
class Begun:
    """A campaign in a database."""

    db: str
    campaign: str
    plan: Plan
    secret: str
    links: dict[str, str]


def begin(db: Path | str, file: Path = ADEQUACY) -> Begun:
    """A new campaign of an example."""
    plan = plan_campaign(read_campaign(file))
    with Store.open(str(db), create=True) as store:
        made = store.create_campaign(plan)
    return Begun(str(db), made.campaign, plan, made.organiser_secret, dict(made.links))


def answers(plan: Plan, pages: Iterable[Page], seed: int = 0) -> list[Answer]:
    """An answer to every question: good systems get good grades, with some noise."""
    rng = np.random.default_rng(seed)
    found = []
    for page in pages:
        for question in plan.form.questions:
            if question.about_page:
                found.append(_given(page, "", question, _compared(page, question, rng)))
                continue
            for candidate in page.candidates:
                level = -1.0 if candidate.edits else QUALITY.get(candidate.systems[0], 1)
                expected = page.expected.get(candidate.label, {}).get(question.id)
                value = expected or _graded(question, level + rng.normal(0, 0.6))
                found.append(_given(page, candidate.label, question, value))
    return found


def fill(begun: Begun, evaluators: Iterable[str] | None = None, seed: int = 0) -> None:
    """Let evaluators answer all of their pages."""
    with Store.open(begun.db) as store:
        for place, name in enumerate(evaluators or begun.plan.evaluators):
            own = begun.plan.pages_of(name)
            for page in own:
                given = answers(begun.plan, [page], seed + 1000 * place + page.position)
                store.save_many(begun.campaign, name, [*given, *checked([page])])


def checked(pages: Iterable[Page]) -> list[Answer]:
    """The evaluator has pages of the training checked."""
    return [Answer(one.id, "", "checked", "done") for one in pages if one.phase == "training"]


def _given(page: Page, label: str, question: Question, value: str) -> Answer:
    return Answer(page.id, label, question.id, value, seconds=4.0)


def _graded(question: Question, level: float) -> str:
    """A value for a level from 0 (bad) to 2 (good)."""
    share = float(np.clip(level / 2, 0, 1))
    if question.kind == "number":
        return str(round(question.lowest + share * (question.highest - question.lowest)))
    grades = [choice.value for choice in question.choices if choice.is_grade][::-1]
    return grades[round(share * (len(grades) - 1))]


def _compared(page: Page, question: Question, rng: np.random.Generator) -> str:
    expected = page.expected.get("", {}).get(question.id)
    if expected:
        return expected
    level = {
        one.label: (-1 if one.edits else QUALITY[one.systems[0]]) + rng.normal(0, 0.6)
        for one in page.candidates
    }
    if question.kind == "ranking":
        return ">".join(sorted(level, key=lambda name: -level[name]))
    first, second = (level[one.label] for one in page.candidates)
    return "equal" if abs(first - second) < 0.3 else "first" if first > second else "second"
