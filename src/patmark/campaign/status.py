"""What an organiser watches while a campaign runs: speed, training, checks, agreement, ranking."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from patmark.campaign.answers import missing
from patmark.campaign.checks import CheckResult, Consistency, check_results, self_agreement
from patmark.campaign.plan import Answer, Page, Plan
from patmark.campaign.size import sizes
from patmark.campaign.state import CampaignData
from patmark.campaign.training import corrections, training_agreement
from patmark.data import Cell, Column, FloatArray, Report, Table
from patmark.errors import UsageError
from patmark.human import finished_grades
from patmark.human.judgements import PHASES, Phase
from patmark.protocols.comparison import CompareSettings
from patmark.protocols.evaluation import Settings
from patmark.protocols.human_ranking import HumanRanking, rank_humans
from patmark.protocols.judge_report import judge_tables, validation_json
from patmark.protocols.judge_validation import CriterionValidation, validate_judges
from patmark.protocols.preference_validation import validate_preferences
from patmark.stats.pairwise_score import pairwise_score, pairwise_statistics

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


_PLAN_PHASES: tuple[Phase, ...] = ("training", "main", "check", "repeat")


def plan_report(plan: Plan) -> Report:
    """Who gets how many pages, and how precise the results can be expected to be."""
    columns = (
        Column("evaluator"), *(Column(f"{phase} pages", 0) for phase in _PLAN_PHASES),
        Column("segments", 0), Column("outputs", 0),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for name in plan.evaluators:
        pages = plan.pages_of(name)
        counts = Counter(page.phase for page in pages)
        main = [page for page in pages if page.phase == "main"]
        rows.append((
            name, *(counts[phase] for phase in _PLAN_PHASES),
            len({page.segment for page in main}), sum(len(page.candidates) for page in main),
        ))  # fmt: skip
    return Report(
        title=plan.name,
        subtitle=f"form {plan.form.id}, version {plan.form.version} · seed {plan.seed}",
        headlines=(),
        tables=(Table("Pages", columns, tuple(rows)), _size_table(plan)),
        signatures={},
        notes=plan.notes,
    )


def plan_json(plan: Plan) -> dict[str, Any]:
    """The plan for machines, without its texts."""
    return {
        "form": plan.form.id, "form_version": plan.form.version, "seed": plan.seed,
        "pass_mark": plan.pass_mark,
        "pages": {
            name: dict(Counter(page.phase for page in plan.pages_of(name)))
            for name in plan.evaluators
        },
        "expected_precision": [asdict(one) for one in sizes(plan)],
        "notes": list(plan.notes),
    }  # fmt: skip


def status_report(data: CampaignData, seen: Watched) -> Report:
    """Progress and agreement first; then training, checks, repeats and single evaluators."""
    summary, details = judge_tables(seen.validations)
    tables = [_people_table(data, seen.people), *summary, *details]
    tables += [table for table in (
        _consistency_table("Training against reference answers", seen.training),
        _check_table(seen),
        _consistency_table("Repeated pages", seen.repeats),
    ) if table.rows]  # fmt: skip
    info = data.info
    state = "open" if info.is_open else f"closed since {info.closed}"
    return Report(
        title=info.name,
        subtitle=f"form {info.form}, version {info.form_version} · {state}",
        headlines=(),
        tables=tuple(tables),
        signatures={},
        notes=(*(f"{name} is excluded: {why}" for name, why in data.excluded.items()),
               *_remark_notes(data), *dict.fromkeys(seen.notes)),
    )  # fmt: skip


def status_json(data: CampaignData, seen: Watched) -> dict[str, Any]:
    """The state of a campaign for machines."""
    info = data.info
    return {
        "campaign": info.id, "name": info.name, "form": info.form, "open": info.is_open,
        "done": sum(one.done for one in seen.people),
        "total": sum(one.total for one in seen.people),
        "phases": dict(_phases(data)),
        "evaluators": {one.name: person_json(one) for one in seen.people},
        "validation": {one.criterion: validation_json(one) for one in seen.validations},
        "training": [_plain(asdict(one)) for one in seen.training],
        "checks": [_plain(asdict(one)) for one in seen.checks],
        "repeats": [_plain(asdict(one)) for one in seen.repeats],
        "remarks": [asdict(one) for one in data.remarks],
        "notes": list(dict.fromkeys(seen.notes)),
    }  # fmt: skip


def _size_table(plan: Plan) -> Table:
    columns = (
        Column("criterion"), Column("segments", 0), Column("evaluators", 0),
        Column("judged times", 2), Column("score ±", 3), Column("difference ±", 3),
    )  # fmt: skip
    rows = tuple(
        (one.criterion, one.segments, one.evaluators, one.times, one.score,
         one.difference)
        for one in sizes(plan)
    )  # fmt: skip
    note = (
        "Half the width of 95 % intervals to be expected, for a usual spread of grades; of choices "
        "and grades that are not averaged, at worst."
    )
    return Table("Expected precision", columns, rows, note)


def _people_table(data: CampaignData, people: tuple[Person, ...]) -> Table:
    columns = (
        Column("evaluator"), Column("done"), Column("training"), Column("agrees", 2),
        Column("seconds per page", 0), Column("minutes left", 0), Column("last saved (UTC)"),
        Column("too fast", 0), Column("flagged", 0), Column("state"),
    )  # fmt: skip
    rows = tuple(
        (
            one.name, f"{one.done}/{one.total}", f"{one.training_done}/{one.training_total}",
            one.training.share, one.seconds, one.minutes_left, _moment(one.last_saved),
            len(one.fast), one.flagged, state_of(one),
        )
        for one in people
    )  # fmt: skip
    note = "Agrees: the share of training answers that equal the reference answers."
    least = data.plan.settings.get("min_seconds")
    if least:
        note += f" Too fast: pages that took less than {least:g} seconds."
    return Table("Evaluators and their progress", columns, rows, note)


def state_of(one: Person) -> str:
    """What an organiser should know of an evaluator, in a word or two."""
    if one.excluded is not None:
        return "excluded"
    if one.revoked is not None:
        return "no access"
    if one.training.passed is None and one.qualified is None:
        return "in training"
    if not one.may_judge:
        return "not qualified"
    return "finished" if one.total and one.done == one.total else ""


def _moment(time: str | None) -> str | None:
    """To the minute."""
    return None if time is None else time[:16].replace("T", " ")


def _consistency_table(title: str, found: tuple[Consistency, ...]) -> Table:
    columns = (
        Column("evaluator"), Column("criterion"), Column("answers", 0), Column("exact", 3),
        Column("within one", 3), Column("κ", 3), Column("κ quadratic", 3),
    )  # fmt: skip
    rows = tuple(
        (one.evaluator, one.question, one.items, one.exact, one.within_one, one.kappa,
         one.kappa_quadratic)
        for one in found
    )  # fmt: skip
    return Table(title, columns, rows)


def _check_table(seen: Watched) -> Table:
    columns = (
        Column("evaluator"), Column("criterion"), Column("found", 0), Column("equal", 0),
        Column("missed", 0), Column("open", 0), Column("p", 4, p_value=True),
    )  # fmt: skip
    rows = tuple(
        (one.evaluator, one.question, one.below, one.equal, one.above, one.open, one.p)
        for one in seen.checks
    )
    note = (
        "A text was spoilt on purpose; found: it was judged worse than the original. p of the "
        "one-sided sign test: small if the evaluator sees the difference."
    )
    return Table("Attention checks", columns, rows, note)


def _remark_notes(data: CampaignData) -> list[str]:
    return [
        f"{one.evaluator} flagged segment {one.segment}: {one.text or '(no text)'}"
        for one in data.remarks
        if one.flagged
    ]


def _phases(data: CampaignData) -> Counter[str]:
    """How many answers there are by phase, in the order of the phases."""
    phase_of = {page.id: page.phase for page in data.plan.pages}
    counts = Counter(phase_of[one.page] for one in data.given if one.value is not None)
    return Counter({phase: counts[phase] for phase in PHASES if counts[phase]})


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not np.isfinite(value) else value
        for name, value in record.items()
    }
