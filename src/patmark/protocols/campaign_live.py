"""What an organiser watches while a campaign runs: speed, training, checks, agreement, ranking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.evaluation import CompareSettings, Settings
from patmark.human.campaign import (
    Answer,
    CheckResult,
    Consistency,
    Page,
    Plan,
    check_results,
    corrections,
    missing,
    self_agreement,
    training_agreement,
)
from patmark.judgements import (
    CriterionValidation,
    HumanRanking,
    finished_grades,
    rank_humans,
    validate_judges,
    validate_preferences,
)
from patmark.protocols.campaign_data import CampaignData
from patmark.stats import pairwise_score, pairwise_statistics

LIVE = CompareSettings(Settings(resamples=500), trials=1000)
"""Enough draws to watch a ranking; a report of the export takes more."""


@dataclass(frozen=True, slots=True)
class Training:
    """Expected answers of an evaluator's training: how many there are, were given, and agree.

    ``passed`` is None as long as pages of the training are open.
    """

    expected: int
    given: int
    agreeing: int
    passed: bool | None

    @property
    def share(self) -> float | None:
        """The share that agrees so far, of those that were given."""
        return self.agreeing / self.given if self.given else None


@dataclass(frozen=True, slots=True)
class Person:
    """One evaluator at a glance.

    ``seconds`` is the median time of a finished page, ``minutes_left`` what the open pages take at
    the mean speed. ``fast`` are the segments of finished pages that took less time than the
    campaign allows.
    """

    name: str
    done: int
    total: int
    training_done: int
    training_total: int
    seconds: float | None
    minutes_left: int | None
    last_saved: str | None
    training: Training
    may_judge: bool
    qualified: bool | None
    excluded: str | None
    revoked: str | None
    fast: tuple[str, ...]
    flagged: int


@dataclass(frozen=True, slots=True)
class Watched:
    """A campaign as its organiser sees it; ``notes`` say what could not be computed, and why."""

    people: tuple[Person, ...]
    training: tuple[Consistency, ...]
    checks: tuple[CheckResult, ...]
    repeats: tuple[Consistency, ...]
    validations: tuple[CriterionValidation, ...]
    notes: tuple[str, ...]


def watch(data: CampaignData, settings: Settings | None = None) -> Watched:
    """Everything but the ranking."""
    found, notes = validate_campaign(data, settings)
    return Watched(
        watch_people(data), training_agreement(data.trained, data.given),
        check_results(data.plan, data.given), self_agreement(data.plan, data.given), found, notes,
    )  # fmt: skip


def watch_people(data: CampaignData) -> tuple[Person, ...]:
    """How far everybody is, and what is odd about them."""
    answers: defaultdict[str, list[Answer]] = defaultdict(list)
    for one in data.answers:
        answers[one.evaluator].append(one.answer)
    times = page_times(data)
    known = {one.name: one for one in data.evaluators}
    people = []
    for progress in data.progress:
        name, info = progress.evaluator, known.get(progress.evaluator)
        if info is None:
            continue
        finished = [
            page
            for page in finished_pages(data.plan, name, answers[name])
            if page.phase != "training"
        ]
        spent = [times[page.id] for page in finished if page.id in times]
        training = training_of(data.trained, name, answers[name])
        qualified = info.qualified
        people.append(Person(
            name, progress.done, progress.total, progress.training_done, progress.training_total,
            float(np.median(spent)) if spent else None,
            _minutes_left(spent, progress.total - progress.done),
            progress.last_saved, training,
            training.passed is True if qualified is None else qualified,
            qualified, info.excluded, info.revoked,
            _too_fast(data.plan, finished, times),
            sum(one.evaluator == name and one.flagged for one in data.remarks),
        ))  # fmt: skip
    return tuple(people)


def page_times(data: CampaignData) -> dict[str, float]:
    """The seconds that were spent on each page, over all saves that told them."""
    spent: defaultdict[str, float] = defaultdict(float)
    for one in data.saves:
        if one.answer.seconds is not None:
            spent[one.answer.page] += one.answer.seconds
    return dict(spent)


def finished_pages(plan: Plan, evaluator: str, answers: list[Answer]) -> list[Page]:
    """The pages of an evaluator on which nothing is missing."""
    given: defaultdict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        given[answer.page].append(answer)
    return [
        page
        for page in plan.pages_of(evaluator)
        if given[page.id] and not missing(plan.form, page, given[page.id])
    ]


def training_of(plan: Plan, evaluator: str, answers: list[Answer]) -> Training:
    """The training of an evaluator against the reference answers."""
    pages = [page for page in plan.pages_of(evaluator) if page.phase == "training"]
    ids = {page.id for page in pages}
    own = [answer for answer in answers if answer.page in ids]
    found = corrections(plan, own, evaluator)
    given, agreeing = sum(one.given is not None for one in found), sum(one.agrees for one in found)
    done = len(finished_pages(plan, evaluator, own)) == len(pages)
    passed = plan.pass_mark is None or not found or agreeing / len(found) >= plan.pass_mark
    return Training(len(found), given, agreeing, passed if done else None)


def validate_campaign(
    data: CampaignData, settings: Settings | None = None
) -> tuple[tuple[CriterionValidation, ...], tuple[str, ...]]:
    """Agreement and bias of the evaluators who count, and what cannot be said of them.

    Without settings, intervals are those of a report of the export: the same draws of the same.
    """
    results, settings = data.results, settings or Settings()
    found: list[CriterionValidation] = []
    notes = list(results.notes)
    if results.judgements is not None and results.judgements.in_phase("main").rows:
        found += validate_judges(results.judgements, settings)
    if results.preferences is not None and results.preferences.in_phase("main").rows:
        found += validate_preferences(results.preferences, settings)
    if not found:
        notes.append("there are no answers of the main phase yet")
    return tuple(found), (*notes, *(text for one in found for text in one.notes))


def rank_campaign(
    data: CampaignData, settings: CompareSettings = LIVE
) -> tuple[HumanRanking | None, str]:
    """The ranking so far, or the reason why there is none."""
    results = data.results
    graded, chosen = results.judgements, results.preferences
    graded = graded if graded is not None and graded.in_phase("main").rows else None
    chosen = chosen if chosen is not None and chosen.in_phase("main").rows else None
    try:
        return rank_humans(graded, chosen, settings), ""
    except UsageError as error:
        return None, str(error)


def pairwise_scores(data: CampaignData) -> dict[str, Mapping[str, float]]:
    """The pairwise score of NTCIR-9 by criterion and system, also of grades that have a mean."""
    judgements = data.results.judgements
    main = None if judgements is None else judgements.in_phase("main")
    if main is None:
        return {}
    found: dict[str, Mapping[str, float]] = {}
    for criterion in main.criteria:
        grades, _ = finished_grades(main, criterion)
        totals: FloatArray = pairwise_statistics(grades).sum(axis=(0, 2))
        found[criterion] = dict(zip(main.systems, pairwise_score(totals).tolist(), strict=True))
    return found


def person_json(one: Person) -> dict[str, Any]:
    """An evaluator for machines."""
    training = one.training
    return {
        "done": one.done, "total": one.total, "training_done": one.training_done,
        "training_total": one.training_total, "seconds_per_page": one.seconds,
        "minutes_left": one.minutes_left, "last_saved": one.last_saved,
        "training": {
            "expected": training.expected, "given": training.given, "agreeing": training.agreeing,
            "passed": training.passed,
        },
        "may_judge": one.may_judge, "qualified": one.qualified, "excluded": one.excluded,
        "revoked": one.revoked, "too_fast": list(one.fast), "flagged": one.flagged,
    }  # fmt: skip


def _minutes_left(spent: list[float], still_open: int) -> int | None:
    total = sum(spent)
    if not still_open or not total:
        return None
    return max(1, round(total / len(spent) * still_open / 60))


def _too_fast(plan: Plan, finished: list[Page], times: Mapping[str, float]) -> tuple[str, ...]:
    least = plan.settings.get("min_seconds")
    if not least:
        return ()
    return tuple(page.segment for page in finished if times.get(page.id, 0.0) < float(least))
