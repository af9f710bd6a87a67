"""The report of one run of a shared task: what it is, how it stands, its segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from patmark.data import Cell, Column, Estimate, Explorer, FloatArray, Report, Scores, Table
from patmark.data.submissions import RESOURCES, Submission
from patmark.protocols.evaluation import Evaluation

if TYPE_CHECKING:
    from patmark.protocols.task import Standing, TaskResult


def run_report(result: TaskResult, run: str) -> Report:
    """One run: what it is, its scores, its differences from the others, all its segments."""
    one = next(one for one in result.manifest.submissions if one.id == run)
    alone = _only(result.evaluation, result.evaluation.systems.index(run))
    report = alone.to_report(f"{run} · {result.manifest.name}")
    differences = [
        _difference_table(standing, run)
        for standing in (*result.standings, *result.human_standings)
        if any(run in (pair.first, pair.second) for pair in standing.pairs)
    ]
    notes = [note for note in result.manifest.notes if run in note.split()]
    judged = {one.measure: one.signature for one in result.human_standings if run in one.estimates}
    return replace(
        report,
        tables=(_about_table(result, one), *report.tables, *_human_tables(result, run),
                *differences),
        signatures={**report.signatures, **judged},
        notes=tuple(notes), explorer=task_explorer(result, run),
    )  # fmt: skip


def _human_tables(result: TaskResult, run: str) -> list[Table]:
    """The human scores of the run in one table; none where nobody judged it."""
    judged = [one for one in result.human_standings if run in one.estimates]
    if not judged:
        return []
    columns = (Column("system"), *(Column(one.measure, _decimals(one)) for one in judged))
    note = "; ".join(f"{one.measure}: intervals by {one.units}" for one in judged)
    return [Table("Human scores", columns, ((run, *(one.estimates[run] for one in judged)),), note)]


def _decimals(standing: Standing) -> int:
    return 4 if all(abs(one.value) <= 1 for one in standing.estimates.values()) else 2


def _about_table(result: TaskResult, one: Submission) -> Table:
    places = [other.id for other in result.ranking]
    used = ", ".join(
        f"{meaning} (perhaps)" if one.uses(letter) == "?" else meaning
        for letter, meaning in RESOURCES.items()
        if one.uses(letter) != "no"
    )
    rows: list[tuple[Cell, ...]] = [
        ("group", one.group), ("priority", str(one.run.priority)), ("type", one.run.kind),
        ("resources", used or None), ("description", one.description or None),
        (f"place by {result.standings[0].measure}", f"{places.index(one.id) + 1} of {len(places)}"),
    ]  # fmt: skip
    return Table("The run", (Column("run"), Column(one.id)), tuple(rows))


def _difference_table(standing: Standing, run: str) -> Table:
    """Every other run, with the difference seen from this one."""
    rows: list[tuple[Cell, ...]] = []
    for pair in standing.pairs:
        if run not in (pair.first, pair.second):
            continue
        sign = 1 if pair.first == run else -1
        low, high = sorted(sign * bound for bound in pair.ci)
        other = pair.second if pair.first == run else pair.first
        verdict = "yes" if pair.significant else "no"
        rows.append((other, Estimate(sign * pair.delta, (low, high)), pair.p_holm, verdict))
    columns = (
        Column("other run"), Column("difference", _decimals(standing)), Column("p corrected", 4),
        Column("significant"),
    )  # fmt: skip
    return Table(f"Differences by {standing.measure}", columns, tuple(rows))


def _only(evaluation: Evaluation, position: int) -> Evaluation:
    """The same evaluation with one run."""
    return replace(
        evaluation,
        runs=evaluation.runs[position : position + 1],
        scores={
            name: replace(
                scores, systems=scores.systems[position : position + 1],
                statistics=scores.statistics[position : position + 1],
            )
            for name, scores in evaluation.scores.items()
        },
        evidence={
            name: found[position : position + 1] for name, found in evaluation.evidence.items()
        },
    )  # fmt: skip


def task_explorer(result: TaskResult, run: str | None = None) -> Explorer:
    """The segments of all runs or of one, with human scores beside the automatic ones."""
    evaluation = result.evaluation
    if run is not None:
        evaluation = _only(evaluation, evaluation.systems.index(run))
    explorer = evaluation.explorer()
    ids = [segment.id for segment in result.manifest.test_set]
    human = {
        name: _placed(scores, evaluation.systems, ids) for name, scores in result.human.items()
    }
    better = {name: scores.higher_is_better for name, scores in result.human.items()}
    return replace(
        explorer, values={**explorer.values, **human},
        higher_is_better={**explorer.higher_is_better, **better},
    )  # fmt: skip


def _placed(scores: Scores, systems: Sequence[str], segments: Sequence[str]) -> FloatArray:
    """Segment scores in the order of the task, NaN where nothing was judged."""
    placed = np.full((len(systems), len(segments)), np.nan)
    column = {segment: place for place, segment in enumerate(segments)}
    columns = [column[segment] for segment in scores.segments]
    values = scores.segment_scores
    for row, system in enumerate(systems):
        if system in scores.systems:
            placed[row, columns] = values[scores.systems.index(system)]
    return placed
