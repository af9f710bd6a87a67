"""A demo campaign with invented evaluators, some of whom have finished."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from patmark.examples import example_path
from patmark.human.campaign.form import CHECKED, Question
from patmark.human.campaign.plan import Answer, Candidate, Page, Plan
from patmark.human.campaign.planning import plan_campaign
from patmark.human.campaign.records import Created
from patmark.human.campaign.settings import Assignment, EvaluatorSettings, read_campaign
from patmark.human.campaign.store.store import Store
from patmark.wording import LANGUAGES, InterfaceLanguage

MANAGER = "manager"
_GRADED, _COMPARED = "campaign_zh_en/adequacy.yaml", "campaign_zh_en/pairwise.yaml"
_QUALITY = {"atlas": 0.85, "borealis": 0.55, "cobalt": 0.25}
_SPOILT = 0.0
_, _CHINESE, _JAPANESE = LANGUAGES


@dataclass(frozen=True, slots=True)
class Invented:
    """Habits of an invented evaluator: share of pages done, strictness, care.

    ``noise`` is the standard deviation of their answers as a share of the scale; a large one is
    random.
    """

    name: str
    done: float
    language: InterfaceLanguage | None = None
    shift: float = 0.0
    noise: float = 0.1
    seconds: float = 25.0


PEOPLE = (
    Invented("e1", 1.0),
    Invented("e2", 1.0, _CHINESE),
    Invented("e3", 0.8, _JAPANESE, shift=-0.25),
    Invented("e4", 1.0, noise=2.0, seconds=1.2),
    Invented("e5", 0.4, seconds=90.0),
    Invented("e6", 0.0),
)


def begin_demo(store: Store, address: str) -> tuple[str, dict[str, Created]]:
    """Fill an empty store; return the link secret of the organiser of all, and the campaigns."""
    made = {}
    for file in (_GRADED, _COMPARED):
        settings = replace(
            read_campaign(Path(example_path(file))),
            evaluators=tuple(EvaluatorSettings(one.name, one.language) for one in PEOPLE),
            assignment=Assignment("same"),
        )
        plan = plan_campaign(settings)
        created = store.create_campaign(plan, address=address)
        made[plan.name] = created
        for place, person in enumerate(PEOPLE):
            _answer(store, created.campaign, plan, person, place)
    return store.add_organiser(None, MANAGER), made


def _answer(store: Store, campaign: str, plan: Plan, person: Invented, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pages = plan.pages_of(person.name)
    for page in pages[: round(person.done * len(pages))]:
        given = list(_answers(plan.form.questions, page, person, rng))
        store.save_many(campaign, person.name, given)
    if 0 < person.done < 1:
        text = "The second sentence seems to be of another patent."
        store.save_remark(campaign, person.name, pages[0].id, text, flagged=True)


def _answers(
    questions: Iterable[Question], page: Page, person: Invented, rng: np.random.Generator
) -> Iterator[Answer]:
    for question in questions:
        asked = ("",) if question.about_page else [one.label for one in page.candidates]
        for label in asked:
            value = page.expected.get(label, {}).get(question.id)
            if value is None:
                value = _value(question, page, label, person, rng)
            seconds = person.seconds * float(rng.uniform(0.6, 1.4)) / len(asked)
            yield Answer(page.id, label, question.id, value, seconds=seconds)
    if page.phase == "training":
        yield Answer(page.id, "", CHECKED, "done")


def _value(
    question: Question, page: Page, label: str, person: Invented, rng: np.random.Generator
) -> str:
    if question.about_page:
        first, second = (_level(one, person, rng) for one in page.candidates)
        return "equal" if abs(first - second) < 0.1 else "first" if first > second else "second"
    level = float(np.clip(_level(page.candidate(label), person, rng), 0, 1))
    grades = [choice.value for choice in question.choices if choice.is_grade][::-1]
    return grades[round(level * (len(grades) - 1))]


def _level(candidate: Candidate, person: Invented, rng: np.random.Generator) -> float:
    """Return the quality of a text as an evaluator judges it, mostly from 0 to 1."""
    quality = _SPOILT if candidate.edits else _QUALITY.get(candidate.systems[0], 0.5)
    return quality + person.shift + float(rng.normal(0, person.noise))
