"""A campaign in tables: its plan before it begins, its state while it runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

import numpy as np

from patmark.human.campaign import Consistency, Plan, sizes
from patmark.judgements import PHASES, Phase, evaluator_tables
from patmark.protocols.campaign_data import CampaignData
from patmark.protocols.campaign_live import Person, Watched, person_json
from patmark.report import Cell, Column, Report, Table

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
    summary, details = evaluator_tables(seen.validations)
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
        "validation": {one.criterion: one.to_json() for one in seen.validations},
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
